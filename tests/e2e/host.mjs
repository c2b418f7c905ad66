// A plain host for static files, as strangers run one: under any path, with headers of its own, with whatever else is on the
// same origin, and gone when a test wants it gone.

import { createServer } from 'node:http';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { DIST } from './support.mjs';

const MEDIA_TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
};

/** A copy of the built page that a test may change. */
export async function copyOfPage(t) {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-page-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(DIST, folder, { recursive: true });
  return folder;
}

/**
 * Serves a folder below `base`. `headers` go with every file, `types` are media types by the ends of names;
 * `other(request, response)` answers requests for anything that is not a file in it.
 * Resolves to `{ origin, url, asked, stop }`: `asked` lists `GET /path` of all that came.
 */
export async function host(t, { folder = DIST, base = '/', port = 0, headers = {}, types = {}, other } = {}) {
  const known = { ...MEDIA_TYPES, ...types };
  const asked = [];
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const { pathname } = new URL(request.url, 'http://host');
    const inside = pathname.startsWith(base) ? normalize(pathname.slice(base.length)) : '..';
    const name = inside === '.' || inside === '' ? 'index.html' : inside;
    try {
      if (name.startsWith('..') || request.method !== 'GET') throw new Error('no file of the page');
      const body = await readFile(join(folder, name));
      response.writeHead(200, { 'content-type': known[extname(name)] ?? 'application/octet-stream', ...headers }).end(body);
    } catch {
      if (other) other(request, response);
      else response.writeHead(404).end();
    }
  });
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.after(stop);
  const origin = `http://127.0.0.1:${server.address().port}`;
  return { origin, url: origin + base, port: server.address().port, asked, stop };
}
