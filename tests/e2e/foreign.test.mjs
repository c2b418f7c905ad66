// The agent on the official Python SDK starts and answers over real HTTP, so that what other tests say about it counts.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { startPythonAgent } from './support.mjs';

test('the Python SDK agent', async (t) => {
  const { origin } = await startPythonAgent(t);

  const send = (text) =>
    fetch(`${origin}/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', Origin: 'http://127.0.0.1:1' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'a',
        method: 'SendMessage',
        params: { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] } },
      }),
    });

  await t.test('serves a card that names both bindings at their own addresses', async () => {
    const response = await fetch(`${origin}/.well-known/agent-card.json`);
    assert.equal(response.status, 200);
    const card = await response.json();
    assert.deepEqual(
      card.supportedInterfaces.map(({ url, protocolBinding, protocolVersion }) => [url, protocolBinding, protocolVersion]),
      [
        [`${origin}/`, 'JSONRPC', '1.0'],
        [`${origin}/rest`, 'HTTP+JSON', '1.0'],
      ],
    );
  });

  await t.test('finishes a task with an artifact', async () => {
    const { result } = await (await send('hello')).json();
    assert.equal(result.task.status.state, 'TASK_STATE_COMPLETED');
    assert.equal(result.task.artifacts[0].parts[0].text, 'echo: hello');
  });

  await t.test('shows its answers to a page of another origin', async () => {
    const response = await send('message-only');
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.equal((await response.json()).result.message.parts[0].text, 'echo: message-only');
  });
});
