// The loads of the bed do what they say: without them, agents that agree under all of them would prove nothing.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import test from 'node:test';
import { promisify } from 'node:util';
import { put } from './loads.mjs';
import { durations, seeded } from './seeded.mjs';

/** A process that does nothing, and a way to ask how it is: `T` is stopped. */
function idle(t) {
  const { pid } = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  t.after(() => process.kill(pid, 'SIGKILL'));
  const state = async () => (await promisify(execFile)('ps', ['-o', 'state=', '-p', pid])).stdout.trim()[0];
  return { pid, state };
}

test('an agent that hiccups stops and goes on, and is not left stopped', async (t) => {
  const { pid, state } = idle(t);
  const limit = performance.now() + 30_000;
  const until = async (stopped) => {
    while (((await state()) === 'T') !== stopped) assert.ok(performance.now() < limit, `it never ${stopped ? 'stops' : 'goes on'}`);
  };
  // More than once: when the load ends, a stop may just be over.
  for (let seed = 1; seed <= 5; seed += 1) {
    const endings = [];
    put({ after: (end) => endings.push(end) }, 'hiccup', pid, seed);
    for (const stopped of [true, false, true]) await until(stopped);
    for (const end of endings) await end();
    assert.notEqual(await state(), 'T');
  }
});

test('other loads leave the process alone', async (t) => {
  const { pid, state } = idle(t);
  for (const load of ['quiet', 'two']) put(t, load, pid, 1);
  for (let time = 0; time < 100; time += 1) assert.notEqual(await state(), 'T');
});

test('chance comes out the same again for the same seed, and spreads evenly', () => {
  const times = (seed) => Array.from({ length: 1000 }, durations(100, 50, seed));
  assert.deepEqual(times(7), times(7));
  assert.notDeepEqual(times(7), times(8));
  const [least, most] = [Math.min(...times(7)), Math.max(...times(7))];
  assert.ok(least >= 50 && least < 52 && most <= 150 && most > 148, `${least} to ${most}`);
  assert.deepEqual(Array.from({ length: 3 }, durations(20, 0, 7)), [20, 20, 20]);
  const mean = Array.from({ length: 1000 }, seeded(3)).reduce((sum, number) => sum + number, 0) / 1000;
  assert.ok(Math.abs(mean - 0.5) < 0.05, mean);
});
