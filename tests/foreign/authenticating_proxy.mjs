// A small authorization server, and a gate that lets only those with the right credentials through to an agent.
//
// The gate stands before the scripted agent, which knows a bearer token of each user: what comes with an identity's credentials is
// passed on with its token. The agent's card is shown with the gate's address and the scheme that the gate asks for.

import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';

/** What lets in at the scripted agent: its two users. */
const INNER = ['open-sesame', 'open-barley'];

/** The secrets of every kind of credentials. Each holds the word by which a leak is found. */
export const CANARY = 'c4nary';
export const SECRETS = {
  bearer: `${CANARY}-bearer`,
  basic: `me:${CANARY}-pass word`,
  key: `${CANARY}-key`,
  query: `${CANARY}/query+key`,
  client: `${CANARY}&client`,
};

/** The same of a second identity, whose client is `other`. */
export const OTHERS = {
  bearer: `${CANARY}-other-bearer`,
  basic: `other:${CANARY}-other pass`,
  key: `${CANARY}-other-key`,
  query: `${CANARY}/other+query`,
  client: `${CANARY}&other-client`,
};

/** Whose secrets fit: 0 for the first identity, 1 for the second, -1 for neither. */
const whose = (fits) => [SECRETS, OTHERS].findIndex(fits);

/** Where a secret shows in a text, in whatever way it is written: what is around it. */
export function traces(text) {
  const coded = (secret) => Buffer.from(secret).toString('base64').replaceAll('=', '');
  const forms = [CANARY, coded(CANARY).slice(0, 7), ...[SECRETS, OTHERS].flatMap(Object.values).map(coded)];
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
 * An authorization server, for the clients `me` and `other` that have a secret, of the first and of the second identity, and the
 * client `app` that has none, with which people sign in; whoever had to sign in anew (`prompt=login`) is the second. Client credentials
 * (RFC 6749 §4.4), authorization code with PKCE (RFC 7636), device codes (RFC 8628), refresh tokens that are good for once
 * (RFC 6749 §6), and OpenID Connect discovery. It holds its clients to all of that. A token is good for `uses` requests; with
 * `forge` it sends people back with another state than they came with.
 * `{ origin, accepts, tokens(), agree(code), faults }`: `accepts` tells whose a token is, as `whose` does, and `agree` is what a person
 * does at `/device`.
 */
export async function startAuthorizationServer(t, { uses = Infinity, cors = true, forge = false } = {}) {
  const good = new Map();
  const codes = new Map();
  const refreshing = new Map();
  const devices = new Map();
  const faults = [];
  let given = 0;

  const issue = (renewable, owner) => {
    given += 1;
    const token = `${CANARY}-token-${given}`;
    good.set(token, { left: uses, owner });
    const more = renewable ? { refresh_token: `${CANARY}-refresh-${given}` } : {};
    if (renewable) refreshing.set(more.refresh_token, owner);
    return [200, { access_token: token, token_type: 'Bearer', ...more }];
  };
  const CLIENTS = ['me', 'other'];
  const ownerOf = (form) => CLIENTS.indexOf(form.get('client_id'));
  const knows = (form) =>
    form.get('client_id') === 'app'
      ? !form.has('client_secret')
      : ownerOf(form) >= 0 && ownerOf(form) === whose(({ client }) => form.get('client_secret') === client);
  const grants = {
    client_credentials: (form) =>
      ownerOf(form) >= 0 ? issue(false, ownerOf(form)) : [400, { error: 'unauthorized_client' }],
    authorization_code: (form) => {
      const asked = codes.get(form.get('code'));
      codes.delete(form.get('code'));
      const digest = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
      const same = asked && ['redirect_uri', 'client_id'].every((name) => asked[name] === form.get(name));
      const fits = same && asked.code_challenge === digest;
      return fits ? issue(true, asked.prompt === 'login' ? 1 : 0) : [400, { error: 'invalid_grant' }];
    },
    refresh_token: (form) => {
      const owner = refreshing.get(form.get('refresh_token'));
      return refreshing.delete(form.get('refresh_token')) ? issue(true, owner) : [400, { error: 'invalid_grant' }];
    },
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
      return device.agreed ? issue(true, 0) : [400, { error: 'authorization_pending' }];
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
    const known = good.get(token);
    if (!known || known.left <= 0) return -1;
    known.left -= 1;
    return known.owner;
  };
  const agree = () => devices.forEach((device) => (device.agreed = true));
  return { origin, accepts, tokens: () => given, agree, faults };
}

/** The kinds of gates: the scheme of the card, and as whom a request is let in. */
const KINDS = {
  bearer: () => ({
    scheme: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    admits: ({ headers }) => whose(({ bearer }) => headers.authorization === `Bearer ${bearer}`),
  }),
  basic: () => ({
    scheme: { httpAuthSecurityScheme: { scheme: 'Basic' } },
    admits: ({ headers }) => whose(({ basic }) => headers.authorization === `Basic ${Buffer.from(basic).toString('base64')}`),
  }),
  key: () => ({
    scheme: { apiKeySecurityScheme: { location: 'header', name: 'X-Api-Key' } },
    admits: ({ headers }) => whose(({ key }) => headers['x-api-key'] === key),
  }),
  query: () => ({
    scheme: { apiKeySecurityScheme: { location: 'query', name: 'key' } },
    admits: (_, url) => whose(({ query }) => url.searchParams.get('key') === query),
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
    const user = INNER[admits(request, url)];
    if (user) headers.authorization = `Bearer ${user}`;
    if (kind === 'query') url.searchParams.delete('key');
    const passed = ask(url, { method: request.method, headers }, async (answer) => {
      const { 'content-length': _, ...own } = answer.headers;
      const kept = { ...own, ...OPEN };
      // An agent may send back what it was asked with; no secret of it may show up anywhere.
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
