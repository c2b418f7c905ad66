// An agent on the JavaScript SDK of A2A 0.3: the release in the folder A2A_SDK decides. See ../../docs/HISTORY.md.
//
// The first word of a message chooses the behaviour. It speaks JSON-RPC at `/rpc` and, if the release has it, HTTP+JSON under
// `/rest`, and prints `listening http://127.0.0.1:PORT`.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { express, load } from './sdk.mjs';

const { DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore } = await load('./server');
const { A2AExpressApp, UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } = await load('./server/express');

const EXTENSION = 'https://example.org/extensions/notes';
const KINDS = [
  { kind: 'text', text: 'text', metadata: { note: 'of the text' } },
  { kind: 'data', data: { answer: 42, nested: { yes: true } }, metadata: { note: 'of the data' } },
  { kind: 'file', file: { bytes: 'AP8gZmlsZQ==', mimeType: 'application/octet-stream', name: 'file.bin' } },
  { kind: 'file', file: { uri: 'https://example.org/file.png', mimeType: 'image/png', name: 'file.png' } },
];

/** Does what the first word of the message names, and echoes what names nothing. */
class Agent {
  /** The contexts of the tasks that were not cancelled. */
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
      const metadata = word === 'data-types' ? { task: 'a note' } : undefined;
      bus.publish({ kind: 'task', id: taskId, contextId, status: now('submitted'), history: [userMessage], metadata });
    }
    status('working');
    if (word === 'input-required' || (task && word !== 'done')) return end('input-required', 'More, please.');
    if (word === 'fail') return end('failed', 'Failed, as asked.');
    if (word === 'reject') return end('rejected', 'Rejected, as asked.');
    if (word === 'auth-required') return end('auth-required', 'Please allow me to open the safe.');
    if (word === 'data-types') {
      const about = { name: 'kinds', description: 'one of each', metadata: { note: 'of it' }, extensions: [EXTENSION] };
      artifact({ artifactId: 'kinds', parts: KINDS, ...about });
    } else if (word === 'streaming') {
      const chunks = ['one ', 'two ', 'three ', 'four'];
      for (const [index, text] of chunks.entries()) {
        const place = { append: index > 0, lastChunk: index === chunks.length - 1 };
        artifact({ artifactId: 'chunks', name: 'chunks', parts: [{ kind: 'text', text }] }, place);
        if (!(await pause(150))) return;
      }
    } else {
      for (let step = 1; word === 'slow' && step <= 12; step += 1) {
        if (!(await pause(250))) return;
        status('working', `step ${step} of 12`);
      }
      artifact({ artifactId: 'echo', name: 'echo', parts: [{ kind: 'text', text: `echo: ${text}` }] });
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

function card(base) {
  const interfaces = [{ url: `${base}/rpc`, transport: 'JSONRPC' }];
  if (restHandler) interfaces.push({ url: `${base}/rest`, transport: 'HTTP+JSON' });
  return {
    name: 'History',
    description: 'An agent on a release of the JavaScript SDK.',
    version: '1.0.0',
    protocolVersion: '0.3.0',
    url: `${base}/rpc`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: interfaces,
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'echo', name: 'Echo', description: 'Echoes.', tags: ['echo'], examples: ['hello'] }],
  };
}

const app = express();
const server = app.listen(0, '127.0.0.1', (error) => {
  if (error) throw error;
  const base = `http://127.0.0.1:${server.address().port}`;
  const push = new InMemoryPushNotificationStore();
  const sender = { send: async () => {} };
  const requestHandler = new DefaultRequestHandler(card(base), new InMemoryTaskStore(), new Agent(), undefined, push, sender);
  if (jsonRpcHandler) {
    const userBuilder = UserBuilder.noAuthentication;
    app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
    app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
    app.use('/rest', restHandler({ requestHandler, userBuilder }));
  } else {
    // The card is below the path here, and looked for at the root.
    app.get('/.well-known/agent-card.json', (_, response) => response.json(card(base)));
    new A2AExpressApp(requestHandler).setupRoutes(app, '/rpc');
  }
  console.log(`listening ${base}`);
});
