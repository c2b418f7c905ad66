// What may go on while an agent is checked. A verdict is a function of the agent, so none of it may show in a report.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../e2e/support.mjs';

/** Nothing; every processor busy; an agent whose process stops for moments; a second checker at the same time. */
export const LOADS = ['quiet', 'busy', 'hiccup', 'two'];

/** How many processes want each processor during a run beside busy ones. */
const BUSY_PER_PROCESSOR = 2;

/** Keeps a processor busy, and ends when its standard input is closed: also when whoever started it was killed. */
const SPIN = `process.stdin.resume().once('end', () => process.exit());
  const spin = () => { for (const end = Date.now() + 50; Date.now() < end; ); setImmediate(spin); };
  spin();`;

/** How many check the agent at once, under that load. */
export function checkersUnder(load) {
  return load === 'two' ? 2 : 1;
}

/** Puts a load on the agent with that process until the test `t` is over. The same seed stops it at the same moments. */
export function put(t, load, pid, seed) {
  if (load === 'busy') {
    for (let number = 0; number < availableParallelism() * BUSY_PER_PROCESSOR; number += 1) beside(t, ['--eval', SPIN]);
  }
  if (load === 'hiccup') beside(t, [join(ROOT, 'tests/foreign/hiccup.mjs'), String(pid), String(seed)]);
}

function beside(t, args) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  const exited = once(child, 'close');
  t.after(async () => {
    child.stdin.end();
    await exited;
  });
}
