// Reports as files: opened by the picker or dropped, kept in the tab and among the past runs, compared.

import assert from 'node:assert/strict';
import test from 'node:test';
import { chips, finished, pastRun, save, unfold } from './page.mjs';
import { assertOnlyAsked, assertQuiet, axe, openPage, overflow, startAgent, startBrowser, startServe, watch } from './support.mjs';

const file = (name, text) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
const active = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);

test('reports as files', { timeout: 300_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const open = async (context = {}) => {
    const opened = await openPage(t, served.origin, { browser, context });
    await opened.page.locator('html[data-start=ready]').waitFor();
    return opened;
  };
  const drop = (page, name, text) =>
    page.evaluate(
      ([name, text]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], name, { type: 'application/json' }));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      },
      [name, text],
    );

  // The report that the tests below open.
  const first = await open();
  await first.page.click('#demo-faulty');
  await finished(first.page);
  const counts = await chips(first.page);
  const verdict = await first.page.locator('#verdict-level').innerText();
  const report = await save(first.page, 'json');

  await t.test('a report is shown as its run was, and says that it is a file', async () => {
    const { page, watched } = await open();
    await page.setInputFiles('#file-show', file(report.name, report.text));
    await finished(page);
    assert.match(await page.locator('#opened').innerText(), new RegExp(`${report.name}.*checked \\d.* UTC, with a2a-conformance .*Nothing was sent`));
    assert.equal(await page.locator('#verdict-level').innerText(), verdict);
    assert.deepEqual(await chips(page), counts);
    assert.equal(await active(page), 'verdict');
    assert.ok((await page.locator('#findings [data-finding]').count()) > 3);
    await page.locator('tr[data-status=fail] .row-button').first().click();
    await page.locator('#detail .sheet').first().waitFor();
    assert.ok((await page.locator('#expected').innerText()).length > 3);
    await page.keyboard.press('Escape');
    const again = await save(page, 'json');
    assert.deepEqual(JSON.parse(again.text), JSON.parse(report.text));
    assert.deepEqual(await axe(page), []);
    assertOnlyAsked(watched, [served.origin]);
    assertQuiet(watched);
  });

  await t.test('a file that is dropped is opened, also in place of other results', async () => {
    const { page } = await open();
    await page.click('#demo');
    await finished(page);
    await drop(page, 'dropped.json', report.text);
    await page.locator('#opened').waitFor();
    assert.match(await page.locator('#opened').innerText(), /dropped\.json/);
    assert.deepEqual(await chips(page), counts);
  });

  await t.test('a broken or foreign file gets a sentence and takes nothing away', async () => {
    const { page } = await open();
    await page.click('#demo');
    await finished(page);
    const before = await chips(page);
    for (const [name, text, says] of [
      ['half.json', report.text.slice(0, 5000), /half\.json cannot be opened.*not JSON/],
      ['package.json', '{"name":"left-pad","version":"1.0.0"}', /neither a report of this checker nor an agent card/],
      ['new.json', '{"schemaVersion":9}', /schema version 9/],
    ]) {
      await drop(page, name, text);
      await page.locator('#file-problem', { hasText: says }).waitFor();
      assert.deepEqual(await chips(page), before);
      assert.equal(await page.locator('#opened').count(), 0);
    }
    await unfold(page);
    await page.locator('tr[data-status] .row-button').first().click();
    await page.locator('#detail-title').waitFor();
  });

  await t.test('a card that is dropped is judged by itself', async () => {
    const { page } = await open();
    const agent = await startAgent(t);
    const card = await (await fetch(`${agent.origin}/.well-known/agent-card.json`)).text();
    await drop(page, 'card.json', card);
    await finished(page);
    assert.match(await page.locator('.subject').innerText(), /the pasted card/);
  });

  await t.test('what was kept in the tab is shown again after a reload', async () => {
    const { page } = await open();
    await page.click('#demo-faulty');
    await finished(page);
    await page.waitForFunction(() => sessionStorage.getItem('a2a-conformance.report'));
    await page.reload();
    await page.locator('#kept').waitFor();
    await page.click('#kept-open');
    await page.locator('#opened').waitFor();
    assert.match(await page.locator('#opened').innerText(), /kept in this tab/);
    assert.deepEqual(await chips(page), counts);
    assert.equal(await active(page), 'verdict');
    await unfold(page);
    assert.ok((await page.locator('tr[data-check]').count()) > 100);
    await page.reload();
    await page.click('#kept-forget');
    assert.equal(await page.locator('#kept').count(), 0);
    assert.equal(await active(page), 'address');
  });

  await t.test('past runs are kept, at most ten, opened, and deleted one by one or all', async () => {
    const { page, watched } = await open();
    assert.equal(await page.locator('#past').count(), 0);
    await page.click('#demo-faulty');
    await finished(page);
    const list = page.locator('#past li');
    const wait = async (count) => {
      await page.waitForFunction((count) => document.querySelectorAll('#past li').length === count, count);
    };
    await pastRun(page);
    await page.reload();
    await wait(1);
    assert.match(await list.first().innerText(), /demo\.agent\.invalid[^]*UTC[^]*Not conformant, \d+ required rules? broken/);
    assert.deepEqual(await axe(page), []);
    await list.first().getByRole('button', { name: /^Open/ }).click();
    await page.locator('#opened', { hasText: 'A past run' }).waitFor();
    assert.deepEqual(await chips(page), counts);
    // A report that was opened is not a new run.
    assert.equal(await page.evaluate(async () => (await globalThis.pastRuns.list()).length), 1);

    await page.evaluate(async () => {
      const [{ id, about }] = await globalThis.pastRuns.list();
      const text = await globalThis.pastRuns.report(id);
      for (let number = 0; number < 12; number += 1) await globalThis.pastRuns.keep({ ...about, address: `https://${number}.example` }, text);
    });
    await page.reload();
    await wait(10);
    assert.match(await list.first().innerText(), /11\.example/);
    await list.first().getByRole('button', { name: /^Delete/ }).click();
    await wait(9);
    assert.equal(await active(page), 'past-title');
    assert.match(await list.first().innerText(), /10\.example/);
    await page.click('#past-delete-all');
    await page.locator('#past').waitFor({ state: 'detached' });
    assert.equal(await active(page), 'address');
    assert.deepEqual(await page.evaluate(() => globalThis.pastRuns.list()), []);
    assertQuiet(watched);
  });

  await t.test('a run is compared with a file and with a past run', async () => {
    const { page } = await open();
    await page.click('#demo');
    await finished(page);
    await page.click('#compare > summary');
    await page.setInputFiles('#file-compare', file(report.name, report.text));
    await page.locator('#comparison').waitFor();
    await page.waitForFunction(() => document.activeElement.id === 'comparison-title');
    const fixed = page.locator('#comparison [data-difference=fixed] li');
    assert.ok((await fixed.count()) >= 4);
    assert.match(await fixed.first().innerText(), /fail → pass/);
    assert.equal(await page.locator('[data-difference=broken]').count(), 0);
    assert.match(await page.locator('#comparison-same').innerText(), /\d+ results are the same/);
    assert.deepEqual(await axe(page), []);
    await fixed.first().getByRole('button').click();
    await page.locator('#detail-title').waitFor();
    await page.keyboard.press('Escape');
    await page.click('#comparison-close');
    assert.equal(await active(page), 'verdict');

    // A second run, with faults, against the first.
    await pastRun(page);
    // By key: rows above that are drawn late may move it between the two halves of a click.
    await page.locator('.demo-again > summary').press('Enter');
    await page.click('#demo-faulty');
    await page.locator('#verdict[data-run="2"]').waitFor();
    await finished(page);
    await page.waitForFunction(() => document.querySelectorAll('#compare-list li').length === 2);
    await page.locator('#compare').evaluate((fold) => (fold.open = true));
    await page.locator('#compare-list li').last().getByRole('button', { name: /^Compare/ }).click();
    await page.locator('#comparison [data-difference=broken] li').first().waitFor();
    assert.equal(await page.locator('[data-difference=fixed]').count(), 0);
    await page.setInputFiles('#file-compare', file('x.json', 'x'));
    await page.locator('#file-problem', { hasText: /cannot be compared.*not JSON/ }).waitFor();
  });

  await t.test('a browser that has no room, or keeps nothing, says so, and what is shown stays', async () => {
    const told = async (page) => {
      await page.click('#demo-faulty');
      await finished(page);
      await page.locator('#file-problem', { hasText: /could not keep the run.*save the report before you leave/ }).waitFor();
      assert.deepEqual(await chips(page), counts);
      const { text } = await save(page, 'json');
      assert.equal(JSON.parse(text).summary.failed, JSON.parse(report.text).summary.failed);
      assert.equal(await page.locator('#past-title').count(), 0);
    };
    const full = await open();
    const devtools = await full.page.context().newCDPSession(full.page);
    await devtools.send('Storage.overrideQuotaForOrigin', { origin: served.origin, quotaSize: 1000 });
    await full.page.evaluate(() => {
      for (let size = 1 << 22; size >= 1; size >>= 1) {
        try {
          for (let n = 0; ; n++) sessionStorage.setItem(`filler-${size}-${n}`, 'x'.repeat(size));
        } catch {
          // There is no more room for so much.
        }
      }
    });
    await told(full.page);
    assertQuiet(full.watched);
    const { context } = await open();
    const page = await context.newPage();
    const watched = watch(page);
    await page.addInitScript(() => {
      for (const name of ['indexedDB', 'sessionStorage', 'localStorage'])
        Object.defineProperty(globalThis, name, {
          get() {
            throw new DOMException('The request was denied', 'SecurityError');
          },
        });
    });
    await page.goto(served.origin);
    await page.locator('html[data-start=ready]').waitFor();
    await told(page);
    assertQuiet(watched);
  });

  await t.test('nothing secret is kept', async () => {
    const CANARY = 'canary-7f3a9c';
    const { page } = await open();
    await page.fill('#address', `${served.origin}/.well-known/agent-card.json?api_key=${CANARY}`);
    await page.click('#settings > summary');
    await page.fill('#bearer', CANARY);
    await page.click('#run');
    await finished(page);
    await pastRun(page);
    const kept = await page.evaluate(async () => {
      const [run] = await globalThis.pastRuns.list();
      const report = await globalThis.pastRuns.report(run.id);
      return JSON.stringify([run, report, { ...sessionStorage }, { ...localStorage }, location.href]);
    });
    assert.ok(kept.includes('schemaVersion'));
    assert.ok(!kept.includes(CANARY), kept.slice(Math.max(0, kept.indexOf(CANARY) - 200), kept.indexOf(CANARY) + 40));
  });

  await t.test('fits a screen of 320 px', async () => {
    const { page } = await open({ viewport: { width: 320, height: 640 } });
    await page.click('#demo');
    await finished(page);
    await page.click('#compare > summary');
    await page.setInputFiles('#file-compare', file(report.name, report.text));
    await page.locator('#comparison').waitFor();
    assert.ok((await overflow(page)) <= 0);
    assert.deepEqual(await axe(page), []);
    await pastRun(page);
    await page.reload();
    await page.locator('#past li').waitFor();
    assert.ok((await overflow(page)) <= 0);
  });
});
