// What tests of the page share: waiting for a verdict, reading the table, validating what was downloaded.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './support.mjs';

/** Waits until a run is over. */
export async function finished(page, timeout = 60_000) {
  const over = '#verdict:not([data-level=none]):not([data-level=running])';
  await page.locator(over).waitFor({ timeout });
}

/** Opens the settings, with everything that is folded away in them. */
export async function settings(page) {
  await page.locator('#settings > summary').click();
  await page.locator('#settings details').evaluateAll((all) => all.forEach((fold) => (fold.open = true)));
}

/** Types an address, runs, and waits for the verdict. */
export async function runAgainst(page, address) {
  await page.locator('html[data-start=ready]').waitFor();
  await page.fill('#address', address);
  await page.click('#run');
  await finished(page);
}

/** The rows that are shown: `{ check, lane, status }`. */
export function rows(page) {
  return page.locator('tr[data-check]').evaluateAll((all) =>
    all
      .filter((row) => row.offsetParent !== null)
      .map(({ dataset }) => ({ check: dataset.check, lane: dataset.lane ?? '', status: dataset.status })),
  );
}

/** The status of one check. */
export function row(page, check) {
  return page.locator(`tr[data-check="${check}"]`).first().getAttribute('data-status');
}

/** The counts on the screen: of the chips, which the rows must bear out. */
export async function counted(page) {
  const number = async (kind) => Number((await page.locator(`#count-${kind}`).innerText()).match(/\d+/)?.[0] ?? 0);
  const [pass, fail, advisory, blocked, skip] = await Promise.all(
    ['pass', 'fail', 'advisory', 'blocked', 'skip'].map(number),
  );
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
