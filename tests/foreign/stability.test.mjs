// A verdict is a function of the agent, not of the moment: ordinary agents, checked quietly and under loads, get the same rows each time.
// `make stability` has more of them, and more runs.

import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { AT_ONCE } from '../e2e/support.mjs';
import { compared, runs, timed } from './bed.mjs';
import { told } from './differences.mjs';

/** Six runs, as two check it at once. */
const LOADS = { quiet: 1, busy: 1, hiccup: 2, two: 1 };

// Side by side, as in foreign.test.mjs: what one of them does is one more load on the other.
describe('ordinary agents', { concurrency: AT_ONCE }, () => {
  for (const subject of [timed('python-sdk', 100), timed('js-sdk', 400), timed('python-sdk-03', 20), timed('js-sdk-03', 100, 50)]) {
    test(`${subject.name} is judged alike in every run`, async (t) => {
      const all = await runs(subject, LOADS);
      const { rows, different, failures, messages, seconds } = compared(all);
      t.diagnostic(`${rows} rows; messages ${messages}; seconds ${seconds.map((number) => number.toFixed(1))}`);
      assert.deepEqual(failures, []);
      assert.equal(messages.length, 6);
      assert.ok(rows > 100, `only ${rows} rows`);
      assert.ok(different.length === 0, `${different.length} rows differ:\n${different.map(told).join('\n')}`);
    });
  }
});
