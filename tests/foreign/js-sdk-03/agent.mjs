// A real agent on the official JavaScript SDK of A2A 0.3, to try the checks on a server that is not ours.
//
// The text of a message chooses the behaviour, so that one agent shows many: see `EchoAgent.execute`.
// With `--token TOKEN` it lets in only those who have it, and has an extended card for them.
// With `--takes MS` it is an ordinary agent, which knows no words: every task takes that long, `--jitter PERCENT` more or less.
// It speaks JSON-RPC at `/rpc` and HTTP+JSON under `/rest`, and prints `listening http://127.0.0.1:PORT` once it answers.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore } from 'a2a-js-sdk-03/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from 'a2a-js-sdk-03/server/express';
import express from 'express';
import { durations } from '../seeded.mjs';

/** Echoes the text in an artifact, or does what the text's first word names. */
class EchoAgent {
  examples = ['hello', 'slow', 'streaming', 'input-required'];

  /** The contexts of the tasks that were not cancelled, which is all that the SDK does not say when it cancels. */
  #contexts = new Map();

  async execute({ task, taskId, contextId, userMessage }, bus) {
    const text = userMessage.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    const [word] = text.trim().split(/\s+/);

    if (word === 'message-only' && !task) {
      bus.publish(said(`echo: ${text}`, { contextId }));
      bus.finished();
      return;
    }

    const ids = { taskId, contextId };
    const status = (state, text, final = false) => bus.publish(statusUpdate(ids, state, text, final));
    const artifact = (artifact, place = {}) => bus.publish({ kind: 'artifact-update', ...ids, artifact, ...place });
    const end = (state, text) => {
      status(state, text, true);
      bus.finished();
    };
    this.#contexts.set(taskId, contextId);
    const pause = async (time) => {
      await sleep(time);
      return this.#contexts.has(taskId);
    };

    if (!task) {
      bus.publish({ kind: 'task', id: taskId, contextId, status: now('submitted'), history: [userMessage] });
    }
    status('working');

    // A task that asked for input goes on asking until it hears "done".
    if (word === 'input-required' || (task && word !== 'done')) {
      end('input-required', 'More, please; "done" ends it.');
      return;
    }
    if (word === 'fail') {
      end('failed', 'Failed, as asked.');
      return;
    }
    if (word === 'reject') {
      end('rejected', 'Rejected, as asked.');
      return;
    }
    if (word === 'auth-required') {
      end('auth-required', 'Please allow me to open the safe.');
      return;
    }
    if (word === 'data-types') {
      const parts = [
        { kind: 'text', text: 'text' },
        { kind: 'data', data: { answer: 42, nested: [null, true, 'ü'] } },
        { kind: 'file', file: { bytes: 'AP8gZmlsZQ==', mimeType: 'application/octet-stream', name: 'file.bin' } },
        { kind: 'file', file: { uri: 'https://example.org/file.png', mimeType: 'image/png', name: 'file.png' } },
      ];
      artifact({ artifactId: randomUUID(), name: 'every kind of part', parts });
    } else if (word === 'streaming' || word === 'burst') {
      const burst = Array.from({ length: 40 }, (_, number) => `${number} `);
      const chunks = word === 'burst' ? burst : ['one ', 'two ', 'three ', 'four'];
      const artifactId = randomUUID();
      for (const [index, text] of chunks.entries()) {
        const place = { append: index > 0, lastChunk: index === chunks.length - 1 };
        artifact({ artifactId, name: 'chunks', parts: [{ kind: 'text', text }] }, place);
        if (word === 'streaming' && !(await pause(150))) return;
      }
    } else {
      for (let step = 1; word === 'slow' && step <= 12; step += 1) {
        if (!(await pause(250))) return;
        status('working', `step ${step} of 12`);
      }
      artifact({ artifactId: randomUUID(), name: 'echo', parts: [{ kind: 'text', text: `echo: ${text}` }] });
    }
    end('completed');
  }

  cancelTask = async (taskId, bus) => {
    const contextId = this.#contexts.get(taskId);
    this.#contexts.delete(taskId);
    bus.publish(statusUpdate({ taskId, contextId }, 'canceled', undefined, true));
    bus.finished();
  };
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
    const text = userMessage.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    const ids = { taskId, contextId };
    if (!task) {
      bus.publish({ kind: 'task', id: taskId, contextId, status: now('submitted'), history: [userMessage] });
    }
    bus.publish(statusUpdate(ids, 'working', undefined, false));
    if (await this.#worked(taskId)) {
      const artifact = { artifactId: randomUUID(), name: 'echo', parts: [{ kind: 'text', text: `echo: ${text}` }] };
      bus.publish({ kind: 'artifact-update', ...ids, artifact });
      bus.publish(statusUpdate(ids, 'completed', undefined, true));
    } else {
      bus.publish(statusUpdate(ids, 'canceled', undefined, true));
    }
    bus.finished();
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

function said(text, ids) {
  return { kind: 'message', messageId: randomUUID(), role: 'agent', parts: [{ kind: 'text', text }], ...ids };
}

function statusUpdate(ids, state, text, final) {
  const status = { ...now(state), ...(text && { message: said(text, ids) }) };
  return { kind: 'status-update', ...ids, status, final };
}

function now(state) {
  return { state, timestamp: new Date().toISOString() };
}

const SECURITY = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'Bearer' },
    oauth: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: 'https://example.org/token', scopes: { echo: 'Have texts echoed' } } },
    },
  },
  security: [{ bearer: [] }, { oauth: ['echo'] }],
};

function card(base, token, examples) {
  return {
    name: 'JavaScript SDK echo',
    description: 'An echo on the official JavaScript SDK, for tests.',
    version: '1.0.0',
    protocolVersion: '0.3.0',
    provider: { organization: 'a2a-conformance', url: 'https://example.org/' },
    url: `${base}/rpc`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [
      { url: `${base}/rpc`, transport: 'JSONRPC' },
      { url: `${base}/rest`, transport: 'HTTP+JSON' },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    supportsAuthenticatedExtendedCard: token !== undefined,
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
  };
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
const { token, takes, jitter, seed } = parseArgs({
  options: {
    token: { type: 'string' },
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
    // Nobody comes as far as this without the token.
    token && (async () => ({ ...agentCard, description: `${agentCard.description} You are known here.` })),
  );
  const userBuilder = UserBuilder.noAuthentication;
  app.use(cors);
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use(doorkeeper(token));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
  app.use('/rest', restHandler({ requestHandler, userBuilder }));
  console.log(`listening ${base}`);
});
