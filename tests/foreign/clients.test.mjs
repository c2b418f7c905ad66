// The clients of official SDKs on the scripted agent: what a test case declares arrives in them, over both bindings.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startTestAgent } from '../../examples/test-agent/javascript/agent.mjs';

const FOLDER = fileURLToPath(new URL('clients/', import.meta.url));
process.env.A2A_CLI ??= fileURLToPath(new URL('../../target/debug/a2a-conformance', import.meta.url));

const CLIENTS = {
  'a2a-sdk for Python': [process.env.A2A_PYTHON ?? 'python3', join(FOLDER, 'client.py')],
  '@a2a-js/sdk': [process.execPath, join(FOLDER, 'client.mjs')],
};

/** The path that each binding is called at. */
const BINDINGS = { JSONRPC: '/rpc', 'HTTP+JSON': '/rest/' };

const update = (state) => ({ kind: 'status-update', status: { state } });
const chunk = (bytes) => ({
  kind: 'artifact-update',
  artifact: { artifactId: 'a', parts: [{ kind: 'file', file: { name: 'a.txt', bytes } }] },
});
const TURNS = {
  message: [[{ kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] }]],
  task: [[update('working'), update('completed')]],
  file: [[chunk('b25lIA=='), { ...chunk('dHdv'), append: true, lastChunk: true }, update('completed')]],
  turns: [[update('input-required')], [update('completed')]],
};

const [SUBMITTED, WORKING, WAITING, DONE, CANCELED] = ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'COMPLETED', 'CANCELED'].map(
  (state) => `TASK_STATE_${state}`,
);
const EXPECTED = [
  ['message', ['message']],
  ['task', [DONE]],
  ['file', [DONE]],
  ['bytes', 'one two'],
  ['turns', [WAITING]],
  ['second turn', DONE],
  ['read', SUBMITTED],
  ['cancel', CANCELED],
  ['problem', true],
  ['message streaming', ['message']],
  ['task streaming', [SUBMITTED, WORKING, DONE]],
  ['file streaming', [SUBMITTED, 'artifact_update', 'artifact_update', DONE]],
  ['bytes', 'one two'],
  ['turns streaming', [SUBMITTED, WAITING]],
  ['second turn', DONE],
  ['problem', true],
];

for (const [sdk, [program, script]] of Object.entries(CLIENTS)) {
  for (const [binding, path] of Object.entries(BINDINGS)) {
    test(`the client of ${sdk} over ${binding}`, async (t) => {
      const agent = await startTestAgent();
      t.after(() => agent.stop());
      const folder = await mkdtemp(join(tmpdir(), 'a2a-clients-'));
      t.after(() => rm(folder, { recursive: true }));
      const file = join(folder, 'directives.json');
      const directives = Object.entries(TURNS).map(([name, turns]) => [name, agent.responses(name, ...turns)]);
      await writeFile(file, JSON.stringify(Object.fromEntries(directives)));

      const { stdout } = await promisify(execFile)(program, [script, agent.url, binding, file]);
      const seen = stdout.trim().split('\n').map((line) => JSON.parse(line));
      // A task that was just made is at work a moment later.
      const settled = seen.map(([name, state]) => (name === 'read' && state === WORKING ? [name, SUBMITTED] : [name, state]));
      assert.deepEqual(settled, EXPECTED);
      const requests = await agent.captured('turns');
      assert.equal(requests.length, 4);
      for (const request of requests) assert.ok(request.path.startsWith(path), request.path);
    });
  }
}
