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
const OPEN = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };
const allow = (request, headers = request.headers['access-control-request-headers'] ?? '', methods = 'GET, POST, DELETE') => ({
  ...OPEN,
  'access-control-allow-methods': methods,
  'access-control-allow-headers': headers,
});
const answer = (response, status, headers = {}) => response.writeHead(status, headers).end();

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
    forward(request, response);
  };
  const forward = (request, response) => {
    const headers = { ...request.headers, host: new URL(upstream).host };
    delete headers['accept-encoding'];
    const outgoing = http.request(upstream + request.url, { method: request.method, headers, agent: false }, (incoming) => {
      const kept = Object.entries(incoming.headers).filter(
        ([name]) => !/^(access-control-|content-length|transfer-encoding|connection|cross-origin)/.test(name),
      );
      response.writeHead(incoming.statusCode, { ...Object.fromEntries(kept), ...(fault.cors ?? (() => OPEN))(request, incoming) });
      response.flushHeaders();
      incoming.on('data', (chunk) => {
        // The card names the agent's own address; clients must come through here.
        response.write(chunk.toString('latin1').replaceAll(upstream, options.advertise ?? origin), 'latin1');
        if (fault.cut && streams(incoming)) setTimeout(() => response.socket?.destroy(), 50);
      });
      incoming.on('end', () => response.end());
      incoming.on('error', () => response.destroy());
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    request.pipe(outgoing);
  };
  const server = options.tls ? https.createServer(options.tls, handle) : http.createServer(handle);
  const port = await listen(t, server);
  origin = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return { origin, port, seen };
}

/** A port at which something listens that does not speak HTTP. */
export async function startBanner(t) {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.end('SSH-2.0-OpenSSH_9.2\r\n');
  });
  return `http://127.0.0.1:${await listen(t, server)}`;
}

/** A port at which nothing listens. */
export async function closedPort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A certificate that nobody trusts, made for the occasion; undefined where there is no openssl. */
export function selfSigned() {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-tls-'));
  try {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
    const subject = ['-subj', '/CN=localhost', '-days', '2'];
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

async function listen(t, server) {
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return server.address().port;
}
