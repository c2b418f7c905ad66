// The table of bugs in tests/history, and how the outcome of one is told. The releases themselves are checked by `make history`.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { ROOT, runCli } from '../e2e/support.mjs';
import { FAMILIES } from '../history/document.mjs';
import { bugs, onlyAfter, releases, verdict } from '../history/table.mjs';

test('every bug says what, where, and which checks are about it', async () => {
  const { stdout } = await runCli(['checks', '--format', 'json']);
  const known = new Set(JSON.parse(stdout).map(({ id }) => id));
  const table = bugs();
  assert.equal(new Set(table.map(({ id }) => id)).size, table.length);
  for (const bug of table) {
    for (const name of ['id', 'line', 'before', 'after', 'source', 'section', 'title', 'wire']) {
      assert.ok(bug[name]?.length > 0, `${bug.id} has no ${name}`);
    }
    assert.ok(bug.family in FAMILIES, bug.id);
    assert.match(bug.source, /^https:\/\/github\.com\//, bug.id);
    assert.deepEqual((bug.checks ?? []).filter((check) => !known.has(check)), [], bug.id);
    assert.ok(bug.checks || bug.driven !== undefined, `${bug.id} names no check, nor whether the situation comes about`);
    const agent = join(ROOT, 'tests/history', bug.set, bug.line);
    assert.ok(existsSync(`${agent}.py`) || existsSync(`${agent}.mjs`), bug.line);
    assert.notEqual(bug.before, bug.after, bug.id);
    assert.ok(releases().some((release) => release.endsWith(` ${bug.after}`)), bug.id);
  }
});

/** A report with these rows of one check. */
function report(...found) {
  const row = ({ lane = 'rest-1.0', status = 'pass', ...more }) => ({ test: 'a.check', lane, status, level: 'must', ...more });
  return { categories: { lifecycle: found.map(row) }, exchanges: [{ id: 7, scenario: 'send', step: 'first' }] };
}

test('a bug is found when a check about it fails before the fix and no more after it', () => {
  const bug = { checks: ['a.check'] };
  const failed = { status: 'fail', actual: 'no name' };
  const outcome = (bug, before, after) => verdict(bug, report(before), report(after)).outcome;
  assert.equal(outcome(bug, failed, {}), 'found');
  assert.equal(outcome(bug, failed, failed), 'missed');
  assert.equal(outcome(bug, {}, {}), 'missed');
  assert.equal(outcome(bug, { status: 'skip' }, {}), 'not reached');
  // A remark is a pass with something to say.
  assert.equal(outcome(bug, { actual: 'no name' }, {}), 'found');
  assert.equal(outcome({ ...bug, lanes: ['jsonrpc-1.0'] }, failed, {}), 'not reached');
  assert.equal(outcome({ ...bug, says: 'metadata' }, failed, {}), 'missed');
  assert.equal(outcome({ ...bug, says: 'no name' }, failed, { ...failed, actual: 'another time' }), 'found');
  assert.equal(outcome({ ...bug, says: 'send/first' }, { ...failed, exchanges: [7] }, failed), 'found');
  assert.equal(outcome({ checks: ['another.check'], driven: true }, failed, {}), 'missed');
  assert.equal(outcome({ ...bug, allowed: 'nobody forbids it' }, {}, {}), 'allowed');
  const cause = { ...failed, test: 'b.check' };
  const leftOut = { status: 'skip', message: 'the agent gives HTTP 500 where other errors are due: see b.check' };
  assert.equal(verdict(bug, report(leftOut, cause), report({})).outcome, 'found');
  assert.equal(verdict(bug, report(leftOut, cause), report(leftOut, cause)).outcome, 'missed');
});

test('a must that a fix breaks is told', () => {
  assert.deepEqual(onlyAfter(report({}), report({ status: 'fail' })), ['a.check@rest-1.0']);
  assert.deepEqual(onlyAfter(report({ status: 'skip' }), report({ status: 'fail' })), []);
  assert.deepEqual(onlyAfter(report({ status: 'fail' }), report({ status: 'fail' })), []);
});
