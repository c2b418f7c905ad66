// The start page: what is in sight before anything is typed, what a visitor fetches who only reads, and what a link says that it asks for.

import assert from 'node:assert/strict';
import http from 'node:http';
import test from 'node:test';
import { finished, pastRun, save, share } from './page.mjs';
import { KEEPING, assertOnlyAsked, assertQuiet, axe, openPage, overflow, runCli, startAgent, startBrowser, startServe } from './support.mjs';

/** What a visitor who only reads may fetch, in bytes on the wire. */
const MOST_READ = 304_000;
/** A desk, a projector of 1920 x 1080 at 200 %, and a phone. */
const SIZES = [[1280, 800], [960, 540], [360, 800]];

const ready = (page) => page.locator('html[data-start=ready]').waitFor();
const bottom = (page, selector) => page.locator(selector).first().evaluate((part) => Math.round(part.getBoundingClientRect().bottom));
const fetchesChecker = (watched) => watched.requests.some((url) => /\/checker[-_].*\.wasm/.test(url));

/** Serves `answer` at an origin of its own; the paths that were asked for. */
async function startServer(t, answer) {
  const asked = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${server.address().port}`, asked };
}

test('the start page', { timeout: 300_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const open = async (fragment = '', context = {}) => {
    const opened = await openPage(t, `${served.origin}/${fragment}`, { browser, context });
    await ready(opened.page);
    return opened;
  };

  await t.test('has the address, an example and where requests go on its first screen, and one primary button', async () => {
    for (const [width, height] of SIZES) {
      const { page, watched } = await open('', { viewport: { width, height } });
      for (const part of ['#address', '#run', '#preview', '.private', '#demo']) {
        const end = await bottom(page, part);
        t.diagnostic(`${width} x ${height}: ${part} ends at ${end}`);
        assert.ok(end <= height, `${width} x ${height}: ${part} ends at ${end}`);
      }
      assert.match(await page.locator('#preview').innerText(), /localhost:8080/);
      assert.match(await page.locator('.private').innerText(), /nowhere else/);
      assert.equal(await page.locator('.primary:visible').count(), 1);
      assert.equal(await page.isVisible('#stop'), false, 'there is nothing to stop');
      assert.equal(await overflow(page), 0);
      assert.deepEqual(await axe(page), []);
      assertQuiet(watched);
    }
  });

  await t.test('has a card with a line for each other thing to do, and says where to read on', async () => {
    const { page } = await open();
    const cards = await page.locator('.card').evaluateAll((all) => all.map((card) => [card.id, card.querySelector('span').innerText]));
    assert.deepEqual(cards.map(([id]) => id), ['several-open', 'tests-open', 'bench-open', 'watch-open']);
    for (const [id, line] of cards) assert.match(line, /^[A-Z].{20,70}\.$/, id);
    assert.ok((await bottom(page, '.cards')) <= 800, 'all of them on a screen of 1280 x 800');
    for (const [id] of cards) {
      await page.click(`#${id}`);
      const heading = { 'several-open': '#several-title', 'tests-open': '#tests-title', 'bench-open': '#tab-workbench', 'watch-open': '#watch-title' }[id];
      await page.waitForFunction((id) => document.activeElement.id === id, heading.slice(1));
      await page.click('.brand');
      await page.waitForFunction(() => location.hash === '');
      await ready(page);
    }
    const about = page.locator('.about');
    assert.equal(await about.locator('a').first().getAttribute('href'), 'https://a2a-protocol.org/latest/specification/');
    assert.match(await about.innerText(), /source[^]*documentation[^]*command line/i);
  });

  await t.test('choosing faults moves nothing but what is below the list', async () => {
    const { page } = await open();
    const places = () =>
      page.evaluate(() => {
        const top = (selector) => Math.round(document.querySelector(selector).getBoundingClientRect().top + scrollY);
        const between = top('#tests-open') - top('#several-open');
        return [top('#address'), top('#demo'), top('#file-show'), top('.catalogue'), between, top('#bench-open') - top('#several-open')];
      });
    const before = await places();
    await page.click('#faults > summary');
    await page.locator('[data-fault]').first().waitFor();
    // Places are rounded.
    const after = await places();
    assert.ok(after.every((place, at) => Math.abs(place - before[at]) <= 1), `${before} ${after}`);
    assert.equal(await page.locator('.primary:visible').count(), 1);
    assert.equal(await page.locator('#faults > summary').innerText(), 'Choose faults yourself');
  });

  await t.test('past runs are in sight', async () => {
    const { page, context } = await open();
    await page.click('#demo');
    await finished(page);
    await pastRun(page);
    for (const [width, height] of SIZES) {
      // Who comes back does so in a new tab.
      const tab = await context.newPage();
      await tab.setViewportSize({ width, height });
      await tab.goto(served.origin);
      await tab.locator('#past li').first().waitFor();
      const end = await bottom(tab, '#past li');
      t.diagnostic(`${width} x ${height}: the newest run ends at ${end}`);
      // A phone shows one thing below the other.
      assert.ok(end <= (width < 720 ? 2 * height : height), `${width}: ${end}`);
    }
  });

  await t.test('whoever only reads does not fetch the checker', async () => {
    const profile = await browser.newContext(KEEPING);
    t.after(() => profile.close());
    const page = await profile.newPage();
    const devtools = await profile.newCDPSession(page);
    await devtools.send('Network.enable');
    let transferred = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (transferred += encodedDataLength));
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(served.origin);
    await ready(page);
    await page.mouse.wheel(0, 600);
    await page.waitForTimeout(3_000);
    t.diagnostic(`${transferred} bytes are transferred for a visitor who reads, in ${asked.length} requests`);
    assert.ok(transferred > 200_000 && transferred <= MOST_READ, `${transferred} bytes`);
    assert.ok(!asked.some((url) => /\/checker[-_].*\.wasm/.test(url)), asked.join('\n'));
  });

  await t.test('whoever is about to run something has the checker by then', async () => {
    for (const [what, act] of Object.entries({
      'the address is focused': (page) => page.focus('#address'),
      'Run is pointed at': (page) => page.hover('#run'),
      'the demo is pointed at': (page) => page.hover('#demo'),
      'the demo is focused': (page) => page.focus('#demo-faulty'),
    })) {
      const { page, watched } = await open();
      await page.waitForTimeout(300);
      assert.ok(!fetchesChecker(watched), what);
      await act(page);
      await page.locator('html[data-checker]').waitFor();
      assert.ok(fetchesChecker(watched), what);
    }
    const { page } = await open('#u=http://127.0.0.1:9');
    await page.locator('html[data-checker]').waitFor();
  });
});

test('links', { timeout: 300_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const open = async (fragment, context = {}) => {
    const opened = await openPage(t, `${served.origin}/${fragment}`, { browser, context });
    await ready(opened.page);
    return opened;
  };

  await t.test('the receiver is told what a link asks, that it holds no result, and whose machine it means', async () => {
    for (const [width, height] of SIZES) {
      const { page, watched } = await open('#u=localhost:9813&c=get.history-max@rest-1.0', { viewport: { width, height } });
      const linked = page.locator('#linked');
      const text = await linked.innerText();
      assert.match(text, /asks to check localhost:9813, and to open the check get\.history-max/);
      assert.match(text, /localhost is your own machine, not that of whoever sent the link/);
      assert.match(text, /holds no result.*Nothing is sent before you press Run/);
      assert.ok((await bottom(page, '#linked')) <= height && (await bottom(page, '#run')) <= height, `${width} x ${height}`);
      assert.deepEqual(await axe(page), []);
      assertOnlyAsked(watched, [served.origin]);
    }
    for (const [fragment, said] of [
      ['#agents=https://a.example,https://b.example', /asks to check 2 agents/],
      ['#watch=http://127.0.0.1:9', /asks to watch the clients/],
      ['#demo=get-wrapped', /asks to run the demo agent with 1 fault/],
    ]) {
      const { page } = await open(fragment);
      assert.match(await page.locator('#linked').innerText(), said);
      assert.equal(await page.locator('.primary:visible').count(), fragment.startsWith('#watch') ? 0 : 1, fragment);
    }
    const { page } = await open('#f=fail');
    assert.equal(await page.locator('#linked').count(), 0);
  });

  await t.test('a link to this page that is pasted is followed, and not judged as an agent', async () => {
    const { page, watched } = await open('');
    await page.fill('#address', `${served.origin}/#u=localhost:9810&version=0.3&c=get.history-max@rest-1.0`);
    assert.equal(await page.inputValue('#address'), 'localhost:9810');
    assert.match(await page.locator('#taken').innerText(), /link to this page/);
    assert.match(await page.locator('#linked').innerText(), /asks to check localhost:9810[^]*protocol version 0\.3/);
    await page.fill('#address', `${served.origin}/#agents=https://a.example,https://b.example`);
    await page.locator('#several-read', { hasText: '2 agents' }).waitFor();
    assertOnlyAsked(watched, [served.origin]);
    assertQuiet(watched);
  });

  await t.test('a report that is served somewhere is opened at the press of a button, and nothing else is asked', async () => {
    const agent = await startAgent(t, ['--fault', 'rpc-version-missing']);
    const first = await open('');
    await first.page.fill('#address', agent.origin);
    await first.page.click('#run');
    await finished(first.page);
    const { text } = await save(first.page, 'json');
    const reports = await startServer(t, (request, response) => {
      const cors = { 'access-control-allow-origin': '*' };
      if (request.url === '/report.json') return response.writeHead(200, cors).end(text);
      if (request.url === '/without-cors.json') return response.writeHead(200).end(text);
      if (request.url === '/huge.json') return response.writeHead(200, cors).end(' '.repeat(20_000_001));
      if (request.url === '/page.html') return response.writeHead(200, cors).end('<!doctype html>');
      return response.writeHead(404, cors).end();
    });

    const { page, watched } = await open(`#report=${reports.origin}/report.json&c=get.history-max@rest-1.0`);
    assert.match(await page.locator('#linked').innerText(), /opens the report at http:[^]*Nothing is sent before you press Open/);
    assert.equal(await page.locator('.primary:visible').count(), 1);
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(reports.asked, [], 'a link calls nobody before a click');
    await page.click('#link-open');
    await finished(page);
    assert.match(await page.locator('#opened').innerText(), /^The report at http.*, checked /);
    assert.equal(await page.getAttribute('#verdict', 'data-word'), 'not-conformant');
    await page.locator('#detail-title').waitFor();
    assert.deepEqual(reports.asked, ['GET /report.json']);
    assertOnlyAsked(watched, [served.origin, reports.origin]);
    assertQuiet(watched);
    // The address stays that of the report, for a reload.
    assert.match(page.url(), /report=http/);

    for (const [path, why] of [
      ['without-cors.json', /not allow other pages[^]*Access-Control-Allow-Origin/],
      ['missing.json', /HTTP 404[^]*Open the file itself here/],
      ['huge.json', /larger than 20 MB/],
      ['page.html', /neither a report|cannot be opened/],
    ]) {
      const { page } = await open(`#report=${reports.origin}/${path}`);
      await page.click('#link-open');
      await page.locator('#file-problem', { hasText: 'cannot be opened' }).waitFor();
      assert.match(await page.locator('#file-problem').innerText(), why);
      assert.equal(await page.locator('#verdict').count(), 0);
    }
  });
});

test('the text for an issue has 8 KB at most, and says how to see more', { timeout: 120_000 }, async (t) => {
  const served = await startServe(t);
  const agent = await startAgent(t, ['--fault', 'rpc-version-missing', '--fault', 'snake-case', '--fault', 'get-wrapped']);
  const browser = await startBrowser(t);
  const { page } = await openPage(t, served.origin, { browser, context: { permissions: ['clipboard-read', 'clipboard-write'] } });
  await ready(page);
  await page.fill('#address', agent.origin);
  await page.click('#run');
  await finished(page);
  await share(page);
  await page.click('#copy-agent');
  await page.locator('.copy:has(#copy-agent) .said', { hasText: 'Copied' }).waitFor();
  await page.keyboard.press('Escape');
  const findings = await page.evaluate(() => navigator.clipboard.readText());
  const { stdout } = await runCli(['check', agent.origin, '--quiet', '--format', 'agent']);
  const told = (text) => [...text.matchAll(/^#### (\S+)$/gm)].map(([, check]) => check);
  t.diagnostic(`for a coding agent ${Buffer.byteLength(findings)} bytes: ${told(findings).join(', ')}`);
  assert.ok(told(findings).length >= 3 && Buffer.byteLength(findings) <= 6_000, findings);
  assert.deepEqual(told(findings), told(stdout), 'page and command line tell the same');
  const issue = await save(page, 'issue');
  const whole = await save(page, 'markdown');
  const size = Buffer.byteLength(issue.text);
  t.diagnostic(`for an issue ${size} bytes, all of it ${Buffer.byteLength(whole.text)}`);
  assert.ok(size <= 8_000, `${size}`);
  assert.match(issue.name, /^issue-a2a-report-.*\.md$/);
  assert.match(issue.text, /Not conformant[^]*#### Required rules that are broken[^]*#### Recommendations[^]*a2a-conformance check/);
  assert.ok(Buffer.byteLength(whole.text) > 2 * size, 'the whole stays a file');
});
