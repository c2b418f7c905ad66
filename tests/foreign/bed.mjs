// Checks one agent several times, under several loads, and says where the reports differ. See docs/TESTING.md.

import { checkInPage } from '../e2e/page.mjs';
import { runCli, startBrowser, startServe } from '../e2e/support.mjs';
import { carriesMessage, rows, startForeign } from './agents.mjs';
import { differences, outcomes, remarked } from './differences.mjs';
import { checkersUnder, put } from './loads.mjs';

/** What takes longer hangs, in milliseconds. */
const LIMIT = 600_000;

/** Agents on these SDKs can be ordinary ones, each of whose tasks takes its time. */
export const TIMED = ['python-sdk', 'js-sdk', 'python-sdk-03', 'js-sdk-03'];

/** Such an agent: each of its tasks takes so many milliseconds, up to `jitter` percent more or less. */
export function timed(sdk, takes, jitter = 0) {
  return {
    name: `timed/${sdk}/${takes}ms${jitter > 0 ? `-jitter${jitter}` : ''}`,
    start: (t, seed) => startForeign(t, sdk, undefined, ['--takes', takes, '--jitter', jitter, '--seed', seed].map(String)),
    check: onCommandLine(),
  };
}

/** Checks by the command line, told these options besides: resolves to a report. */
export function onCommandLine(options = []) {
  return async (url) => {
    const { code, stdout, stderr } = await runCli(['check', url, '--format', 'json', ...options], { timeout: LIMIT });
    try {
      return JSON.parse(stdout);
    } catch {
      throw new Error(`ended with ${code} and ${stdout.length} characters that are no report: ${stderr.trim()}`);
    }
  };
}

/** Checks in the release page, which it serves, and opens anew in one browser, until the test `t` is over. */
export async function inPage(t) {
  const { origin } = await startServe(t);
  const browser = await startBrowser(t);
  return async (url, { t }) => (await checkInPage(t, `${origin}/`, browser, url, { timeout: LIMIT })).report;
}

/**
 * Checks an agent under each of the loads, so many times, started afresh each time. Resolves to a run of each checker: its name, and its
 * `report` or the `failure` that kept it from one. `recall(name)` may know such a run from before; `keep(run)` is told of each new one.
 */
export async function runs({ start, check }, loads, { seed = 0, recall = () => undefined, keep = () => {} } = {}) {
  const all = [];
  for (const [load, times] of Object.entries(loads)) {
    for (let time = 1; time <= times; time += 1) {
      const checkers = ['', 'a b'].at(checkersUnder(load) - 1).split(' ');
      const names = checkers.map((checker) => `${load} ${time}${checker}`);
      const known = names.map(recall);
      if (known.every(Boolean)) {
        all.push(...known);
        continue;
      }
      const ended = await once(start, check, load, seed + time);
      const made = names.map((name, index) => ({ name, ...ended[index] }));
      made.forEach(keep);
      all.push(...made);
    }
  }
  return all;
}

/**
 * What runs of one agent say together. A run that ended without a report is a difference like a row. The rows named last are not
 * differences: something in the agent itself decides whether they fail.
 */
export function compared(all, byChance = []) {
  const reports = all.flatMap(({ report }) => report ?? []);
  const seen = all.filter(({ report }) => report).map(({ name, report }) => ({ name, outcomes: outcomes(report) }));
  const different = differences(seen);
  return {
    rows: new Set(seen.flatMap(({ outcomes }) => [...outcomes.keys()])).size,
    different: different.filter(({ row }) => !byChance.includes(row)),
    chance: different.filter(({ row }) => byChance.includes(row)),
    remarked: remarked(seen),
    failures: all.filter(({ failure }) => failure),
    verdicts: counted(reports.map(({ verdict }) => verdict)),
    messages: reports.map(({ exchanges }) => exchanges.filter(carriesMessage).length),
    seconds: reports.map(({ duration_ms }) => duration_ms / 1000),
  };
}

/** Starts an agent, has it checked under a load, by one or several at once, and ends it: `{ report }` or `{ failure }` of each. */
async function once(start, check, load, seed) {
  const endings = [];
  // A stand-in for a test's context: whatever is started in it ends with the run, what was started last first.
  const t = { after: (end) => endings.unshift(end) };
  const checkers = Array.from({ length: checkersUnder(load) });
  try {
    const { url, pid } = await started(() => start(t, seed));
    put(t, load, pid, seed);
    return await Promise.all(checkers.map(() => check(url, { t }).then(judged, failed)));
  } catch (error) {
    if (error.message.includes(' is missing: ')) throw error;
    return checkers.map(() => failed(error));
  } finally {
    for (const end of endings) await end();
  }
}

function judged(report) {
  return rows(report).length > 0 ? { report } : { failure: 'the report is empty' };
}

function failed({ message }) {
  return { failure: message };
}

/** An agent that has started, although a busy machine may keep it from doing so in time. */
async function started(start, attempts = 3) {
  try {
    return await start();
  } catch (error) {
    if (attempts === 1 || !error.message.includes('did not say where it listens')) throw error;
    return started(start, attempts - 1);
  }
}

/** How often each occurs, the most frequent first: `[name, number]`. */
function counted(names) {
  const numbers = new Map();
  for (const name of names) numbers.set(name, (numbers.get(name) ?? 0) + 1);
  return [...numbers].sort(([, one], [, other]) => other - one);
}
