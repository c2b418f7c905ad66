// The release page and agents behind credentials: each kind is checked fully, people sign in at a real authorization server,
// nothing secret goes where the user did not agree to, and afterwards it is found nowhere.

import assert from 'node:assert/strict';
import test from 'node:test';
import { OTHERS, SECRETS, startAuthorizationServer, startBystander, startGate, traces } from '../foreign/authenticating_proxy.mjs';
import { counted, finished, rows, runAgainst, save, unfold } from './page.mjs';
import { AT_ONCE, ONE_INTERFACE, assertQuiet, openPage, startAgent, startBrowser, startServe } from './support.mjs';

/** Browsers report every refusal on their console, and here many calls are refused on purpose. */
const REFUSED = [/responded with a status of 4\d\d/];

/** What is typed for each kind of credentials, by the names of the fields. */
const GIVEN = {
  bearer: () => ({ '#bearer': SECRETS.bearer }),
  basic: () => ({ basic: SECRETS.basic }),
  key: () => ({ 'key:X-Api-Key': SECRETS.key }),
  query: () => ({ 'query:key': SECRETS.query }),
  oauth: ({ origin }) => ({ id: 'me', secret: SECRETS.client, [`allow:${origin}`]: true }),
  openid: ({ origin }) => ({ id: 'me', secret: SECRETS.client, [`allow:${origin}`]: true }),
};

/** The one that is tried on every binding, since it stands in the address. The command line is tried with all kinds on all of them. */
const EVERYWHERE = 'query';

/** The same for a second identity. A header of any name is for those that no card names. */
const SECOND = {
  bearer: { 'second:bearer': OTHERS.bearer },
  basic: { 'second:basic': OTHERS.basic },
  key: { 'second:header': `X-Api-Key: ${OTHERS.key}` },
  query: { 'second:query:key': OTHERS.query },
  oauth: { 'second:id': 'other', 'second:secret': OTHERS.client },
  openid: { 'second:id': 'other', 'second:secret': OTHERS.client },
};

/** How many requests a token is good for: fewer than any run makes, so that each has to be renewed. */
const SOME = 60;

/** The rows that take two identities, by their status. */
async function foreign(page) {
  await unfold(page);
  const all = (await rows(page)).filter(({ check }) => check.startsWith('auth.foreign-') || check === 'list.scoped-to-caller');
  const by = {};
  for (const row of all) (by[row.status] ??= []).push(row);
  return by;
}

async function give(page, fields) {
  if (!(await page.locator('#settings').evaluate((details) => details.open))) {
    const offered = (await page.locator('#give').count()) > 0;
    await page.click(offered ? '#give' : '#settings > summary');
    if (offered) assert.ok(await page.evaluate(() => document.activeElement.matches('#bearer, #settings input[data-key]')));
  }
  await page.locator('#second').evaluate((details) => (details.open = true));
  for (const [name, value] of Object.entries(fields)) {
    const place = name.startsWith('#') ? name : `[data-key="${name}"]`;
    if (value === true) await page.check(`${place} input`);
    else await page.fill(place, value);
    // Some are taken in when they are left.
    await page.locator('#address').focus();
  }
}

async function run(page) {
  await page.click('#run');
  await finished(page);
}

/** Everything was checked, and nothing was found. */
async function assertFull(t, page, kind) {
  const { total, passed } = await counted(page);
  assert.deepEqual((await rows(page)).filter(({ status }) => ['fail', 'advisory'].includes(status)), []);
  assert.equal(JSON.parse((await save(page, 'json')).text).summary.blocked, 0);
  assert.equal(await page.getAttribute('#verdict', 'data-level'), 'full', await page.locator('#verdict').innerText());
  t.diagnostic(`${kind}: ${passed} of ${total} rows pass`);
}

/** No secret is in an export, the URL, the storage, the console or the document. */
async function assertNoTrace(page, watched, { stored = true } = {}) {
  const places = {};
  for (const format of ['json', 'markdown', 'junit', 'ctrf', 'har', 'html', 'badge']) {
    places[format] = (await save(page, format)).text;
  }
  // Some rows are opened: what the detail shows is looked at as well.
  for (const check of ['auth.foreign-get', 'auth.missing-credentials', 'auth.valid-credentials', 'get.returns-task']) {
    await unfold(page);
    const row = page.locator(`tr[data-check^="${check}"] .row-button`).first();
    assert.equal(await row.count(), 1, check);
    await row.click();
    await page.locator('#detail-title').waitFor();
    for (const fold of await page.locator('#detail details:not([open]) > summary').all()) await fold.click();
    places[check] = await page.content();
  }
  places.document = await page.content();
  places.console = watched.console.join('\n');
  const [url, local, session] = await page.evaluate(() =>
    [location.href, { ...localStorage }, { ...sessionStorage }].map((place) => JSON.stringify(place)),
  );
  Object.assign(places, { url, local });
  if (stored) places.session = session;
  for (const [place, text] of Object.entries(places)) assert.deepEqual(traces(text), [], place);
  // The agent sends back what it is asked with, so that there was something to find.
  assert.match(places.json, /"x-echo",\s*"value": "[^"]*\[redacted\]/);
  return session;
}

test('credentials in the page', { concurrency: AT_ONCE }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const { origin: inner } = await startAgent(t, [...ONE_INTERFACE, '--fault', 'protected']);
  const open = async (address, level = 'not-rated') => {
    const opened = await openPage(t, served.origin, { browser });
    await runAgainst(opened.page, address);
    assert.equal(await opened.page.getAttribute('#verdict', 'data-level'), level);
    return opened;
  };

  // Side by side, each with an agent of its own: what one makes an agent do, another would see in its list of tasks.
  const kinds = Object.keys(GIVEN).map((kind) =>
    t.test(`an agent behind ${kind} is checked fully with two identities, and no secret is left`, async (t) => {
      const { origin: inner } = await startAgent(t, [...(kind === EVERYWHERE ? [] : ONE_INTERFACE), '--fault', 'two-users']);
      const server = await startAuthorizationServer(t, { uses: SOME });
      const { page, watched } = await open(await startGate(t, inner, kind, server));
      await give(page, { ...GIVEN[kind](server), ...SECOND[kind] });
      await run(page);
      await assertFull(t, page, kind);
      assert.deepEqual(Object.keys(await foreign(page)), ['pass']);
      if (kind === 'oauth' || kind === 'openid') assert.ok(server.tokens() > 1, 'a token that ran out was not renewed');
      assertQuiet(watched, REFUSED);
      await assertNoTrace(page, watched);
    }),
  );
  await Promise.all(kinds);

  await t.test('somebody signs in: authorization code with PKCE, in a window that comes back', async (t) => {
    for (const kind of ['code', 'openid']) {
      // With one of the kinds a second person signs in as well.
      const persons = kind === 'code' ? ['', 'second:'] : [''];
      const { origin: inner } = await startAgent(t, [...ONE_INTERFACE, '--fault', persons.length > 1 ? 'two-users' : 'protected']);
      const server = await startAuthorizationServer(t, { uses: SOME });
      const { page, watched, context } = await open(await startGate(t, inner, kind, server));
      await give(page, Object.fromEntries(persons.map((person) => [`${person}id`, 'app'])));
      const status = page.locator('[data-sign-in=""] + [role=status]');
      // Not before the user agrees that secrets go to that server.
      await page.click('[data-sign-in=""]');
      await page.getByText(`allow credentials to be sent there`).waitFor();
      assert.ok((await status.innerText()).includes(server.origin));

      await give(page, { [`allow:${server.origin}`]: true });
      for (const person of persons) {
        const [window] = await Promise.all([context.waitForEvent('page'), page.click(`[data-sign-in="${person}"]`)]);
        await window.waitForURL(/\/authorize\?/);
        await Promise.all([window.waitForEvent('close'), window.click('#agree')]);
        await page.locator(`[data-sign-in="${person}"] + [role=status]`).getByText('Signed in').waitFor();
      }
      await run(page);
      await assertFull(t, page, kind);
      assert.deepEqual(Object.keys(await foreign(page)), [persons.length > 1 ? 'pass' : 'skip']);
      assert.ok(server.tokens() > 1, 'the refresh token was not used');
      assertQuiet(watched, REFUSED);
      await assertNoTrace(page, watched);
    }
  });

  await t.test('a window that comes back with another state is not heard', async (t) => {
    const server = await startAuthorizationServer(t, { forge: true });
    const { page, context } = await open(await startGate(t, inner, 'code', server));
    await give(page, { id: 'app', [`allow:${server.origin}`]: true });
    const [window] = await Promise.all([context.waitForEvent('page'), page.click('[data-sign-in=""]')]);
    await window.waitForURL(/\/authorize\?/);
    await Promise.all([window.waitForEvent('close'), window.click('#agree')]);
    await page.waitForTimeout(500);
    assert.equal(await page.inputValue('#bearer'), '');
    assert.equal(server.tokens(), 0);
    assert.equal(await page.locator('[data-sign-in=""] + [role=status]').innerText(), 'Waiting for the other window');
  });

  await t.test('an agent that lets a second identity at the tasks of the first fails the musts', async (t) => {
    const leaks = ['task-listed', 'task-subscribed', 'task-cancelled', 'push-listed', 'push-deleted'];
    const { origin: inner } = await startAgent(t, [...ONE_INTERFACE, ...leaks.flatMap((leak) => ['--fault', `foreign-${leak}`])]);
    const { page, watched } = await open(await startGate(t, inner, 'bearer'));
    await give(page, { ...GIVEN.bearer(), ...SECOND.bearer });
    await run(page);
    const checks = (list = []) => [...new Set(list.map(({ check }) => check))].sort();
    const { fail, pass } = await foreign(page);
    assert.deepEqual(checks(fail), [
      'auth.foreign-cancel',
      'auth.foreign-push',
      'auth.foreign-push-delete',
      'auth.foreign-subscribe',
      'list.scoped-to-caller',
    ]);
    assert.ok(checks(pass).includes('auth.foreign-get'));
    assert.notEqual(await page.getAttribute('#verdict', 'data-level'), 'full');
    assertQuiet(watched, REFUSED);
    await assertNoTrace(page, watched);
  });

  await t.test('somebody confirms a code elsewhere: device flow', async (t) => {
    const server = await startAuthorizationServer(t, { uses: SOME });
    const { page, watched } = await open(await startGate(t, inner, 'device', server));
    await give(page, { id: 'app', [`allow:${server.origin}`]: true });
    await page.click('#run');
    const shown = page.locator('#confirm');
    await shown.waitFor();
    assert.equal(await shown.locator('a').getAttribute('href'), `${server.origin}/device`);
    assert.equal(await shown.locator('code').innerText(), 'WDJB-MJHT');
    await page.waitForTimeout(1500);
    server.agree();
    await finished(page);
    await assertFull(t, page, 'device');
    assert.ok(server.tokens() > 1, 'the refresh token was not used');
    assert.deepEqual(server.faults, []);
    assertQuiet(watched, REFUSED);
    await assertNoTrace(page, watched);
  });

  await t.test('nothing secret goes to another origin before the user agrees', async (t) => {
    const { origin, heard } = await startBystander(t);
    const secret = () => traces(heard.join('\n'));
    // The card leads there.
    const { page } = await open(await startGate(t, inner, 'key', undefined, { elsewhere: origin }), 'non-conformant');
    await give(page, { 'key:X-Api-Key': SECRETS.key });
    heard.length = 0;
    await run(page);
    assert.deepEqual(heard, []);
    assert.match(await page.locator('#verdict-reason').innerText(), new RegExp(origin));
    await give(page, { [`allow:${origin}`]: true });
    await run(page);
    assert.ok(secret().length > 0, 'what is allowed is done');

    // A redirect leads there.
    heard.length = 0;
    const { page: other } = await open(await startGate(t, inner, 'key', undefined, { redirect: origin }), 'non-conformant');
    heard.length = 0;
    await give(other, { 'key:X-Api-Key': SECRETS.key });
    await run(other);
    assert.deepEqual(secret(), []);
    assert.match(await other.locator('#verdict-reason').innerText(), /redirect/);
    assert.deepEqual((await rows(other)).filter(({ status }) => status === 'fail'), []);

    // The card has tokens fetched there.
    const server = await startAuthorizationServer(t);
    const { page: third } = await open(await startGate(t, inner, 'oauth', server));
    await give(third, { id: 'me', secret: SECRETS.client });
    await run(third);
    assert.equal(server.tokens(), 0);
    assert.match(await third.locator('#verdict-reason').innerText(), new RegExp(server.origin));
  });

  await t.test('credentials are kept for this tab only when asked for, and belong to their agent', async (t) => {
    const address = await startGate(t, inner, 'bearer');
    const { page, watched } = await open(address);
    await give(page, GIVEN.bearer());
    await page.getByLabel('Keep them in this tab').check();
    await run(page);
    const session = await assertNoTrace(page, watched, { stored: false });
    assert.ok(session.includes(SECRETS.bearer));

    // After a reload they are back, for that agent only.
    const { origin, heard } = await startBystander(t);
    await page.goto(`${served.origin}/?other#u=${encodeURIComponent(origin)}`);
    await page.locator('html[data-start=ready]').waitFor();
    await page.click('#run');
    await page.getByText('have been put aside').waitFor();
    assert.equal(await page.inputValue('#bearer'), '');
    await run(page);
    assert.deepEqual(traces(heard.join('\n')), []);
    await page.fill('#address', address);
    await run(page);
    await assertFull(t, page, 'kept');

    await give(page, {});
    await page.getByLabel('Keep them in this tab').uncheck();
    const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
    assert.deepEqual(traces(stored), []);
  });
});
