// An agent on the JavaScript SDK of A2A 1.0: the release in the folder A2A_SDK decides. See ../../docs/HISTORY.md.
//
// The first word of a message chooses the behaviour. It speaks JSON-RPC at `/rpc` and HTTP+JSON under `/rest`, and prints
// `listening http://127.0.0.1:PORT`.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { express, load } from './sdk.mjs';

const { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } = await load('.');
const { AgentEvent, DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore } = await load('./server');
const { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } = await load('./server/express');

const EXTENSION = 'https://example.org/extensions/notes';
const KINDS = [
  { text: 'text', metadata: { note: 'of the text' } },
  { data: { answer: 42, nested: { yes: true } }, metadata: { note: 'of the data' } },
  { raw: 'AP8gZmlsZQ==', mediaType: 'application/octet-stream', filename: 'file.bin' },
  { url: 'https://example.org/file.png', mediaType: 'image/png', filename: 'file.png' },
];

/** Does what the first word of the message names, and echoes what names nothing. */
class Agent {
  /** The contexts of the tasks that were not cancelled. */
  #contexts = new Map();

  async execute({ task, taskId, contextId, userMessage }, bus) {
    const text = userMessage.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
    const [word] = text.trim().split(/\s+/);
    if (word === 'message-only' && !task) {
      bus.publish(AgentEvent.message(said(`echo: ${text}`, { contextId })));
      bus.finished();
      return;
    }
    const ids = { taskId, contextId };
    const status = (state, text) => bus.publish(statusUpdate(ids, `TASK_STATE_${state}`, text));
    const artifact = (artifact, place = {}) =>
      bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ ...ids, artifact, ...place })));
    const end = (state, text) => {
      status(state, text);
      bus.finished();
    };
    this.#contexts.set(taskId, contextId);
    const pause = async (time) => {
      await sleep(time);
      return this.#contexts.has(taskId);
    };
    bus.publish(AgentEvent.task(task ?? { ...submitted(ids, word), history: [userMessage] }));
    status('WORKING');
    if (word === 'input-required' || (task && word !== 'done')) return end('INPUT_REQUIRED', 'More, please.');
    if (word === 'fail') return end('FAILED', 'Failed, as asked.');
    if (word === 'reject') return end('REJECTED', 'Rejected, as asked.');
    if (word === 'auth-required') return end('AUTH_REQUIRED', 'Please allow me to open the safe.');
    if (word === 'data-types') {
      const about = { name: 'kinds', description: 'one of each', metadata: { note: 'of it' }, extensions: [EXTENSION] };
      artifact({ artifactId: 'kinds', parts: KINDS, ...about });
    } else if (word === 'streaming') {
      const chunks = ['one ', 'two ', 'three ', 'four'];
      for (const [index, text] of chunks.entries()) {
        const place = { append: index > 0, lastChunk: index === chunks.length - 1 };
        artifact({ artifactId: 'chunks', name: 'chunks', parts: [{ text }] }, place);
        if (!(await pause(150))) return;
      }
    } else {
      for (let step = 1; word === 'slow' && step <= 12; step += 1) {
        if (!(await pause(250))) return;
        status('WORKING', `step ${step} of 12`);
      }
      artifact({ artifactId: 'echo', name: 'echo', parts: [{ text: `echo: ${text}` }] });
    }
    end('COMPLETED');
  }

  async cancelTask(taskId, bus) {
    const contextId = this.#contexts.get(taskId);
    this.#contexts.delete(taskId);
    bus.publish(statusUpdate({ taskId, contextId }, 'TASK_STATE_CANCELED'));
    bus.finished();
  }
}

function said(text, ids) {
  return Message.fromJSON({ messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }], ...ids });
}

function submitted({ taskId, contextId }, word) {
  const metadata = word === 'data-types' ? { task: 'a note' } : undefined;
  return Task.fromJSON({ id: taskId, contextId, status: now('TASK_STATE_SUBMITTED'), metadata });
}

function statusUpdate(ids, state, text) {
  const event = TaskStatusUpdateEvent.fromJSON({ ...ids, status: now(state) });
  if (text) event.status.message = said(text, ids);
  return AgentEvent.statusUpdate(event);
}

function now(state) {
  return { state, timestamp: new Date().toISOString() };
}

function card(base) {
  return AgentCard.fromJSON({
    name: 'History',
    description: 'An agent on a release of the JavaScript SDK.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${base}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'echo', name: 'Echo', description: 'Echoes.', tags: ['echo'], examples: ['hello'] }],
  });
}

const app = express();
const server = app.listen(0, '127.0.0.1', (error) => {
  if (error) throw error;
  const base = `http://127.0.0.1:${server.address().port}`;
  const push = new InMemoryPushNotificationStore();
  const sender = { send: async () => {} };
  const requestHandler = new DefaultRequestHandler(card(base), new InMemoryTaskStore(), new Agent(), undefined, push, sender);
  const userBuilder = UserBuilder.noAuthentication;
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
  app.use('/rest', restHandler({ requestHandler, userBuilder }));
  console.log(`listening ${base}`);
});
