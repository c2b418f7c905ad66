// The two pictures of the README: the demo agent with its faults, one of them open, light and dark. `make screens` makes them in
// test-results/screens; with UPDATE_PICTURES=1 they go where the README shows them.

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { finished, withChecker } from '../e2e/page.mjs';
import { ROOT, openPage, startBrowser, startServe } from '../e2e/support.mjs';

const PICTURES = join(ROOT, 'test-results/screens');
/** Where the README shows them, by theme. */
const SHOWN = { light: 'docs/screenshot.png', dark: 'docs/screenshot-dark.png' };

test('the pictures of the README', async (t) => {
  mkdirSync(PICTURES, { recursive: true });
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const context = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' };
  const { page } = await openPage(t, `${served.origin}/`, { browser, context });
  await withChecker(page);
  await page.click('#demo-faulty');
  await finished(page);
  await page.locator('tr[data-check="stream.oneof"] .row-button').click();
  await page.locator('#why:not(:empty)').waitFor();
  await page.evaluate(() => {
    document.activeElement.blur();
    scrollTo(0, 0);
  });
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  for (const [colorScheme, shown] of Object.entries(SHOWN)) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(100);
    const made = join(PICTURES, `readme-${colorScheme}.png`);
    await page.screenshot({ path: made });
    if (process.env.UPDATE_PICTURES) copyFileSync(made, join(ROOT, shown));
    assert.ok(readme.includes(`"${shown}"`), `the README shows ${shown}`);
  }
});
