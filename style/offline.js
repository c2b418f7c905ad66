// The service worker: keeps this build of the page, and nothing else, for a visit without a network. scripts/finish-page.mjs
// fills in what the build consists of. The page's own files have a digest in their names and come from the cache; its start
// comes from the network as long as there is one, so that a new release is taken at once. No other request is answered here:
// an agent may live on the page's own origin, even below its path.
'use strict';
const BUILD = '{{BUILD}}';
const FILES = '{{FILES}}';

const home = new URL('./', self.location.href);
const files = FILES.map((name) => new URL(name, home));
const starts = [home, new URL('index.html', home)];
const isFile = new Set(files.map((url) => url.href));
const isStart = new Set(starts.map((url) => url.href));
// Other copies of the page may be on this origin, under other paths; an address has no blank in it.
const family = `a2a-conformance ${home.pathname} `;
const cacheName = family + BUILD;

const keep = async () => {
  const start = await fetch(home, { cache: 'no-cache' });
  if (!start.ok) throw new Error(`the page: HTTP ${start.status}`);
  const html = await start.text();
  // While a release is being copied to its host, the start of one build may meet the worker of another.
  const named = html.match(/[\w.-]+-[0-9a-f]{16}(?:_bg)?\.\w+/g) ?? [];
  if (!named.every((name) => FILES.includes(name))) throw new Error('the page is of another build');
  const cache = await caches.open(cacheName);
  await cache.addAll([...isFile]);
  // Made anew, because a page may not start with an answer that was redirected. The headers may hold a policy.
  await cache.put(home, new Response(html, { headers: start.headers }));
};

// Where a browser can be told which requests are for this worker, it does not even hear of the others.
const hearOnly = async (event) => {
  if (!event.addRoutes) return;
  const literal = (text) => text.replace(/[^\w/-]/g, '\\$&');
  const pattern = ({ protocol, hostname, port, pathname }) =>
    new URLPattern({ protocol: protocol.slice(0, -1), hostname, port, pathname: literal(pathname), search: '' });
  const condition = (url, rest) => ({ condition: { urlPattern: pattern(url), requestMethod: 'GET', ...rest }, source: 'fetch-event' });
  await event.addRoutes([
    ...starts.map((url) => condition(url, { requestMode: 'navigate' })),
    ...files.map((url) => condition(url)),
    { condition: { urlPattern: new URLPattern({}) }, source: 'network' },
  ]);
};

self.addEventListener('install', (event) => {
  const kept = keep().catch(async (error) => {
    await caches.delete(cacheName);
    throw error;
  });
  // Without it the worker still answers nothing else.
  const routed = hearOnly(event).catch(() => {});
  event.waitUntil(Promise.all([kept, routed]).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  const older = (name) => name.startsWith(family) && name !== cacheName;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(older).map((name) => caches.delete(name)))));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  // A link to a check is an address of the start too. One with a query is not: signing in returns with a code there.
  const [address] = request.url.split('#');
  const cached = (url) => caches.match(url, { cacheName, ignoreVary: true });
  if (request.mode === 'navigate') {
    if (!isStart.has(address)) return;
    event.respondWith(fetch(request).catch(async () => (await cached(home.href)) ?? Response.error()));
  } else if (isFile.has(address)) {
    event.respondWith(cached(address).then((found) => found ?? fetch(request)));
  }
});
