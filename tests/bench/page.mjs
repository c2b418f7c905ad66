// Measures the release page in a browser: how soon it can be used, what a run takes beside the same run on the command line, how
// long the page's own thread is busy at a time, and what it keeps in memory. Prints figures and fails on none of them, because a
// busy machine is not the page's fault; `scripts/bench` starts it.

import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KEEPING, openPage, runCli, startAgent, startBrowser, startServe } from '../e2e/support.mjs';
import { flood, startTrick } from '../e2e/faults.mjs';
import { watchMemory } from '../e2e/memory.mjs';
import { withChecker } from '../e2e/page.mjs';
import { startForeign } from '../foreign/agents.mjs';

/** How often each thing is done; the median is printed. */
const ROUNDS = 5;
/** More than this at once, and a visitor feels it (RAIL). */
const LONG_MS = 50;
const MB = 1 << 20;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const line = (what, ...figures) => console.log(`${what.padEnd(44)}${figures.join('   ')}`);
const ms = (number) => `${Math.round(number)} ms`;

const endings = [];
// A stand-in for a test's context, for helpers that end what they start.
const t = { after: (end) => endings.push(end) };

/** Opens the page with the checker ready and the tasks of its thread counted. */
async function open(browser, served) {
  const { page, context } = await openPage(t, 'about:blank', { browser, context: KEEPING });
  await page.addInitScript(() => {
    globalThis.tasks = [];
    new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
  });
  const opened = performance.now();
  await page.goto(`${served.origin}/`);
  await page.locator('html[data-start=ready]').waitFor();
  const interactive = performance.now() - opened;
  await withChecker(page);
  await page.evaluate(() => globalThis.tasks.splice(0));
  return { page, context, interactive };
}

/** Checks an agent in the page; answers how long that took and the longest task of the page's thread meanwhile. */
async function check(page, address) {
  const begun = performance.now();
  await page.fill('#address', address);
  await page.click('#run');
  await page.locator('#verdict:not([data-level=none]):not([data-level=running])').waitFor({ timeout: 120_000 });
  const took = performance.now() - begun;
  await page.waitForTimeout(300);
  const tasks = await page.evaluate(() => globalThis.tasks.splice(0));
  return { took, longest: Math.max(0, ...tasks), long: tasks.filter((task) => task > LONG_MS).length };
}

/** Does something in the page; the longest task of the page's thread until it has settled. */
async function during(page, act) {
  await page.evaluate(() => globalThis.tasks.splice(0));
  await act();
  await page.waitForTimeout(400);
  return Math.max(0, ...(await page.evaluate(() => globalThis.tasks.splice(0))));
}

/** What a reader does with the results of a run; the longest task for each. */
async function read(page) {
  const press = (selector) => () => page.locator(selector).first().click();
  const acts = {
    'everything unfolded': press('#unfold'),
    'a check opened': press('tr[data-status=pass] .row-button'),
    'only what passed': press('[data-filter=pass]'),
    'a letter searched': () => page.locator('#filter-text').pressSequentially('s'),
    'all shown again': press('#filter-reset'),
    'scrolled to the end': () => page.evaluate(() => scrollTo(0, document.body.scrollHeight)),
    'everything folded': press('#unfold'),
    'the traffic shown': press('#tab-traffic'),
    'the card shown': press('#tab-card'),
    'the results shown': press('#tab-results'),
  };
  const longest = [];
  for (const [name, act] of Object.entries(acts)) longest.push([name, await during(page, act)]);
  return longest;
}

/** A report as it is written, with bodies that make it so many bytes long. */
function padded(text, bytes) {
  const report = JSON.parse(text);
  const bodies = report.exchanges.map(({ response }) => response?.body).filter((body) => body?.encoding === 'utf-8');
  const each = Math.ceil((bytes - text.length) / bodies.length);
  for (const body of bodies) body.content = body.content.padEnd(body.content.length + each);
  return JSON.stringify(report);
}

/** What the page and the checker hold when the garbage is gone, programs and objects, in bytes. */
async function memory(page, context) {
  const { collect, objects, programs } = await watchMemory(page, context);
  await collect();
  return (await objects()) + (await programs());
}

/** A stream of many events, with the ids that the call asks for, and its end. */
function* events(asked, count) {
  const call = JSON.parse(asked.body);
  const of = (result) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: call.id, result })}\n\n`;
  const ids = { taskId: 'many', contextId: 'events' };
  yield of({ task: { id: ids.taskId, contextId: ids.contextId, status: { state: 'TASK_STATE_WORKING' } } });
  for (let number = 0; number < count; number += 1) {
    yield of({ statusUpdate: { ...ids, status: { state: 'TASK_STATE_WORKING' }, metadata: { number } } });
  }
  yield of({ statusUpdate: { ...ids, status: { state: 'TASK_STATE_COMPLETED' } } });
}

const served = await startServe(t);
const browser = await startBrowser(t, { optimizes: true });
const scripted = await startAgent(t);
const python = await startForeign(t, 'python-sdk');
const many = await startTrick(t, scripted.origin, (asked, response) =>
  asked.streams && asked.body.includes('"jsonrpc"') ? flood(response, 'text/event-stream', events(asked, 10_000)) : false,
);

const opened = [];
for (let round = 0; round < ROUNDS; round += 1) opened.push(await open(browser, served));
line('from opening to interactive', ms(median(opened.map(({ interactive }) => interactive))));

for (const [name, address] of [
  ['scripted agent', scripted.origin],
  ['agent on the Python SDK', python.url],
]) {
  const natively = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    natively.push(JSON.parse((await runCli(['check', address, '--format', 'json'])).stdout).duration_ms);
  }
  const inPage = [];
  for (const { page } of opened) inPage.push(await check(page, address));
  const [native, took] = [median(natively), median(inPage.map((run) => run.took))];
  line(
    `a run on the ${name}`,
    `page ${ms(took)}`,
    `command line ${ms(native)}`,
    `${(took / native).toFixed(2)} times`,
    `longest task ${ms(median(inPage.map(({ longest }) => longest)))}`,
    `${median(inPage.map(({ long }) => long))} over ${LONG_MS} ms`,
  );
}

const [{ page, context }] = opened;
const flooded = await check(page, many.origin);
line('a run with streams of 10 000 events', ms(flooded.took), `longest task ${ms(flooded.longest)}`, `${flooded.long} over ${LONG_MS} ms`);
const tasks = [];
for (const { page } of opened) tasks.push(await read(page));
for (const [at, [name]] of tasks[0].entries()) line(`  ${name}`, `longest task ${ms(median(tasks.map((all) => all[at][1])))}`);

const report = (await runCli(['check', scripted.origin, '--format', 'json'])).stdout;
// By its path: what is handed over as bytes is made a file of on the page's own thread.
const long = join(tmpdir(), `a2a-bench-${process.pid}.json`);
await writeFile(long, padded(report, 10_000_000));
endings.push(() => rm(long));
const openedFile = await during(page, async () => {
  await page.setInputFiles('#file-show', long);
  await page.locator('#opened').waitFor();
});
line('a report of 10 MB opened', `longest task ${ms(openedFile)}`);
line('memory of the page after that', `${((await memory(page, context)) / MB).toFixed(1)} MB`);

for (const end of endings.reverse()) await end();
process.exit(0);
