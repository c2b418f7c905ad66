// Trunk runs this after a build (Trunk.toml). A release it makes smaller first (slim-page.mjs). Then it allows the page's
// inline scripts by their hashes, so that the Content-Security-Policy needs no 'unsafe-inline'. The policy in index.html
// says where, with {{INLINE_HASHES}}. A release also gets its service worker, and compressed files beside the others.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compress } from './compress-page.mjs';
import { keepOffline } from './keep-offline.mjs';
import { slim } from './slim-page.mjs';

const PLACEHOLDER = '{{INLINE_HASHES}}';
const WORKER = /\s*<meta name="offline"[^>]*>/;

const folder = process.env.TRUNK_STAGING_DIR ?? 'dist';
const isRelease = process.env.TRUNK_PROFILE === 'release';
const file = join(folder, 'index.html');
const built = readFileSync(file, 'utf8');
// `trunk serve` adds a script that reloads the page, and fills its address in when it serves the page: then its hash would
// not be the one taken here. The browser knows the address too.
const settled = built
  .replaceAll("'{{__TRUNK_ADDRESS__}}'", 'window.location.host')
  .replaceAll('{{__TRUNK_WS_BASE__}}', '/');
// What is being worked on must not be kept by a browser.
const html = isRelease ? slim(folder, settled) : settled.replace(WORKER, '');

const inline = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)]
  .filter(([, attributes, text]) => !/\bsrc\s*=/i.test(attributes) && text.trim() !== '')
  // A parser turns CRLF into LF before the browser hashes the text.
  .map(([, , text]) => text.replace(/\r\n?/g, '\n'));
const hashes = inline.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);

const places = html.split(PLACEHOLDER).length - 1;
if (places !== 1) {
  console.error(`${file}: expected ${PLACEHOLDER} once, in the script-src of the policy; found it ${places} times`);
  process.exit(1);
}
writeFileSync(file, html.replace(PLACEHOLDER, hashes.join(' ')));
if (isRelease) {
  keepOffline(folder, 'style/offline.js');
  compress(folder);
}
