// HAR files, opened by the picker or dropped: shown as traffic, and judged without a request.

import assert from 'node:assert/strict';
import test from 'node:test';
import { finished } from './page.mjs';
import { assertOnlyAsked, assertQuiet, axe, download, openPage, startBrowser, startServe } from './support.mjs';

test('HAR files', { timeout: 300_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const open = async () => {
    const opened = await openPage(t, served.origin, { browser });
    await opened.page.locator('html[data-start=ready]').waitFor();
    return opened;
  };
  const choose = (page, name, text) =>
    page.setInputFiles('#file-show', { name, mimeType: 'application/json', buffer: Buffer.from(text) });

  await t.test('the HAR file of a run is shown as its traffic, and what its answers show is judged', async () => {
    const first = await open();
    await first.page.click('#demo-faulty');
    await finished(first.page);
    await first.page.click('#tab-traffic');
    const har = await download(first.page, () => first.page.click('#traffic-har'));
    const count = JSON.parse(har.text).log.entries.length;

    const { page, watched } = await open();
    await choose(page, har.name, har.text);
    await finished(page);
    assert.match(await page.locator('#opened').innerText(), /from a HAR file of a2a-conformance .*Nothing was sent to the agent now/);
    await page.locator('#traffic-count', { hasText: `${count} exchanges` }).waitFor();
    await page.locator('tr[data-exchange] button').first().click();
    await page.locator('#traffic-exchange .sheet').first().waitFor();
    assert.deepEqual(await axe(page), []);
    await page.click('#tab-results');
    assert.ok(Number(await page.locator('#count-pass').innerText()) > 0);
    assert.ok(Number(await page.locator('#count-blocked').innerText()) > 100, 'what needs a conversation is not observed');
    assertOnlyAsked(watched, [served.origin]);
    assertQuiet(watched);
  });

  await t.test('other traffic is shown and accuses nobody, and what is no HAR file says what was expected', async () => {
    const { page, watched } = await open();
    const entry = {
      startedDateTime: '2026-11-21T08:00:00.000Z',
      time: 3,
      request: { method: 'POST', url: 'https://mcp.example/rpc', headers: [], postData: { text: '{"jsonrpc":"2.0","id":1,"method":"tasks/get"}' } },
      response: { status: 200, headers: [], content: { size: 2, mimeType: 'application/json', text: '{}' } },
    };
    await choose(page, 'browser.har', JSON.stringify({ log: { creator: { name: 'Some Browser', version: '1' }, entries: [entry] } }));
    await finished(page);
    await page.locator('#traffic-count', { hasText: '1 exchange' }).waitFor();
    assert.match(await page.locator('#verdict').innerText(), /Incomplete/);
    await page.click('#tab-results');
    await page.locator('#compare > summary').click();
    await choose(page, 'odd.har', '{"log":{}}');
    await page.locator('#file-problem', { hasText: 'odd.har cannot be opened. This has the member log of a HAR file' }).waitFor();
    assertOnlyAsked(watched, [served.origin]);
    assertQuiet(watched);
  });
});
