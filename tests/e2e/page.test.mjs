// The release page in a real browser: the demo agent without a network, the scripted agent over HTTP, what is exported,
// and what happens when things go wrong.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import {
  DIST,
  KEEPING,
  ONE_INTERFACE,
  ROOT,
  assertOnlyAsked,
  assertQuiet,
  axe,
  openPage,
  overflow,
  startAgent,
  startBrowser,
  startServe,
} from './support.mjs';
import { counted, finished, openLine, row, rows, runAgainst, save, settings, settled, unfold, validated, withChecker } from './page.mjs';

const CANARY = 'canary-7f3e91c2';

test('the page names no folder of the machine that built it', () => {
  for (const file of readdirSync(DIST)) {
    const content = readFileSync(join(DIST, file));
    for (const folder of [homedir(), ROOT]) assert.ok(!content.includes(`${folder}/`), `${file} names ${folder}`);
  }
});

test('the page', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const open = (context, hash = '') => openPage(t, `${served.origin}/${hash}`, { browser, context: { ...KEEPING, ...context } });

  await t.test('starts at once and sends nothing by itself, whatever the link says', async () => {
    const begun = performance.now();
    const { page, watched } = await open({}, `#u=${encodeURIComponent('http://127.0.0.1:9')}`);
    await page.locator('html[data-start=ready]').waitFor();
    t.diagnostic(`interactive ${Math.round(performance.now() - begun)} ms after a cold load on loopback`);
    assert.equal(await page.locator('#address').inputValue(), 'http://127.0.0.1:9');
    await page.waitForTimeout(300);
    assertOnlyAsked(watched, [served.origin]);
    assertQuiet(watched);
  });

  await t.test('checks the demo agent with the network off', async () => {
    const { page, watched, context } = await open();
    // Who is about to run something has the checker, and what keeps it for the next visit.
    await withChecker(page);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    await context.setOffline(true);
    const begun = performance.now();
    await page.click('#demo');
    await finished(page);
    t.diagnostic(`the demo agent was checked in ${Math.round(performance.now() - begun)} ms`);
    assert.equal(await page.getAttribute('#verdict', 'data-level'), 'full');
    assert.equal(await page.getAttribute('#verdict', 'data-word'), 'conformant');
    assert.ok((await counted(page)).total > 400);
    assert.equal(await page.locator('.dot[data-status=fail]').count(), 0);
    await openLine(page, 'pass');
    await page.locator('#why:not(:empty)').waitFor();
    assertOnlyAsked(watched, [served.origin]);
    assertQuiet(watched);
  });

  await t.test('says so when the checker cannot be loaded, and loads it when it can', async () => {
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.route('**/checker-*', (route) => route.abort());
    await page.goto(served.origin);
    await page.locator('html[data-start=ready]').waitFor();
    await page.click('#demo');
    await page.locator('#demo-note').getByText('The checker could not be loaded', { exact: false }).waitFor();
    assert.equal(await page.locator('#verdict').count(), 0);

    const agent = await startAgent(t, ONE_INTERFACE);
    await page.fill('#address', agent.origin);
    await page.click('#run');
    await page.locator('#problem').getByText('The checker could not be loaded', { exact: false }).waitFor();
    assert.equal(await page.locator('#verdict').count(), 0);
    assert.equal(await page.inputValue('#address'), agent.origin, 'nothing that was typed is lost');

    await page.unroute('**/checker-*');
    await runAgainst(page, agent.origin);
    assert.equal(await page.getAttribute('#verdict', 'data-level'), 'full');
    assert.equal(await page.locator('#problem').innerText(), '');
  });

  await t.test('checks in a worker, and in the page where it may not have one', async () => {
    const { page } = await open();
    await withChecker(page);
    assert.equal(page.workers().length, 1);
    const context = await browser.newContext();
    t.after(() => context.close());
    const without = await context.newPage();
    await without.route('**/checker-worker-*', (route) => route.abort());
    await without.goto(served.origin);
    await without.locator('html[data-start=ready]').waitFor();
    await without.click('#demo');
    await finished(without);
    assert.equal(await without.getAttribute('#verdict', 'data-level'), 'full');
  });

  await t.test('says so when the checker crashes, and has kept what it found', async () => {
    const { page } = await open();
    await page.click('#demo-faulty');
    await finished(page);
    await page.waitForFunction(() => sessionStorage.getItem('a2a-conformance.report'));
    const [worker] = page.workers();
    await worker.evaluate(() => {
      // A function that traps, as a program that panics does.
      const program = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11];
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(program)));
      setTimeout(() => exports.f());
    });
    await page.locator('.crashed').waitFor();
    await page.reload();
    await page.locator('#kept').waitFor();
    await page.click('#demo');
    await finished(page);
    assert.equal(await page.getAttribute('#verdict', 'data-level'), 'full');
  });

  await t.test('has nothing of the checker in its first load', () => {
    const [main, later] = ['a2a-conformance', 'checker'].map((name) => {
      const file = readdirSync(DIST).find((file) => file.startsWith(`${name}-`) && file.endsWith('.wasm'));
      return readFileSync(join(DIST, file), 'latin1');
    });
    const writers = ['markdownlint-disable', 'a2a.protocolVersion', 'a2a.conformance/', 'textLength', 'data-count', '_checkIds'];
    for (const text of ['canned-html', 'open-sesame', 'The agent returns null from CancelTask', 'throws its result away', ...writers]) {
      assert.ok(later.includes(text), text);
      assert.ok(!main.includes(text), text);
    }
  });

  await t.test('shows every kind of result, and for a failure what was expected, received and how to fix it', async () => {
    const { page, watched } = await open();
    await page.click('#demo-faulty');
    await finished(page);
    // Failed checks are shown by themselves, the others are counted.
    assert.ok((await rows(page)).some(({ status }) => status === 'fail'));
    assert.equal(await page.locator('tr[data-status=pass]').count(), 0);
    await unfold(page);
    for (const kind of ['pass', 'fail', 'advisory', 'skip']) {
      assert.ok((await page.locator(`tr[data-status=${kind}]`).count()) > 0, kind);
    }
    const failed = page.locator('tr[data-check="stream.oneof"] .dot[data-lane="jsonrpc-1.0"]');
    assert.equal(await failed.getAttribute('data-status'), 'fail');
    await failed.click();
    await page.locator('#why:not(:empty)').waitFor();
    for (const id of ['#expected', '#actual', '#fix', '#why']) {
      assert.ok((await page.locator(id).innerText()).trim().length > 5, id);
    }
    assert.match(await page.locator('#detail').innerText(), /SendStreamingMessage/);
    assert.ok((await page.locator('#detail a[href^="https://a2a-protocol.org/"]').count()) > 0, 'a link to the specification');
    assertQuiet(watched);
  });

  await t.test('opens prefilled on the scripted agent and checks it over HTTP', async () => {
    const { page, watched } = await openPage(t, served.output().match(/https?:\S+#u=\S+/)[0], { browser, context: KEEPING });
    await page.locator('html[data-start=ready]').waitFor();
    const agent = new URL(await page.locator('#address').inputValue());
    await page.click('#run');
    await finished(page);
    assert.equal(await page.getAttribute('#verdict', 'data-level'), 'full');
    assertOnlyAsked(watched, [served.origin, agent.origin]);
    // Browsers report every refusal over HTTP on their console, those that a check asks for as well.
    assertQuiet(watched, [/responded with a status of 4\d\d .*\/rest\//]);
  });

  await t.test('shows a broken good practice about the way to the agent above the table, as advice', async () => {
    const agent = await startAgent(t, [...ONE_INTERFACE, '--fault', 'endpoint-redirects']);
    const { page } = await open();
    await runAgainst(page, agent.origin);
    const shown = page.locator('#findings [data-finding="card.interface-direct"]');
    assert.equal(await shown.getAttribute('data-status'), 'advisory');
    assert.match(await shown.locator('.finding-message').innerText(), /redirect/);
    await unfold(page);
    assert.equal((await rows(page)).find(({ check }) => check === 'card.interface-direct')?.status, 'advisory');
  });

  await t.test('exports what is on the screen, in every format, and their validators accept it', async () => {
    const { page } = await open();
    await page.click('#demo-faulty');
    await finished(page);
    const shown = await counted(page);
    const endings = { json: 'json', markdown: 'md', junit: 'junit.xml', ctrf: 'ctrf.json', har: 'har', html: 'html', badge: 'svg' };
    const files = {};
    for (const [format, end] of Object.entries(endings)) {
      files[format] = await save(page, format);
      assert.match(files[format].name, new RegExp(`^a2a-report-demo\\.agent\\.invalid-\\d{8}-\\d{6}Z\\.${end.replace('.', '\\.')}$`));
    }
    assert.equal(await page.locator('#export-note').innerText(), '');
    const { json, junit, markdown, ctrf, har, html, badge } = files;

    const report = JSON.parse(json.text);
    assert.equal(report.summary.total, shown.total);
    assert.equal(report.summary.passed, shown.passed);
    assert.equal(report.summary.failed, shown.failed);
    assert.equal(report.summary.skipped, shown.skipped);
    assert.equal(report.conformanceLevel, await page.getAttribute('#verdict', 'data-level'));

    const fromJson = await validated(t, json);
    const fromJunit = await validated(t, junit);
    assert.deepEqual(fromJunit, fromJson);
    assert.deepEqual(await validated(t, ctrf), fromJson);
    assert.deepEqual(await validated(t, har), { entries: report.exchanges.length });
    assert.deepEqual(await validated(t, html), shown);
    await validated(t, badge);
    assert.ok(badge.text.includes('>not conformant \u00b7 '), badge.text);
    assert.equal(fromJunit.tests, shown.total);
    assert.equal(fromJunit.failures, shown.failed);
    assert.equal(fromJunit.errors + fromJunit.skipped, shown.skipped);
    const [, total, parts] = markdown.text.match(/Results: (\d+): (.*)/);
    const number = (words) => Number(parts.match(new RegExp(`(\\d+) ${words}`))?.[1] ?? 0);
    const told = [Number(total), number('passed'), number('failed') + number('with a suggestion')];
    assert.deepEqual(told, [shown.total, shown.passed, shown.failed]);
    for (const { test: id } of report.recommendations) assert.ok(markdown.text.includes(id), id);
  });

  await t.test('saves the results as they were kept when a format cannot be written', async () => {
    const { page } = await open();
    await page.click('#demo-faulty');
    await finished(page);
    await page.waitForFunction(() => sessionStorage.getItem('a2a-conformance.report'));
    await page.evaluate(() => {
      const { ask } = window.checker;
      window.checker.ask = async (question) => {
        // The question for a report is its number and the format.
        if (new TextDecoder().decode(question).endsWith('html')) throw new Error('on purpose');
        return ask(question);
      };
    });
    const { name, text } = await save(page, 'html');
    assert.match(name, /\.json$/);
    assert.equal(JSON.parse(text).schemaVersion, 1);
    assert.match(await page.locator('#export-note').innerText(), /HTML could not be written because of a bug/);
  });

  await t.test('keeps a credential out of everything that leaves the page', async () => {
    const agent = await startAgent(t, [...ONE_INTERFACE, '--fault', 'error-stack-trace']);
    const { page, watched, context } = await open();
    await page.fill('#address', agent.origin);
    await settings(page);
    await page.fill('#bearer', CANARY);
    await page.click('#run');
    await finished(page);
    for (const format of ['json', 'markdown', 'junit', 'ctrf', 'har', 'html', 'badge']) {
      const { text } = await save(page, format);
      assert.ok(!text.includes(CANARY), format);
    }
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
    assert.ok(!kept.includes(CANARY), 'storage or link');
    assert.ok(!watched.console.join('\n').includes(CANARY), 'console');
    await settings(page);
    await page.fill('#bearer', '');
    assert.ok(!(await page.content()).includes(CANARY), 'the document');
    assert.deepEqual(await context.cookies(), []);
  });

  await t.test('says what is wrong when the agent cannot be reached, and accuses nobody', async () => {
    const { page } = await open();
    await runAgainst(page, 'http://127.0.0.1:9');
    assert.equal(await page.getAttribute('#verdict', 'data-level'), 'not-rated');
    assert.equal(await page.locator('tr[data-status=fail]').count(), 0);
    const reason = await page.locator('#verdict-reason').innerText();
    assert.match(reason, /browser|reach/i);
    assert.doesNotMatch(reason, /Failed to fetch/);
  });

  await t.test('calls a page that is no agent what it is', async () => {
    const { page } = await open();
    await runAgainst(page, (await startAgent(t, ['--fault', 'canned-html'])).origin);
    assert.equal(await page.getAttribute('#verdict', 'data-level'), 'not-rated');
    assert.match(await page.locator('#verdict').innerText(), /No agent card found here[^]*HTML page/);
  });

  await t.test('stops at once, aborts what is under way and keeps what was found', async () => {
    let closed = 0;
    const silent = createServer((request, response) => {
      request.socket.once('close', () => (closed += 1));
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', '*');
      if (request.method === 'OPTIONS') return response.writeHead(204).end();
      if (request.method === 'GET') {
        const url = `http://${request.headers.host}/rpc`;
        const card = {
          name: 'Silent', description: 'Never answers', version: '1', capabilities: {}, skills: [],
          defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
          supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
        };
        return response.setHeader('content-type', 'application/json').end(JSON.stringify(card));
      }
    });
    await new Promise((resolve) => silent.listen(0, '127.0.0.1', resolve));
    t.after(() => silent.closeAllConnections());
    t.after(() => silent.close());
    const { page } = await open();
    await page.fill('#address', `http://127.0.0.1:${silent.address().port}`);
    await page.click('#run');
    await unfold(page);
    await page.locator('tr[data-check="card.required-fields"][data-status=pass]').waitFor();
    const before = closed;
    await page.click('#stop');
    await finished(page, 2_000);
    assert.equal(await page.getAttribute('#verdict', 'data-level'), 'not-rated');
    assert.equal(await row(page, 'card.required-fields'), 'pass');
    await page.waitForTimeout(200);
    assert.ok(closed > before, 'the pending call was aborted');
  });

  await t.test('makes a long list in slices, all of it, and each line once', async () => {
    const { page } = await open();
    await page.click('#demo');
    await finished(page);
    await page.evaluate(() => {
      window.slices = [];
      // A line that only makes room for others before it is not made again.
      const made = new WeakSet(document.querySelectorAll('tr[data-check]'));
      new MutationObserver((changes) => {
        const added = changes.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.matches?.('tr[data-check]') && !made.has(node));
        for (const node of added) made.add(node);
        if (added.length) window.slices.push(added.length);
      }).observe(document.querySelector('.checks'), { childList: true, subtree: true });
    });
    const slices = async (act) => {
      await act();
      await settled(page);
      return page.evaluate(() => window.slices.splice(0));
    };
    const lines = () => page.locator('tr[data-check]').count();
    const before = await lines();
    const unfolded = await slices(() => page.click('#unfold'));
    const all = await lines();
    assert.ok(all > 200 && Math.max(...unfolded) <= 20, `${unfolded}`);
    assert.equal(unfolded.reduce((sum, count) => sum + count, before), all);
    // Rows that a filter leaves are not made again.
    assert.deepEqual(await slices(() => page.click('[data-filter=pass]')), []);
    const shown = await slices(() => page.click('#filter-reset'));
    assert.ok(Math.max(...shown) <= 20 && (await lines()) === all, `${shown}`);
    const order = () => page.locator('tr[data-check]').evaluateAll((rows) => rows.map((row) => row.dataset.check));
    const one = await order();
    await page.click('#unfold');
    await slices(() => page.click('#unfold'));
    assert.deepEqual(await order(), one);
    // Paper has all of it, however much is folded.
    await page.click('#unfold');
    await slices(() => page.pdf());
    assert.equal(await lines(), all);
  });

  await t.test('filters by buttons and text, and keeps both in the link', async () => {
    const { page } = await open();
    await page.click('#demo-faulty');
    await finished(page);
    await page.click('[data-filter=fail]');
    assert.ok((await page.locator('tr[data-check]').count()) > 0);
    assert.equal(await page.locator('tr[data-check]:not([data-status=fail])').count(), 0);
    const failing = await rows(page);
    await page.fill('#filter-text', 'no such check anywhere');
    await page.locator('#nothing-shown').waitFor();
    await page.fill('#filter-text', 'get.');
    await page.waitForURL(/f=fail.*q=get/);
    await page.click('#filter-reset');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'filter-text');
    await page.fill('#filter-text', 'unicorn');
    await page.keyboard.press('Escape');
    await page.locator('#nothing-shown').waitFor({ state: 'detached' });
    await unfold(page);
    assert.ok((await rows(page)).length > failing.length);
  });

  await t.test('can be used with the keyboard alone', async () => {
    const { page } = await open();
    await page.locator('html[data-start=ready]').waitFor();
    await page.click('#demo-faulty');
    await finished(page);
    await page.keyboard.press('/');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'filter-text');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('#detail-title').waitFor();
    assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'BODY');
    await page.keyboard.press('Escape');
    await page.locator('#detail-title').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.locator('#help[open]').waitFor();
  });

  await t.test('has no accessibility fault and no overflow, in both colours, on a desk and on a phone', async (t) => {
    const { page } = await open({ reducedMotion: 'reduce' });
    const DESK = { width: 1280, height: 900 };
    const PHONE = { width: 360, height: 740 };
    const EACH = ['light', 'dark'].flatMap((colorScheme) => [DESK, PHONE].map((size) => [colorScheme, size]));
    const look = async (state, views = EACH) => {
      for (const [colorScheme, size] of views) {
        await t.test(`${state}, ${colorScheme}, ${size.width} px`, async () => {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize(size);
          assert.deepEqual(await axe(page), []);
          const wide = await overflow(page);
          assert.ok(wide <= 0, `${wide} px too wide`);
        });
      }
    };
    await page.locator('html[data-start=ready]').waitFor();
    await look('empty');
    await page.click('#demo-faulty');
    await finished(page);
    await look('done');
    await unfold(page);
    // A thousand lines take seconds each time: each colour and each width once here, and all four by `make screens`.
    await look('unfolded', [['light', DESK], ['dark', PHONE]]);
    await page.click('#unfold');
    await page.locator('tr[data-status=fail] .row-button').first().click();
    await page.locator('#detail-title').waitFor();
    await look('detail');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.locator('#help[open]').waitFor();
    await look('dialog');
  });

  await t.test('says so when the wasm cannot load', async () => {
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.route('**/*.wasm', (route) => route.abort());
    await page.goto(served.origin);
    await page.getByText('could not start', { exact: false }).waitFor();
  });

  await t.test('answers the version-1 report to scripts too', async () => {
    const { page } = await open();
    await page.locator('html[data-start=ready]').waitFor();
    const agent = await startAgent(t);
    const report = await page.evaluate(
      (url) => globalThis.wasmBindings.checkAgent({ url, timeoutSeconds: 20, only: ['card.*'] }),
      agent.origin,
    );
    assert.equal(report.schemaVersion, 1);
    assert.ok(report.summary.passed > 5);
    assert.equal(report.conformanceLevel, undefined);

    const list = await page.evaluate(() => globalThis.wasmBindings.checkList());
    assert.ok(list.length > 100);
    const cards = list.filter((check) => check.id.startsWith('card.'));
    for (const { id, title, level } of cards) assert.ok(id && title && ['must', 'should', 'may'].includes(level), id);
    // The list uses the ids of the card's checks that `only` chose above.
    const judged = Object.values(report.categories).flat().filter((result) => result.reason !== 'not-run');
    for (const result of judged) assert.ok(cards.some((check) => check.id === result.test), result.test);
  });
});
