// Helpers of the servers in JavaScript: a stub of a model in the form of the AI SDK, and the address to listen on.

import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** How long a model would think, and what it would say: the first word of what the user wrote last chooses. */
function answer({ prompt }) {
  const content = prompt.findLast(({ role }) => role === 'user')?.content ?? [];
  const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
  const [word] = text.trim().split(/\s+/);
  if (word === 'fail') throw new Error('the model failed, as it was told to');
  return { seconds: word === 'slow' ? 1.5 : 0, text: `echo: ${text}` };
}

/** The members of a model; `finishReason` and `usage` have another form in each version of it. */
export function stub(specificationVersion, finish = { finishReason: 'stop', usage }) {
  return {
    specificationVersion,
    provider: 'stub',
    modelId: 'stub',
    supportedUrls: {},
    async doGenerate(options) {
      const { seconds, text } = answer(options);
      await sleep(seconds * 1_000);
      return { ...finish, content: [{ type: 'text', text }], warnings: [] };
    },
    async doStream(options) {
      const { seconds, text } = answer(options);
      async function* events() {
        yield { type: 'stream-start', warnings: [] };
        yield { type: 'response-metadata', id: 'stub', modelId: 'stub', timestamp: new Date() };
        yield { type: 'text-start', id: '1' };
        for (const delta of text.match(/\S+\s*/g)) {
          await sleep(seconds * 250);
          yield { type: 'text-delta', id: '1', delta };
        }
        yield { type: 'text-end', id: '1' };
        yield { type: 'finish', ...finish };
      }
      return { stream: ReadableStream.from(events()) };
    },
  };
}

/** A port that is free now, for a server that wants to know it before it listens; or that of the arguments. */
export async function port() {
  if (process.argv[2]) return Number(process.argv[2]);
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const free = server.address().port;
  await new Promise((resolve) => server.close(resolve));
  return free;
}
