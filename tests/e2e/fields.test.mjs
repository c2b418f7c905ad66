// The release page's other fields: the keys that are trusted to sign a card, the skills whose examples are sent, and the convention.

import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import test from 'node:test';
import { finished, rows, save, settings, unfold } from './page.mjs';
import { openPage, startAgent, startServe } from './support.mjs';

const KID = 'the-test-key';

/** JSON in its canonical form (RFC 8785), for values without numbers. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)}}`;
}

/** A key and a function that signs cards with it (1.0 §8.4). */
function signer() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const coded = (text) => Buffer.from(text).toString('base64url');
  const signed = (card) => {
    const input = `${coded(JSON.stringify({ alg: 'ES256', typ: 'JOSE', kid: KID }))}.${coded(canonical(card))}`;
    const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return { ...card, signatures: [{ protected: input.split('.')[0], signature: signature.toString('base64url') }] };
  };
  return { signed, keys: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KID }] } };
}

/** An ordinary agent of two skills that answers every message with a message: `{ origin, texts }`, what it was sent. */
async function startOrdinary(t, signed) {
  const texts = [];
  const headers = {
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'content-type, a2a-version, a2a-extensions',
    'access-control-allow-methods': 'GET, POST, OPTIONS',
  };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = (status, document) => response.writeHead(status, headers).end(JSON.stringify(document));
    if (request.method === 'OPTIONS') return response.writeHead(204, headers).end();
    if (request.url === '/.well-known/agent-card.json') return answer(200, signed(card));
    if (request.method !== 'POST') return answer(404, {});
    let call = {};
    try {
      call = JSON.parse(Buffer.concat(chunks));
    } catch {
      return answer(200, { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'not JSON' } });
    }
    const parts = call.method === 'SendMessage' ? (call.params?.message?.parts ?? []) : [];
    if (parts.length === 0)
      return answer(200, { jsonrpc: '2.0', id: call.id ?? null, error: { code: -32601, message: 'no such method' } });
    texts.push(...parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])));
    const message = { messageId: `answer-${texts.length}`, role: 'ROLE_AGENT', parts: [{ text: 'Certainly.' }] };
    return answer(200, { jsonrpc: '2.0', id: call.id, result: { message } });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${server.address().port}`;
  const skill = (id, examples) => ({ id, name: id, description: `Can ${id}`, tags: [id], examples });
  const card = {
    name: 'Ordinary',
    description: 'Answers',
    version: '1',
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    supportedInterfaces: [{ url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    skills: [skill('cook', ['How long do I boil an egg?']), skill('sing', ['Sing me something about rain'])],
  };
  return { origin, texts };
}

test('a card is verified by the keys that are trusted, and only the chosen skill is asked for', async (t) => {
  const { signed, keys } = signer();
  const { origin, texts } = await startOrdinary(t, signed);
  const served = await startServe(t);
  const { page } = await openPage(t, served.origin);
  await page.locator('html[data-start=ready]').waitFor();
  await page.fill('#address', origin);
  await settings(page);
  await page.fill('#jwks', JSON.stringify(keys));
  await page.fill('#skills', 'sing');
  assert.match(await page.locator('#settings > summary').innerText(), /chosen skills/);
  await page.click('#run');
  await finished(page);
  assert.ok(texts.includes('Sing me something about rain'), texts.join('\n'));
  assert.deepEqual(texts.filter((text) => text.includes('egg')), []);

  await unfold(page);
  const verified = (await rows(page)).find(({ check }) => check === 'card.signature-verifies');
  assert.equal(verified?.status, 'pass');
  await page.locator('tr[data-check="card.signature-verifies"] .row-button').first().click();
  // What was judged is asked of the worker, and comes after the title.
  assert.match(await page.locator('#message').innerText(), new RegExp(`with the key "?${KID}"?, which you trust`));
  const { text } = await save(page, 'json');
  assert.match(text, /which you trust/);

  // A text that cannot be a key set, and a skill that the agent does not have, are reported before anything is judged.
  await settings(page);
  await page.fill('#jwks', 'nonsense');
  await page.click('#run');
  await page.locator('#problem').getByText('trusted keys', { exact: false }).waitFor();
  await page.fill('#jwks', '');
  await page.fill('#skills', 'dance');
  await page.click('#run');
  await finished(page);
  assert.match(await page.locator('#verdict-reason').innerText(), /no skill dance; its skills are: cook, sing/);
});

test('the acceptance list of a convention is checked and shown under its ids', async (t) => {
  const agent = await startAgent(t);
  const served = await startServe(t);
  const { page } = await openPage(t, served.origin);
  await page.locator('html[data-start=ready]').waitFor();
  await page.fill('#address', `${agent.origin}/spec`);
  await settings(page);
  await page.selectOption('#profile', 'agentbin');
  await page.click('#run');
  await finished(page);
  assert.match(await page.innerText('#verdict'), /Acceptance list agentbin: \d+ of \d+ tests pass\./);
  await unfold(page);
  const listed = (await rows(page)).filter(({ check }) => check === 'spec-get-task' || check === 'error-cancel-terminal');
  assert.ok(listed.length > 0 && listed.every(({ status }) => status === 'pass'), JSON.stringify(listed));
});
