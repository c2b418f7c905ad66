// Writes the page's service worker: style/offline.js with the names of what this build consists of. It may keep these files
// and no others, so the list is made of what is there, and only of names that carry a digest of their content.

import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

/** A name that belongs to one content: `base-6453d0f9a093a4a2.css`, `checker-1a845ed514869ea4_bg.wasm`. */
const WITH_DIGEST = /-[0-9a-f]{16}(_bg)?\.(js|wasm|css|svg)$/;
const WORKER = 'offline.js';

/** Writes the worker for the page in a folder; `source` is the file that it is made of. */
export function keepOffline(folder, source) {
  const files = readdirSync(folder).filter((name) => WITH_DIGEST.test(name)).sort();
  // Of the start page too, which has no digest in its name.
  const html = readFileSync(join(folder, 'index.html'));
  const build = createHash('sha256').update(html).update(files.join('\n')).digest('hex').slice(0, 16);
  let text = readFileSync(source, 'utf8');
  for (const [place, value] of [["'{{BUILD}}'", build], ["'{{FILES}}'", files]]) {
    if (text.split(place).length !== 2) throw new Error(`${source}: expected ${place} once`);
    text = text.replace(place, () => JSON.stringify(value));
  }
  writeFileSync(join(folder, WORKER), transformSync(text, { loader: 'js', minify: true, legalComments: 'none' }).code);
}
