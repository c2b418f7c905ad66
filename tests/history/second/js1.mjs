// An assistant on the JavaScript SDK of A2A 1.0, as its samples build one: the release in the folder A2A_SDK decides.
//
// The first word of a message chooses what it does; what names nothing is echoed. It keeps a store of push notification
// configurations, serves an extended card, and speaks JSON-RPC at `/a2a/jsonrpc` and HTTP+JSON under `/a2a/rest`. `--compat`
// speaks 0.3 at the same addresses too, as agents do whose clients are not all new.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { express, load } from '../sdk.mjs';

const { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } = await load('.');
const { AgentEvent, DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore } = await load('./server');
const { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } = await load('./server/express');

const EXTENSION = 'https://example.org/extensions/style';
const REPORT = [
  { text: 'A report of every kind.', metadata: { language: 'en' } },
  { data: { rows: [1, 2.5, -3], total: 0, empty: '', done: false }, metadata: { unit: 'm' } },
  { raw: 'aGVsbG8=', mediaType: 'text/plain', filename: 'hello.txt' },
  { url: 'https://example.org/map.png', mediaType: 'image/png', filename: 'map.png' },
];

/** Works on tasks in the way the first word of the message names. */
class AssistantExecutor {
  #running = new Map();
  #waiting = new Map();

  async execute(requestContext, eventBus) {
    const { userMessage, task, taskId, contextId } = requestContext;
    const text = userMessage.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
    const [word] = text.trim().split(/\s+/);
    if (word === 'message-only') {
      eventBus.publish(AgentEvent.message(say(`You said: ${text}`, { contextId })));
      eventBus.finished();
      return;
    }

    const ids = { taskId, contextId };
    // Every turn begins with the task.
    eventBus.publish(AgentEvent.task(task ?? submitted(ids, userMessage)));
    const update = (state, words) => eventBus.publish(statusUpdate(ids, state, words));
    const artifact = (value, place = {}) => {
      const event = { ...ids, artifact: { artifactId: randomUUID(), ...value }, ...place };
      eventBus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(event)));
    };
    const end = (state, words) => {
      this.#running.delete(taskId);
      update(state, words);
      eventBus.finished();
    };
    // Whether the task was cancelled meanwhile, which it then says.
    const cancelled = async (time) => {
      await sleep(time);
      if (this.#running.get(taskId) !== 'cancelled') return false;
      end('CANCELED', 'Stopped.');
      return true;
    };
    this.#waiting.delete(taskId);
    this.#running.set(taskId, 'working');
    update('WORKING', 'Working on it.');

    if (word === 'input-required' || word === 'a' || word === 'auth-required') {
      this.#waiting.set(taskId, contextId);
      return word === 'auth-required'
        ? end('AUTH_REQUIRED', 'Please sign in.')
        : end('INPUT_REQUIRED', 'Please tell me more.');
    }
    if (word === 'fail') return end('FAILED', 'It did not work out.');
    if (word === 'reject') return end('REJECTED', 'I would rather not.');
    if (word === 'slow') {
      for (let step = 1; step <= 6; step += 1) {
        if (await cancelled(500)) return;
        update('WORKING', `Step ${step} of 6.`);
      }
      artifact({ name: 'summary', parts: [{ text: 'All six steps.' }] });
      return end('COMPLETED', 'Done at last.');
    }
    if (word === 'streaming') {
      const pieces = ['Once ', 'upon ', 'a ', 'time.'];
      for (const [index, text] of pieces.entries()) {
        const place = { append: index > 0, lastChunk: index === pieces.length - 1 };
        artifact({ artifactId: 'story', name: 'story', parts: [{ text }], metadata: { piece: index } }, place);
        if (await cancelled(100)) return;
      }
      return end('COMPLETED');
    }
    if (word === 'data-types') {
      artifact({ name: 'report', parts: REPORT, metadata: { pages: 1 }, extensions: [EXTENSION] });
      artifact({ name: 'sources', parts: [{ data: { sources: [] } }] });
      return end('COMPLETED', 'Here is the report.');
    }
    artifact({ name: 'echo', parts: Message.toJSON(userMessage).parts, metadata: { words: text.split(/\s+/).length } });
    return end('COMPLETED', `Echoed: ${text}`);
  }

  async cancelTask(taskId, eventBus) {
    if (this.#running.has(taskId)) {
      this.#running.set(taskId, 'cancelled');
      return;
    }
    eventBus.publish(statusUpdate({ taskId, contextId: this.#waiting.get(taskId) }, 'CANCELED', 'Stopped.'));
    eventBus.finished();
  }
}

function say(text, ids) {
  const about = { messageId: randomUUID(), role: 'ROLE_AGENT', metadata: { tone: 'friendly' } };
  return Message.fromJSON({ ...about, parts: [{ text }], ...ids });
}

function submitted({ taskId, contextId }, userMessage) {
  const { metadata } = userMessage;
  const status = now('SUBMITTED');
  return { ...Task.fromJSON({ id: taskId, contextId, status }), history: [userMessage], metadata };
}

function statusUpdate(ids, state, text) {
  const event = TaskStatusUpdateEvent.fromJSON({ ...ids, status: now(state) });
  if (text) event.status.message = say(text, ids);
  return AgentEvent.statusUpdate(event);
}

function now(state) {
  return { state: `TASK_STATE_${state}`, timestamp: new Date().toISOString() };
}

function card(base, versions, skills) {
  const bindings = [
    ['/a2a/jsonrpc', 'JSONRPC'],
    ['/a2a/rest', 'HTTP+JSON'],
  ];
  return AgentCard.fromJSON({
    name: 'Assistant',
    description: 'Works on small tasks.',
    version: '1.2.0',
    supportedInterfaces: versions.flatMap((protocolVersion) =>
      bindings.map(([path, protocolBinding]) => ({ url: base + path, protocolBinding, protocolVersion })),
    ),
    provider: { organization: 'Example', url: 'https://example.org' },
    iconUrl: 'https://example.org/icon.png',
    documentationUrl: 'https://example.org/docs',
    capabilities: {
      streaming: true,
      pushNotifications: true,
      extendedAgentCard: true,
      extensions: [{ uri: EXTENSION, description: 'How answers are worded.' }],
    },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills,
  });
}

const WORK = { id: 'work', name: 'Work', description: 'Works.', tags: ['work'], examples: ['slow', 'streaming'] };
const MORE = { id: 'more', name: 'More', description: 'For those who signed in.', tags: ['more'] };

const { values } = parseArgs({ options: { compat: { type: 'boolean', default: false } } });
const app = express();
const listener = app.listen(0, '127.0.0.1', (error) => {
  if (error) throw error;
  const base = `http://127.0.0.1:${listener.address().port}`;
  const versions = values.compat ? ['1.0', '0.3'] : ['1.0'];
  const requestHandler = new DefaultRequestHandler(
    card(base, versions, [WORK]),
    new InMemoryTaskStore(),
    new AssistantExecutor(),
    undefined,
    new InMemoryPushNotificationStore(),
    undefined,
    async () => card(base, versions, [WORK, MORE]),
  );
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  if (values.compat) options.legacyCompat = { enabled: true };
  const { legacyCompat } = options;
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler, legacyCompat }));
  app.use('/a2a/jsonrpc', jsonRpcHandler(options));
  app.use('/a2a/rest', restHandler(options));
  console.log(`listening ${base}`);
});
