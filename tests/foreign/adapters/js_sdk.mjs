// Shows what the client of @a2a-js/sdk 1.x reads, for `a2a-conformance client-tests --adapter`.
//
// Called with the agent's URL and an operation; prints what was read as JSON.

import { randomUUID } from 'node:crypto';
import { AgentCard, ListTasksResponse, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver } from '@a2a-js/sdk/client';

const UNSUPPORTED = 64;
const [url, operation] = process.argv.slice(2);
const FORMS = { task: Task, message: Message, statusUpdate: TaskStatusUpdateEvent, artifactUpdate: TaskArtifactUpdateEvent };

const client = () => new ClientFactory(ClientFactoryOptions.default).createFromUrl(url);
const request = () => ({
  tenant: '',
  message: Message.fromJSON({ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Hello' }] }),
  configuration: undefined,
  metadata: undefined,
});
const named = { tenant: '', id: 'task' };

/** The events of a stream, as JSON has them. */
async function events(stream) {
  const read = [];
  for await (const { payload } of stream) read.push({ [payload.$case]: FORMS[payload.$case].toJSON(payload.value) });
  return { events: read };
}

const OPERATIONS = {
  async send_message() {
    const result = await (await client()).sendMessage(request());
    return 'messageId' in result ? { message: Message.toJSON(result) } : { task: Task.toJSON(result) };
  },
  send_streaming_message: async () => events((await client()).sendMessageStream(request())),
  subscribe_to_task: async () => events((await client()).resubscribeTask(named)),
  get_task: async () => Task.toJSON(await (await client()).getTask({ ...named, historyLength: undefined })),
  cancel_task: async () => Task.toJSON(await (await client()).cancelTask({ ...named, metadata: undefined })),
  list_tasks: async () => ListTasksResponse.toJSON(await (await client()).listTasks({ tenant: '', contextId: '', status: 0, pageSize: 10, pageToken: '' })),
  get_agent_card: async () => AgentCard.toJSON(await new DefaultAgentCardResolver().resolve(url)),
  get_extended_agent_card: async () => AgentCard.toJSON(await (await client()).getAgentCard()),
};

const read = OPERATIONS[operation];
if (!read) {
  console.error(`${operation} is not in this adapter`);
  process.exit(UNSUPPORTED);
}
try {
  console.log(JSON.stringify(await read()));
} catch (problem) {
  const code = problem.envelopeCode;
  if (typeof code !== 'number') {
    console.error(problem.message.replaceAll('\n', ' '));
    process.exit(1);
  }
  console.log(JSON.stringify({ error: { code, message: problem.message } }));
}
