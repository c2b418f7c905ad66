// How the tests of the browser are run: one that fails is run once more, alone, and is named where it passes then.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { ROOT } from './support.mjs';

/** Tests that write down that they ran; FAIL says of some how often they fail. */
const SUITE = `
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import test from 'node:test';
const left = JSON.parse(process.env.FAIL);
const act = (name) => {
  appendFileSync('ran', name + '\\n');
  const times = readFileSync('ran', 'utf8').split('\\n').filter((line) => line === name).length;
  assert.ok(times > (left[name] ?? 0), name);
};
test('outer', async (t) => {
  act('outer');
  await t.test('one', () => act('one'));
  await Promise.all(['two', 'two (and a half)'].map((name) => t.test(name, () => act(name))));
  await t.test('within', async (t) => {
    await t.test('three', () => act('three'));
    await t.test('four', () => act('four'));
  });
  await t.test('left out', { skip: true }, () => {});
});
test('outer and more', () => act('more'));
`;
/** With the two that have others in them, and without the one that is left out. */
const TESTS = 8;

test('a test that fails is run once more, alone', async (t) => {
  /** Runs the tests above: the exit code, the last lines, and which tests were run after all of them had been. */
  const run = async (t, fail) => {
    const folder = await mkdtemp(join(tmpdir(), 'a2a-again-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'suite.test.mjs'), SUITE);
    // The runner runs nothing within a test that it runs.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const words = [join(ROOT, 'scripts/test-again.mjs'), '--test-concurrency=2', 'suite.test.mjs'];
    const options = { cwd: folder, env: { ...env, FAIL: JSON.stringify(fail) } };
    const { stdout, code = 0 } = await promisify(execFile)(process.execPath, words, options).catch((error) => error);
    const ran = (await readFile(join(folder, 'ran'), 'utf8')).trim().split('\n');
    const closing = stdout.split('\n').filter((line) => /^flaky: |^ℹ (pass|fail) /.test(line));
    return { code, closing, again: ran.slice(7) };
  };
  const counts = (passed, failed) => [`ℹ pass ${passed}`, `ℹ fail ${failed}`];

  await t.test('not where all pass', async (t) => {
    assert.deepEqual(await run(t, {}), { code: 0, closing: counts(TESTS, 0), again: [] });
  });

  await t.test('one that passes then is named, and counts as passed', async (t) => {
    const { code, closing, again } = await run(t, { 'two (and a half)': 1, three: 1 });
    assert.equal(code, 0);
    assert.deepEqual(again, ['outer', 'two (and a half)', 'outer', 'three']);
    assert.deepEqual(closing.slice(-4), ['flaky: outer > two (and a half)', 'flaky: outer > within > three', ...counts(TESTS, 0)]);
  });

  await t.test('one that fails again is a failure, with those around it', async (t) => {
    const { code, closing, again } = await run(t, { four: 9, more: 1 });
    assert.equal(code, 1);
    assert.deepEqual(again, ['outer', 'four', 'more']);
    assert.deepEqual(closing.slice(-3), ['flaky: outer and more', ...counts(TESTS - 3, 3)]);
  });

  await t.test('three that pass then are too many', async (t) => {
    const { code, closing } = await run(t, { one: 1, two: 1, more: 1 });
    assert.equal(code, 1);
    assert.deepEqual(closing.slice(-2), counts(TESTS - 3, 3));
  });
});
