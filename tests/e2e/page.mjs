// Helpers of the page's tests: waiting for a verdict, reading the table, validating downloads.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ROOT, download, openPage } from './support.mjs';

/** Waits until all lines of the list are there that are to be: a long list comes in slices. */
export async function settled(page) {
  await page.locator('.checks table:not([aria-busy=true])').waitFor({ state: 'attached' });
}

/** Waits until the page has started and its checker is there, which it fetches for who is about to run something. */
export async function withChecker(page) {
  await page.locator('html[data-start=ready]').waitFor();
  await page.evaluate(() => globalThis.checker.prefetch());
  await page.locator('html[data-checker]').waitFor();
}

/** Waits until a run is over. */
export async function finished(page, timeout = 60_000) {
  const over = '#verdict:not([data-level=none]):not([data-level=running])';
  // Where a phone shows the detail of a check, the verdict is hidden.
  await page.locator(over).waitFor({ state: 'attached', timeout });
  await settled(page);
}

/** Waits until a run that is over is kept among the past runs. */
export async function pastRun(page) {
  const limit = performance.now() + 30_000;
  while ((await page.evaluate(async () => (await globalThis.pastRuns.list()).length)) === 0) {
    assert.ok(performance.now() < limit, 'no run was kept within 30 s');
    await delay(20);
  }
}

/** Opens the settings, with everything that is folded away in them. */
export async function settings(page) {
  // A run folds them.
  if (!(await page.locator('#settings').evaluate((settings) => settings.open))) await page.locator('#settings > summary').click();
  await page.locator('#settings details').evaluateAll((all) => all.forEach((fold) => (fold.open = true)));
}

/** Opens what is behind "Save or share". */
export async function share(page) {
  if (!(await page.locator('#share').evaluate((share) => share.matches(':popover-open')))) await page.click('#share-open');
}

/** Saves the report in that format as people do, and closes what lay over the page: `{ name, text }`. */
export async function save(page, format) {
  await share(page);
  const file = await download(page, () => page.click(`#download-${format}`));
  await page.keyboard.press('Escape');
  return file;
}

/** Types an address, runs, and waits for the verdict. */
export async function runAgainst(page, address) {
  await page.locator('html[data-start=ready]').waitFor();
  await page.fill('#address', address);
  await page.click('#run');
  await finished(page);
}

/** Checks an agent in the page, opened in a fresh profile of the browser: its report as downloaded, and the page. */
export async function checkInPage(t, url, browser, address, { prompts = {}, token = '', timeout } = {}) {
  const { page, watched } = await openPage(t, url, { browser });
  await page.locator('html[data-start=ready]').waitFor();
  await page.fill('#address', address);
  await settings(page);
  await page.fill('#bearer', token);
  for (const [behaviour, text] of Object.entries(prompts)) await page.fill(`[data-prompt="${behaviour}"]`, text);
  await page.click('#run');
  await finished(page, timeout);
  const file = await save(page, 'json');
  return { page, watched, file, report: JSON.parse(file.text) };
}

/** Shows the lines that are folded away, too. */
export async function unfold(page) {
  const button = page.locator('#unfold');
  if ((await button.innerText()) === 'Expand all') await button.click();
  await settled(page);
}

/** The rows of the lines that are shown: `{ check, lane, status }`. */
export async function rows(page) {
  await settled(page);
  return page.locator('tr[data-check] .dot').evaluateAll((all) =>
    all.map((dot) => {
      const { lane = '', status } = dot.dataset;
      return { check: dot.closest('tr').dataset.check, lane, status };
    }),
  );
}

/** The status of one check, the worst of its lanes. */
export async function row(page, check) {
  await unfold(page);
  return page.locator(`tr[data-check="${check}"]`).first().getAttribute('data-status');
}

/** Opens the first line of that status. */
export async function openLine(page, status) {
  await unfold(page);
  await page.locator(`tr[data-status=${status}] .row-button`).first().click();
}

/** The counts of the filters: `{ pass, fail, advisory, blocked, skip }`. */
export async function chips(page) {
  const number = async (kind) => [kind, Number(await page.locator(`#count-${kind}`).innerText())];
  return Object.fromEntries(await Promise.all(['pass', 'fail', 'advisory', 'blocked', 'skip'].map(number)));
}

/** The counts on the screen: of the filters, which the rows must bear out. */
export async function counted(page) {
  const { pass, fail, advisory, blocked, skip } = await chips(page);
  await unfold(page);
  const all = await rows(page);
  const of = (...kinds) => all.filter(({ status }) => kinds.includes(status)).length;
  assert.deepEqual([of('pass'), of('fail'), of('advisory'), of('blocked'), of('skip')], [pass, fail, advisory, blocked, skip]);
  return { total: all.length, passed: pass, failed: fail + advisory, skipped: blocked + skip };
}

/** Writes a downloaded report to a file and validates it with the format's own validator; its counts. */
export async function validated(t, file) {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-report-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, file.name);
  await writeFile(path, file.text);
  const python = process.env.A2A_PYTHON ?? 'python3';
  const { stdout } = await promisify(execFile)(python, [join(ROOT, 'tests/validate.py'), path]);
  return JSON.parse(stdout);
}

/** What a JSON report says of each check: `check@lane` to `status reason`. */
export function verdicts(report) {
  const results = Object.values(report.categories).flat();
  return new Map(results.map(({ test, lane, status, reason }) => [`${test}@${lane ?? ''}`, [status, reason].filter(Boolean).join(' ')]));
}
