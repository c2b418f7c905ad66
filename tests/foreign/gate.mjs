// A small authorization server, and a gate that lets only those with the right credentials through to an agent.
//
// The gate stands before the scripted agent, which knows one bearer token: what comes with the gate's own credentials is
// passed on with that token. The agent's card is shown with the gate's address and the scheme that the gate asks for.

import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';

/** What lets in at the scripted agent. */
const INNER = 'open-sesame';

/** The secrets of every kind of credentials. Each holds the word by which a leak is found. */
export const CANARY = 'c4nary';
export const SECRETS = {
  bearer: `${CANARY}-bearer`,
  basic: `me:${CANARY}-pass word`,
  key: `${CANARY}-key`,
  query: `${CANARY}/query+key`,
  client: `${CANARY}&client`,
};

/** Where a secret shows in a text, in whatever way it is written: what is around it. */
export function traces(text) {
  const coded = (secret) => Buffer.from(secret).toString('base64').replaceAll('=', '');
  const forms = [CANARY, coded(CANARY).slice(0, 7), ...Object.values(SECRETS).map(coded)];
  return forms.flatMap((form) => {
    const at = text.indexOf(form);
    return at < 0 ? [] : [text.slice(Math.max(0, at - 120), at + 40)];
  });
}

/** Pages of every origin may read and ask everything: what is tested here is not CORS. */
const OPEN = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  'access-control-expose-headers': 'X-Echo, X-Coded, WWW-Authenticate, ETag, Retry-After, A2A-Version, A2A-Extensions',
};

async function listen(t, handle) {
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

async function read(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function preflight(request, response) {
  if (request.method !== 'OPTIONS') return false;
  const asked = request.headers['access-control-request-headers'] ?? '';
  response.writeHead(204, { ...OPEN, 'access-control-allow-headers': asked }).end();
  return true;
}

/**
 * An authorization server, for the client `me` that has a secret and the client `app` that has none: client credentials
 * (RFC 6749 §4.4), authorization code with PKCE (RFC 7636), device codes (RFC 8628), refresh tokens that are good for once
 * (RFC 6749 §6), and OpenID Connect discovery. It holds its clients to all of that. A token is good for `uses` requests; with
 * `forge` it sends people back with another state than they came with.
 * `{ origin, accepts, tokens(), agree(code), faults }`: `agree` is what a person does at `/device`.
 */
export async function startAuthorizationServer(t, { uses = Infinity, cors = true, forge = false } = {}) {
  const good = new Map();
  const codes = new Map();
  const refreshing = new Set();
  const devices = new Map();
  const faults = [];
  let given = 0;

  const issue = (renewable) => {
    given += 1;
    const token = `${CANARY}-token-${given}`;
    good.set(token, uses);
    const more = renewable ? { refresh_token: `${CANARY}-refresh-${given}` } : {};
    if (renewable) refreshing.add(more.refresh_token);
    return [200, { access_token: token, token_type: 'Bearer', ...more }];
  };
  const knows = (form) =>
    form.get('client_id') === 'app' ? !form.has('client_secret') : form.get('client_id') === 'me' && form.get('client_secret') === SECRETS.client;
  const grants = {
    client_credentials: (form) => (form.get('client_id') === 'me' ? issue(false) : [400, { error: 'unauthorized_client' }]),
    authorization_code: (form) => {
      const asked = codes.get(form.get('code'));
      codes.delete(form.get('code'));
      const digest = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
      const same = asked && ['redirect_uri', 'client_id'].every((name) => asked[name] === form.get(name));
      return same && asked.code_challenge === digest ? issue(true) : [400, { error: 'invalid_grant' }];
    },
    refresh_token: (form) => (refreshing.delete(form.get('refresh_token')) ? issue(true) : [400, { error: 'invalid_grant' }]),
    'urn:ietf:params:oauth:grant-type:device_code': (form) => {
      const device = devices.get(form.get('device_code'));
      if (!device) return [400, { error: 'invalid_grant' }];
      const early = performance.now() - device.asked < 1000 * device.interval;
      device.asked = performance.now();
      if (early) faults.push('a client asked for its device earlier than it may');
      // Once, to see that it is heeded.
      if (!device.slowed) {
        device.slowed = true;
        device.interval += 5;
        return [400, { error: 'slow_down' }];
      }
      return device.agreed ? issue(true) : [400, { error: 'authorization_pending' }];
    },
  };

  const origin = await listen(t, async (request, response) => {
    if (cors && preflight(request, response)) return;
    const url = new URL(request.url, origin);
    const answer = (status, document) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...(cors ? OPEN : {}) })
        .end(JSON.stringify(document));
    if (url.pathname === '/.well-known/openid-configuration') {
      const at = (path) => `${origin}/${path}`;
      const endpoints = { token_endpoint: at('token'), authorization_endpoint: at('authorize') };
      return answer(200, { issuer: origin, ...endpoints, device_authorization_endpoint: at('code') });
    }
    if (url.pathname === '/authorize') {
      const asked = Object.fromEntries(url.searchParams);
      const fits = asked.response_type === 'code' && asked.code_challenge_method === 'S256' && asked.state && asked.redirect_uri;
      if (!fits) return answer(400, { error: 'invalid_request' });
      const code = `${CANARY}-code-${randomUUID()}`;
      codes.set(code, asked);
      const state = forge ? randomUUID() : asked.state;
      const back = `${asked.redirect_uri}?${new URLSearchParams({ code, state })}`;
      const page = `<!doctype html><title>Sign in</title><a id="agree" href="${back.replaceAll('&', '&amp;')}">Agree</a>`;
      // As such pages do: no ties to the window that opened it.
      const headers = { 'content-type': 'text/html', 'cross-origin-opener-policy': 'same-origin' };
      return response.writeHead(200, headers).end(page);
    }
    const form = new URLSearchParams((await read(request)).toString());
    if (request.method !== 'POST') return answer(404, {});
    if (url.pathname === '/code') {
      if (form.get('client_id') !== 'app') return answer(401, { error: 'invalid_client' });
      const [device_code, user_code] = [`${CANARY}-device-${randomUUID()}`, 'WDJB-MJHT'];
      devices.set(device_code, { asked: performance.now(), interval: 1, agreed: false, slowed: false });
      const verification_uri = `${origin}/device`;
      return answer(200, { device_code, user_code, verification_uri, expires_in: 300, interval: 1 });
    }
    if (url.pathname !== '/token') return answer(404, {});
    if (!knows(form)) return answer(401, { error: 'invalid_client' });
    const grant = grants[form.get('grant_type')] ?? (() => [400, { error: 'unsupported_grant_type' }]);
    answer(...grant(form));
  });
  const accepts = (token) => {
    const left = good.get(token) ?? 0;
    good.set(token, left - 1);
    return left > 0;
  };
  const agree = () => devices.forEach((device) => (device.agreed = true));
  return { origin, accepts, tokens: () => given, agree, faults };
}

/** The kinds of gates: the scheme of the card, and whether a request is let in. */
const KINDS = {
  bearer: () => ({
    scheme: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    admits: ({ headers }) => headers.authorization === `Bearer ${SECRETS.bearer}`,
  }),
  basic: () => ({
    scheme: { httpAuthSecurityScheme: { scheme: 'Basic' } },
    admits: ({ headers }) => headers.authorization === `Basic ${Buffer.from(SECRETS.basic).toString('base64')}`,
  }),
  key: () => ({
    scheme: { apiKeySecurityScheme: { location: 'header', name: 'X-Api-Key' } },
    admits: ({ headers }) => headers['x-api-key'] === SECRETS.key,
  }),
  query: () => ({
    scheme: { apiKeySecurityScheme: { location: 'query', name: 'key' } },
    admits: (_, url) => url.searchParams.get('key') === SECRETS.query,
  }),
  oauth: (server) => ({
    scheme: {
      oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: `${server.origin}/token`, scopes: {} } } },
    },
    admits: ({ headers }) => server.accepts((headers.authorization ?? '').replace(/^Bearer /, '')),
  }),
  openid: (server) => ({
    scheme: { openIdConnectSecurityScheme: { openIdConnectUrl: `${server.origin}/.well-known/openid-configuration` } },
    admits: KINDS.oauth(server).admits,
  }),
  code: (server) => ({
    scheme: {
      oauth2SecurityScheme: {
        flows: {
          authorizationCode: { authorizationUrl: `${server.origin}/authorize`, tokenUrl: `${server.origin}/token`, scopes: {} },
        },
      },
    },
    admits: KINDS.oauth(server).admits,
  }),
  device: (server) => ({
    scheme: {
      oauth2SecurityScheme: {
        flows: {
          deviceCode: { deviceAuthorizationUrl: `${server.origin}/code`, tokenUrl: `${server.origin}/token`, scopes: {} },
        },
      },
    },
    admits: KINDS.oauth(server).admits,
  }),
};

/**
 * A gate of some kind before the scripted agent at `inner`. Resolves to its origin. With `redirect` it sends calls on to
 * another origin; with `elsewhere` the card says that the interfaces are there.
 */
export async function startGate(t, inner, kind, server, { redirect, elsewhere } = {}) {
  const { scheme, admits } = KINDS[kind](server);
  const origin = await listen(t, (request, response) => {
    if (preflight(request, response)) return;
    const url = new URL(request.url, inner);
    if (redirect && request.method === 'POST') {
      response.writeHead(307, { ...OPEN, location: `${redirect}${url.pathname}` }).end();
      return;
    }
    const headers = { ...request.headers, host: url.host };
    delete headers.authorization;
    if (admits(request, url)) headers.authorization = `Bearer ${INNER}`;
    if (kind === 'query') url.searchParams.delete('key');
    const passed = ask(url, { method: request.method, headers }, async (answer) => {
      const { 'content-length': _, ...own } = answer.headers;
      const kept = { ...own, ...OPEN };
      // What an agent may do, and what must not show up anywhere: it sends back what it was asked with.
      const sent = `${request.url} ${JSON.stringify(request.headers)}`;
      kept['x-echo'] = encodeURI(sent);
      const secret = request.headers['x-api-key'] ?? request.headers.authorization?.replace(/^\w+ /, '') ?? '';
      kept['x-coded'] = Buffer.from(secret).toString('base64');
      if (!/json/.test(answer.headers['content-type'] ?? '')) {
        response.writeHead(answer.statusCode, kept);
        answer.pipe(response);
        return;
      }
      const text = (await read(answer)).toString().replaceAll(inner, elsewhere ?? origin);
      response.writeHead(answer.statusCode, kept).end(dressed(text, scheme));
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  return origin;
}

/** A card with the gate's scheme, also inside of an answer; anything else as it is. */
function dressed(text, scheme) {
  let document;
  try {
    document = JSON.parse(text);
  } catch {
    return text;
  }
  const card = document?.result ?? document;
  if (!card?.securitySchemes) return text;
  card.securitySchemes = { gate: scheme };
  card.securityRequirements = [{ schemes: { gate: { list: [] } } }];
  return JSON.stringify(document);
}

/** An origin that lets everybody ask and remembers who did: `{ origin, heard }`, each request as one text. */
export async function startBystander(t) {
  const heard = [];
  const origin = await listen(t, async (request, response) => {
    if (preflight(request, response)) return;
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${await read(request)}`);
    response.writeHead(200, { 'content-type': 'application/json', ...OPEN }).end('{}');
  });
  return { origin, heard };
}
