// Helpers of the end-to-end tests: starting agents and browsers, watching a page, and cleaning up after each test.
//
// Every starter takes the test's context `t` first and ends what it started when that test ends:
//
//   test('…', async (t) => {
//     const served = await startServe(t);
//     const { page, watched } = await openPage(t, served.url);
//     …
//     assertQuiet(watched);
//   });

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const DIST = join(ROOT, 'dist');

/** How many tests of a file run side by side, of those that wait for an agent more than they work. */
export const AT_ONCE = 2;

/** How long a process may take to say where it listens, in milliseconds. */
const START_LIMIT = 60_000;

/**
 * What the browser is to do without. The first three load two pages of its own for the address bar of each window, which costs
 * more processor time than loading ours. Chromium knows only the last such list, so the others are what Playwright would say.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** Nothing that the browser does on its own account may show up among a page's requests. */
export const CHROMIUM_FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
];

/** The command line program: A2A_CLI, or what `make` builds. */
export function cli() {
  return (
    process.env.A2A_CLI ??
    firstProgram('the command line program; build it with `cargo build`', [
      join(ROOT, 'target/release/a2a-conformance'),
      join(ROOT, 'target/debug/a2a-conformance'),
    ])
  );
}

/** Runs the command line program to its end: `{ code, stdout, stderr }`, whatever the code. */
export async function runCli(args, options = {}) {
  try {
    const { stdout, stderr } = await promisify(execFile)(cli(), args, { maxBuffer: 1 << 26, cwd: ROOT, ...options });
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (typeof error.code !== 'number') throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

/** Serves the built page beside the scripted agent: `serve`. Resolves to `{ url, origin, output, stop }`. */
export function startServe(t, args = []) {
  assert.ok(existsSync(join(DIST, 'index.html')), 'dist/ holds the page: run `make dist`');
  return start(t, cli(), ['serve', '--page', DIST, '--listen', '127.0.0.1:0', ...args]);
}

/** An agent whose card lists one interface: where it does not matter how many there are, a run makes half the requests. */
export const ONE_INTERFACE = ['--fault', 'only-jsonrpc'];

/** Serves the scripted agent alone: `agent`. */
export function startAgent(t, args = []) {
  return start(t, cli(), ['agent', '--listen', '127.0.0.1:0', ...args]);
}

/**
 * Starts a program that prints the URL it listens on and ends it with the test. `url` is the first URL it printed,
 * `origin` that URL's origin, `output()` all it has printed so far, and `pid` its process.
 */
export async function start(t, program, args) {
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => child.once('close', resolve));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      // One that is busy with a stream may not listen.
      const impatience = setTimeout(() => child.kill('SIGKILL'), 2_000);
      await exited;
      clearTimeout(impatience);
    }
  };
  t.after(stop);

  let printed = '';
  const url = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`${program} ${args.join(' ')}: ${why}\n${printed}`));
    const limit = setTimeout(() => fail('did not say where it listens'), START_LIMIT);
    const hear = (chunk) => {
      printed += chunk;
      // Not before the line has ended: a URL may come in two pieces.
      const found = printed.match(/(https?:\/\/[^\s"'<>]+)[^\n]*\n/);
      if (found) {
        clearTimeout(limit);
        resolve(found[1]);
      }
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.once('error', (error) => {
      clearTimeout(limit);
      fail(error.message);
    });
    child.once('close', (code) => {
      clearTimeout(limit);
      fail(`ended with ${code} before it listened`);
    });
  });
  return { url, origin: new URL(url).origin, output: () => printed, pid: child.pid, stop };
}

/**
 * Starts a browser of its own for the test: the one without windows, where HEADLESS_SHELL names one, as it takes a third less
 * time for a page. `whole` asks for the one that people use: for permissions, and for errors of connections. The pages of tests live
 * so briefly that a browser compiles their WebAssembly for longer than it runs it; `optimizes` lets it.
 */
export async function startBrowser(t, { whole = false, optimizes = false, args = CHROMIUM_FLAGS, ...options } = {}) {
  const executablePath = (!whole && process.env.HEADLESS_SHELL) || chromiumProgram();
  const all = optimizes ? args : [...args, '--js-flags=--liftoff-only'];
  const browser = await chromium.launch({ executablePath, args: all, ...options });
  t.after(() => browser.close());
  return browser;
}

/** What each new profile is, unless a test says otherwise: most pages are opened once, and what their service worker keeps is for later. */
export const PROFILE = { acceptDownloads: true, serviceWorkers: 'block' };

/** The profile of a page with its service worker. */
export const KEEPING = { serviceWorkers: 'allow' };

/** Opens a page in a fresh profile, watched from before it loads. `context` goes to Playwright's `newContext`. */
export async function openPage(t, url, { browser, context = {} } = {}) {
  const owner = browser ?? (await startBrowser(t));
  const profile = await owner.newContext({ ...PROFILE, ...context });
  if (browser) t.after(() => profile.close());
  const page = await profile.newPage();
  refusePromises(page);
  const watched = watch(page);
  await page.goto(url);
  return { page, watched, context: profile };
}

/** Playwright takes the promise of an async function for true and does not wait for it: a test that passes one would wait for nothing. */
function refusePromises(page) {
  const { waitForFunction } = page;
  page.waitForFunction = function (predicate, ...rest) {
    assert.notEqual(predicate.constructor.name, 'AsyncFunction', 'waitForFunction waits for no promise');
    return waitForFunction.call(this, predicate, ...rest);
  };
}

/** Collects what a page logs, throws and asks for: `{ console, errors, requests }`, which grow as it runs. */
export function watch(page) {
  const watched = { console: [], errors: [], requests: [] };
  page.on('console', (message) => {
    watched.console.push(`${message.type()}: ${message.text()}`);
    if (message.type() === 'error') watched.errors.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => watched.errors.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('crash', () => watched.errors.push('the page crashed'));
  page.on('request', (request) => watched.requests.push(request.url()));
  return watched;
}

/** The page logged no error and threw none, but for those that one of `expected` (regular expressions) matches. */
export function assertQuiet(watched, expected = []) {
  const surprises = watched.errors.filter((error) => !expected.some((pattern) => pattern.test(error)));
  assert.deepEqual(surprises, []);
}

/** The page asked no other origin than these. */
export function assertOnlyAsked(watched, origins) {
  const strangers = watched.requests.filter(
    (url) => !/^(data|blob):/.test(url) && !origins.includes(new URL(url).origin),
  );
  assert.deepEqual(strangers, []);
}

/** By how many pixels the page is wider than its window: the gutter of a scroll bar counts for none. */
export const overflow = async (page) => Math.max(0, await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth));

/** Has lines outside the window drawn as well: else a picture of the whole page shows gaps in their place. */
export const drawAll = (page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.row { content-visibility: visible !important; }');
    document.adoptedStyleSheets.push(sheet);
  });

/** Runs axe-core in the page and returns the violations, each as one readable line. The size of targets it leaves out unless asked. */
export async function axe(page, { rules = {} } = {}) {
  // Colours that are under way to others have contrasts of their own.
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
    // Not for ever: one whose view was taken away never answers.
    const aSecond = new Promise((done) => setTimeout(done, 1_000));
    await Promise.race([Promise.allSettled(ending.map(({ finished }) => finished)), aSecond]);
  });
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    // `evaluate` goes past the page's Content-Security-Policy; a script tag would not.
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  }
  // Without the places of what passed, of which a list of results has thousands, this takes a third of the time.
  const options = { resultTypes: ['violations'], rules: { 'target-size': { enabled: true }, ...rules } };
  const violations = await page.evaluate(async (options) => (await globalThis.axe.run(document, options)).violations, options);
  return violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map((node) => `${id} (${impact}): ${help}: ${node.target.join(' ')}: ${node.html.slice(0, 120)}`),
  );
}

/** Does what starts a download and returns the file: `{ name, text }`. */
export async function download(page, act) {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

function chromiumProgram() {
  return firstProgram('Chromium or Chrome; run `scripts/setup browser` or set CHROMIUM', [
    process.env.CHROMIUM,
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    join(homedir(), 'Applications/Google Chrome.app/Contents/MacOS/Google Chrome'),
    '/snap/bin/chromium',
  ]);
}

/** The first of these that exists: absolute paths as they are, names along PATH. */
function firstProgram(what, candidates) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const candidate of candidates.filter(Boolean)) {
    const places = isAbsolute(candidate) ? [candidate] : folders.map((folder) => join(folder, candidate));
    const found = places.find((place) => existsSync(place));
    if (found) return found;
  }
  throw new Error(`cannot find ${what}`);
}
