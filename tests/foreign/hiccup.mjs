// Stops a process for a moment, again and again, as a garbage collector, a network or a busy machine does: `node hiccup.mjs PID SEED`.
// It ends when the process does or when its own standard input is closed, and leaves nothing stopped.

import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from './seeded.mjs';

/** How long it runs between two stops, and how long a stop is, in milliseconds. */
const [RUNS, STOPS] = [[50, 500], [10, 150]];

const [pid, seed] = process.argv.slice(2).map(Number);
const random = seeded(seed);
const between = ([least, most]) => least + (most - least) * random();

process.stdin.resume().once('end', () => {
  signal('SIGCONT');
  process.exit();
});
for (;;) {
  await sleep(between(RUNS));
  signal('SIGSTOP');
  await sleep(between(STOPS));
  signal('SIGCONT');
}

function signal(name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
    process.exit();
  }
}
