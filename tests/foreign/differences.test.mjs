// How runs are compared: no difference is lost, and none is made up.

import assert from 'node:assert/strict';
import test from 'node:test';
import { differences, outcomes } from './differences.mjs';

const run = (name, ...lifecycle) => ({ name, outcomes: outcomes({ categories: { lifecycle } }) });
const row = (status, more = {}) => ({ test: 'get.id', lane: 'rest-1.0', status, ...more });

test('runs that came out alike have no differences, whatever their messages say', () => {
  assert.deepEqual(differences([run('1', row('pass', { message: '3 places' })), run('2', row('pass', { message: '4 places' }))]), []);
  assert.deepEqual(differences([run('1', { test: 'card', status: 'fail' }), run('2', { test: 'card', status: 'fail' })]), []);
});

test('a row that came out differently is named with the runs and the message', () => {
  const skipped = row('skip', { reason: 'inconclusive', message: 'too late' });
  const expected = 'get.id@rest-1.0: pass in 2 runs; skip inconclusive in run 2 under load: too late';
  assert.deepEqual(differences([run('1', row('pass')), run('2 under load', skipped), run('3', row('pass'))]), [expected]);
});

test('another reason, a remark and a missing row are differences too', () => {
  for (const [one, other] of [
    [[row('skip', { reason: 'blocked' })], [row('skip', { reason: 'inconclusive' })]],
    [[row('pass')], [row('pass', { expected: 'two' })]],
    [[row('pass')], []],
  ]) {
    assert.equal(differences([run('1', ...one), run('2', ...other)]).length, 1);
  }
});
