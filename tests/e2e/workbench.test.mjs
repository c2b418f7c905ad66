// The workbench: requests written, edited and sent by hand, streams watched live, a conversation; before any run and after one.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { startFault } from './faults.mjs';
import { chips, finished, runAgainst, settings } from './page.mjs';
import { ONE_INTERFACE, assertOnlyAsked, assertQuiet, axe, openPage, overflow, runCli, startAgent, startBrowser, startServe } from './support.mjs';

const CANARY = 'canary-of-the-workbench';

test('the workbench', { timeout: 300_000 }, async (t) => {
  const served = await startServe(t);
  const agent = await startAgent(t);
  const browser = await startBrowser(t);
  const open = async (fragment = '', context = {}) => {
    const opened = await openPage(t, `${served.origin}/${fragment}`, { browser, context });
    await opened.page.locator('html[data-start=ready]').waitFor();
    return opened;
  };
  /** Opens the workbench for the agent at a path before any run, and reads its card. */
  const bench = async (at = '', context = {}) => {
    const opened = await open('', context);
    await opened.page.fill('#address', agent.origin + at);
    await opened.page.click('#bench-open');
    await opened.page.click('#bench-card');
    await opened.page.locator('#bench-known').filter({ hasText: 'declares' }).waitFor();
    // The request to the card's interface takes the place of the one before it a moment later, but not of one that was edited.
    await opened.page.waitForFunction(() => document.getElementById('bench-url').value.includes('/rpc'));
    return opened;
  };
  const choose = async (page, name, value) => {
    await page.selectOption(`#bench-${name}`, value);
    await page.waitForFunction(([id, value]) => document.getElementById(id).value === value, [`bench-${name}`, value]);
  };
  /** Sends what is in the editor, and waits for the judgement. */
  const send = async (page, button = '#bench-send') => {
    // The judgement of the answer before it stays until the new one is there.
    const asked = (request) => request.method() !== 'OPTIONS' && !request.url().startsWith(served.origin);
    const over = Promise.any(['requestfinished', 'requestfailed'].map((event) => page.waitForEvent(event, asked)));
    await page.click(button);
    await over;
    await page.locator('#bench-judged').waitFor();
    await page.locator('#bench-stop:disabled').waitFor();
    return page.locator('#bench-judged').getAttribute('data-tone');
  };
  const body = (page) => page.locator('#bench-body').inputValue();
  const say = async (page, text) => {
    await page.fill('#talk-text', text);
    await page.click('#talk-send');
    await page.locator('#bench-stop:disabled').waitFor();
  };

  for (const [at, version, rpc, rest] of [
    ['', '1.0', 'SendMessage', /message:send$/],
    ['/0.3', '0.3', 'message/send', /\/v1\/message:send$/],
  ]) {
    await t.test(`a request of ${version} on each binding is sent and judged, before any run`, async () => {
      const { page, watched } = await bench(at);
      await choose(page, 'format', 'a2a-jsonrpc');
      await page.fill('#bench-text', 'task-lifecycle');
      await page.waitForFunction(() => document.getElementById('bench-body').value.includes('task-lifecycle'));
      assert.equal(JSON.parse(await body(page)).method, rpc);
      assert.equal(await send(page), 'pass');
      assert.match(await page.locator('.bench-answer .exchange summary').innerText(), /200/);
      await choose(page, 'format', 'a2a-rest');
      await page.waitForFunction(() => !document.getElementById('bench-body').value.includes('jsonrpc'));
      assert.match(await page.locator('#bench-url').inputValue(), rest);
      assert.equal(await send(page), 'pass');

      // The request is in the traffic, and the text that was typed is still there.
      await page.click('#tab-traffic');
      await page.locator('tr[data-exchange]').nth(2).waitFor();
      assert.match(await page.locator('tr[data-exchange]').nth(1).innerText(), /by hand/);
      await page.click('#tab-workbench');
      assert.equal(await page.locator('#bench-text').inputValue(), 'task-lifecycle');
      assertQuiet(watched);
      assertOnlyAsked(watched, [served.origin, agent.origin]);
    });
  }

  await t.test('a stream is watched live, and stopped', async () => {
    const { page, watched } = await bench();
    await choose(page, 'operation', 'SendStreamingMessage');
    await page.fill('#bench-text', 'long-running');
    await page.waitForFunction(() => document.getElementById('bench-body').value.includes('long-running'));
    await page.click('#bench-send');
    await page.locator('#bench-events li').nth(2).waitFor();
    assert.match(await page.locator('#bench-status').innerText(), /events so far/);
    assert.equal(await page.locator('#bench-judged').count(), 0, 'it goes on');
    await page.click('#bench-stop');
    await page.locator('#bench-judged').waitFor();
    assert.ok((await page.locator('.bench-answer .timeline li').count()) >= 3);
    assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'BODY');
    assertQuiet(watched, [/ERR_ABORTED|aborted/]);
  });

  await t.test('a conversation goes on when the task needs input, and a task is cancelled', async () => {
    const { page, watched } = await bench();
    await say(page, 'multi-turn');
    await page.locator('.bench-talk[data-waits=input]').waitFor();
    assert.match(await page.locator('#talk-next').innerText(), /asks for your answer/);
    await say(page, 'done');
    await page.locator('#turns li[data-who=artifact]').waitFor();
    assert.match(await page.locator('#talk-next').innerText(), /over/);
    // While it streams, the task can be cancelled.
    await page.fill('#talk-text', 'task-cancel');
    await page.click('#talk-send');
    await page.locator('.bench-talk[data-waits=work]').waitFor();
    await page.click('#talk-cancel');
    await page.locator('#turns li[data-who=state]', { hasText: 'canceled' }).waitFor();
    await page.locator('#bench-stop:disabled').waitFor();
    assertQuiet(watched);
  });

  await t.test('a batch is sent and not judged, and a plain body stays as it is typed', async () => {
    const { page } = await bench();
    await choose(page, 'format', 'batch');
    await page.waitForFunction(() => document.getElementById('bench-body').value.startsWith('['));
    assert.equal(await send(page), 'skip');
    await choose(page, 'format', 'rest-passthrough');
    await page.locator('#bench-warning', { hasText: 'Nothing is validated' }).waitFor();
    await page.waitForFunction(() => document.getElementById('bench-body').value.includes('query'));
    await page.fill('#bench-body', '{"query": "mine"}');
    assert.equal(await send(page), 'skip');
    await choose(page, 'format', 'custom');
    assert.equal(await body(page), '{"query": "mine"}', 'what was edited stays');
    await page.click('#bench-anew');
    await page.waitForFunction(() => document.getElementById('bench-body').value.includes('interaction_type'));
  });

  await t.test('a body that is not JSON is not sent, unless the user insists', async () => {
    const { page } = await bench();
    await page.fill('#bench-body', '{\n  "jsonrpc": oops\n}');
    await page.click('#bench-send');
    await page.locator('#bench-problem', { hasText: 'line 2, column 14' }).waitFor();
    assert.equal(await page.locator('#bench-judged').count(), 0);
    assert.equal(await send(page, '#bench-insist'), 'skip');
    assert.match(await page.locator('#bench-judged').innerText(), /not plain JSON/);
    assert.equal(await body(page), '{\n  "jsonrpc": oops\n}');
  });

  await t.test('after a run, a broken rule leads to its row', async () => {
    const { page, watched } = await open();
    const faulty = await startAgent(t, [...ONE_INTERFACE, '--fault', 'timestamps-offset']);
    await runAgainst(page, faulty.origin);
    await page.click('#tab-workbench');
    await page.locator('#bench-known', { hasText: 'declares' }).waitFor();
    await page.fill('#bench-text', 'task-lifecycle');
    await page.waitForFunction(() => document.getElementById('bench-body').value.includes('task-lifecycle'));
    assert.equal(await send(page), 'fail');
    await page.click('#bench-broken button[data-row^="timestamp.utc@"]');
    await page.locator('#detail').waitFor();
    assert.match(page.url(), /c=timestamp\.utc/);
    assertQuiet(watched);
  });

  await t.test('an answer that the browser hides is explained', async () => {
    const { page } = await open();
    const barred = await startFault(t, 'card-only', agent.origin);
    await page.fill('#address', barred.origin);
    await page.click('#bench-open');
    await page.click('#bench-card');
    await page.locator('#bench-known').filter({ hasText: 'declares' }).waitFor();
    await page.click('#bench-send');
    await page.locator('#bench-way h3').waitFor({ timeout: 30_000 });
    assert.match(await page.locator('#bench-judged').innerText(), /^Not judged/);
  });

  await t.test('no secret stands in the link, in what is kept, or in what is shown', async () => {
    const { page } = await open();
    await page.fill('#address', agent.origin);
    await settings(page);
    await page.fill('#bearer', CANARY);
    await page.click('#bench-open');
    await page.click('#bench-card');
    await page.locator('#bench-credentials', { hasText: 'Authorization' }).waitFor();
    await page.locator('#bench-headers').focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(`\nX-Api-Token: second-${CANARY}`);
    await send(page);
    const seen = await page.evaluate(() =>
      [location.href, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })].join() +
      document.querySelector('.bench-answer').innerText,
    );
    assert.ok(!seen.includes(CANARY), seen);
  });

  await t.test('a card without its agent is judged as the command line judges it', async () => {
    const { page, watched } = await open();
    const card = await (await fetch(`${agent.origin}/.well-known/agent-card.json`)).json();
    card.supportedInterfaces[0].protocolBinding = '';
    const folder = await mkdtemp(join(tmpdir(), 'a2a-card-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, 'card.json');
    await writeFile(file, JSON.stringify(card));
    const native = JSON.parse((await runCli(['check', '--card', file, '--format', 'json'])).stdout);
    await page.fill('#address', JSON.stringify(card));
    await page.click('#run');
    await finished(page);
    const { fail, pass } = await chips(page);
    const results = Object.values(native.categories).flat();
    const count = (status) => results.filter((result) => result.status === status).length;
    assert.ok(fail > 0);
    assert.deepEqual([fail + (await chips(page)).advisory, pass], [count('fail'), count('pass')]);
    assertOnlyAsked(watched, [served.origin]);
  });

  await t.test('nothing is wrong for axe, on a phone, in either theme and with forced colours', async () => {
    for (const [width, colorScheme, forcedColors] of [
      [320, 'light', 'none'],
      [1280, 'dark', 'none'],
      [1280, 'light', 'active'],
    ]) {
      const { page } = await bench('', { viewport: { width, height: 800 }, colorScheme, forcedColors });
      await say(page, 'multi-turn');
      await send(page);
      assert.deepEqual(await axe(page), [], `${width} ${colorScheme} ${forcedColors}`);
      const wide = await overflow(page);
      assert.equal(wide, 0, `${width}`);
      await page.screenshot({ path: `test-results/workbench-${width}-${colorScheme}-${forcedColors}.png`, fullPage: true });
    }
  });

  await t.test('everything is done with the keyboard', async () => {
    const { page } = await bench();
    await page.focus('#bench-text');
    await page.keyboard.type('hello');
    await page.waitForFunction(() => document.getElementById('bench-body').value.includes('"hello"'));
    await page.keyboard.press('Enter');
    await page.locator('#bench-judged').waitFor();
    await page.focus('#talk-text');
    await page.keyboard.type('multi-turn');
    await page.keyboard.press('Enter');
    await page.locator('.bench-talk[data-waits=input]').waitFor();
  });
});
