// The way to an agent, broken in every manner that a browser can meet: a proxy per fault in front of a healthy agent, so that
// whatever goes wrong is the way's fault. No dependency. Every starter ends what it started with the test.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CARD = '/.well-known/agent-card.json';
const isCard = (request) => request.url.startsWith(CARD);
const isCall = (request) => !isCard(request) && request.method !== 'OPTIONS' && !asksRoot(request);
const asksRoot = (request) => request.url === '/' && request.method === 'GET';
const isPreflight = (request) => request.method === 'OPTIONS';
const streams = (answer) => String(answer.headers['content-type']).startsWith('text/event-stream');

/** What a page needs; a fault takes something away from it. */
export const OPEN = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };
const allow = (request, headers = request.headers['access-control-request-headers'] ?? '', methods = 'GET, POST, DELETE') => ({
  ...OPEN,
  'access-control-allow-methods': methods,
  'access-control-allow-headers': headers,
});
const answer = (response, status, headers = {}) => response.writeHead(status, headers).end();
/** Begins a body, and breaks it off long before its declared end. */
const cutShort = (response) => {
  response.writeHead(200, { ...OPEN, 'content-type': 'application/json', 'content-length': 1000 });
  response.write('{"name": "x", ');
  setTimeout(() => response.socket?.destroy(), 50);
  return true;
};

/**
 * The faults of a proxy. `before(request, response)` answers true when it has dealt with the request itself; `cors(request)`
 * answers the headers for pages of an answer; `preflight(request, response)` answers an OPTIONS.
 */
export const FAULTS = {
  none: {},
  'no-allow-origin': { cors: () => ({}), preflight: (_, response) => answer(response, 405) },
  'other-origin': { cors: () => ({ 'access-control-allow-origin': 'https://elsewhere.example' }) },
  'allow-origin-twice': { cors: () => ({ 'access-control-allow-origin': ['*', '*'] }) },
  'resource-policy': { cors: () => ({ 'cross-origin-resource-policy': 'same-origin' }) },
  'redirect-hop': {
    before: (request, response) => isCard(request) && (answer(response, 302, { location: '/elsewhere' }), true),
  },
  'redirect-target': {
    before: (request, response) => isCard(request) && (answer(response, 302, { ...OPEN, location: '/elsewhere' }), true),
    cors: (request) => (request.url === '/elsewhere' ? {} : OPEN),
  },
  'redirect-circle': {
    before: (request, response) => isCard(request) && (answer(response, 302, { ...OPEN, location: request.url }), true),
  },
  'redirect-nowhere': {
    before: (request, response) =>
      isCard(request) && (answer(response, 302, { ...OPEN, location: 'http://127.0.0.1:1/' }), true),
  },
  'card-error-outside': { before: (request, response) => isCard(request) && (answer(response, 500), true) },
  closes: { before: (request) => (request.socket.destroy(), true) },
  resets: { before: (request) => (request.socket.resetAndDestroy(), true) },
  silent: { before: () => true },
  'options-405': { preflight: (_, response) => answer(response, 405, { ...OPEN, allow: 'GET, POST' }) },
  'options-401': { preflight: (_, response) => answer(response, 401, { ...OPEN, 'www-authenticate': 'Bearer' }) },
  'options-500': { preflight: (_, response) => answer(response, 500) },
  'options-redirect': { preflight: (request, response) => answer(response, 307, { ...allow(request), location: '/x' }) },
  'options-closes': { preflight: (request) => request.socket.destroy() },
  'options-silent': { preflight: () => {} },
  'content-type-only': { preflight: (request, response) => answer(response, 204, allow(request, 'content-type')) },
  'no-content-type': { preflight: (request, response) => answer(response, 204, allow(request, 'a2a-version, a2a-extensions')) },
  'no-authorization': {
    preflight: (request, response) => answer(response, 204, allow(request, 'content-type, a2a-version, a2a-extensions')),
  },
  'no-delete': { preflight: (request, response) => answer(response, 204, allow(request, undefined, 'GET, POST')) },
  'card-only': { cors: (request) => (isCard(request) ? OPEN : {}) },
  'call-error-outside': { before: (request, response) => isCall(request) && (answer(response, 500), true) },
  'call-closes': { before: (request) => isCall(request) && (request.socket.destroy(), true) },
  'call-silent': { before: (request) => isCall(request) },
  'card-cut': { before: (request, response) => isCard(request) && cutShort(response) },
  'call-cut': { before: (request, response) => isCall(request) && cutShort(response) },
  'stream-not-shared': { cors: (_, upstream) => (upstream && streams(upstream) ? {} : OPEN) },
  'stream-cut': { cut: true },
};

/**
 * Starts a proxy with that fault in front of the agent at `origin`. Resolves to `{ origin, seen }`; `seen` grows by a line for
 * each request: method, path, mode and content type.
 */
export async function startFault(t, name, upstream, options = {}) {
  const fault = FAULTS[name];
  const seen = [];
  let origin;
  const handle = (request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, mode: headers['sec-fetch-mode'], type: headers['content-type'] ?? '' });
    if (fault.preflight && isPreflight(request)) return fault.preflight(request, response);
    if (fault.before?.(request, response)) return;
    if (isPreflight(request)) return answer(response, 204, allow(request));
    forward(request, response, upstream, { ...fault, advertise: options.advertise ?? origin });
  };
  const server = options.tls ? https.createServer(options.tls, handle) : http.createServer(handle);
  const port = await listen(t, server);
  origin = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return { origin, port, seen };
}

/** Lets the agent behind answer. */
function forward(request, response, upstream, { cors = () => OPEN, cut, advertise, body }) {
  const headers = { ...request.headers, host: new URL(upstream).host };
  delete headers['accept-encoding'];
  const outgoing = http.request(upstream + request.url, { method: request.method, headers, agent: false }, (incoming) => {
    const kept = Object.entries(incoming.headers).filter(
      ([name]) => !/^(access-control-|content-length|transfer-encoding|connection|cross-origin)/.test(name),
    );
    response.writeHead(incoming.statusCode, { ...Object.fromEntries(kept), ...cors(request, incoming) });
    response.flushHeaders();
    incoming.on('data', (chunk) => {
      // The card names the agent's own address; clients must come through here.
      response.write(chunk.toString('latin1').replaceAll(upstream, advertise), 'latin1');
      if (cut && streams(incoming)) setTimeout(() => response.socket?.destroy(), 50);
    });
    incoming.on('end', () => response.end());
    incoming.on('error', () => response.destroy());
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  if (body === undefined) request.pipe(outgoing);
  else outgoing.end(body);
}

/**
 * Starts a proxy in front of the agent at `upstream` that plays a trick on some requests. `trick(asked, response)` answers
 * true, or a promise of it, when it has dealt with one; `asked` says its `number` from 0, its `request` and `body`, and whether it is
 * for the card, a message that waits, or one that streams. `die()` closes the port and every connection.
 */
export async function startTrick(t, upstream, trick) {
  let origin;
  let number = 0;
  const server = http.createServer(async (request, response) => {
    if (isPreflight(request)) return answer(response, 204, allow(request));
    const pieces = [];
    request.on('error', () => {});
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    const calls = (method, path) => body.includes(`"method":"${method}"`) || request.url.includes(path);
    const asked = {
      number: number++,
      request,
      body,
      isCard: isCard(request),
      sends: calls('SendMessage', '/message:send'),
      streams: calls('SendStreamingMessage', '/message:stream'),
    };
    response.on('error', () => {});
    if (!(await trick(asked, response))) forward(request, response, upstream, { advertise: origin, body });
  });
  const port = await listen(t, server);
  origin = `http://127.0.0.1:${port}`;
  const die = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin, die };
}

/** Answers with these pieces, as fast as they are read, until there are no more or the other side is gone. */
export function flood(response, type, pieces, pause = 0) {
  response.writeHead(200, { ...OPEN, 'content-type': type });
  const iterator = pieces[Symbol.iterator]();
  const next = () => {
    for (;;) {
      const { value, done } = iterator.next();
      if (response.destroyed) return;
      if (done) return response.end();
      const room = response.write(value);
      if (pause) return setTimeout(next, pause);
      if (!room) return response.once('drain', next);
    }
  };
  next();
  return true;
}

/** A port at which something listens that does not speak HTTP. */
export async function startBanner(t) {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.end('SSH-2.0-OpenSSH_9.2\r\n');
  });
  return `http://127.0.0.1:${await listen(t, server)}`;
}

/**
 * A port at which nothing listens, and which no system hands out to those that ask for any free one: they begin at 32768, and tests
 * run side by side.
 */
export async function closedPort() {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  if (looksLikeHttps(port)) return closedPort();
  const server = net.createServer();
  const isFree = await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return closedPort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A certificate that nobody trusts, made for the occasion, perhaps for another name; undefined where there is no openssl. */
export function selfSigned(name = 'localhost') {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-tls-'));
  try {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
    const subject = ['-subj', `/CN=${name}`, '-days', '2'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const looksLikeHttps = (port) => String(port).endsWith('443');

async function listen(t, server) {
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  // The page takes a port that ends in 443 for one of https, and asks there.
  do {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  } while (looksLikeHttps(server.address().port));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return server.address().port;
}
