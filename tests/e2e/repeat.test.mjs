// An agent that is checked several times in the release page: which run goes on, what is not the same each time, with both kinds of evidence, and
// the same from a file.

import assert from 'node:assert/strict';
import test from 'node:test';
import { assertQuiet, axe, openPage, runCli, startAgent, startBrowser, startServe } from './support.mjs';
import { finished, save, settings, unfold, verdicts } from './page.mjs';

/** The check that the agent of these tests breaks in every other run, beginning with the first. */
const CHECK = 'jsonrpc.parse-error';
const AT_TIMES = ['--fault', 'parse-error-at-times', '--fault', 'only-jsonrpc'];

test('several runs', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const open = (hash = '') => openPage(t, `${served.origin}/${hash}`, { browser });

  await t.test('what is not the same each time stands apart, with the evidence of both kinds, and opens from a file', async () => {
    const agent = await startAgent(t, AT_TIMES);
    const { page, watched } = await open();
    await page.fill('#address', agent.origin);
    await settings(page);
    await page.fill('#repeat', '3');
    await page.evaluate(() => {
      globalThis.stages = new Set();
      new MutationObserver(() => {
        globalThis.stages.add(document.querySelector('#stage')?.textContent ?? '');
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await page.click('#run');
    await finished(page);
    const stages = await page.evaluate(() => [...globalThis.stages]);
    for (const run of [1, 2, 3]) {
      assert.ok(stages.some((stage) => stage.startsWith(`Run ${run} of 3: `)), JSON.stringify(stages));
    }

    assert.match(await page.locator('#verdict-level').innerText(), /Conformant with suggestions/);
    const reason = await page.locator('#verdict-reason').innerText();
    assert.match(reason, /in each of 3 runs/);
    assert.match(reason, /Unsteady: jsonrpc\.parse-error on JSON-RPC 1\.0 \(failed in 2 of 3 runs, passed in 1\)\./);
    const line = page.locator(`tr[data-check="${CHECK}"]`);
    assert.equal(await line.getAttribute('data-status'), 'unsteady', 'in the list without unfolding it');
    assert.equal(await line.locator('.word').innerText(), 'unsteady');
    assert.equal(await page.locator('#count-unsteady').innerText(), '1');

    const seen = async (shown) => {
      await shown.locator(`tr[data-check="${CHECK}"] .row-button`).click();
      const runs = shown.locator('#steps > li');
      await runs.first().waitFor();
      assert.deepEqual(await runs.locator('h4 code').allInnerTexts(), ['Runs 1 and 3', 'Run 2']);
      assert.deepEqual(await runs.locator('h4 .word').allInnerTexts(), ['failed', 'passed']);
      assert.deepEqual(await runs.locator('.exchange').count(), 2);
      assert.match(await runs.locator('h4 .note').first().innerText(), /^expected /);
      assert.ok((await shown.locator('#fix').innerText()).length > 0);
    };
    await seen(page);
    assert.deepEqual(await axe(page), []);
    assertQuiet(watched);

    const file = await save(page, 'json');
    const report = JSON.parse(file.text);
    assert.deepEqual([report.runs, report.options.repeat, report.summary.unsteady], [3, 3, 1]);
    const native = await runCli(['check', agent.origin, '--repeat', '3', '--format', 'json']);
    const other = JSON.parse(native.stdout);
    assert.equal(verdicts(report).get(`${CHECK}@jsonrpc-1.0`), verdicts(other).get(`${CHECK}@jsonrpc-1.0`));

    const { page: again } = await open();
    await again.setInputFiles('#file-show', { name: file.name, mimeType: 'application/json', buffer: Buffer.from(file.text) });
    await finished(again);
    assert.equal(await again.locator(`tr[data-check="${CHECK}"] .word`).innerText(), 'unsteady');
    await seen(again);
  });

  await t.test('a number that is none is refused, and a link carries one that is', async () => {
    const { page } = await open(`#u=${encodeURIComponent('http://127.0.0.1:9')}&repeat=4`);
    await page.locator('html[data-start=ready]').waitFor();
    await settings(page);
    assert.equal(await page.locator('#repeat').inputValue(), '4');
    assert.match(await page.locator('#settings > summary').innerText(), /several runs/);
    await page.fill('#repeat', '101');
    await page.click('#run');
    assert.match(await page.locator('#problem').innerText(), /not a number of runs from 1 to 100/);
  });

  await t.test('an agent that is the same each time shows no such filter', async () => {
    const agent = await startAgent(t, ['--fault', 'only-jsonrpc']);
    const { page } = await open();
    await page.fill('#address', agent.origin);
    await settings(page);
    await page.fill('#repeat', '2');
    await page.click('#run');
    await finished(page);
    await unfold(page);
    assert.equal(await page.locator('tr[data-status=unsteady]').count(), 0);
    assert.equal(await page.locator('[data-filter=unsteady]').isVisible(), false);
  });
});
