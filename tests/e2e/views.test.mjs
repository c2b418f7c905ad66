// The views beside the results (traffic and card), and what a link shares.

import assert from 'node:assert/strict';
import test from 'node:test';
import { finished, pastRun, runAgainst, save, settings, share, validated } from './page.mjs';
import { ONE_INTERFACE, assertQuiet, axe, download, openPage, overflow, startAgent, startBrowser, startServe } from './support.mjs';

const active = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);

test('views of a run, and sharing one', { timeout: 300_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const open = async (fragment = '', context = {}) => {
    const opened = await openPage(t, `${served.origin}/${fragment}`, { browser, context });
    await opened.page.locator('html[data-start=ready]').waitFor();
    return opened;
  };

  await t.test('tabs are walked with the keyboard and stand in the link', async () => {
    const { page, watched } = await open();
    await page.click('#demo');
    await finished(page);
    await page.focus('#tab-results');
    await page.keyboard.press('ArrowRight');
    assert.equal(await active(page), 'tab-traffic');
    await page.waitForURL(/tab=traffic/);
    assert.ok(await page.locator('#panel-traffic').isVisible());
    assert.ok(!(await page.locator('#panel-results').isVisible()));
    await page.keyboard.press('ArrowRight');
    assert.equal(await active(page), 'tab-card');
    await page.locator('#card').waitFor();
    await page.keyboard.press('End');
    assert.equal(await active(page), 'tab-workbench');
    await page.keyboard.press('ArrowRight');
    assert.equal(await active(page), 'tab-results');
    await page.waitForURL((url) => !url.hash.includes('tab='));
    assertQuiet(watched);
  });

  await t.test('traffic lists every exchange, finds some, and opens one in full', async () => {
    const { page, watched } = await open('#tab=traffic');
    await page.click('#demo-faulty');
    await finished(page);
    await page.locator('tr[data-exchange]').first().waitFor();
    const count = async () => Number((await page.locator('#traffic-count').innerText()).match(/\d+/)[0]);
    const all = await count();
    assert.ok(all > 200, `${all}`);
    const present = () => page.locator('tr[data-exchange]').count();
    assert.ok((await present()) < 100, 'only what is in sight is in the document');
    assert.equal(Number(await page.locator('#traffic-list table').getAttribute('aria-rowcount')), all + 1);

    // Scrolled to the end, the last exchange is there, and the focus was not lost with its line.
    await page.locator('tr[data-exchange] button').first().focus();
    await page.locator('#traffic-list').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await page.locator(`tr[aria-rowindex="${all + 1}"]`).waitFor();
    assert.ok((await present()) < 100);
    assert.equal(await active(page), 'traffic-list');
    await page.locator('#traffic-list').evaluate((list) => list.scrollTo(0, 0));
    await page.locator('tr[aria-rowindex="2"]').waitFor();

    // The arrow keys walk, further than what was in the document at first.
    await page.locator('tr[data-exchange] button').first().focus();
    for (let step = 0; step < 120; step += 1) {
      await page.keyboard.press('ArrowDown');
      if (step % 10 === 0) await page.waitForTimeout(20);
    }
    assert.match(await active(page), /^exchange-\d+$/);
    const place = await page.evaluate(() => document.activeElement.closest('tr').getAttribute('aria-rowindex'));
    assert.ok(Number(place) > 100, place);

    await page.fill('#traffic-text', 'sendstreamingmessage 200');
    await page.locator('#traffic-count', { hasText: / of / }).waitFor();
    const found = await count();
    assert.ok(found > 3 && found < all, `${found}`);
    const row = page.locator('tr[data-exchange]').first();
    assert.match(await row.innerText(), /POST[^]*SendStreamingMessage[^]*200 · \d+ events?[^]*\d m?s/);
    const id = await row.getAttribute('data-exchange');
    await row.getByRole('button').click();
    await page.locator('#traffic-exchange .sheet').first().waitFor();
    await page.waitForFunction(() => document.activeElement.id === 'traffic-exchange-title');
    assert.ok((await page.locator('#traffic-exchange .timeline li').count()) > 0);
    assert.deepEqual(await axe(page), []);
    await page.click('#traffic-exchange-close');
    assert.equal(await active(page), `exchange-${id}`);
    await page.fill('#traffic-text', 'unicorn');
    await page.locator('#traffic-count', { hasText: /^0 of / }).waitFor();

    const har = await download(page, () => page.click('#traffic-har'));
    assert.match(har.name, /\.har$/);
    const { log } = JSON.parse(har.text);
    assert.equal(log.entries.length, all);
    await validated(t, har);
    assertQuiet(watched);
  });

  await t.test('the card is shown with its findings at their lines', async () => {
    const agent = await startAgent(t, [...ONE_INTERFACE, '--fault', 'card-skill-duplicate']);
    const { page, watched } = await open('#tab=card');
    await runAgainst(page, agent.origin);
    await page.locator('#card').waitFor();
    const text = (id) => page.locator(`#card-${id}`).innerText();
    assert.match(await text('capabilities'), /streaming\s+yes/);
    assert.match(await text('interfaces'), /JSONRPC 1\.0[^]*http:\/\//);
    assert.match(await text('about'), /Input\s+text/);
    assert.match(await text('skills'), /Skills: \d+/);
    for (const id of ['security', 'signatures', 'extended']) assert.ok((await text(id)).length > 15, id);
    assert.ok((await page.locator('#card-skills [aria-label=Examples] li').count()) > 0);
    const finding = page.locator('#card-findings [data-line]').first();
    const line = await finding.getAttribute('data-line');
    await finding.getByRole('button', { name: `Line ${line}` }).click();
    assert.equal(await active(page), `card-line-${line}`);
    assert.match(await page.locator(`#card-line-${line}`).innerText(), /id/);
    assert.deepEqual(await axe(page), []);
    await finding.getByRole('button').first().click();
    await page.waitForFunction(() => document.activeElement.id === 'detail-title');
    assert.match(await page.locator('#detail .ids').innerText(), /card\.skill/);
    assertQuiet(watched);
  });

  await t.test('the views fit a phone, in both colours', async () => {
    const { page } = await open('', { viewport: { width: 320, height: 640 }, reducedMotion: 'reduce' });
    await page.click('#demo-faulty');
    await finished(page);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      for (const tab of ['traffic', 'card']) {
        await page.click(`#tab-${tab}`);
        await page.locator(tab === 'card' ? '#card' : 'tr[data-exchange]').first().waitFor();
        assert.ok((await overflow(page)) <= 0, `${tab} ${colorScheme}`);
        assert.deepEqual(await axe(page), [], `${tab} ${colorScheme}`);
      }
    }
  });

  await t.test('a link carries the whole set-up, never a secret, and starts nothing', async () => {
    const CANARY = 'canary-5b1d';
    const agent = await startAgent(t, ONE_INTERFACE);
    const { page, context } = await open();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.fill('#address', agent.origin);
    await settings(page);
    await page.fill('#bearer', CANARY);
    await page.selectOption('#version', '1.0');
    await page.fill('#time-answer', '50');
    await page.check('#thorough');
    await page.fill('[data-prompt=complete]', 'hello & welcome = 1');
    await page.click('#run');
    await finished(page);
    const holds = await page.locator('#link-holds').innerText();
    assert.match(holds, /the address, protocol version 1\.0, thorough, 1 prompt, 1 waiting time; no secrets/);
    // Text that is typed afterwards was not judged.
    await page.fill('#address', 'https://typed-since.example');
    await share(page);
    await page.click('#copy-link');
    await page.locator('.copy:has(#copy-link) .said', { hasText: 'Copied' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(link.length < 500 && !link.includes(CANARY), link);
    assert.ok(link.includes(agent.origin.slice(7)) && !link.includes('typed-since'), link);

    const other = await open(new URL(link).hash);
    assert.equal(await other.page.inputValue('#address'), agent.origin);
    assert.equal(await other.page.inputValue('#version'), '1.0');
    assert.equal(await other.page.inputValue('#time-answer'), '50');
    assert.ok(await other.page.isChecked('#thorough'));
    assert.equal(await other.page.inputValue('[data-prompt=complete]'), 'hello & welcome = 1');
    assert.match(await other.page.locator('#linked').innerText(), /protocol version 1\.0, thorough, 1 prompt[^]*before you press Run/);
    assert.equal(await other.page.locator('#verdict').count(), 0);
    assert.deepEqual(await axe(other.page), []);
    assert.ok(!other.watched.requests.some((url) => url.startsWith(agent.origin)));
  });

  await t.test('a link to the demo agent with faults runs it at the press of a button', async () => {
    const { page } = await open('#demo=stream-two-payloads,a-fault-of-another-version');
    assert.match(await page.locator('#linked').innerText(), /the demo agent with 2 faults/);
    await page.click('#link-run');
    await finished(page);
    assert.match(await page.locator('#link-holds').innerText(), /the demo agent with 2 faults/);
    assert.match(page.url(), /demo=stream-two-payloads/);
    assert.equal(await page.locator('#verdict').getAttribute('data-word'), 'not-conformant');
  });

  await t.test('the link is there as a QR code', async () => {
    const { page } = await open();
    await page.click('#demo');
    await finished(page);
    await share(page);
    await page.click('#qr > summary');
    const code = page.locator('#qr svg[role=img]');
    await code.waitFor();
    assert.ok((await code.locator('.qr-dark').getAttribute('d')).length > 500);
    const { width, height } = await code.boundingBox();
    assert.ok(width > 100 && Math.abs(width - height) < 1, `${width} x ${height}`);
    assert.deepEqual(await axe(page), []);
  });

  await t.test('a run that was stopped is saved, kept and shared too', async () => {
    const agent = await startAgent(t);
    const { page } = await open();
    await page.fill('#address', agent.origin);
    await page.click('#run');
    await page.waitForFunction(() => Number(document.querySelector('#count-pass')?.textContent ?? 0) > 5);
    await page.click('#stop');
    await finished(page);
    const file = await save(page, 'json');
    const { host } = new URL(agent.origin);
    assert.ok(file.name.includes(host.replace(':', '-')), file.name);
    await validated(t, file);
    await pastRun(page);
    assert.match(await page.locator('#link-holds').innerText(), /the address/);
  });

  await t.test('on paper are the results, whichever view is open', async () => {
    const { page } = await open();
    await page.click('#demo-faulty');
    await finished(page);
    await page.click('#tab-card');
    await page.locator('#card').waitFor();
    await page.emulateMedia({ media: 'print' });
    assert.ok(await page.locator('#panel-results').isVisible());
    assert.ok(!(await page.locator('#panel-card').isVisible()));
  });
});
