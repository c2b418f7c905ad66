// The client under test: it asks an agent something and returns what the agent says. Yours goes here.

import { randomUUID } from 'node:crypto';

/** The agent did not do what it was asked for. */
export class Refused extends Error {}

export async function ask(agentUrl, text) {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
  const response = await fetch(`${agentUrl}/rpc`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  });
  if (!response.ok) throw new Refused(`status ${response.status}`);
  const { error, result } = await response.json();
  if (error) throw new Refused(error.message);
  const { state, message: answer } = result.task.status;
  const said = (answer?.parts ?? []).map((part) => part.text ?? '').join('');
  if (['TASK_STATE_FAILED', 'TASK_STATE_REJECTED'].includes(state)) throw new Refused(said);
  return said;
}
