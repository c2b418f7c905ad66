// An agent on VoltAgent, which its adapter for Hono serves; its model is a stub.

import { A2AServer } from '@voltagent/a2a-server';
import { Agent, VoltAgent } from '@voltagent/core';
import { honoServer } from '@voltagent/server-hono';
import { port, stub } from '../model.mjs';

const echo = new Agent({
  id: 'echo',
  name: 'Echo',
  purpose: 'Says again what it was told.',
  instructions: 'Say again what you were told.',
  model: stub('v2'),
});
const chosen = await port();
// It prints where it listens, with colours, before it says so below.
console.log = () => {};
console.info = () => {};
new VoltAgent({
  agents: { echo },
  a2aServers: { echo: new A2AServer({ name: 'echo', version: '1.0.0', description: 'An agent on VoltAgent.' }) },
  server: honoServer({ port: chosen, hostname: '127.0.0.1' }),
});
const url = `http://127.0.0.1:${chosen}`;
while (!(await fetch(url).catch(() => undefined))) await new Promise((resolve) => setTimeout(resolve, 50));
process.stdout.write(`listening ${url}/.well-known/echo/agent-card.json\n`);
