// The client of @a2a-js/sdk 1.x, as its users use it: every operation once, for `agent --watch` to judge.
//
// Called with the agent's URL, a binding, and the token or nothing.

import { randomUUID } from 'node:crypto';
import { Message, TaskState } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  RestTransportFactory,
  createAuthenticatingFetchWithRetry,
} from '@a2a-js/sdk/client';

const [url, binding, token = ''] = process.argv.slice(2);

const authenticated = createAuthenticatingFetchWithRetry(fetch, {
  headers: async () => ({ Authorization: `Bearer ${token}` }),
  shouldRetryWithHeaders: async () => undefined,
});
const fetchImpl = token ? authenticated : fetch;
const options = {
  ...ClientFactoryOptions.default,
  transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
  preferredTransports: [binding],
};
const client = await new ClientFactory(options).createFromUrl(url);

function request(text, { atOnce = false, ...ids } = {}) {
  const message = Message.fromJSON({ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...ids });
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: atOnce };
  return { tenant: '', message, configuration, metadata: undefined };
}

async function stream(message) {
  const events = [];
  for await (const { payload } of client.sendMessageStream(message)) events.push(payload);
  return events;
}

await client.sendMessage(request('message-only hello'));
await client.sendMessage(request('task-lifecycle'));
const { id: taskId, contextId } = await client.sendMessage(request('multi-turn'));
await client.sendMessage(request('done', { taskId, contextId }));

await stream(request('message-only hello'));
await stream(request('task-lifecycle'));
const begun = (await stream(request('multi-turn'))).find(({ $case }) => $case === 'task').value;
await stream(request('done', { taskId: begun.id, contextId: begun.contextId }));

const { id } = await client.sendMessage(request('task-cancel', { atOnce: true }));
await client.getTask({ tenant: '', id, historyLength: 1 });
const status = TaskState.TASK_STATE_UNSPECIFIED;
await client.listTasks({ tenant: '', contextId: '', status, pageSize: 10, pageToken: '' });
for (const number of [1, 2]) {
  const config = { tenant: '', taskId: id, id: `c-${number}`, url: 'http://127.0.0.1:9/hook', token: randomUUID() };
  await client.createTaskPushNotificationConfig({ ...config, authentication: undefined });
}
await client.getTaskPushNotificationConfig({ tenant: '', taskId: id, id: 'c-1' });
await client.listTaskPushNotificationConfig({ tenant: '', taskId: id, pageSize: 0, pageToken: '' });
await client.deleteTaskPushNotificationConfig({ tenant: '', taskId: id, id: 'c-1' });
for await (const _ of client.resubscribeTask({ tenant: '', id })) break;
await client.cancelTask({ tenant: '', id, metadata: undefined });
await client.getTask({ tenant: '', id: 'unknown' }).catch((problem) => console.log(`as it should: ${problem.message}`));
console.log('done');
