// The clients of official SDKs, judged by `agent --watch`: every finding is in the reviewed list, and every entry occurs.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('watched/', import.meta.url));
const CLI = process.env.A2A_CLI ?? fileURLToPath(new URL('../../target/debug/a2a-conformance', import.meta.url));
const PYTHON = process.env.A2A_PYTHON ?? 'python3';
const PYTHON_03 = process.env.A2A_PYTHON_03 ?? 'python3';
const REVIEWED = JSON.parse(await readFile(join(FOLDER, 'deviations.json'), 'utf8'));

/** Each SDK: its program, where its version of the agent is, and the bindings that it speaks with the agent. */
const CLIENTS = {
  'python-sdk': { command: [PYTHON, join(FOLDER, 'python_sdk.py')], path: '', bindings: ['JSONRPC', 'HTTP+JSON'] },
  // Over HTTP+JSON the SDK of 0.3 reads the objects of the proto, and the agent sends those of the text.
  'python-sdk-03': { command: [PYTHON_03, join(FOLDER, 'python_sdk_03.py')], path: '/0.3', bindings: ['JSONRPC'] },
  'js-sdk': { command: [process.execPath, join(FOLDER, 'js_sdk.mjs')], path: '', bindings: ['JSONRPC', 'HTTP+JSON'] },
};

/** Starts the agent with a watch; what it says and a way to end it with its report. */
async function startWatch(t, faults) {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-watched-'));
  const file = join(folder, 'report.json');
  const fault = faults.flatMap((each) => ['--fault', each]);
  const options = ['--listen', '127.0.0.1:0', '--watch', '--format', 'json', '--output', file];
  const agent = spawn(CLI, ['agent', ...options, ...fault], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(async () => {
    agent.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });
  const [said] = await once(agent.stdout, 'data');
  const url = /http:\/\/\S+/.exec(said)[0];
  const end = async () => {
    agent.kill('SIGINT');
    const [code] = await once(agent, 'exit');
    return { code, report: JSON.parse(await readFile(file, 'utf8')) };
  };
  return { url, end };
}

for (const [name, { command, path, bindings }] of Object.entries(CLIENTS)) {
  const { sdk, deviations } = REVIEWED[name];
  const seen = new Set();
  for (const binding of bindings) {
    for (const faults of [[], ['protected']]) {
      test(`the client of ${sdk} over ${binding} keeps to the specification${faults.map((each) => `, ${each}`)}`, async (t) => {
        const watch = await startWatch(t, faults);
        const token = faults.includes('protected') ? ['open-sesame'] : [];
        const [program, ...script] = command;
        const { stdout } = await promisify(execFile)(program, [...script, `${watch.url}${path}`, binding, ...token]);
        assert.match(stdout, /^done$/m);
        const { code, report } = await watch.end();
        assert.equal(report.subject, 'client');
        const rows = Object.values(report.categories).flat();
        const found = rows.filter((row) => row.status === 'fail');
        for (const row of found) {
          const known = deviations.find(({ check, level }) => check === row.test && level === row.level);
          assert.ok(known, `${row.test} (${row.level}): ${row.message}`);
          seen.add(known);
        }
        assert.equal(code, 0, report.headline);
        assert.ok(rows.filter((row) => row.status === 'pass' && row.level === 'must').length > 8, report.headline);
      });
    }
  }
  test(`every reviewed deviation of the client of ${sdk} occurs`, () => {
    assert.deepEqual(deviations.filter((each) => !seen.has(each)).map(({ check }) => check), []);
  });
}
