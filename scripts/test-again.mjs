// Runs files of tests as `node --test` does, and then each test that failed once more, alone. One that passes then is flaky: the
// closing lines name it, as `flaky: NAME`, and it counts as passed; in a run with three of them they count as failed. The last lines
// are those of Node.js's runner again, `ℹ pass N` and `ℹ fail N`, for the whole of it.
//   node scripts/test-again.mjs [OPTION OF NODE --TEST...] FILE...

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How many flaky tests a run may have. */
const MOST_FLAKY = 2;
/** With more failures than these something is broken, and no test is run again. */
const MOST_AGAIN = 10;

const script = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'a2a-tests-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs `node --test`: its exit code, and its tests as test-outcomes.mjs tells them. With `only`, the names of a test below those of
 * the tests around it, that test alone.
 */
async function run(args, only) {
  const file = join(folder, 'outcomes');
  const reporters = [['spec', 'stdout'], [script('test-outcomes.mjs'), file]];
  const reporting = reporters.flatMap(([name, to]) => [`--test-reporter=${name}`, `--test-reporter-destination=${to}`]);
  // A pattern chooses among the tests that are not within another.
  const [loaded, pattern] = only ? [['--import', script('only-test.mjs')], [`--test-name-pattern=^${escaped(only[0])}$`]] : [[], []];
  const env = { ...process.env, ...(only ? { ONLY_TEST: only.join(' > ') } : {}) };
  const child = spawn(process.execPath, [...loaded, '--test', ...reporting, ...pattern, ...args], { stdio: 'inherit', env });
  const code = await new Promise((done) => child.once('close', done));
  return { code, outcomes: readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)) };
}

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
/** Whether a test is another one, or around it. */
const holds = (outer, inner) => outer.file === inner.file && outer.names.every((name, depth) => name === inner.names[depth]);

const given = process.argv.slice(2);
const options = given.filter((word) => word.startsWith('--') && !word.startsWith('--test-concurrency'));

/** Runs a test alone; whether it passed. */
async function passesAlone({ file, names }) {
  console.log(`\nonce more, alone: ${names.join(' > ')}`);
  // A file that ended before it had a test stands for itself.
  if (!file || resolve(names[0]) === resolve(file)) return (await run([...options, names[0]])).code === 0;
  const { outcomes } = await run([...options, file], names);
  const ended = outcomes.find((outcome) => outcome.names.join() === names.join());
  return ended?.result === 'passed';
}

const { code, outcomes } = await run(given);
const failed = outcomes.filter(({ result, own }) => result === 'failed' && own);
const again = failed.filter((test) => !failed.some((other) => other.names.length < test.names.length && holds(other, test)));
if (again.length === 0 || again.length > MOST_AGAIN) process.exit(code ?? 1);

const flaky = [];
for (const test of again) if (await passesAlone(test)) flaky.push(test);

// A test around others has failed as long as one of them has.
const stillFails = (outcome) => failed.some((test) => holds(outcome, test) && !flaky.some((mended) => holds(mended, test)));
const ended = outcomes.filter(({ result }) => result !== 'left-out');
const isTooMany = flaky.length > MOST_FLAKY;
const failures = ended.filter((outcome) => outcome.result === 'failed' && stillFails(outcome)).length + (isTooMany ? flaky.length : 0);
console.log('');
for (const { names } of flaky) console.log(`flaky: ${names.join(' > ')}`);
if (isTooMany) console.log(`With ${flaky.length} flaky tests in one run, they count as failed.`);
console.log(`ℹ pass ${ended.length - failures}\nℹ fail ${failures}`);
process.exit(failures === 0 ? 0 : 1);
