// The client of the official SDK for JavaScript against the scripted agent: what it makes of each answer.
//
// Called with the agent's URL, a binding, and a file of named responses; prints a line of JSON for each name.

import { readFileSync } from 'node:fs';
import { Message, taskStateToJSON } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions } from '@a2a-js/sdk/client';

const [url, binding, file] = process.argv.slice(2);
const directives = JSON.parse(readFileSync(file, 'utf8'));
const tell = (name, seen) => console.log(JSON.stringify([name, seen]));

function request(text, { taskId = '', atOnce = false } = {}) {
  const message = Message.fromJSON({ messageId: 'm-1', role: 'ROLE_USER', taskId, parts: [{ text }] });
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: atOnce };
  return { tenant: '', message, configuration, metadata: undefined };
}

const nameOf = (state) => taskStateToJSON(state);
const isMessage = (result) => 'messageId' in result;

const factory = new ClientFactory({ ...ClientFactoryOptions.default, preferredTransports: [binding] });
const client = await factory.createFromUrl(url);

/** The answer to a message as a list of events, whether it streams or not. */
async function send(message, streaming) {
  if (!streaming) {
    const result = await client.sendMessage(message);
    return [{ $case: isMessage(result) ? 'message' : 'task', value: result }];
  }
  const events = [];
  for await (const { payload } of client.sendMessageStream(message)) events.push(payload);
  return events;
}

const outline = ({ $case, value }) => (value.status ? nameOf(value.status.state) : $case === 'artifactUpdate' ? 'artifact_update' : $case);

for (const streaming of [false, true]) {
  for (const name of ['message', 'task', 'file', 'turns']) {
    const events = await send(request(directives[name]), streaming);
    tell(streaming ? `${name} streaming` : name, events.map(outline));
    if (name === 'file') {
      const updates = events.filter(({ $case }) => $case === 'artifactUpdate').map(({ value }) => value.artifact);
      const artifacts = updates.length > 0 ? updates : events.at(-1).value.artifacts;
      const parts = artifacts.flatMap((artifact) => artifact.parts);
      tell('bytes', Buffer.concat(parts.map(({ content }) => content.value)).toString());
    }
    if (name === 'turns') {
      const taskId = events.find(({ $case }) => $case === 'task').value.id;
      tell('second turn', outline((await send(request('more', { taskId }), streaming)).at(-1)));
    }
  }
  if (!streaming) {
    const { id } = (await send(request('tck-cancel', { atOnce: true }), false))[0].value;
    tell('read', nameOf((await client.getTask({ tenant: '', id })).status.state));
    tell('cancel', nameOf((await client.cancelTask({ tenant: '', id, metadata: undefined })).status.state));
  }
  tell('problem', await send(request('[responses_json=!]'), streaming).then(() => false, () => true));
}
