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

/** Pages of every origin may read and ask everything: what is tested here is not CORS. */
const OPEN = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
  'access-control-expose-headers': 'WWW-Authenticate, ETag, Retry-After, A2A-Version, A2A-Extensions',
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
 * An authorization server: client credentials (RFC 6749 §4.4), authorization code with PKCE (RFC 7636) that always agrees,
 * and OpenID Connect discovery. A token is good for `uses` requests. `{ origin, accepts, tokens() }`.
 */
export async function startAuthorizationServer(t, { uses = Infinity, cors = true } = {}) {
  const good = new Map();
  const codes = new Map();
  let given = 0;
  const origin = await listen(t, async (request, response) => {
    if (cors && preflight(request, response)) return;
    const url = new URL(request.url, origin);
    const answer = (status, document) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...(cors ? OPEN : {}) })
        .end(JSON.stringify(document));
    if (url.pathname === '/.well-known/openid-configuration') {
      answer(200, { issuer: origin, token_endpoint: `${origin}/token`, authorization_endpoint: `${origin}/authorize` });
      return;
    }
    if (url.pathname === '/authorize') {
      const code = randomUUID();
      const { redirect_uri, state, code_challenge } = Object.fromEntries(url.searchParams);
      codes.set(code, code_challenge);
      response.writeHead(302, { location: `${redirect_uri}?${new URLSearchParams({ code, state })}` }).end();
      return;
    }
    const form = new URLSearchParams((await read(request)).toString());
    if (url.pathname !== '/token' || request.method !== 'POST') return answer(404, {});
    if (form.get('grant_type') === 'authorization_code') {
      const digest = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
      if (codes.get(form.get('code')) !== digest) return answer(400, { error: 'invalid_grant' });
      codes.delete(form.get('code'));
    } else if (form.get('client_id') !== 'me' || form.get('client_secret') !== SECRETS.client) {
      return answer(401, { error: 'invalid_client' });
    }
    given += 1;
    const token = `${CANARY}-token-${given}`;
    good.set(token, uses);
    answer(200, { access_token: token, token_type: 'Bearer', scope: form.get('scope') ?? undefined });
  });
  const accepts = (token) => {
    const left = good.get(token) ?? 0;
    good.set(token, left - 1);
    return left > 0;
  };
  return { origin, accepts, tokens: () => given };
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
};

/** A gate of some kind before the scripted agent at `inner`. Resolves to its origin. */
export async function startGate(t, inner, kind, server) {
  const { scheme, admits } = KINDS[kind](server);
  const origin = await listen(t, (request, response) => {
    if (preflight(request, response)) return;
    const url = new URL(request.url, inner);
    const headers = { ...request.headers, host: url.host };
    delete headers.authorization;
    if (admits(request, url)) headers.authorization = `Bearer ${INNER}`;
    if (kind === 'query') url.searchParams.delete('key');
    const passed = ask(url, { method: request.method, headers }, async (answer) => {
      const { 'content-length': _, ...kept } = answer.headers;
      // What an agent may do, and what must not show up anywhere: it sends back what it was asked with.
      kept['x-echo'] = encodeURI(`${request.url} ${JSON.stringify(request.headers)}`);
      if (!/json/.test(answer.headers['content-type'] ?? '')) {
        response.writeHead(answer.statusCode, kept);
        answer.pipe(response);
        return;
      }
      const text = (await read(answer)).toString().replaceAll(inner, origin);
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
