// Checks foreign agents several times, some of them while the processors are busy, and says which verdicts were not the same
// in every run. `scripts/stability` starts it; CONTRIBUTING.md says what for.

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, runCli, start } from '../e2e/support.mjs';
import { PROMPTS, SDKS, TOKEN, optionsOf, startForeign } from './agents.mjs';
import { differences, outcomes } from './differences.mjs';
import { ALL, commandOf, promptsOf } from './field/servers.mjs';

/** Where the reports of every run are kept, to look up what a difference came from. */
const REPORTS = join(ROOT, 'test-results/stability');

/** How many processes want each processor during a run under load. */
const BUSY_PER_PROCESSOR = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '10' }, loaded: { type: 'string', default: '4' } },
});
const [runs, loaded] = [values.runs, values.loaded].map(Number);
const known = [...SDKS, ...ALL];
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0 || !(runs > 0) || !(loaded >= 0 && loaded <= runs)) {
  console.error(unknown.length > 0 ? `no such agent: ${unknown}; there are: ${known}` : '--loaded is at most --runs');
  process.exit(2);
}

mkdirSync(REPORTS, { recursive: true });
let unsteady = 0;
for (const agent of positionals.length > 0 ? positionals : known) {
  const seen = [];
  let missing = '';
  for (let run = 1; run <= runs && !missing; run += 1) {
    // The first of them are quiet.
    const isLoaded = run > runs - loaded;
    try {
      seen.push({ name: isLoaded ? `${run} under load` : `${run}`, outcomes: await once(agent, run, isLoaded) });
    } catch (error) {
      if (!error.message.includes(' is missing: ')) throw error;
      missing = error.message;
    }
  }
  if (missing) {
    console.log(`${agent}: not checked: ${missing}`);
    continue;
  }
  const found = differences(seen);
  unsteady += found.length;
  console.log(`${agent}: ${runs} runs, ${loaded} of them under load, ${seen[0].outcomes.size} rows, ${found.length} differ`);
  for (const line of found) console.log(`  ${line}`);
}
process.exitCode = unsteady === 0 ? 0 : 1;

/** Checks a freshly started agent once, and keeps the report. */
async function once(agent, run, isLoaded) {
  const endings = [];
  // A stand-in for a test's context: whatever is started in it ends with the run.
  const t = { after: (end) => endings.push(end) };
  try {
    const isSdk = SDKS.includes(agent);
    const { url } = await started(() => (isSdk ? startForeign(t, agent, TOKEN) : start(t, ...commandOf(agent))));
    if (isLoaded) occupy(t);
    const given = Object.entries(PROMPTS).flatMap(([behaviour, text]) => ['--prompt', `${behaviour}=${text}`]);
    const more = isSdk ? ['--bearer', TOKEN, ...given, ...optionsOf(agent)] : promptsOf(agent);
    const { stdout, stderr } = await runCli(['check', url, '--format', 'json', ...more]);
    if (!stdout) throw new Error(`${agent}: ${stderr}`);
    writeFileSync(join(REPORTS, `${agent}-${run}.json`), stdout);
    return outcomes(JSON.parse(stdout));
  } finally {
    for (const end of endings) await end();
  }
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

/** Keeps every processor busy until the run is over. */
function occupy(t) {
  for (let number = 0; number < availableParallelism() * BUSY_PER_PROCESSOR; number += 1) {
    const child = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' });
    t.after(() => child.kill('SIGKILL'));
  }
}
