// A real agent on the official JavaScript SDK, to try the checks on a server that is not ours.
//
// The text of a message chooses the behaviour, so that one agent shows many: see `EchoAgent.execute`.
// With `--token TOKEN` it lets in only those who have it, and has an extended card for them.
// With `--takes MS` it is an ordinary agent, which knows no words: every task takes that long, `--jitter PERCENT` more or less.
// It speaks JSON-RPC at `/rpc` and HTTP+JSON under `/rest`, and prints `listening http://127.0.0.1:PORT` once it answers.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { AgentEvent, DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import express from 'express';
import { durations } from '../seeded.mjs';

/** Echoes the text in an artifact, or does what the text's first word names. */
class EchoAgent {
  examples = ['hello', 'slow', 'streaming', 'input-required'];

  /** The contexts of the tasks that were not cancelled, which is all that the SDK does not say when it cancels. */
  #contexts = new Map();

  async execute({ task, taskId, contextId, userMessage }, bus) {
    const text = userMessage.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
    const [word] = text.trim().split(/\s+/);

    if (word === 'message-only' && !task) {
      bus.publish(AgentEvent.message(said(`echo: ${text}`, { contextId })));
      return;
    }

    const ids = { taskId, contextId };
    const status = (state, text) => bus.publish(statusUpdate(ids, state, text));
    const artifact = (artifact, place = {}) =>
      bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ ...ids, artifact, ...place })));
    this.#contexts.set(taskId, contextId);
    const pause = async (time) => {
      await sleep(time);
      return this.#contexts.has(taskId);
    };

    // The SDK wants the task first, on later turns too.
    bus.publish(AgentEvent.task(task ?? { ...submitted(ids), history: [userMessage] }));
    status('TASK_STATE_WORKING');

    // A task that asked for input goes on asking until it hears "done".
    if (word === 'input-required' || (task && word !== 'done')) {
      status('TASK_STATE_INPUT_REQUIRED', 'More, please; "done" ends it.');
      return;
    }
    if (word === 'fail') {
      status('TASK_STATE_FAILED', 'Failed, as asked.');
      return;
    }
    if (word === 'reject') {
      status('TASK_STATE_REJECTED', 'Rejected, as asked.');
      return;
    }
    if (word === 'auth-required') {
      status('TASK_STATE_AUTH_REQUIRED', 'Please allow me to open the safe.');
      return;
    }
    if (word === 'boast') {
      status('TASK_STATE_COMPLETED', 'I have called the other agent, and all is done.');
      return;
    }
    if (word === 'delegate') {
      try {
        artifact({ artifactId: randomUUID(), name: 'of the other agent', parts: await delegated(text) });
      } catch (error) {
        status('TASK_STATE_FAILED', `The other agent could not be called: ${error.message}`);
        return;
      }
    } else if (word === 'data-types') {
      const parts = [
        { text: 'text' },
        { data: { answer: 42, nested: [null, true, 'ü'] } },
        { raw: 'AP8gZmlsZQ==', mediaType: 'application/octet-stream', filename: 'file.bin' },
        { url: 'https://example.org/file.png', mediaType: 'image/png', filename: 'file.png' },
      ];
      artifact({ artifactId: randomUUID(), name: 'every kind of part', parts });
    } else if (word === 'streaming' || word === 'burst') {
      const burst = Array.from({ length: 40 }, (_, number) => `${number} `);
      const chunks = word === 'burst' ? burst : ['one ', 'two ', 'three ', 'four'];
      const artifactId = randomUUID();
      for (const [index, text] of chunks.entries()) {
        const place = { append: index > 0, lastChunk: index === chunks.length - 1 };
        artifact({ artifactId, name: 'chunks', parts: [{ text }] }, place);
        if (word === 'streaming' && !(await pause(150))) return;
      }
    } else {
      for (let step = 1; word === 'slow' && step <= 12; step += 1) {
        if (!(await pause(250))) return;
        status('TASK_STATE_WORKING', `step ${step} of 12`);
      }
      artifact({ artifactId: randomUUID(), name: 'echo', parts: [{ text: `echo: ${text}` }] });
    }
    status('TASK_STATE_COMPLETED');
  }

  async cancelTask(taskId, bus) {
    const contextId = this.#contexts.get(taskId);
    this.#contexts.delete(taskId);
    bus.publish(statusUpdate({ taskId, contextId }, 'TASK_STATE_CANCELED'));
  }
}

/** Echoes the text in an artifact, after a while, whatever it says. It is cancelled as the SDK documents it: between two steps. */
class TimedAgent {
  examples = ['hello'];
  #next;
  #canceled = new Set();

  constructor(next) {
    this.#next = next;
  }

  async execute({ task, taskId, contextId, userMessage }, bus) {
    const text = userMessage.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
    const ids = { taskId, contextId };
    const status = (state) => bus.publish(statusUpdate(ids, state));
    bus.publish(AgentEvent.task(task ?? { ...submitted(ids), history: [userMessage] }));
    status('TASK_STATE_WORKING');
    if (await this.#worked(taskId)) {
      const artifact = { artifactId: randomUUID(), name: 'echo', parts: [{ text: `echo: ${text}` }] };
      bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ ...ids, artifact })));
      status('TASK_STATE_COMPLETED');
    } else {
      status('TASK_STATE_CANCELED');
    }
  }

  /** Works for as long as the next task takes, and says whether it came to the end. */
  async #worked(taskId) {
    const [steps, time] = [5, this.#next()];
    for (let step = 1; time > 0 && step <= steps; step += 1) {
      if (this.#canceled.delete(taskId)) return false;
      await sleep(time / steps);
    }
    this.#canceled.delete(taskId);
    return true;
  }

  cancelTask = async (taskId) => {
    this.#canceled.add(taskId);
  };
}

/** Calls another agent by the SDK's client, and returns the parts that it put out: `delegate to URL with TOKEN`. */
async function delegated(text) {
  const [, url, token] = /delegate to (\S+) with (\S+)/.exec(text);
  const client = await new ClientFactory().createFromUrl(url);
  const message = Message.fromJSON({ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: token }] });
  const answer = await client.sendMessage({ tenant: '', message, configuration: undefined, metadata: undefined });
  const parts = answer.parts ?? answer.artifacts.flatMap(({ parts }) => parts);
  return parts.map(({ content }) => ({ text: content.value }));
}

function said(text, ids) {
  return Message.fromJSON({ messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }], ...ids });
}

function submitted({ taskId, contextId }) {
  return Task.fromJSON({ id: taskId, contextId, status: now('TASK_STATE_SUBMITTED') });
}

function statusUpdate(ids, state, text) {
  const event = TaskStatusUpdateEvent.fromJSON({ ...ids, status: now(state) });
  if (text) event.status.message = said(text, ids);
  return AgentEvent.statusUpdate(event);
}

function now(state) {
  return { state, timestamp: new Date().toISOString() };
}

const SECURITY = {
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    oauth: {
      oauth2SecurityScheme: {
        flows: {
          clientCredentials: { tokenUrl: 'https://example.org/token', scopes: { echo: 'Have texts echoed' } },
        },
      },
    },
  },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }, { schemes: { oauth: { list: ['echo'] } } }],
};

function card(base, token, examples) {
  return AgentCard.fromJSON({
    name: 'JavaScript SDK echo',
    description: 'An echo on the official JavaScript SDK, for tests.',
    version: '1.0.0',
    provider: { organization: 'a2a-conformance', url: 'https://example.org/' },
    supportedInterfaces: [
      { url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${base}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: token !== undefined },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'echo',
        name: 'Echo',
        description: 'Sends the text back in an artifact.',
        tags: ['echo', 'test'],
        examples,
      },
    ],
    ...(token === undefined ? {} : SECURITY),
  });
}

/** Answers 401 to everybody who has not got the token. */
function doorkeeper(token) {
  return (request, response, next) => {
    if (token === undefined || request.header('Authorization') === `Bearer ${token}`) return next();
    response.status(401).setHeader('WWW-Authenticate', 'Bearer').json({ detail: 'Who are you?' });
  };
}

/** For pages of other origins; the SDK leaves it to the server around it. */
function cors(request, response, next) {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', '*');
  if (request.method !== 'OPTIONS') return next();
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE');
  response.setHeader('Access-Control-Allow-Headers', request.header('Access-Control-Request-Headers') ?? '*');
  response.status(204).end();
}

// Its notifications go to webhooks on this machine only.
const { fetch } = globalThis;
globalThis.fetch = async (url, init) => {
  if (new URL(url).hostname === '127.0.0.1') return fetch(url, init);
  throw new Error('only webhooks on this machine are called');
};
// `cors` is `none`, or a file with lines that a user would paste; without it everything is open to pages.
const { token, cors: pasted, takes, jitter, seed } = parseArgs({
  options: {
    token: { type: 'string' },
    cors: { type: 'string' },
    takes: { type: 'string' },
    jitter: { type: 'string', default: '0' },
    seed: { type: 'string', default: '0' },
  },
}).values;
const app = express();
const server = app.listen(0, '127.0.0.1', (error) => {
  if (error) throw error;
  const base = `http://127.0.0.1:${server.address().port}`;
  const executor = takes === undefined ? new EchoAgent() : new TimedAgent(durations(takes, jitter, seed));
  const agentCard = card(base, token, executor.examples);
  const requestHandler = new DefaultRequestHandler(
    agentCard,
    new InMemoryTaskStore(),
    executor,
    undefined,
    new InMemoryPushNotificationStore(),
    // The SDK's own sender.
    undefined,
    token && { ...agentCard, description: `${agentCard.description} You are known here.` },
    undefined,
    { validateInputModes: true },
  );
  const userBuilder = UserBuilder.noAuthentication;
  if (pasted === undefined) app.use(cors);
  else if (pasted !== 'none') new Function('app', readFileSync(pasted, 'utf8'))(app);
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use(doorkeeper(token));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
  app.use('/rest', restHandler({ requestHandler, userBuilder }));
  console.log(`listening ${base}`);
});
