// An agent on Mastra, which its adapter for Hono serves; its model is a stub.

import { serve } from '@hono/node-server';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { MastraServer } from '@mastra/hono';
import { InMemoryTaskStore } from '@mastra/server/a2a/store';
import { Hono } from 'hono';
import { port, stub } from '../model.mjs';

const echo = new Agent({
  id: 'echo',
  name: 'Echo',
  description: 'An agent on Mastra.',
  instructions: 'Say again what you were told.',
  model: stub('v2'),
});
const app = new Hono();
const mastra = new Mastra({ agents: { echo }, logger: false });
await new MastraServer({ app, mastra, taskStore: new InMemoryTaskStore() }).init();
const chosen = await port();
serve({ fetch: app.fetch, port: chosen, hostname: '127.0.0.1' }, () =>
  console.log(`listening http://127.0.0.1:${chosen}/api/.well-known/echo/agent-card.json`),
);
