// The examples for authors of clients, as docs/TEST-AGENT.md tells to run them; and a client with a bug, which they find.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLES = join(ROOT, 'examples/test-agent');

/** What each example is run with, the client in it, and what a client that takes refusals for answers lacks. */
const RUNS = {
  javascript: {
    run: [process.execPath, ['--test', '--test-reporter=tap']],
    client: 'client.mjs',
    check: 'throw new Refused(said)',
    passed: /^# pass 3$/m,
    failed: /^not ok \d+ - a refusal is an error$/m,
  },
  python: {
    run: [process.env.A2A_PYTHON ?? 'python3', ['-m', 'pytest', '-p', 'no:cacheprovider']],
    client: 'client.py',
    check: 'raise Refused(said)',
    passed: /3 passed/,
    failed: /FAILED test_client\.py::test_a_refusal_is_an_error/,
  },
};

function run([program, args], cwd) {
  // A test runner that was started by a test runner reports to it otherwise.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  env.A2A_CLI ??= join(ROOT, 'target/debug/a2a-conformance');
  env.PYTHONDONTWRITEBYTECODE = '1';
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, said: stdout + stderr }));
  });
}

for (const [language, { run: command, client, check, passed, failed }] of Object.entries(RUNS)) {
  test(`the example in ${language} passes, and finds a client that overlooks refusals`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'a2a-example-'));
    t.after(() => rm(folder, { recursive: true }));
    await cp(join(EXAMPLES, language), folder, { recursive: true });
    const whole = await run(command, folder);
    assert.equal(whole.code, 0, whole.said);
    assert.match(whole.said, passed);

    const text = await readFile(join(folder, client), 'utf8');
    assert.ok(text.includes(check), 'the client has no such line any more');
    await writeFile(join(folder, client), text.replace(check, language === 'python' ? 'pass' : 'void said'));
    const broken = await run(command, folder);
    assert.notEqual(broken.code, 0);
    assert.match(broken.said, failed);
  });
}
