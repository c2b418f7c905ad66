// Mutation testing of the judge: which small changes of its code no test notices. scripts/mutants says how it is run.
//
// cargo-mutants lists the mutants. Building the program anew for each takes most of a minute, so all that were drawn are built into one
// program: the body of a function stands in it once as it is and once for each of its mutants, and the environment variable
// A2A_MUTANT chooses. The same program, run once for each test, tells which functions the test reaches: a mutant is tried by these only,
// the quickest first, until one fails.
//   node scripts/mutants.mjs SAMPLE SEED FOLDER [RESULTS]
// With the results of an earlier sample, those of its mutants that no test noticed are tried again, by the tests and the code of today.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync, appendFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';

const ROOMS = ['suite', 'a2a', 'wire', 'engine'];
/** Tests that take longer than this many milliseconds try no mutant by themselves: the table of faults is tried fault by fault. */
const QUICK = 4000;
/** As many of the faults that reach a mutant try it, and as many other tests. */
const MOST_FAULTS = 120;
const MOST_TESTS = 400;

const [sample, seed, folder, earlier] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4], process.argv[5]];
const tree = join(folder, 'tree');
const target = join(folder, 'target');
const results = join(folder, `results-${sample}-${seed}${earlier ? '-again' : ''}.jsonl`);

function must(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 30, ...options });
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.error ?? done.stderr.slice(-2000)}`);
  return done.stdout;
}

/** The values in groups, by what this tells of each. */
function grouped(values, key) {
  const groups = new Map();
  for (const value of values) groups.set(key(value), [...(groups.get(key(value)) ?? []), value]);
  return groups;
}

/** Numbers that look random and are the same for the same seed (mulberry32). */
function generator(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function shuffled(list, random) {
  const copy = [...list];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [copy[last], copy[other]] = [copy[other], copy[last]];
  }
  return copy;
}

/** Where each brace of Rust code closes, by where it opens; text, characters and comments are passed over. */
function braces(code) {
  const pairs = new Map();
  const open = [];
  const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|b?"(?:[^"\\]|\\[\s\S])*"|b?'(?:[^'\\]|\\(?:u\{[^}]*\}|x..|.))'|'[A-Za-z_]\w*|[{}]/g;
  for (const match of code.matchAll(token)) {
    if (match[0] === '{') open.push(match.index);
    else if (match[0] === '}') pairs.set(open.pop(), match.index);
  }
  return pairs;
}

/** The places of a file's lines: cargo-mutants counts lines and characters from 1. */
function places(code) {
  const starts = [0];
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) starts.push(at + 1);
  return ({ line, column }) => {
    const start = starts[line - 1];
    const before = [...code.slice(start, starts[line] ?? code.length)].slice(0, column - 1);
    return start + before.join('').length;
  };
}

/** Writes all these mutants into the tree. Those of constant functions, or of functions that cannot be told apart, are returned as not built. */
function write(mutants) {
  const odd = [];
  for (const [file, inFile] of grouped(mutants, (mutant) => mutant.file)) {
    const code = readFileSync(file, 'utf8');
    const place = places(code);
    const pairs = new Map([...braces(code)].map(([start, end]) => [end, start]));
    const functions = grouped(inFile, (mutant) => {
      const end = place(mutant.function.span.end) - 1;
      return pairs.has(end) ? `${pairs.get(end)} ${end}` : 'none';
    });
    const edits = [];
    for (const [span, inside] of functions) {
      if (span === 'none') {
        odd.push(...inside);
        continue;
      }
      const [start, end] = span.split(' ').map(Number);
      // The choice is made while the program runs, which a `const fn` cannot ask for.
      if (/\bconst fn \w+$/.test(/^[\s\S]*\bfn \w+/.exec(code.slice(0, start))?.[0] ?? '')) {
        odd.push(...inside);
        continue;
      }
      const body = (mutant) => {
        const [from, to] = [place(mutant.span.start), place(mutant.span.end)];
        return `{${code.slice(start + 1, from)} ${mutant.replacement} ${code.slice(to, end)}\n}`;
      };
      const arms = inside.map((mutant) => `\n// mutant ${mutant.id}\n${mutant.id} => ${body(mutant)}\n// end`);
      const ids = inside.map((mutant) => mutant.id).join(', ');
      edits.push({ start, end, text: `{ match crate::mutation::chosen(&[${ids}]) {${arms.join('')}\n_ => ${code.slice(start, end + 1)} } }` });
    }
    edits.sort((a, b) => a.start - b.start);
    let written = '';
    let done = 0;
    for (const { start, end, text } of edits) {
      if (start < done) continue;
      written += code.slice(done, start) + text;
      done = end + 1;
    }
    writeFileSync(join(tree, file), written + code.slice(done));
  }
  return odd;
}

/** The mutants in which rustc found an error: by the lines between their marks. */
function broken(messages) {
  const ids = new Set();
  const cache = new Map();
  let other = 0;
  for (const line of messages.split('\n')) {
    if (!line.startsWith('{')) continue;
    const { reason, message } = JSON.parse(line);
    if (reason !== 'compiler-message' || message.level !== 'error' || !message.spans.length) continue;
    let found = false;
    for (const span of message.spans) {
      if (!cache.has(span.file_name)) cache.set(span.file_name, existsSync(join(tree, span.file_name)) ? readFileSync(join(tree, span.file_name), 'utf8').split('\n') : []);
      const lines = cache.get(span.file_name);
      for (let at = span.line_start - 1; at >= 0; at -= 1) {
        if (lines[at] === '// end') break;
        const mark = /^\/\/ mutant (\d+)$/.exec(lines[at]);
        if (mark) {
          ids.add(Number(mark[1]));
          found = true;
          break;
        }
      }
    }
    if (!found) {
      other += 1;
      if (other < 5) console.error(message.rendered);
    }
  }
  return { ids, other };
}

const MUTATION = `
/// Which mutant of this build is at work.
pub mod mutation {
    use std::collections::BTreeSet;
    use std::io::Write as _;
    use std::sync::{LazyLock, Mutex};
    static ACTIVE: LazyLock<u32> =
        LazyLock::new(|| std::env::var("A2A_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0));
    static REACHED: LazyLock<Option<(String, Mutex<BTreeSet<u32>>)>> =
        LazyLock::new(|| std::env::var("A2A_REACHED").ok().map(|path| (path, Mutex::default())));
    /// The mutant at work, if it is of this function.
    pub fn chosen(ids: &[u32]) -> u32 {
        if let Some((path, seen)) = &*REACHED && let Some(first) = ids.first() && let Ok(mut seen) = seen.lock() && seen.insert(*first) {
            if let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path) {
                let _ = writeln!(file, "{ids:?}");
            }
        }
        *ACTIVE
    }
}
`;

const cargo = { cwd: tree, env: { ...process.env, CARGO_TARGET_DIR: target, CARGO_PROFILE_TEST_OPT_LEVEL: '1', CARGO_PROFILE_DEV_OPT_LEVEL: '1' } };
const BUILDS = [['--lib'], ['--test', 'it']];

/** Builds the tree with as many of the mutants as compile; returns these and the two test programs. */
function build(mutants) {
  let left = mutants;
  for (let round = 1; ; round += 1) {
    rmSync(join(tree, 'src'), { recursive: true, force: true });
    cpSync('src', join(tree, 'src'), { recursive: true });
    const odd = new Set(write(left));
    left = left.filter((mutant) => !odd.has(mutant));
    appendFileSync(join(tree, 'src/lib.rs'), MUTATION);
    const args = ['check', '--locked', '--lib', '--message-format=json'];
    const checked = spawnSync('cargo', args, { ...cargo, encoding: 'utf8', maxBuffer: 1 << 30 });
    if (checked.status === 0) break;
    const { ids, other } = broken(checked.stdout);
    console.error(`round ${round}: ${left.length} mutants, ${ids.size} do not compile`);
    if (!ids.size) throw new Error(`${other} errors outside of mutants; ${checked.stderr.slice(-1500)}`);
    left = left.filter((mutant) => !ids.has(mutant.id));
  }
  const programs = BUILDS.map((what) => {
    const args = ['test', '--locked', '--no-run', ...what, '--message-format=json'];
    const made = must('cargo', args, cargo).split('\n').filter((line) => line.includes('"executable":"') && line.includes('"test":true'));
    return JSON.parse(made.at(-1)).executable;
  });
  return { left, programs };
}

/**
 * Runs a test program; resolves to whether it passed, or to 'timeout'. What counts is the processor's time, in milliseconds, which a busy
 * machine does not lengthen; what only waits is ended after ten times as long, and two minutes at least.
 */
function run({ program, args, env }, extra, limit) {
  return new Promise((done) => {
    const child = spawn('bash', ['-c', 'ulimit -v 6000000; ulimit -t "$1"; shift; exec "$@"', 'run', Math.ceil(limit / 1000), program, ...args], {
      cwd: tree,
      stdio: 'ignore',
      detached: true,
      env: { ...process.env, CARGO_MANIFEST_DIR: tree, INSTA_WORKSPACE_ROOT: tree, INSTA_UPDATE: 'no', RUST_BACKTRACE: '0', ...env, ...extra },
    });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      try { process.kill(-child.pid, 'SIGKILL'); } catch { /* It has just ended. */ }
    }, Math.max(10 * limit, 120_000));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      done(late || signal === 'SIGXCPU' || signal === 'SIGKILL' ? 'timeout' : code === 0);
    });
  });
}

/** Works through jobs, one on each processor. */
async function onAllProcessors(jobs, work) {
  let next = 0;
  const worker = async () => {
    while (next < jobs.length) {
      const number = next;
      next += 1;
      await work(jobs[number], number);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/** Every test with the mutants that it reaches and how long it takes. */
async function tests([library, integration]) {
  const listed = (program) => must(program, ['--list', '--format', 'terse'], { cwd: tree }).split('\n').filter((line) => line.endsWith(': test')).map((line) => line.slice(0, -6));
  const single = (program) => listed(program).map((name) => ({ kind: program === library ? 'unit' : 'whole', name, program, args: ['--exact', name], env: {} }));
  const faults = readFileSync(join(tree, 'tests/it/snapshots/it__faults__fault_table.snap'), 'utf8').split('\n').map((line) => /^([a-z0-9-]+): \S/.exec(line)?.[1]);
  const each = faults.filter((name) => name && name !== 'source' && name !== 'expression').map((name) => ({
    kind: 'fault', name, program: integration, args: ['--exact', 'faults::named_faults_trip_what_the_table_says', '--ignored'], env: { A2A_FAULTS: name },
  }));
  const all = [...single(library), ...each, ...single(integration)];
  const reached = join(folder, 'reached');
  rmSync(reached, { recursive: true, force: true });
  mkdirSync(reached);
  const usable = [];
  await onAllProcessors(all, async (test, number) => {
    const started = Date.now();
    const path = join(reached, String(number));
    const passed = await run(test, { A2A_REACHED: path }, 10 * QUICK);
    const took = Date.now() - started;
    if (passed !== true || took > QUICK) {
      if (passed === false) console.error(`not used, as it fails without a mutant: ${test.name}`);
      return;
    }
    // Several programs write into it, and one that is ended may leave half a line.
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter((line) => /^\[[\d, ]+\]$/.test(line)) : [];
    const ids = lines.flatMap((line) => JSON.parse(line));
    usable.push({ ...test, took, reaches: new Set(ids) });
  });
  return usable;
}

/** Tries a mutant; tells by what it was noticed, or that it was not. */
async function attempt(mutant, usable, random) {
  const extra = { A2A_MUTANT: String(mutant.id) };
  const by = (kind) => usable.filter((test) => test.kind === kind && test.reaches.has(mutant.id));
  const units = by('unit');
  const groups = [];
  for (let at = 0; at < units.length; at += 300) groups.push(units.slice(at, at + 300));
  // A fault whose name shares words with the file is likely to be the one.
  const words = new Set(mutant.file.split(/[/._]/));
  const near = (test) => test.name.split('-').filter((word) => words.has(word)).length;
  const faults = shuffled(by('fault'), random).sort((a, b) => near(b) - near(a)).slice(0, MOST_FAULTS);
  const whole = by('whole').sort((a, b) => a.took - b.took).slice(0, MOST_TESTS);
  const steps = [
    ...groups.map((group) => ({ ...group[0], name: 'unit tests', args: ['--exact', '--test-threads', '1', ...group.map((test) => test.name)], took: group.reduce((sum, test) => sum + test.took, 0) })),
    ...faults.slice(0, 6),
    ...whole.slice(0, 10),
    ...faults.slice(6),
    ...whole.slice(10),
  ];
  for (const step of steps) {
    const passed = await run(step, extra, 10_000 + 5 * step.took);
    if (passed !== true) return { outcome: passed === 'timeout' ? 'timeout' : 'caught', by: step.name, tried: steps.indexOf(step) + 1 };
  }
  return { outcome: steps.length ? 'missed' : 'unreached', tried: steps.length };
}

const lines = (path) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(JSON.parse) : []);

/** By what each mutant is found again when its line has moved: its file, what it does, its line's code, and how many alike stand above it. */
function keyed(mutants) {
  const codes = new Map();
  const counts = new Map();
  return mutants.map((mutant) => {
    if (!codes.has(mutant.file)) codes.set(mutant.file, readFileSync(mutant.file, 'utf8').split('\n'));
    const does = mutant.name.replace(/^\S+ /, '');
    const like = `${does} | ${codes.get(mutant.file)[mutant.span.start.line - 1].trim()}`;
    const above = counts.get(`${mutant.file} ${like}`) ?? 0;
    counts.set(`${mutant.file} ${like}`, above + 1);
    return { ...mutant, like: `${like} | ${above}` };
  });
}

/** Those of today's mutants that no test noticed earlier; of the others it is told that their code is gone. */
function unnoticed(possible) {
  const here = new Map(possible.map((mutant) => [`${mutant.file} ${mutant.like}`, mutant]));
  const anywhere = new Map(possible.map((mutant) => [mutant.like, mutant]));
  const all = lines(earlier).filter(({ outcome }) => outcome === 'missed' || outcome === 'unreached');
  const found = all.map((result) => [result, here.get(`${result.name.split(':')[0]} ${result.like}`) ?? anywhere.get(result.like)]);
  for (const [{ name }] of found.filter(([, mutant]) => !mutant)) console.log(`its code is gone or changed: ${name}`);
  const left = found.filter(([, mutant]) => mutant).map(([, mutant]) => mutant);
  console.log(`of ${all.length} that were not noticed, ${left.length} are there today`);
  return [...new Set(left)];
}

mkdirSync(tree, { recursive: true });
const filters = ROOMS.flatMap((room) => ['--file', `src/${room}/**`]);
const listed = JSON.parse(must('cargo', ['mutants', '--list', '--json', ...filters]));
// Declarations are constants, which no running program can choose.
const possible = keyed(listed.filter((mutant) => mutant.function));
const drawn = (earlier ? unnoticed(possible) : shuffled(possible, generator(seed)).slice(0, sample)).map((mutant, number) => ({ ...mutant, id: number + 1 }));
for (const file of must('git', ['ls-files', '--', ':!src'], {}).split('\n').filter(Boolean)) {
  if (!existsSync(file)) continue;
  mkdirSync(dirname(join(tree, file)), { recursive: true });
  cpSync(file, join(tree, file));
}
console.log(`${listed.length} mutants in ${ROOMS.join(', ')}, ${possible.length} of them in functions; ${drawn.length} ${earlier ? 'to try again' : `drawn with seed ${seed}`}`);
const { left, programs } = build(drawn);
console.log(`${left.length} compile`);
const usable = await tests(programs);
const count = (kind) => usable.filter((test) => test.kind === kind).length;
console.log(`${count('unit')} unit tests, ${count('fault')} faults and ${count('whole')} other tests try them`);

const known = new Map(lines(results).map((line) => [line.name, line]));
await onAllProcessors(left, async (mutant) => {
  if (known.has(mutant.name)) return;
  const result = { name: mutant.name, like: mutant.like, ...(await attempt(mutant, usable, generator(mutant.id))) };
  known.set(mutant.name, result);
  appendFileSync(results, `${JSON.stringify(result)}\n`);
  if (result.outcome === 'missed' || result.outcome === 'unreached') console.log(`${result.outcome}: ${mutant.name}`);
});
const tally = (outcomes) => left.filter((mutant) => outcomes.includes(known.get(mutant.name).outcome)).length;
const noticed = tally(['caught', 'timeout']);
console.log(`${left.length} mutants: ${tally(['caught'])} noticed, ${tally(['timeout'])} never ended, ${tally(['missed'])} missed, ${tally(['unreached'])} reached by no quick test`);
console.log(`mutation rate ${((100 * noticed) / left.length).toFixed(1)} %`);
