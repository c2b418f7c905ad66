// A reverse proxy as people put one before an agent. It passes everything on as it is, but for the URLs of the card; `change` says what
// else it does.

import { once } from 'node:events';
import { createServer, request as ask } from 'node:http';

/** Starts a proxy before an agent, and answers its address. `change` is told each request and each response before it is passed on. */
export async function startReverseProxy(t, agent, change = {}) {
  const server = createServer((request, response) => pass(agent, change, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

async function pass(agent, { request: changeRequest, response: changeResponse, buffers = false, error }, request, response) {
  const own = `http://${request.headers.host}`;
  const headers = { ...request.headers };
  delete headers.connection;
  const onward = { method: request.method, path: request.url, headers };
  changeRequest?.(onward);
  const passed = ask(agent, onward);
  request.pipe(passed);
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  const [answer] = await once(passed, 'response').catch(() => [undefined]);
  if (!answer) return;
  answer.on('error', () => response.destroy());
  changeResponse?.(answer, request);
  if (error && answer.statusCode >= 400) {
    answer.resume();
    response.writeHead(answer.statusCode, { ...cors(answer.headers), 'content-type': 'text/html' }).end(error);
    return;
  }
  const isCard = /\/\.well-known\/agent(-card)?\.json(\?|$)/.test(request.url);
  if (isCard || buffers) {
    const chunks = [];
    for await (const chunk of answer) chunks.push(chunk);
    const whole = Buffer.concat(chunks);
    const body = isCard ? Buffer.from(whole.toString().replaceAll(new URL(agent).origin, own)) : whole;
    const kept = { ...answer.headers, 'content-length': body.length };
    delete kept['transfer-encoding'];
    response.writeHead(answer.statusCode, kept).end(body);
    return;
  }
  response.writeHead(answer.statusCode, answer.headers);
  response.flushHeaders();
  answer.pipe(response);
}

/** The headers by which a browser lets a page in. */
const cors = (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
