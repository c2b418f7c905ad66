// gRPC in the release page: as gRPC-Web, where the agent speaks it and lets the page read its answers; where not, the page says why.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import test from 'node:test';
import { finished, rows, runAgainst, unfold } from './page.mjs';
import { openPage, startAgent, startBrowser, startServe } from './support.mjs';

/** Serves a card that everybody may read, with an interface over gRPC that is `answer`. Resolves to the card's address. */
async function startCard(t, card, answer) {
  const server = createServer((request, response) => {
    if (request.url.startsWith('/.well-known/')) {
      response.writeHead(200, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
      const url = `http://127.0.0.1:${server.address().port}`;
      const supportedInterfaces = [{ url, protocolBinding: 'GRPC', protocolVersion: '1.0' }];
      return response.end(JSON.stringify({ ...card, supportedInterfaces }));
    }
    return answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

const PREFLIGHT = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*', 'access-control-allow-methods': 'POST' };

/** A gRPC-Web server that never has more than trailers, and those among its headers. */
const trailersOnly = (exposed) => (request, response) => {
  const status = { 'grpc-status': '5', 'grpc-message': 'no such task' };
  const answer = { ...status, 'content-type': 'application/grpc-web+proto', 'access-control-expose-headers': exposed };
  response.writeHead(200, { ...PREFLIGHT, ...(request.method === 'OPTIONS' ? {} : answer) }).end();
};

test('gRPC in the page', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t, { whole: true });
  const agent = await startAgent(t, ['--fault', 'grpc']);
  const card = await (await fetch(`${agent.origin}/.well-known/agent-card.json`)).json();
  const open = async () => (await openPage(t, `${served.origin}/`, { browser })).page;

  for (const [at, lane] of [['', 'grpc-1.0'], ['/0.3', 'grpc-0.3']]) {
    await t.test(`an agent that speaks gRPC-Web has the lane ${lane}`, async () => {
      const page = await open();
      await runAgainst(page, `${agent.origin}${at}`);
      await unfold(page);
      const ours = (await rows(page)).filter((row) => row.lane === lane);
      const passed = ours.filter(({ status }) => status === 'pass').length;
      assert.ok(passed > 50, `${passed} of ${ours.length} pass`);
      assert.deepEqual(ours.filter(({ status }) => !['pass', 'skip', 'blocked'].includes(status)), []);
      assert.ok(ours.some(({ check, status }) => check === 'grpc.status' && status === 'pass'));
    });
  }

  const refused = (request, response) => response.writeHead(415).end();
  for (const [name, answer, reason] of [
    ['no CORS', refused, /no such answer could be read[^.]*expose grpc-status/],
    ['no gRPC-Web', (request, response) => response.writeHead(request.method === 'OPTIONS' ? 204 : 415, PREFLIGHT).end(), /does not speak \(HTTP 415/],
    ['a hidden status', trailersOnly('x'), /hides the status/],
  ]) {
    await t.test(`of an interface with ${name} the page says why it is not checked, and how it can be`, async (t) => {
      const page = await open();
      const address = await startCard(t, card, answer);
      await page.locator('html[data-start=ready]').waitFor();
      await page.fill('#address', address);
      await page.click('#run');
      await finished(page);
      const text = (await page.locator('body').textContent()).replaceAll(/\s+/g, ' ');
      assert.match(text, reason);
      assert.ok(text.includes(`a2a-conformance check ${address}`), text.slice(0, 3000));
    });
  }

  await t.test('a status among headers that are exposed is read', async (t) => {
    const page = await open();
    await runAgainst(page, await startCard(t, card, trailersOnly('grpc-status, grpc-message')));
    await unfold(page);
    const found = (await rows(page)).filter((row) => row.lane === 'grpc-1.0');
    const of = (check) => found.find((row) => row.check === check)?.status;
    assert.equal(of('grpc.status'), 'pass');
    // grpc-status-details-bin is not exposed, so that nobody knows whether it was sent.
    assert.notEqual(of('error.info-grpc'), 'fail');
    assert.equal(of('get.not-found'), 'pass');
  });
});
