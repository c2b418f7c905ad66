// Several agents beside each other in the release page: twenty with different faults and one that is not there.

import assert from 'node:assert/strict';
import http from 'node:http';
import test from 'node:test';
import { validated } from './page.mjs';
import { ONE_INTERFACE, assertQuiet, axe, download, openPage, overflow, startAgent, startBrowser, startServe } from './support.mjs';

/** Faults, one agent each; the rest of the twenty have none. */
const FAULTS = [
  'rpc-version-missing', 'states-lowercase', 'answers-text-plain', 'timestamps-seconds', 'get-missing-id-accepted', 'get-wrapped',
  'snake-case', 'roles-lowercase', 'artifact-no-id', 'artifact-no-parts', 'message-no-id', 'task-no-id', 'id-as-text',
  'result-and-error', 'error-code-text', 'error-no-message',
];
/**
 * How much of a run the page's main thread may be at work, of its own processor time: how long a task lasts on a machine that is busy
 * with twenty agents says little of the page.
 */
const MOST_BUSY = 0.25;

const active = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
const rows = (page) =>
  page.locator('#several-agents tbody tr').evaluateAll((all) => all.map((row) => [row.dataset.status, row.innerText]));
const over = (page, timeout = 240_000) =>
  page.waitForFunction(
    () => {
      const rows = [...document.querySelectorAll('#several-agents tbody tr')];
      return rows.length > 0 && rows.every(({ dataset }) => !['running', 'pending'].includes(dataset.status));
    },
    undefined,
    { timeout },
  );

/** A server that answers what `answer` says, and remembers the Authorization of each request. */
async function startServer(t, answer) {
  const seen = [];
  const server = http.createServer((request, response) => {
    const open = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' };
    if (request.method === 'OPTIONS') return response.writeHead(204, open).end();
    seen.push(request.headers.authorization ?? '');
    answer(request, response, open);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${server.address().port}`, seen };
}

test('several agents', { timeout: 900_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const open = async (fragment = '', context = {}) => {
    const opened = await openPage(t, `${served.origin}/${fragment}`, { browser, context });
    await opened.page.locator('html[data-start=ready]').waitFor();
    return opened;
  };
  const told = (page) => page.locator('#several-told li').allInnerTexts();

  await t.test('a list is read line by line, and files and catalogues are added to it', async () => {
    const { page, watched } = await open();
    await page.click('#several-open');
    await page.waitForFunction(() => document.activeElement.id === 'several-title');
    const typed = 'https://a.example, https://b.example\nftp://c\nhttps://A.example/\n# end';
    await page.fill('#several-list', typed);
    await page.locator('#several-read', { hasText: '2 agents' }).waitFor();
    const lines = await told(page);
    assert.equal(lines.length, 2);
    assert.match(lines[0], /^Line 2: .ftp:\/\/c. cannot be used/);
    assert.match(lines[1], /^Line 3: .* same agent as on line 1/);
    assert.equal(await page.inputValue('#several-list'), typed);

    const file = (name, text) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page.setInputFiles('#file-agents', file('agents.txt', 'https://d.example\n'));
    await page.locator('#several-read', { hasText: '3 agents' }).waitFor();
    assert.ok((await page.inputValue('#several-list')).startsWith(typed));
    await page.setInputFiles('#file-agents', file('package.json', '{"name":"left-pad"}'));
    await page.locator('#several-told', { hasText: 'not an AI Catalog' }).waitFor();

    const entries = [
      { identifier: 'one', type: 'application/a2a-agent-card+json', url: '/one/agent-card.json' },
      { identifier: 'two', type: 'application/mcp-server-card+json', url: 'https://mcp.example' },
    ];
    const catalogue = await startServer(t, (request, response, headers) => {
      if (request.url !== '/.well-known/ai-catalog.json') return response.writeHead(404, headers).end();
      return response.writeHead(200, headers).end(JSON.stringify({ specVersion: '1.0', entries }));
    });
    await page.fill('#several-catalogue', catalogue.origin);
    await page.press('#several-catalogue', 'Enter');
    await page.locator('#several-told', { hasText: 'mcp-server-card' }).waitFor();
    assert.ok((await page.inputValue('#several-list')).includes(`${catalogue.origin}/one/agent-card.json`));
    assert.deepEqual(catalogue.seen, ['']);
    await page.fill('#several-catalogue', 'http://127.0.0.1:1');
    await page.click('#several-catalogue-read');
    await page.locator('#several-told', { hasText: 'cannot be read' }).waitFor();

    // Back and here again, nothing is lost; a link has the list.
    const list = await page.inputValue('#several-list');
    await page.click('#several-close');
    await page.waitForFunction(() => document.activeElement.id === 'address');
    await page.click('#several-open');
    assert.equal(await page.inputValue('#several-list'), list);
    await page.waitForURL(/agents=https:\/\/a\.example,https:\/\/b\.example/);
    assert.deepEqual(await axe(page), []);
    const link = await page.evaluate(() => location.hash);
    const { page: other } = await open(link);
    await other.locator('#several-read', { hasText: '4 agents' }).waitFor();
    assert.equal(await other.locator('#several-summary').count(), 0, 'nothing runs by itself');
    assertQuiet(watched, [/127\.0\.0\.1:1\b/, /ERR_/]);
  });

  await t.test('each agent gets its own credentials and no other', async () => {
    const refuse = (request, response, headers) => response.writeHead(404, headers).end();
    const [one, two] = [await startServer(t, refuse), await startServer(t, refuse)];
    const { page } = await open();
    // Those of the form are for one agent.
    await page.locator('#settings > summary').click();
    await page.fill('#bearer', 'canary-of-the-form');
    await page.click('#several-open');
    await page.fill('#several-list', `${one.origin}\n${two.origin}`);
    await page.locator('#several-read', { hasText: '2 agents' }).waitFor();
    await page.locator('#several-credentials > summary').click();
    await page.fill('[data-credential="0"]', 'canary-of-one');
    await page.click('#several-run');
    await over(page);
    assert.ok(one.seen.length > 0 && two.seen.length > 0);
    assert.deepEqual([...new Set(one.seen)], ['Bearer canary-of-one']);
    assert.deepEqual([...new Set(two.seen)], ['']);
    const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }) + location.href + document.body.innerText);
    assert.ok(!kept.includes('canary-of-one'));
    const file = await download(page, () => page.click('#several-json'));
    assert.ok(!file.text.includes('canary'));
  });

  await t.test('one run is stopped, and all are', async () => {
    // Each answers once, so that it is at work and not silent.
    const hanging = () => {
      let answered = false;
      return (request, response, headers) => {
        if (!answered) response.writeHead(404, headers).end();
        answered = true;
      };
    };
    const hang = await startServer(t, hanging());
    const others = await Promise.all(Array.from({ length: 11 }).map(() => startServer(t, hanging())));
    const { page } = await open();
    await page.click('#several-open');
    await page.fill('#several-list', [hang, ...others].map(({ origin }) => origin).join('\n'));
    await page.locator('#several-read', { hasText: '12 agents' }).waitFor();
    await page.click('#several-run');
    await page.locator('#several-agents tr[data-agent="0"][data-status=running]').waitFor();
    await page.waitForFunction(() => document.querySelectorAll('#several-agents tr[data-status=running]').length === 10);
    await page.click('[data-act="0"]');
    await page.locator('#several-agents tr[data-agent="0"][data-status=blocked]').waitFor({ timeout: 5_000 });
    // Its place is the next one's.
    await page.locator('#several-agents tr[data-agent="10"][data-status=running]').waitFor();
    await page.click('#several-stop');
    await over(page, 10_000);
    assert.ok((await rows(page)).every(([status]) => status === 'blocked'));
    assert.match((await rows(page))[11][1], /stopped before its turn/);
    assert.equal(await active(page), 'several-run');
  });

  await t.test('agents that answer nothing keep no other from its turn', async () => {
    const silent = await Promise.all(Array.from({ length: 11 }).map(() => startServer(t, () => {})));
    const agent = await startAgent(t, ONE_INTERFACE);
    const { page } = await open();
    await page.click('#several-open');
    await page.fill('#several-list', [...silent, agent].map(({ origin }) => origin).join('\n'));
    await page.locator('#several-read', { hasText: '12 agents' }).waitFor();
    await page.click('#several-run');
    await page.locator('#several-agents tr[data-agent="11"]:is([data-status=pass], [data-status=advisory])').waitFor({ timeout: 120_000 });
    // Those before it are waited for as long as ever.
    const states = (await rows(page)).map(([status]) => status);
    assert.ok(states.slice(0, 11).every((status) => status === 'running'), states.join());
    await page.press('#several-stop', 'Enter');
    await over(page, 10_000);
  });

  await t.test('once it is run, totals and table come first, at every size', async () => {
    const agents = [await startAgent(t, ONE_INTERFACE), await startAgent(t, [...ONE_INTERFACE, '--fault', 'rpc-version-missing'])];
    const { page } = await open();
    await page.click('#several-open');
    assert.equal(await page.locator('#several-run').innerText(), 'Run');
    await page.waitForURL(/#agents$/);
    await page.fill('#several-list', [...agents.map(({ origin }) => origin), 'http://127.0.0.1:1'].join('\n'));
    await page.locator('#several-read', { hasText: '3 agents' }).waitFor();
    await page.click('#several-run');
    await over(page);
    await page.evaluate(() => scrollTo(0, 0));
    for (const [width, height, scale, table] of [[1280, 800, 1, 260], [960, 540, 2, 260], [360, 800, 2, 520]]) {
      await page.setViewportSize({ width, height });
      const top = (selector) => page.locator(selector).first().evaluate((part) => Math.round(part.getBoundingClientRect().top));
      const at = { totals: await top('.total'), table: await top('#several-agents'), first: await top('#several-agents tbody tr') };
      t.diagnostic(`${width} x ${height} at ${100 * scale} %: totals at ${at.totals}, table at ${at.table}, first agent at ${at.first}`);
      assert.ok(at.table <= table, `${width}: ${at.table}`);
      assert.ok(!(await page.isVisible('.lead')) && !(await page.isVisible('#several-list')), 'hero and form are folded up');
      assert.equal(await overflow(page), 0);
      assert.deepEqual(await axe(page), []);
    }
    // The list is a press away, and is run again from where it stands.
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.click('#several-setup > summary');
    assert.ok(await page.isVisible('#several-list'));
    await page.click('#several-run');
    await page.locator('#several-list').waitFor({ state: 'hidden' });
    await over(page);
    // An agent that is opened says when it was checked.
    await page.click('[data-act="1"]');
    assert.match(await page.locator('#opened').innerText(), /^One of several agents, checked \d+ \w+ \d{4}/);
  });

  await t.test('what they support, and how every two of them work together', async () => {
    const [plain, losing] = [await startAgent(t), await startAgent(t, ['--fault', 'context-replaced'])];
    const { page, watched } = await open();
    await page.click('#several-open');
    await page.fill('#several-list', [plain.origin, losing.origin, `${plain.origin}/0.3`].join('\n'));
    await page.locator('#several-read', { hasText: '3 agents' }).waitFor();
    await page.click('#several-run');
    await page.locator('#several-pairs > summary').click();
    assert.equal(await page.locator('#pairs-run').isDisabled(), true, 'their own runs are under way');
    await over(page);

    await page.locator('#several-support > summary').click();
    const support = page.locator('#support-features');
    await support.waitFor();
    assert.equal(await page.locator('#support-interfaces tbody tr').count(), 6);
    const feature = support.locator('tr', { hasText: 'Follow-ups and contexts' }).locator('td');
    assert.deepEqual((await feature.allInnerTexts()).slice(1, 5), ['yes', 'yes', 'no', 'no']);
    const supported = JSON.parse((await download(page, () => page.click('#support-json'))).text);
    assert.equal(supported.interfaces.length, 6);

    assert.equal(await page.locator('#pairs-run').innerText(), 'Check every pair');
    await page.focus('#pairs-run');
    await page.keyboard.press('Enter');
    await page.locator('#several-summary', { hasText: '3 of 3 pairs checked' }).waitFor({ timeout: 120_000 });
    const words = () =>
      page.locator('#pairs-table tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].slice(1).map((cell) => cell.innerText)));
    await page.locator('#pairs-table').waitFor();
    await page.waitForFunction(() => !document.querySelector('#pairs-table').innerText.includes('?'));
    const [first, second, third] = await words();
    assert.deepEqual([first[1], second[0], first[2], third[0]], ['broken', 'works', 'cannot talk', 'cannot talk']);
    assert.equal(second[1], 'Not conformant');
    assert.match(await page.locator('#pairs-reasons').innerText(), /version/);
    const file = await download(page, () => page.click('#pairs-json'));
    assert.equal(file.name, 'a2a-pairs.json');
    assert.equal(JSON.parse(file.text).pairs.length, 3);
    const written = (await download(page, () => page.click('#pairs-markdown'))).text;
    assert.ok(written.includes('cannot talk'));

    assert.deepEqual(await axe(page), []);
    await page.setViewportSize({ width: 320, height: 640 });
    assert.equal(await overflow(page), 0);

    // Asked for again and stopped: nothing goes on, and what was not checked says so.
    await page.press('#pairs-run', 'Enter');
    await page.locator('#several-summary', { hasText: 'of 3 pairs checked' }).waitFor();
    await page.press('#several-stop', 'Enter');
    await page.waitForFunction(() => !document.querySelector('#pairs-run').disabled);
    assertQuiet(watched);
  });

  await t.test('twenty agents and one that is not there', async () => {
    const agents = [];
    for (let index = 0; index < 20; index += 1) {
      agents.push(await startAgent(t, [...ONE_INTERFACE, ...(FAULTS[index] ? ['--fault', FAULTS[index]] : [])]));
    }
    const gone = http.createServer();
    await new Promise((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const nobody = `http://127.0.0.1:${gone.address().port}`;
    await new Promise((resolve) => gone.close(resolve));
    const { page, watched } = await open();
    await page.evaluate(() => {
      window.longTasks = [];
      new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => Math.round(duration)))).observe({
        entryTypes: ['longtask'],
      });
    });
    await page.click('#several-open');
    await page.fill('#several-list', [...agents.map(({ origin }) => origin), nobody].join('\n'));
    await page.locator('#several-read', { hasText: '21 agents' }).waitFor();
    await page.evaluate(() => {
      window.titles = new Set();
      new MutationObserver(() => window.titles.add(document.title)).observe(document.head, { subtree: true, childList: true, characterData: true });
    });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const worked = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration').value;
    };
    const [began, before] = [Date.now(), await worked()];
    await page.click('#several-run');
    await over(page, 600_000);
    const [seconds, busy] = [(Date.now() - began) / 1000, (await worked()) - before];
    const titles = await page.evaluate(() => [...window.titles]);
    assert.ok(titles.some((title) => /^\d+ of 21 \u00b7 several agents$/.test(title)), titles.join('\n'));
    const longTasks = await page.evaluate(() => window.longTasks);
    t.diagnostic(`21 agents in ${seconds.toFixed(1)} s; the main thread worked ${busy.toFixed(2)} s of them; longest task ${Math.max(0, ...longTasks)} ms`);
    assert.ok(busy < MOST_BUSY * seconds, `${busy} s of ${seconds} s`);

    const all = await rows(page);
    assert.equal(all.length, 21);
    assert.equal(all[0][0], 'fail');
    assert.match(all[0][1], /Not conformant[^]*required rule/);
    assert.ok(['pass', 'advisory'].includes(all[19][0]), all[19][0]);
    assert.equal(all[20][0], 'blocked');
    assert.match(all[20][1], /Incomplete/);
    assert.ok(all[20][1].replace(/\s+/g, ' ').length > 60, 'with its reason');

    // Sorted, found.
    await page.selectOption('#several-order', 'worst');
    assert.equal((await rows(page))[0][0], 'fail');
    await page.click('.total[data-status=blocked]');
    assert.equal((await rows(page)).length, 1);
    assert.equal(await page.locator('.total[data-status=blocked]').getAttribute('aria-pressed'), 'true');
    await page.click('.total[data-status=blocked]');
    await page.selectOption('#several-order', 'listed');

    // The totals are large, in sight and counted right, and the tab says the worst of them.
    const number = (status) => all.filter(([known]) => known === status).length;
    for (const status of new Set(all.map(([status]) => status))) {
      const total = page.locator(`.total[data-status=${status}] .total-count`);
      assert.equal(Number(await total.innerText()), number(status), status);
      assert.ok(parseFloat(await total.evaluate((total) => getComputedStyle(total).fontSize)) >= 40);
    }
    assert.equal(await page.title(), `\u2717 ${number('fail')} failed \u00b7 several agents`);
    assert.match(await page.getAttribute('link[rel=icon]', 'href'), /b3261e/);
    // An agent that is not there costs a line, and no line of the checks.
    assert.ok(!(await page.locator('#several-checks tbody tr').allInnerTexts()).some((text) => text.includes('discovery.card-available')));
    const heights = await page.locator('#several-agents tbody tr').evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
    assert.ok(heights[20] <= Math.max(...heights.slice(0, 20)), heights.join());

    // A mark opens its run at that check.
    await page.fill('#several-check-text', 'version-member');
    const check = page.locator('#several-checks tr[data-check="jsonrpc.version-member"]');
    await check.waitFor();
    const mark = check.locator('.mark-button[data-of="0"]');
    assert.equal(await mark.getAttribute('data-status'), 'fail');
    assert.match(await mark.getAttribute('aria-label'), /failed/);
    await mark.focus();
    await page.keyboard.press('Enter');
    await page.locator('#detail-title').waitFor();
    assert.match(await page.locator('#detail').innerText(), /jsonrpc\.version-member/);
    await page.locator('#detail .sheet').first().waitFor();
    assert.match(await page.locator('#verdict').innerText(), /Not conformant/);
    // By key: what arrives above the button may push it away from under the pointer.
    await page.press('#several-back', 'Enter');
    await page.waitForFunction(() => document.activeElement.id === 'several-title');
    assert.equal((await rows(page)).length, 21);

    const json = JSON.parse((await download(page, () => page.click('#several-json'))).text);
    assert.equal(json.agents.length, 21);
    const junit = await download(page, () => page.click('#several-junit'));
    const counts = await validated(t, junit);
    const failed = json.agents.reduce((sum, { report }) => sum + report.summary.failed, 0);
    assert.equal(counts.failures, failed);
    const markdown = await download(page, () => page.click('#several-markdown'));
    assert.ok(markdown.text.includes('jsonrpc.version-member'));

    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await axe(page), [], colorScheme);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    assert.equal(await overflow(page), 0);
    assert.deepEqual(await axe(page), [], '320 px');
    assertQuiet(watched, [/ERR_/, /Failed to load resource/, /CORS/]);
  });
});
