// Clients: one that is watched live, and the reports that only the command line writes, opened in the page.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { finished, save, unfold } from './page.mjs';
import { assertOnlyAsked, assertQuiet, axe, openPage, overflow, runCli, startAgent, startBrowser, startServe } from './support.mjs';

const file = (name, text) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
const active = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);

/** A call of a client that names no version, which a must forbids. */
function send(origin, text = 'message-only hello') {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
  return fetch(`${origin}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'node-client/1', authorization: 'Bearer canary-token-7' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
  });
}

test('a client is watched live', { timeout: 300_000 }, async (t) => {
  const browser = await startBrowser(t);

  await t.test('from serve, with no further step: a request is there within a second', async (t) => {
    const served = await startServe(t);
    const agent = new URL(served.output().match(/scripted agent listening at (\S+)/)[1]).origin;
    const { page, watched } = await openPage(t, served.origin, { browser });
    await page.locator('html[data-start=ready]').waitFor();
    // It is the agent beside this page, wherever that had to go, and nobody else's.
    await page.click('#watch-open');
    assert.equal(await page.locator('#watch-title').innerText(), 'A client, live');
    assert.equal(await page.inputValue('#watch-address'), '');
    await page.click('#watch-close');
    await page.fill('#address', `${agent}/0.3`);
    await page.click('#watch-open');
    assert.equal(await page.inputValue('#watch-address'), agent);
    await page.press('#watch-address', 'Enter');
    await page.locator('#watch-state', { hasText: 'Watching.' }).waitFor();
    await page.locator('.note', { hasText: 'No request has come yet' }).waitFor();
    assert.match(await page.evaluate(() => location.hash), /watch=http/);
    await (await send(agent)).text();
    const sent = Date.now();
    await page.locator('#watched-requests tbody tr', { hasText: 'SendMessage' }).waitFor();
    assert.ok(Date.now() - sent < 1_000, `${Date.now() - sent} ms`);
    const line = await page.locator('#watched-requests tbody tr').first().innerText();
    assert.match(line, /SendMessage\s+JSON-RPC 1\.0\s+HTTP 200\s+.*client\.version-header/s);
    assert.equal(await page.locator('#watch-verdict').innerText(), 'Client: not conformant');
    assert.match(await page.locator('.watch .subject').innerText(), /node-client\/1/);
    assert.equal(await page.locator('#watched-checks tbody tr').first().locator('td').first().getAttribute('data-status'), 'fail');
    assert.ok((await page.locator('#watched-checks tbody tr', { hasText: 'not seen yet' }).count()) > 5);
    assert.ok(!(await page.content()).includes('canary'), 'a credential is in the page');
    assert.deepEqual(await axe(page), []);
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      assert.equal(await overflow(page), 0, `${width} px`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    // Further requests do not take the focus away.
    await page.focus('#watch-report');
    await (await send(agent)).text();
    await page.locator('#watched-requests tbody tr').nth(1).waitFor();
    assert.equal(await active(page), 'watch-report');
    await page.click('#watch-anew');
    await page.locator('.note', { hasText: 'No request has come yet' }).waitFor();
    await (await send(agent)).text();
    await page.locator('#watched-requests tbody tr').first().waitFor();

    await page.focus('#watch-report');
    await page.keyboard.press('Enter');
    await finished(page);
    assert.equal(await page.locator('#verdict-level').innerText(), 'Client: not conformant');
    assert.match(await page.locator('#opened').innerText(), /The findings on the client so far/);
    assert.doesNotMatch(await page.locator('#details').evaluate((details) => details.textContent), /Level/);
    await page.locator('tr[data-status=fail] .row-button').first().click();
    await page.locator('#detail .sheet').first().waitFor();
    await page.keyboard.press('Escape');
    const json = JSON.parse((await save(page, 'json')).text);
    assert.equal(json.subject, 'client');
    assert.deepEqual(await axe(page), []);
    assertOnlyAsked(watched, [served.origin, agent]);
    assertQuiet(watched);
  });

  await t.test('by a link, and when the agent has gone away the page says what to do and keeps what it saw', async (t) => {
    const served = await startServe(t);
    const agent = await startAgent(t, ['--watch']);
    const { page } = await openPage(t, `${served.origin}/#watch=${encodeURIComponent(agent.origin)}`, { browser });
    // A link calls nobody before a click.
    await page.locator('html[data-start=ready]').waitFor();
    assert.equal(await page.inputValue('#watch-address'), agent.origin);
    assert.match(await page.locator('#watch-state').innerText(), /Not watching/);
    await page.click('#watch-run');
    await page.locator('#watch-state', { hasText: 'Watching.' }).waitFor();
    await (await send(agent.origin)).text();
    await page.locator('#watched-requests tbody tr', { hasText: 'SendMessage' }).waitFor();
    await agent.stop();
    await page.locator('#watch-problem', { hasText: 'start it again with' }).waitFor();
    assert.match(await page.locator('#watch-state').innerText(), /Not watching/);
    assert.equal(await page.locator('#watched-requests tbody tr').count(), 1);
    assert.deepEqual(await axe(page), []);
    await page.click('#watch-close');
    await page.locator('#address:focus').waitFor();
  });

  await t.test('an agent that watches over nobody is told', async (t) => {
    const [served, agent] = [await startServe(t), await startAgent(t)];
    const { page } = await openPage(t, `${served.origin}/#watch=${encodeURIComponent(agent.origin)}`, { browser });
    await page.click('#watch-run');
    await page.locator('#watch-problem', { hasText: 'This agent does not watch its clients' }).waitFor();
  });
});

test('reports that only the command line writes are opened', { timeout: 300_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-native-'));
  t.after(() => rm(folder, { recursive: true }));
  const [served, one, other] = [await startServe(t), await startAgent(t), await startAgent(t, ['--fault', 'get-wrapped'])];
  const browser = await startBrowser(t);
  const write = async (name, args) => {
    const path = join(folder, name);
    await runCli([...args, '--format', 'json', '--quiet', '-o', path]);
    return { name, text: await readFile(path, 'utf8') };
  };
  const open = async (t, report) => {
    const opened = await openPage(t, served.origin, { browser });
    await opened.page.locator('html[data-start=ready]').waitFor();
    await opened.page.setInputFiles('#file-show', file(report.name, report.text));
    await finished(opened.page);
    return opened;
  };
  /** Every format can be saved, and JSON is the file. */
  const saves = async (page, report) => {
    const of = async (format) => (await save(page, format)).text;
    assert.deepEqual(JSON.parse(await of('json')), JSON.parse(report.text));
    const [markdown, junit, html] = [await of('markdown'), await of('junit'), await of('html')];
    assert.match(junit, /<testsuites/);
    assert.match(html, /<html/);
    return { markdown, html };
  };

  await t.test('of two agents', async (t) => {
    const report = await write('pair.json', ['check', one.origin, '--peer', other.origin, '--only', 'pair.*']);
    const { page, watched } = await open(t, report);
    assert.match(await page.locator('#verdict-level').innerText(), /The two agents/);
    const reports = page.locator('.agents-switch button');
    assert.equal(await reports.count(), 3);
    assert.match(await reports.nth(1).innerText(), new RegExp(other.origin));
    await unfold(page);
    await page.locator('tr[data-check^="pair."] .row-button').first().click();
    await page.locator('#detail-title').waitFor();
    assert.ok((await page.locator('#why').innerText()).length > 10);
    await page.keyboard.press('Escape');
    assert.deepEqual(await axe(page), []);
    assert.match((await saves(page, report)).markdown, /Agent A alone/);
    assertQuiet(watched);
  });

  await t.test('of a load, and two of them compared', async (t) => {
    const report = await write('load.json', ['check', one.origin, '--load', '1s', '--rate', '5', '--only', 'load.*']);
    const { page, watched } = await open(t, report);
    assert.deepEqual(await page.locator('#latencies thead th').allInnerTexts(), ['Operation', 'Answers', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms']);
    assert.ok((await page.locator('#latencies tbody tr').count()) > 0);
    assert.match(await page.locator('#load').innerText(), /Conversations.*Rate.*Requests/s);
    await page.setInputFiles('#file-compare', file(report.name, report.text));
    await page.locator('#comparison #compared-load').waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    assert.equal(await overflow(page), 0);
    assert.deepEqual(await axe(page), []);
    assert.match((await saves(page, report)).markdown, /p99 ms/);
    assertQuiet(watched);
  });

  await t.test('through a gateway', async (t) => {
    const report = await write('via.json', ['check', one.origin, '--via', other.origin, '--only', 'gateway.*']);
    const { page, watched } = await open(t, report);
    assert.match(await page.locator('#verdict-reason').innerText(), /Gateway: /);
    await unfold(page);
    await page.locator('tr[data-check^="gateway."] .row-button').first().click();
    assert.match(await page.locator('#rules').innerText(), /asked of the gateway and not of the agent/);
    await page.keyboard.press('Escape');
    assert.match((await saves(page, report)).markdown, /Gateway: /);
    assertQuiet(watched);
  });
});
