// How runs are compared: no difference is lost, and none is made up.

import assert from 'node:assert/strict';
import test from 'node:test';
import { differences, outcomes, remarked, told } from './differences.mjs';

const run = (name, ...lifecycle) => ({ name, outcomes: outcomes({ categories: { lifecycle } }) });
const row = (status, more = {}) => ({ test: 'get.id', lane: 'rest-1.0', status, level: 'must', ...more });

test('runs that came out alike have no differences, whatever their messages say', () => {
  assert.deepEqual(differences([run('1', row('pass', { message: '3 places' })), run('2', row('pass', { message: '4 places' }))]), []);
  assert.deepEqual(differences([run('1', { test: 'card', status: 'fail' }), run('2', { test: 'card', status: 'fail' })]), []);
});

test('a row that came out differently is named with the runs and the messages', () => {
  const skipped = row('skip', { reason: 'inconclusive', message: 'too late' });
  const found = differences([run('quiet 1', row('pass')), run('busy 2', skipped), run('two 1b', row('pass', { message: 'all of 3' }))]);
  const expected = ['get.id@rest-1.0', '    2 of 3 pass must', '    1 of 3 skip inconclusive must (busy 2): too late'];
  assert.deepEqual(found.map(told), [expected.join('\n')]);
});

test('another reason, another level and a missing row are differences too', () => {
  for (const [one, other] of [
    [[row('skip', { reason: 'blocked' })], [row('skip', { reason: 'inconclusive' })]],
    [[row('fail')], [row('fail', { level: 'should' })]],
    [[row('pass')], []],
  ]) {
    assert.equal(differences([run('1', ...one), run('2', ...other)]).length, 1);
  }
});

test('how often chance was met is no difference, but that it was not measured is one', () => {
  const rate = (status) => row(status, { test: 'cancel.at-end', level: 'should' });
  const runs = [run('1', rate('pass')), run('2', rate('fail'))];
  assert.deepEqual(differences(runs), []);
  assert.equal(differences([...runs, run('3', rate('skip'))]).length, 1);
});

test('a remark is told apart from a difference', () => {
  const noted = [run('1', row('pass')), run('2', row('pass', { expected: 'two' }))];
  assert.deepEqual([differences(noted), remarked(noted)], [[], ['get.id@rest-1.0']]);
  const failed = [...noted, run('3', row('fail', { expected: 'two' }))];
  assert.deepEqual([differences(failed).length, remarked(failed)], [1, []]);
});
