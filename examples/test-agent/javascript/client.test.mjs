// Tests of the client: each says what the agent answers, and looks at what the agent received.

import assert from 'node:assert/strict';
import test, { after, before, beforeEach } from 'node:test';
import { Refused, ask } from './client.mjs';
import { startTestAgent } from './agent.mjs';

const DONE = { kind: 'task', status: { state: 'completed', message: { parts: [{ kind: 'text', text: 'Booked.' }] } } };
const NO = { kind: 'task', status: { state: 'rejected', message: { parts: [{ kind: 'text', text: 'No seats.' }] } } };

let agent;
before(async () => (agent = await startTestAgent()));
beforeEach(() => agent.clear());
after(() => agent.stop());

test('the answer is what the agent says', async () => {
  const answer = await ask(agent.url, `A flight, please. ${agent.responses('booked', [DONE])}`);
  assert.equal(answer, 'Booked.');
  const [request] = await agent.captured('booked');
  assert.equal(request.headers['a2a-version'], '1.0');
  assert.match(request.body.params.message.parts[0].text, /^A flight, please\./);
});

test('a refusal is an error', async () => {
  await assert.rejects(ask(agent.url, agent.responses('refused', [NO])), new Refused('No seats.'));
});

test('a busy server is an error', async () => {
  await assert.rejects(ask(agent.url, agent.responses('busy', [{ httpStatus: 503 }])), new Refused('status 503'));
});
