// The second address of the release page: another agent that is checked together with the first, and a gateway in front of it.

import assert from 'node:assert/strict';
import test from 'node:test';
import { startReverseProxy } from '../foreign/reverse_proxy.mjs';
import { finished, rows, save, settings, unfold, validated, verdicts } from './page.mjs';
import { ONE_INTERFACE, assertQuiet, axe, openPage, overflow, runCli, startAgent, startBrowser, startServe } from './support.mjs';

const RUN_LIMIT = 300_000;

/** Types a second address; `kind` is `peer` or `via`. */
async function typeSecond(page, address, kind, second) {
  await page.locator('html[data-start=ready]').waitFor();
  await page.fill('#address', address);
  await settings(page);
  await page.fill('#second-address', second);
  await page.selectOption('#second-kind', kind);
}

async function run(page, address, kind, second) {
  await typeSecond(page, address, kind, second);
  await page.click('#run');
  await finished(page, RUN_LIMIT);
}

/** The gateway checks of a report that are not skipped, with their status, and which were skipped as not observable. */
function ofGateway(report) {
  const all = Object.values(report.categories).flat().filter(({ test: id }) => id.startsWith('gateway.'));
  const of = (status) => all.filter((row) => row.status === status).map(({ test: id, message }) => `${id}: ${message}`);
  const hidden = all.filter(({ reason }) => reason === 'not-observable').map(({ test: id }) => id);
  return { failed: of('fail'), passed: of('pass'), hidden, all };
}

/** What the page finds of a gateway when nothing else is checked, which its form does not offer and its scripts do. */
async function throughGateway(page, url, via) {
  return ofGateway(await page.evaluate((options) => globalThis.wasmBindings.checkAgent(options), { url, via, only: ['gateway.*'] }));
}

test('a second address', { timeout: 1_500_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const agent = await startAgent(t);
  const open = async (fragment = '') => {
    const opened = await openPage(t, `${served.origin}/${fragment}`, { browser });
    await opened.page.locator('html[data-start=ready]').waitFor();
    return opened;
  };

  await t.test('it is typed with the keyboard, is in the link, and its credential is not', async () => {
    const { page, watched } = await open();
    await page.fill('#address', agent.origin);
    await page.locator('#settings > summary').focus();
    await page.keyboard.press('Enter');
    await page.locator('#second-address-group > summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'second-address');
    await page.keyboard.type('https://b.example?token=canary-0');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'second-kind');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'second-credential');
    await page.keyboard.type('canary-1');
    await page.keyboard.press('Tab');
    await page.waitForURL(/peer=https:\/\/b\.example/);
    assert.deepEqual(await axe(page), []);
    assert.equal(await overflow(page), 0);
    const link = await page.evaluate(() => location.hash);
    assert.doesNotMatch(link, /canary/);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.doesNotMatch(stored, /canary/);

    // A gateway has no credential of its own.
    await page.focus('#second-kind');
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(/via=https:\/\/b\.example/);
    assert.ok(!(await page.isVisible('#second-credential')));
    assert.match(await page.locator('#settings > summary').innerText(), /through a gateway/);

    const { page: other } = await open(link);
    assert.equal(await other.inputValue('#second-address'), 'https://b.example');
    assert.match(await other.locator('#linked').innerText(), /together with https:\/\/b\.example/);
    assertQuiet(watched);
  });

  await t.test('one that cannot be used gets its sentence, at its field', async () => {
    const { page, watched } = await open();
    for (const [kind, second, why] of [
      ['peer', 'ftp://b.example', /second address/],
      ['via', agent.origin, /second address is the address of the agent itself/],
    ]) {
      await page.fill('#address', agent.origin);
      if (!(await page.isVisible('#second-address'))) await settings(page);
      await page.fill('#second-address', second);
      await page.selectOption('#second-kind', kind);
      await page.click('#run');
      await page.locator('#problem', { hasText: why }).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.id), 'second-address');
      assert.equal(await page.locator('#second-address').getAttribute('aria-invalid'), 'true');
      await page.press('#second-address', 'End');
      await page.keyboard.type('/');
      await page.locator('#second-address[aria-invalid=false]').waitFor();
    }
    assert.equal(await page.locator('#verdict').count(), 0);
    assertQuiet(watched);
  });

  await t.test('two agents are checked alone and together, as on the command line', { timeout: RUN_LIMIT }, async () => {
    const peer = await startAgent(t);
    const { page, watched } = await open();
    await typeSecond(page, agent.origin, 'peer', peer.origin);
    await page.fill('#second-credential', 'canary-of-the-peer');
    await page.click('#run');
    await page.locator('#report-0', { hasText: 'being checked' }).waitFor();
    await finished(page, RUN_LIMIT);
    assert.equal(await page.locator('#verdict-level').innerText(), 'The two agents work together');
    assert.equal(await page.locator('#cannot-talk').count(), 0);
    assert.deepEqual(await axe(page), []);
    await unfold(page);
    const lanes = [...new Set((await rows(page)).map(({ lane }) => lane))];
    assert.ok(lanes.some((lane) => lane.startsWith('a-')) && lanes.some((lane) => lane.startsWith('b-')), lanes.join());

    const file = await save(page, 'json');
    assert.doesNotMatch(file.text, /canary/);
    await validated(t, file);
    const report = JSON.parse(file.text);
    const native = await runCli(['check', agent.origin, '--peer', peer.origin, '--peer-bearer', 'canary', '--format', 'json']);
    assert.equal(native.code, 0, native.stderr);
    const told = JSON.parse(native.stdout);
    assert.deepEqual(verdicts(report), verdicts(told));
    assert.deepEqual([report.verdict, report.completion], [told.verdict, told.completion]);
    assert.deepEqual(report.agents.map(({ address, verdict }) => [new URL(address).origin, verdict]), told.agents.map(({ address, verdict }) => [new URL(address).origin, verdict]));
    for (const [place, own] of report.agents.entries()) {
      assert.deepEqual(new Set(verdicts(own.report).keys()), new Set(verdicts(told.agents[place].report).keys()));
    }

    // Each of them can be looked at, and the button that was pressed keeps the focus.
    const subject = () => page.locator('#verdict .subject b').innerText();
    await page.click('#report-1');
    await page.locator('#report-1[aria-pressed=true]').waitFor();
    await finished(page);
    assert.equal(new URL(await subject()).origin, peer.origin);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'report-1');
    await unfold(page);
    assert.ok((await rows(page)).length > 100);
    await page.locator('[data-again]').first().click();
    await page.locator('#again-note', { hasText: 'With two agents, everything is run again' }).waitFor();
    const alone = JSON.parse((await save(page, 'json')).text);
    assert.deepEqual([new URL(alone.agentUrl).origin, alone.agents], [peer.origin, undefined]);
    await page.focus('#report-2');
    await page.keyboard.press('Enter');
    await page.locator('#report-2[aria-pressed=true]').waitFor();
    assert.match(await subject(), / and /);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.doesNotMatch(stored, /canary/);
    assertQuiet(watched, [/Failed to load resource/]);
  });

  await t.test('neither agent is sent what was given for the other', { timeout: RUN_LIMIT }, async () => {
    const seen = { a: new Set(), b: new Set() };
    const noting = (name) => ({ request: ({ headers }) => seen[name].add(headers.authorization ?? '') });
    const { origin } = await startAgent(t, ONE_INTERFACE);
    const [a, b] = [await startReverseProxy(t, origin, noting('a')), await startReverseProxy(t, origin, noting('b'))];
    const { page } = await open();
    await typeSecond(page, a, 'peer', b);
    await page.fill('#bearer', 'token-of-a');
    await page.fill('#second-credential', 'token-of-b');
    await page.click('#run');
    await page.locator('#report-2', { hasText: 'being checked' }).waitFor({ timeout: RUN_LIMIT });
    await finished(page, RUN_LIMIT);
    assert.ok(seen.a.has('Bearer token-of-a') && seen.b.has('Bearer token-of-b'));
    assert.ok(![...seen.a].some((value) => value.includes('token-of-b')));
    assert.ok(![...seen.b].some((value) => value.includes('token-of-a')));
  });

  await t.test('two agents that cannot talk are told why', { timeout: RUN_LIMIT }, async () => {
    const { origin } = await startAgent(t, ONE_INTERFACE);
    const { page } = await open();
    await run(page, origin, 'peer', `${origin}/0.3`);
    const why = await page.locator('#cannot-talk').innerText();
    assert.match(why, /^The two agents cannot talk: .*version/);
    assert.equal(await page.locator('#verdict-level').innerText(), 'The two agents do not work together');
    assert.match(await page.locator('#report-2').innerText(), /do not work together/);
    assert.deepEqual(await axe(page), []);
    // What is shown when the run is stopped stays, and the other two say that they were not made.
    await page.click('#run');
    await page.locator('#report-0', { hasText: 'being checked' }).waitFor();
    await page.click('#stop');
    await finished(page);
    assert.match(await page.locator('#report-1').innerText(), /not checked/);
    assert.equal(await page.getAttribute('#report-0', 'aria-pressed'), 'true');
  });

  await t.test('a gateway that changes nothing leaves nothing to find', { timeout: RUN_LIMIT }, async () => {
    const proxy = await startReverseProxy(t, agent.origin);
    const { page } = await open();
    await run(page, agent.origin, 'via', proxy);
    const file = await save(page, 'json');
    const { failed, passed, all } = ofGateway(JSON.parse(file.text));
    assert.deepEqual(failed, []);
    const native = await runCli(['check', agent.origin, '--via', proxy, '--only', 'gateway.*', '--format', 'json']);
    const compared = [...verdicts(JSON.parse(native.stdout)).keys()].filter((key) => key.startsWith('gateway.'));
    assert.deepEqual(new Set(all.map(({ test: id, lane }) => `${id}@${lane ?? ''}`)), new Set(compared));
    assert.ok(passed.length > 20, passed.join('\n'));
  });

  const { page: scripted } = await open();
  // What is hidden is not observable, and never a finding.
  const without = (names) => (answer) => names.forEach((name) => delete answer.headers[name]);
  const OPEN = ['access-control-allow-origin', 'access-control-allow-headers', 'access-control-allow-methods'];
  const HIDDEN = {
    'all of it': { change: { response: without(OPEN) }, seen: 0 },
    'errors': { change: { response: (answer) => answer.statusCode >= 400 && without(OPEN)(answer) }, seen: 1 },
    'headers of responses': { change: { response: without(['access-control-expose-headers']) }, seen: 1 },
    'preflights': { change: { response: (answer, { method }) => method === 'OPTIONS' && without(OPEN)(answer) }, seen: 1 },
    'headers of requests': {
      change: {
        response: ({ headers }, { method }) => {
          if (method === 'OPTIONS') headers['access-control-allow-headers'] = 'content-type, authorization';
        },
      },
      seen: 1,
    },
  };
  for (const [what, { change, seen }] of Object.entries(HIDDEN)) {
    await t.test(`a gateway at which a browser hides ${what} is accused of nothing`, { timeout: RUN_LIMIT }, async () => {
      const proxy = await startReverseProxy(t, agent.origin, change);
      const { failed, passed, hidden } = await throughGateway(scripted, agent.origin, proxy);
      t.diagnostic(`${what}: ${passed.length} passed, not observable: ${[...new Set(hidden)].join(' ')}`);
      assert.deepEqual(failed, []);
      if (what !== 'headers of responses') assert.ok(hidden.length > 0);
      assert.ok(passed.length >= seen, passed.join());
    });
  }

  // Other changes are found as on the command line; when chunks arrive is what a browser may see otherwise.
  await t.test('a gateway that holds back streams is found', { timeout: RUN_LIMIT }, async () => {
    const { page } = await open();
    await run(page, agent.origin, 'via', await startReverseProxy(t, agent.origin, { buffers: true }));
    const file = await save(page, 'json');
    const { failed } = ofGateway(JSON.parse(file.text));
    assert.ok(failed.length > 0 && failed.every((line) => line.startsWith('gateway.streams-unbuffered')), failed.join('\n'));
    assert.match(await page.locator('#verdict-reason').innerText(), /gateway/i);
  });
});
