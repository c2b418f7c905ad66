// Checks agents several times under several loads, and says which rows were not the same in every run. `scripts/stability` starts it;
// docs/TESTING.md says what for.

import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { DIST, ROOT, cli, start } from '../e2e/support.mjs';
import { SDKS, TOKEN, byChance, optionsOf, reviewed, startForeign } from './agents.mjs';
import { TIMED, compared, inPage, onCommandLine, runs, timed } from './bed.mjs';
import { told } from './differences.mjs';
import { ALL, commandOf, promptsOf } from './field/servers.mjs';
import { LOADS } from './loads.mjs';

/** Where the report of every run is kept, to look up what a difference came from, and to go on with. */
const REPORTS = join(ROOT, 'test-results/stability');

/** How often an agent is checked under each load: those that take their time, the others, and all of them in the release page. */
const TIMES = {
  timed: { quiet: 5, busy: 5, hiccup: 5, two: 5 },
  others: { quiet: 4, busy: 2, hiccup: 2, two: 1 },
  page: { quiet: 5, hiccup: 3, two: 1 },
};

/** How long tasks take and how much more or less, in milliseconds and percent, and who is checked in the page, where nobody chooses. */
const TAKES = { all: '0,5,20,50,100,200,400,1000', page: '100' };
const JITTER = { all: '0,50', page: '0' };
const IN_PAGE = ['timed/python-sdk', 'timed/js-sdk'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    takes: { type: 'string' },
    jitter: { type: 'string' },
    loads: { type: 'string' },
    seed: { type: 'string', default: '0' },
    minutes: { type: 'string', default: 'Infinity' },
    resume: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
  },
});
const begun = performance.now();
const endings = [];
const chosen = subjects(positionals.length === 0 && values.page ? IN_PAGE : positionals);
if (values.page) {
  const check = await inPage({ after: (end) => endings.unshift(end) });
  for (const subject of chosen) Object.assign(subject, { name: `page/${subject.name}`, check, times: TIMES.page });
}
const asked = values.loads && loadsOf(values.loads);

const roundsOf = ({ times }) => Object.values(asked ?? times).reduce((sum, number) => sum + number, 0);
const rounds = chosen.reduce((sum, subject) => sum + roundsOf(subject), 0);
console.log(`${chosen.length} agents, ${rounds} times started and checked; at 5 to 9 s each this takes ${minutes(rounds * 5)} to ${minutes(rounds * 9)}`);

const total = { agents: 0, runs: 0, rows: 0, different: 0, failures: 0, messages: [], seconds: [] };
const left = [];
for (const subject of chosen) {
  if (performance.now() - begun > Number(values.minutes) * 60_000) {
    left.push(subject.name);
    continue;
  }
  const started = performance.now();
  const all = await runs(subject, asked ?? subject.times, { seed: Number(values.seed), ...kept(subject) }).catch((error) => {
    if (!error.message.includes(' is missing: ')) throw error;
    console.log(`${subject.name}: not checked: ${error.message}`);
  });
  if (!all) continue;
  const result = compared(all, subject.chance);
  const verdicts = result.verdicts.map(([verdict, number]) => (number === all.length ? verdict : `${verdict} ${number}`)).join(', ');
  console.log(
    `${subject.name}: ${all.length} runs, ${result.rows} rows, ${result.different.length} differ; ${verdicts}; ` +
      `${figures(result)}; ${took(started)}`,
  );
  for (const { name, failure } of result.failures) console.log(`  ${name} has no report: ${failure}`);
  for (const difference of result.different) console.log(`  ${told(difference)}`);
  if (result.chance.length > 0) console.log(`  by a chance of its own, see its list: ${result.chance.map(({ row }) => row).join(', ')}`);
  if (result.remarked.length > 0) console.log(`  in a remark only: ${result.remarked.join(', ')}`);
  total.agents += 1;
  total.runs += all.length;
  total.rows += result.rows;
  total.different += result.different.length;
  total.failures += result.failures.length;
  total.messages.push(...result.messages);
  total.seconds.push(...result.seconds);
}
console.log(
  `total: ${total.agents} agents, ${total.runs} runs, ${total.rows} rows, ${total.different} differ, ` +
    `${total.failures} runs without a report; ${figures(total)}; ${took(begun)}`,
);
if (left.length > 0) console.log(`the time is over; --resume goes on with ${left.length}: ${left.join(' ')}`);
// Nothing checked is nothing shown.
process.exitCode = total.runs > 0 && total.different + total.failures === 0 ? 0 : 1;
for (const end of endings) await end();

/** The agents that these names choose: a group, or a name up to one of its slashes. */
function subjects(names) {
  const where = values.page ? 'page' : 'all';
  const takes = numbers('takes', TAKES[where]);
  const jitters = numbers('jitter', JITTER[where]);
  // Nothing has no jitter.
  const timing = takes.flatMap((time) => jitters.filter((jitter) => time > 0 || jitter === 0).map((jitter) => [time, jitter]));
  const ordinary = TIMED.flatMap((sdk) => timing.map((each) => ({ ...timed(sdk, ...each), times: TIMES.timed })));
  const foreign = SDKS.map((sdk) => ({
    name: `foreign/${sdk}`,
    start: (t) => startForeign(t, sdk, TOKEN),
    check: onCommandLine(optionsOf(sdk)),
    chance: byChance(reviewed(sdk)),
    times: TIMES.others,
  }));
  const field = ALL.map((server) => ({
    name: `field/${server}`,
    start: (t) => start(t, ...commandOf(server)),
    check: onCommandLine(promptsOf(server)),
    times: TIMES.others,
  }));
  // The page is given neither words nor a token, so that only ordinary agents show enough in it.
  const all = values.page ? ordinary : [...ordinary, ...foreign, ...field];
  const chooses = (word) => ({ name }) => name === word || name.startsWith(`${word}/`);
  const unknown = names.filter((word) => !all.some(chooses(word)));
  const known = new Set(all.map(({ name }) => name.split('/').slice(0, 2).join('/')));
  if (unknown.length > 0) refuse(`no such agent: ${unknown}; there are ${[...known].join(', ')}`);
  return names.length === 0 ? all : all.filter((subject) => names.some((word) => chooses(word)(subject)));
}

/** `quiet=5,two` says how often an agent is checked under which loads; five times where it does not say. */
function loadsOf(text) {
  const pairs = text.split(',').map((each) => each.split('='));
  if (!pairs.every(([load, number = '5']) => LOADS.includes(load) && Number(number) > 0)) refuse(`--loads is a list of these, each with =NUMBER: ${LOADS}`);
  return Object.fromEntries(pairs.map(([load, number = '5']) => [load, Number(number)]));
}

function numbers(option, otherwise) {
  const all = (values[option] ?? otherwise).split(',').map(Number);
  if (!all.every((number) => number >= 0)) refuse(`--${option} is a list of numbers`);
  return all;
}

function refuse(why) {
  console.error(why);
  process.exit(2);
}

/** The files of an agent's runs. Those of an older program than the one that checks now are not gone on with. */
function kept({ name }) {
  const file = (run, end) => join(REPORTS, name, `${run.replaceAll(' ', '-')}.${end}`);
  const program = values.page ? join(DIST, 'index.html') : cli();
  return {
    recall: (run) => {
      if (!values.resume) return undefined;
      const there = statSync(file(run, 'json'), { throwIfNoEntry: false });
      if (!there || there.mtimeMs < statSync(program).mtimeMs) return undefined;
      return { name: run, report: JSON.parse(readFileSync(file(run, 'json'), 'utf8')) };
    },
    keep: ({ name: run, report, failure }) => {
      mkdirSync(dirname(file(run, 'json')), { recursive: true });
      for (const end of ['json', 'txt']) rmSync(file(run, end), { force: true });
      if (report) writeFileSync(file(run, 'json'), JSON.stringify(report));
      else writeFileSync(file(run, 'txt'), `${failure}\n`);
    },
  };
}

function figures({ messages, seconds }) {
  return `${spread(messages, 0)} messages, ${spread(seconds, 1)} s`;
}

/** The median, and from where to where it goes. */
function spread(numbers, digits) {
  if (numbers.length === 0) return 'no';
  const sorted = [...numbers].sort((one, other) => one - other);
  const median = (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.floor(sorted.length / 2)]) / 2;
  return `${median.toFixed(digits)} (${sorted[0].toFixed(digits)} to ${sorted.at(-1).toFixed(digits)})`;
}

function took(since) {
  const seconds = Math.round((performance.now() - since) / 1000);
  return `took ${seconds < 120 ? `${seconds} s` : minutes(seconds)}`;
}

function minutes(seconds) {
  return `${Math.ceil(seconds / 60)} min`;
}
