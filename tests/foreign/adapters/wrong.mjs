// A client that reads every answer and shows another one: it takes each task for a finished one, and each error for a general one.

const [url, operation] = process.argv.slice(2);
const card = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
if (operation === 'get_agent_card') {
  console.log(JSON.stringify({ ...card, skills: [] }));
} else {
  const [{ url: place, protocolBinding }] = card.supportedInterfaces;
  const call = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"jsonrpc":"2.0","id":1}' };
  const answer = await fetch(protocolBinding === 'JSONRPC' ? place : `${place}/tasks/task`, protocolBinding === 'JSONRPC' ? call : {});
  const text = (await answer.text()).replaceAll(/TASK_STATE_\w+/g, 'TASK_STATE_UNSPECIFIED').replaceAll('-32001', '-32603');
  const documents = text.startsWith('data:') ? text.split('\n\n').filter(Boolean).map((event) => JSON.parse(event.slice(5))) : [JSON.parse(text)];
  const read = documents.map((document) => document.result ?? document).reverse();
  console.log(JSON.stringify(text.startsWith('data:') ? { events: read } : read[0].message ? { message: { ...read[0].message, parts: [] } } : read[0]));
}
