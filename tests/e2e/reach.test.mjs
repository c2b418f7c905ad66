// The release page's diagnosis when something is between it and a healthy agent: every fault of faults.mjs, and those of
// addresses, policies and permissions. The table of outcomes is reach.outcomes.json; UPDATE_OUTCOMES=1 writes it anew.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import test from 'node:test';
import { FAULTS, closedPort, selfSigned, startBanner, startFault } from './faults.mjs';
import { AT_ONCE, CHROMIUM_FLAGS, DIST, ROOT, assertOnlyAsked, axe, openPage, overflow, startAgent, startBrowser, startServe } from './support.mjs';
import { chips, finished, settings, withChecker } from './page.mjs';

const OUTCOMES = join(ROOT, 'tests/e2e/reach.outcomes.json');
/** Where the page comes from when it must be public and by https; nobody is asked there. */
const PUBLIC = 'https://checker.example';
const ONLY_ONE = '.primary:visible';
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.svg': 'image/svg+xml' };

/** Seconds of patience for the faults in which somebody is silent. */
const PATIENCE = { silent: 2, 'options-silent': 2, 'call-silent': 2 };

test('the way to the agent', { concurrency: AT_ONCE }, async (t) => {
  const served = await startServe(t);
  // A name server may take longer to say so than the page waits.
  const args = [...CHROMIUM_FLAGS, '--host-resolver-rules=MAP no-such-host.invalid ~NOTFOUND'];
  // Permissions are asked for in a window.
  const browser = await startBrowser(t, { whole: true, args });
  const agent = await startAgent(t);
  // In the order of the faults, whichever comes first.
  const outcomes = Object.fromEntries(Object.keys(FAULTS).map((name) => [name, undefined]));

  const open = async (url = `${served.origin}/`, context = {}) => {
    const opened = await openPage(t, url, { browser, context });
    await opened.page.locator('html[data-start=ready]').waitFor();
    return opened;
  };

  /** Opens the page as if it came from PUBLIC, with a policy of its own if one is given. */
  async function openPublic({ policy, permission, script, origin = PUBLIC } = {}) {
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.route(`${origin}/**`, async (route) => {
      const path = new URL(route.request().url()).pathname;
      const file = path === '/' ? 'index.html' : path.slice(1);
      const headers = { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' };
      if (policy) headers['content-security-policy'] = policy;
      await route.fulfill({ body: await readFile(join(DIST, file)), headers });
    });
    if (script) await page.addInitScript(script);
    if (permission === 'granted') await permit(page, origin);
    await page.goto(`${origin}/`);
    await page.locator('html[data-start=ready]').waitFor();
    return { page };
  }

  /** Lets the page reach other networks, as its user would. Without it, a browser without a screen denies. */
  const permit = (page, origin) => page.context().grantPermissions(['local-network-access'], { origin });

  /** Runs, and says what the page says. What an earlier run on the page was given is taken back. */
  async function outcome(page, address, { patience = '', bearer = '' } = {}) {
    await page.fill('#address', address);
    const given = [await page.inputValue('#timeout'), await page.inputValue('#bearer'), patience, bearer];
    if (given.some(Boolean)) {
      await settings(page);
      await page.fill('#timeout', String(patience));
      await page.fill('#bearer', bearer);
    }
    await page.click('#run');
    await finished(page, 90_000);
    return said(page);
  }

  async function said(page) {
    const lamps = await page
      .locator('#way [data-stage]')
      .evaluateAll((all) => all.map(({ dataset }) => `${dataset.stage} ${dataset.light}`));
    const shown = (await page.locator('#reach').count()) > 0;
    const text = async (id) => ((await page.locator(id).count()) ? (await page.locator(id).innerText()).trim() : '');
    const clean = (line) => line.replaceAll(/127\.0\.0\.1:\d+/g, 'agent').replaceAll(/port \d{5}\b/g, 'port N');
    return {
      reason: shown ? await page.getAttribute('#reach', 'data-reason') : null,
      title: clean(await text('#reach-title')),
      action: shown ? await page.locator('#reach-action').innerText() : '',
      lamps: lamps.join(', '),
      likeliest: shown && (await page.locator('#reach-causes li').count()) ? clean(await page.locator('#reach-causes li').first().innerText()) : '',
      primary: await page.locator(ONLY_ONE).count(),
      failed: (await chips(page)).fail,
      passed: (await chips(page)).pass > 0,
      level: await page.getAttribute('#verdict', 'data-level'),
    };
  }

  /** What holds for every row, and the row itself. */
  function keep(name, row) {
    assert.equal(row.failed, 0, `${name}: a check is marked as failed`);
    assert.ok(row.primary <= 1, `${name}: ${row.primary} primary actions`);
    if (row.reason) assert.equal(row.primary, 1, `${name}: no primary action`);
    outcomes[name] = row;
  }

  // Side by side, each with an agent of its own: what one makes an agent do, another would see in its list of tasks. Most of
  // these runs end at once, so that a fresh page would cost more than the run: each takes one that another has done with.
  const idle = [];
  let healthy;
  const faults = Object.keys(FAULTS).map((name) =>
    t.test(`fault ${name}`, async (t) => {
      const { origin, seen } = await startFault(t, name, (await startAgent(t)).origin);
      const page = idle.pop() ?? (await open()).page;
      const bearer = name === 'no-authorization' ? 'canary-5d1e' : undefined;
      const row = await outcome(page, origin, { patience: PATIENCE[name], bearer });
      if (name === 'none') healthy = { row, seen };
      keep(name, row);
      idle.push(page);
    }),
  );
  await Promise.all(faults);

  await t.test('a healthy agent sees nothing of a diagnosis', () => {
    const { row, seen } = healthy;
    assert.equal(row.reason, null);
    assert.equal(row.level, 'full');
    assert.deepEqual(seen.filter(({ mode }) => mode === 'no-cors'), []);
    assert.deepEqual(seen.filter(({ method, url }) => method === 'GET' && url === '/'), []);
    assert.ok(seen.filter(({ url }) => url.includes('agent-card.json')).length <= 3);
  });

  await t.test('nothing there, in all its forms', async (t) => {
    const { page } = await open();
    keep('port-refused', await outcome(page, `http://127.0.0.1:${await closedPort()}`));
    keep('name-unknown', await outcome(page, 'http://no-such-host.invalid'));
    keep('no-http', await outcome(page, await startBanner(t)));
    keep('bad-port', await outcome(page, 'http://127.0.0.1:6667'));
    const plain = await startFault(t, 'none', agent.origin);
    keep('https-to-plain', await outcome(page, plain.origin.replace('http:', 'https:')));
    const tls = selfSigned();
    assert.ok(tls, 'openssl is needed for a certificate');
    const secure = await startFault(t, 'none', agent.origin, { tls });
    keep('self-signed', await outcome(page, secure.origin));
    keep('http-to-tls', await outcome(page, secure.origin.replace('https:', 'http:')));
    const other = await startFault(t, 'none', agent.origin, { tls: selfSigned('elsewhere.example') });
    keep('other-name', await outcome(page, other.origin));
  });

  await t.test('an extension of the browser that blocks', async (t) => {
    const { origin } = await startFault(t, 'none', agent.origin);
    const { page } = await open();
    await page.route(`${origin}/**`, (route) => route.abort('blockedbyclient'));
    keep('blocked-by-client', await outcome(page, origin));
  });

  await t.test('the address that stands for every address', async (t) => {
    const { port } = await startFault(t, 'none', agent.origin);
    const { page } = await open();
    await page.fill('#address', `http://0.0.0.0:${port}`);
    assert.match(await page.locator('#preview').innerText(), /127\.0\.0\.1/);
    keep('unspecified-typed', await outcome(page, `http://0.0.0.0:${port}`));
    // Agents that print where they listen, instead of where they are called, are common.
    const everywhere = await startFault(t, 'none', agent.origin, { advertise: `http://0.0.0.0:${await closedPort()}` });
    const visitor = await openPublic({ permission: 'granted' });
    keep('unspecified-advertised', await outcome(visitor.page, everywhere.origin));
  });

  await t.test('a browser that is offline', async () => {
    const { page, context } = await open();
    // Without the checker, which is fetched when somebody is about to need it, the page could only say that it lacks it.
    await withChecker(page);
    await context.setOffline(true);
    keep('offline', await outcome(page, 'http://agent.example'));
  });

  await t.test('addresses that no browser calls are refused before anything is sent', async () => {
    const { page, watched } = await open();
    for (const [typed, part] of [
      ['http://user:canary@127.0.0.1:1/', 'credentials'],
      ['javascript:alert(1)', 'scheme'],
      ['data:text/html,x', 'scheme'],
      ['ftp://h/', 'scheme'],
    ]) {
      await page.fill('#address', typed);
      await page.click('#run');
      assert.match((await page.locator('#problem').innerText()).toLowerCase(), new RegExp(part), typed);
    }
    assertOnlyAsked(watched, [served.origin]);
    assert.ok(!page.url().includes('canary'));
  });

  await t.test('a page whose own policy forbids the request', async () => {
    const policy = "default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; connect-src 'self'";
    const { page } = await openPublic({ policy });
    keep('policy', await outcome(page, 'https://agent.example'));
  });

  await t.test('a page of https and an agent of http', async () => {
    const { page } = await openPublic();
    keep('mixed-content', await outcome(page, 'http://agent.example'));
  });

  await t.test('a public page and an agent on this machine', async (t) => {
    const { origin } = await startFault(t, 'none', agent.origin);
    const denied = await openPublic();
    keep('permission-denied', await outcome(denied.page, origin));
    // The user changes their mind: the page runs again by itself.
    const runs = Number(await denied.page.getAttribute('#verdict', 'data-run'));
    await permit(denied.page, PUBLIC);
    await denied.page.locator(`#verdict[data-run="${runs + 1}"]`).waitFor({ timeout: 5_000 });
    await finished(denied.page);
    keep('permission-granted-later', await said(denied.page));
    const granted = await openPublic({ permission: 'granted' });
    keep('permission-granted', await outcome(granted.page, origin));
    const insecure = await openPublic({ origin: 'http://checker.example' });
    keep('permission-insecure', await outcome(insecure.page, origin));
  });

  await t.test('while the browser asks its user, the page says so and no clock runs', async (t) => {
    const { origin } = await startFault(t, 'none', agent.origin);
    const { page } = await openPublic({
      permission: 'granted',
      // A browser without a screen asks nobody: this one asks the test.
      script: () => {
        // The permission is made up in the page, and not in a worker.
        delete globalThis.Worker;
        const query = navigator.permissions.query.bind(navigator.permissions);
        const asking = { state: 'prompt', onchange: null };
        navigator.permissions.query = async (what) => (what.name === 'loopback-network' ? asking : query(what));
        const { fetch } = globalThis;
        let allow;
        const allowed = new Promise((resolve) => (allow = resolve));
        globalThis.fetch = async (asked, ...more) => {
          const isOurs = new URL(asked.url ?? asked, location.href).origin === location.origin;
          if (!isOurs) await allowed;
          return fetch(asked, ...more);
        };
        globalThis.answerThePrompt = () => {
          asking.state = 'granted';
          allow();
          asking.onchange?.();
        };
      },
    });
    await page.fill('#address', origin);
    await settings(page);
    // The wait is longer than the patience.
    await page.fill('#timeout', '2');
    await page.click('#run');
    await page.locator('[data-stage=permission][data-light=asking]').waitFor({ timeout: 1_000 });
    assert.match(await page.locator('#stage').innerText(), /Waiting for you.*Allow/);
    await page.waitForTimeout(3_000);
    assert.match(await page.locator('#progress-text').innerText(), /^0 s/);
    await page.evaluate(() => globalThis.answerThePrompt());
    await page.locator('[data-stage=read][data-light=open]').waitFor({ timeout: 5_000 });
    await page.click('#stop');
  });

  await t.test('a blocked agent is explained without an accessibility fault, in both colours and on a phone', async (t) => {
    const { origin } = await startFault(t, 'no-allow-origin', agent.origin);
    for (const colorScheme of ['light', 'dark']) {
      for (const [width, height] of [[1280, 900], [360, 740]]) {
        const { page } = await open(undefined, { colorScheme, viewport: { width, height }, reducedMotion: 'reduce' });
        await outcome(page, origin);
        for (const fold of ['#reach-evidence', '#reach-local']) await page.locator(`${fold} > summary`).click();
        assert.deepEqual(await axe(page), [], `${colorScheme} ${width}`);
        const wide = await overflow(page);
        assert.ok(wide <= 0, `${wide} px too wide`);
      }
    }
  });

  await t.test('the fix names this page, for every stack, and the choice is kept', async (t) => {
    const { origin } = await startFault(t, 'no-allow-origin', agent.origin);
    const { page } = await open();
    await settings(page);
    await page.fill('#headers', 'X-Api-Key: canary-77');
    await outcome(page, origin);
    const stacks = await page.locator('#stack option').evaluateAll((all) => all.map(({ value }) => value));
    assert.equal(stacks.length, 10);
    for (const stack of stacks) {
      await page.selectOption('#stack', stack);
      const snippet = await page.locator('#snippet').innerText();
      for (const part of [served.origin, 'a2a-version', 'authorization', 'www-authenticate', 'x-api-key']) {
        assert.ok(snippet.includes(part), `${stack}: ${part}`);
      }
      assert.ok(!snippet.includes('canary'), stack);
    }
    await page.reload();
    await page.locator('html[data-start=ready]').waitFor();
    await outcome(page, origin);
    assert.equal(await page.inputValue('#stack'), stacks.at(-1));
  });

  if (process.env.UPDATE_OUTCOMES) writeFileSync(OUTCOMES, `${JSON.stringify(outcomes, null, 2)}\n`);
  const reviewed = JSON.parse(readFileSync(OUTCOMES, 'utf8'));
  await t.test('the table of outcomes has the reviewed rows', () => {
    assert.deepEqual(Object.keys(outcomes), Object.keys(reviewed));
  });
  for (const [name, row] of Object.entries(outcomes)) {
    await t.test(`the outcome of ${name} is the reviewed one`, () => assert.deepEqual(row, reviewed[name]));
  }
});
