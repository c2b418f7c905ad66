// Links and agents that mean harm: a link sends nothing before a click and shows whom a click would call; what an agent says is
// text, whatever it looks like; an address of a card that is no http is no link and is never called.

import assert from 'node:assert/strict';
import http from 'node:http';
import test from 'node:test';
import { assertOnlyAsked, download, openPage, startBrowser, startServe } from './support.mjs';
import { finished } from './page.mjs';

const MARKUP = '<img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=2</script><svg onload="globalThis.harmed=3">';
const SCRIPT = 'javascript:globalThis.harmed=4';

/** An agent all of whose words are markup. */
async function startHostile(t) {
  const asked = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const base = `http://127.0.0.1:${server.address().port}`;
    const open = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*', 'access-control-expose-headers': '*' };
    if (request.method === 'OPTIONS') return response.writeHead(204, open).end();
    const isCard = request.url.includes('agent-card');
    const card = {
      name: MARKUP,
      description: MARKUP,
      version: MARKUP,
      provider: { organization: MARKUP, url: SCRIPT },
      documentationUrl: SCRIPT,
      iconUrl: SCRIPT,
      supportedInterfaces: [
        { url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: SCRIPT, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: 'data:text/html,<script>globalThis.harmed=5</script>', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: 'file:///etc/passwd', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: {},
      defaultInputModes: [MARKUP],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: MARKUP, name: MARKUP, description: MARKUP, tags: [MARKUP] }],
    };
    const fault = { jsonrpc: '2.0', id: null, error: { code: -32603, message: MARKUP, data: [{ '@type': MARKUP, html: MARKUP }] } };
    response.writeHead(200, { ...open, 'content-type': 'application/json', etag: '"<b>x</b>"' });
    response.end(JSON.stringify(isCard ? card : fault));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${server.address().port}`, asked };
}

test('links and agents that mean harm', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const hostile = await startHostile(t);

  await t.test('a link calls nobody before a click, and shows whom a click would call', async () => {
    const address = encodeURIComponent(`${hostile.origin}/base`);
    const { page, watched } = await openPage(t, `${served.origin}/#u=${address}&c=send.task-id&f=fail&q=%3Cb%3E`, { browser });
    await page.locator('html[data-start=ready]').waitFor();
    await page.waitForTimeout(500);
    assert.deepEqual(hostile.asked, []);
    assertOnlyAsked(watched, [served.origin]);
    assert.ok((await page.locator('#card-url').innerText()).startsWith(`${hostile.origin}/base/`));
  });

  for (const address of [SCRIPT, 'data:text/html,<script>globalThis.harmed=6</script>', MARKUP, `http://h/${MARKUP}`, `"><b>`]) {
    await t.test(`an address in a link is text: ${address.slice(0, 24)}`, async () => {
      const { page, watched } = await openPage(t, `${served.origin}/#u=${encodeURIComponent(address)}`, { browser });
      await page.locator('html[data-start=ready]').waitFor();
      await page.waitForTimeout(100);
      assert.equal(await page.evaluate(() => globalThis.harmed), undefined);
      assert.equal(await page.locator('#preview img, #preview script, #preview a').count(), 0);
      assertOnlyAsked(watched, [served.origin]);
    });
  }

  await t.test('what an agent says is text in the page and in every export', async () => {
    const { page, watched } = await openPage(t, `${served.origin}/`, { browser });
    await page.locator('html[data-start=ready]').waitFor();
    await page.fill('#address', hostile.origin);
    await page.click('#run');
    await finished(page);
    const unfold = () => page.evaluate(() => document.querySelectorAll('main details').forEach((fold) => (fold.open = true)));
    await unfold();
    for (const row of (await page.locator('tr[data-status=fail] button').all()).slice(0, 8)) {
      await row.click();
      await page.locator('#detail-title').waitFor();
      await unfold();
      assert.equal(await page.locator('main img, main script, main iframe').count(), 0);
    }
    assert.equal(await page.evaluate(() => globalThis.harmed), undefined);
    const links = await page.locator('a[href]').evaluateAll((all) => all.map(({ href }) => href));
    assert.deepEqual(links.filter((href) => !/^https?:/.test(href)), []);
    assertOnlyAsked(watched, [served.origin, hostile.origin]);

    const markdown = (await download(page, () => page.click('#download-markdown'))).text;
    assert.ok(!/<(img|script|svg)[ >]/.test(markdown.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')), 'Markdown');
    assert.ok(!/\]\(javascript:/i.test(markdown), 'Markdown links');
    const junit = (await download(page, () => page.click('#download-junit'))).text;
    assert.ok(!/<(img|script|svg)[ >]/.test(junit), 'JUnit');
    JSON.parse((await download(page, () => page.click('#download-json'))).text);
  });
});
