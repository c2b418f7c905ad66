// The test agent for tests in JavaScript.

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts the agent on a free port. */
export async function startTestAgent() {
  const folder = await mkdtemp(join(tmpdir(), 'test-agent-'));
  const portFile = join(folder, 'port');
  const program = process.env.A2A_CLI ?? 'a2a-conformance';
  const child = spawn(program, ['agent', '--listen', '127.0.0.1:0', '--port-file', portFile], { stdio: 'ignore' });
  let problem;
  child.on('error', (error) => (problem = error));
  child.on('exit', (code) => (problem ??= new Error(`the agent has ended with code ${code}`)));
  let port;
  while ((port = await readFile(portFile, 'utf8').catch(() => undefined)) === undefined) {
    if (problem) throw problem;
    await sleep(20);
  }
  await rm(folder, { recursive: true });
  const url = `http://127.0.0.1:${port.trim()}`;
  return {
    url,
    /** The text that makes the agent answer a message with these turns. */
    responses(testCase, ...turns) {
      const coded = Buffer.from(JSON.stringify(turns)).toString('base64');
      return `[test_case_id=${testCase}] [responses_json=${coded}]`;
    },
    /** The requests of a test case that the agent received. */
    async captured(testCase) {
      const response = await fetch(`${url}/_captured?test_case_id=${encodeURIComponent(testCase)}`);
      return (await response.json()).requests;
    },
    clear: () => fetch(`${url}/_captured`, { method: 'DELETE' }),
    stop: () => child.kill(),
  };
}
