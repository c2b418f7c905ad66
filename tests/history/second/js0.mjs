// An assistant on the JavaScript SDK of A2A 0.2 or 0.3, as its samples build one: the release in the folder A2A_SDK decides.
//
// The first word of a message chooses what it does; what names nothing is echoed. It keeps a store of push notification
// configurations, speaks JSON-RPC at `/a2a/jsonrpc` and, if the release has it, HTTP+JSON under `/a2a/rest`.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { express, load } from '../sdk.mjs';

const server = await load('./server');
const { DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore } = server;
// Until 0.3 all of the server was one entry.
const transport = server.A2AExpressApp ? server : await load('./server/express');
const { A2AExpressApp, UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } = transport;

const EXTENSION = 'https://example.org/extensions/style';
const REPORT = [
  { kind: 'text', text: 'A report of every kind.', metadata: { language: 'en' } },
  { kind: 'data', data: { rows: [1, 2.5, -3], total: 0, empty: '', done: false }, metadata: { unit: 'm' } },
  { kind: 'file', file: { bytes: 'aGVsbG8=', mimeType: 'text/plain', name: 'hello.txt' } },
  { kind: 'file', file: { uri: 'https://example.org/map.png', mimeType: 'image/png', name: 'map.png' } },
];

/** Works on tasks in the way the first word of the message names. */
class AssistantExecutor {
  #running = new Map();
  #waiting = new Map();

  async execute(requestContext, eventBus) {
    const { userMessage, task, taskId, contextId } = requestContext;
    const text = userMessage.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    const [word] = text.trim().split(/\s+/);
    if (word === 'message-only') {
      eventBus.publish(say(`You said: ${text}`, { contextId }));
      eventBus.finished();
      return;
    }

    const ids = { taskId, contextId };
    if (!task) {
      const status = { state: 'submitted', timestamp: new Date().toISOString() };
      const { metadata } = userMessage;
      eventBus.publish({ kind: 'task', id: taskId, contextId, status, history: [userMessage], metadata });
    }
    const update = (state, words, final = false) => eventBus.publish(statusUpdate(ids, state, words, final));
    const artifact = (value, place = {}) => {
      const content = { artifactId: randomUUID(), ...value };
      eventBus.publish({ kind: 'artifact-update', ...ids, artifact: content, ...place });
    };
    const end = (state, words) => {
      this.#running.delete(taskId);
      update(state, words, true);
      eventBus.finished();
    };
    // Whether the task was cancelled meanwhile, which it then says.
    const cancelled = async (time) => {
      await sleep(time);
      if (this.#running.get(taskId) !== 'cancelled') return false;
      end('canceled', 'Stopped.');
      return true;
    };
    this.#waiting.delete(taskId);
    this.#running.set(taskId, 'working');
    update('working', 'Working on it.');

    if (word === 'input-required' || word === 'a' || word === 'auth-required') {
      this.#waiting.set(taskId, contextId);
      return word === 'auth-required'
        ? end('auth-required', 'Please sign in.')
        : end('input-required', 'Please tell me more.');
    }
    if (word === 'fail') return end('failed', 'It did not work out.');
    if (word === 'reject') return end('rejected', 'I would rather not.');
    if (word === 'slow') {
      for (let step = 1; step <= 6; step += 1) {
        if (await cancelled(500)) return;
        update('working', `Step ${step} of 6.`);
      }
      artifact({ name: 'summary', parts: [{ kind: 'text', text: 'All six steps.' }] });
      return end('completed', 'Done at last.');
    }
    if (word === 'streaming') {
      const pieces = ['Once ', 'upon ', 'a ', 'time.'];
      for (const [index, piece] of pieces.entries()) {
        const place = { append: index > 0, lastChunk: index === pieces.length - 1 };
        artifact({ artifactId: 'story', name: 'story', parts: [{ kind: 'text', text: piece }] }, place);
        if (await cancelled(100)) return;
      }
      return end('completed');
    }
    if (word === 'data-types') {
      artifact({ name: 'report', parts: REPORT, metadata: { pages: 1 }, extensions: [EXTENSION] });
      artifact({ name: 'sources', parts: [{ kind: 'data', data: { sources: [] } }] });
      return end('completed', 'Here is the report.');
    }
    artifact({ name: 'echo', parts: userMessage.parts, metadata: { words: text.split(/\s+/).length } });
    return end('completed', `Echoed: ${text}`);
  }

  cancelTask = async (taskId, eventBus) => {
    if (this.#running.has(taskId)) {
      this.#running.set(taskId, 'cancelled');
      return;
    }
    eventBus.publish(statusUpdate({ taskId, contextId: this.#waiting.get(taskId) }, 'canceled', 'Stopped.', true));
    eventBus.finished();
  };
}

function say(text, ids) {
  const parts = [{ kind: 'text', text }];
  return { kind: 'message', messageId: randomUUID(), role: 'agent', parts, metadata: { tone: 'friendly' }, ...ids };
}

function statusUpdate(ids, state, text, final) {
  const message = text === undefined ? undefined : say(text, ids);
  return { kind: 'status-update', ...ids, status: { state, message, timestamp: new Date().toISOString() }, final };
}

function card(base) {
  const interfaces = [{ url: `${base}/a2a/jsonrpc`, transport: 'JSONRPC' }];
  if (restHandler) interfaces.push({ url: `${base}/a2a/rest`, transport: 'HTTP+JSON' });
  return {
    name: 'Assistant',
    description: 'Works on small tasks.',
    version: '1.2.0',
    protocolVersion: '0.3.0',
    url: `${base}/a2a/jsonrpc`,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: interfaces,
    provider: { organization: 'Example', url: 'https://example.org' },
    iconUrl: 'https://example.org/icon.png',
    documentationUrl: 'https://example.org/docs',
    capabilities: {
      streaming: true,
      pushNotifications: true,
      stateTransitionHistory: true,
      extensions: [{ uri: EXTENSION, description: 'How answers are worded.' }],
    },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id: 'work', name: 'Work', description: 'Works.', tags: ['work'], examples: ['slow', 'streaming'] }],
  };
}

const app = express();
const listener = app.listen(0, '127.0.0.1', (error) => {
  if (error) throw error;
  const base = `http://127.0.0.1:${listener.address().port}`;
  const push = InMemoryPushNotificationStore ? [undefined, new InMemoryPushNotificationStore()] : [];
  const executor = new AssistantExecutor();
  const requestHandler = new DefaultRequestHandler(card(base), new InMemoryTaskStore(), executor, ...push);
  if (jsonRpcHandler) {
    const userBuilder = UserBuilder?.noAuthentication;
    app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
    app.use('/a2a/jsonrpc', jsonRpcHandler({ requestHandler, userBuilder }));
    if (restHandler) app.use('/a2a/rest', restHandler({ requestHandler, userBuilder }));
  } else {
    // The card is below the path here, and looked for at the root.
    app.get('/.well-known/agent-card.json', (_, response) => response.json(card(base)));
    new A2AExpressApp(requestHandler).setupRoutes(app, '/a2a/jsonrpc');
  }
  console.log(`listening ${base}`);
});
