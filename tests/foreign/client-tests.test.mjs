// The clients of official SDKs read stated answers, by adapters: each result is the reviewed one, and a client that reads wrongly is found out.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from '../e2e/support.mjs';

const FOLDER = fileURLToPath(new URL('adapters/', import.meta.url));
const ANSWERS = join(FOLDER, 'answers.acts.yaml');

/** Each client: its command, and what it does not pass with a part of the reason. */
const CLIENTS = {
  'a2a-sdk for Python': { command: `${process.env.A2A_PYTHON ?? 'python3'} ${join(FOLDER, 'python_sdk.py')}`, fails: {} },
  '@a2a-js/sdk': { command: `${process.execPath} ${join(FOLDER, 'js_sdk.mjs')}`, fails: {} },
  'a wrong client': {
    command: `${process.execPath} ${join(FOLDER, 'wrong.mjs')}`,
    fails: {
      'READ-TASK': 'task.status.state',
      'READ-MESSAGE': 'message.parts',
      'READ-WAITING': 'status.state',
      'READ-ERROR': 'error.code',
      'READ-HTTP-JSON': 'status.state',
      'READ-UNKNOWN-MEMBER': 'status.state',
      'READ-STREAM': 'events[0]',
      'READ-CARD': 'skills',
    },
  },
};

for (const [name, { command, fails }] of Object.entries(CLIENTS)) {
  test(`${name} reads what it is reviewed to read`, async () => {
    const { code, stdout, stderr } = await runCli(['client-tests', ANSWERS, '--adapter', command, '--format', 'json']);
    assert.ok(stdout.startsWith('{'), stderr);
    const report = JSON.parse(stdout);
    const rows = Object.values(report.categories).flat();
    assert.equal(rows.length, 8);
    const amiss = rows.filter(({ status }) => status !== 'pass');
    assert.deepEqual(amiss.map((row) => row.test).sort(), Object.keys(fails).sort(), JSON.stringify(amiss.map(({ message }) => message)));
    for (const row of amiss) {
      assert.equal(row.status, 'fail', row.message);
      assert.ok(row.message.includes(fails[row.test]), row.message);
    }
    assert.equal(report.subject, 'client');
    assert.equal(code, Object.keys(fails).length > 0 ? 1 : 0);
  });
}
