// Runs the checker against each bug of the table, before the fix and after it, and writes docs/HISTORY.md.
// `make history` starts it; README.md says how to add a bug.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, runCli, start } from '../e2e/support.mjs';
import { PROMPTS } from '../foreign/agents.mjs';
import { document } from './document.mjs';
import { OUTCOMES, bugs, kindOf, onlyAfter, runOf, verdict } from './table.mjs';

/** Where the report of every run is kept, to look up why a bug was missed. */
const REPORTS = join(ROOT, 'test-results/history');

/** How many agents are checked at once: they wait more than they work. */
const AT_ONCE = 3;

/** An agent of the past may never answer. A bug that shows only to who waits longer says so in its options. */
const PATIENCE = { '--timeout': '20', '--answer-timeout': '6', '--event-timeout': '6', '--idle-timeout': '6' };

const { positionals } = parseArgs({ allowPositionals: true });
const chosen = bugs().filter(({ id }) => positionals.length === 0 || positionals.some((part) => id.includes(part)));
mkdirSync(REPORTS, { recursive: true });

const wanted = [...new Set(chosen.flatMap((bug) => [runOf(bug, bug.before), runOf(bug, bug.after)]))];
const reports = new Map();
const queue = wanted.map((key, number) => ({ key, number }));
await Promise.all(Array.from({ length: AT_ONCE }, worker));

const results = chosen.map((bug) => {
  const [before, after] = [bug.before, bug.after].map((release) => reports.get(runOf(bug, release)));
  return { bug, ...verdict(bug, before, after), onlyAfter: onlyAfter(before, after) };
});
for (const { bug, outcome, by, onlyAfter: others } of results) {
  const places = by.map(({ test, lane }) => `${test}@${lane ?? 'card'}`).join(', ');
  console.log(`${outcome.padEnd(11)} ${bug.before} -> ${bug.after} ${bug.id}${places ? `: ${places}` : ''}`);
  if (others.length > 0) console.log(`            only after the fix: ${others.join(', ')}`);
}
const counts = OUTCOMES.map(
  (word) => `${results.filter(({ outcome }) => outcome === word).length} ${word}`,
);
console.log(`${results.length} bugs: ${counts.join(', ')}`);
if (positionals.length === 0) writeFileSync(join(ROOT, 'docs/HISTORY.md'), document(results));

async function worker() {
  for (let next = queue.shift(); next; next = queue.shift()) {
    reports.set(next.key, await check(JSON.parse(next.key), next.number));
  }
}

/** Checks the agent on one release, and keeps the report. */
async function check({ set, line, release, agent, options }, number) {
  const endings = [];
  const t = { after: (end) => endings.push(end) };
  try {
    const { url } = await start(t, 'env', [...programOf(set, line, release), ...agent]);
    // 0.2 has its card at another place.
    const address = line === 'v0' && release.startsWith('0.2.') ? `${url}/.well-known/agent.json` : url;
    // Only the agents of Python in the first set know this word.
    const words = set === '.' && line.startsWith('v') ? { ...PROMPTS, raise: 'raise' } : PROMPTS;
    const prompts = Object.entries(words).flatMap(([behaviour, text]) => ['--prompt', `${behaviour}=${text}`]);
    const limits = Object.entries(PATIENCE).filter(([name]) => !options.includes(name)).flat();
    const told = ['check', address, '--format', 'json', '--fail-on', 'never', ...limits, ...prompts, ...options];
    const { stdout, stderr } = await runCli(told);
    if (!stdout) throw new Error(`${release}: ${stderr}`);
    writeFileSync(join(REPORTS, `${set === '.' ? '' : `${set}-`}${line}-${release}-${number}.json`), stdout);
    return JSON.parse(stdout);
  } finally {
    for (const end of endings) await end();
  }
}

/** The agent of a line on a release, as arguments of `env`. */
function programOf(set, line, release) {
  const kind = kindOf(line);
  const home = read('A2A_HISTORY_RELEASES').replace('KIND', kind).replace('RELEASE', release);
  const agent = join(ROOT, 'tests/history', set, line);
  if (kind === 'npm') return [`A2A_SDK=${home}`, process.execPath, `${agent}.mjs`];
  return [`PYTHONPATH=${home}`, read(`A2A_HISTORY_${line.toUpperCase()}`), `${agent}.py`];
}

function read(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start this with \`make history\``);
  return value;
}
