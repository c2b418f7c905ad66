// The first screen after a run: where what to fix begins, how many controls stand before it, what an entry says, that a place is kept
// when a detail is closed, and that nothing moves when a run ends.

import assert from 'node:assert/strict';
import test from 'node:test';
import { finished, runAgainst } from './page.mjs';
import { ONE_INTERFACE, PROFILE, assertQuiet, axe, cli, openPage, overflow, start, startAgent, startBrowser, startServe } from './support.mjs';

const DESK = { viewport: { width: 1280, height: 800 } };
/** A projector of 1920 x 1080 at 200 %. */
const PROJECTOR = { viewport: { width: 960, height: 540 }, deviceScaleFactor: 2 };
const PHONE = { viewport: { width: 360, height: 800 }, hasTouch: true };

/** An agent with more findings than are listed at first. */
const MANY = [
  'cancel-terminal-wrong-code', 'stream-two-payloads', 'error-stack-trace', 'list-by-offset', 'get-wrapped', 'get-missing-id-accepted',
  'timestamps-seconds', 'card-empty-skills', 'card-bad-documentation-url', 'history-unbounded', 'list-oldest-first',
].flatMap((fault) => ['--fault', fault]);

const focused = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
const box = (page, selector) => page.locator(selector).first().boundingBox();
const scrolled = (page) => page.evaluate(() => Math.round(scrollY));

/** Waits until the page has drawn what was changed last. */
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))));

/** Notes what moves once the plan is shown. What moves until then answers the click; a busy browser is late with it. */
function watchShifts() {
  globalThis.shifts = [];
  let isPlanned = false;
  new PerformanceObserver((list) => {
    if (!isPlanned) {
      isPlanned = document.querySelector('#verdict .grid table') !== null;
      return;
    }
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (!hadRecentInput) globalThis.shifts.push([value, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 60) ?? node?.nodeName)]);
    }
  }).observe({ type: 'layout-shift' });
}

/** What can be pressed, typed in or chosen in the first 800 px of the page. */
const controls = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
      .filter((control) => !control.disabled && control.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((control) => {
        const { top, bottom, width } = control.getBoundingClientRect();
        return width > 1 && bottom > 0 && top < 800;
      })
      .map((control) => control.id || control.textContent.trim().slice(0, 30)),
  );

test('the first screen after a run', { timeout: 300_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const agent = await startAgent(t, MANY);
  const visit = async (context) => {
    const { page, watched } = await openPage(t, `${served.origin}/`, { browser, context: { ...PROFILE, ...context } });
    await page.locator('html[data-start=ready]').waitFor();
    return { page, watched };
  };
  const checked = async (context) => {
    const visited = await visit(context);
    await runAgainst(visited.page, agent.origin);
    await drawn(visited.page);
    return visited;
  };

  await t.test('what to fix begins above y = 350, with at most 25 controls in the first 800 px', async (t) => {
    const { page } = await checked(DESK);
    const { y } = await box(page, '#findings');
    const all = await controls(page);
    t.diagnostic(`what to fix at y = ${Math.round(y)}, ${all.length} controls in the first 800 px: ${all.join(' | ')}`);
    assert.ok(y < 350, `y = ${y}`);
    assert.ok(all.length <= 25, `${all.length}: ${all.join(' | ')}`);
    const { page: conformant } = await visit(DESK);
    await conformant.click('#demo');
    await finished(conformant);
    const of = await controls(conformant);
    t.diagnostic(`${of.length} controls where nothing is to be fixed: ${of.join(' | ')}`);
    assert.ok(of.length <= 25, `${of.length}: ${of.join(' | ')}`);
  });

  await t.test('its first entry is in sight on a projector at 200 %, and on a phone within one swipe', async (t) => {
    for (const [name, context] of Object.entries({ PROJECTOR, PHONE })) {
      const { page } = await checked(context);
      // A phone has room for its beginning.
      const { y, height } = await box(page, name === 'PHONE' ? '[data-finding] .finding-message' : '[data-finding]');
      t.diagnostic(`${name}: the first entry from ${Math.round(y)} to ${Math.round(y + height)}`);
      assert.ok(y + height <= context.viewport.height, `${name}: ${y} + ${height}`);
      assert.equal(await overflow(page), 0);
    }
  });

  await t.test('nothing moves when the run ends', async (t) => {
    for (const [name, context] of Object.entries({ DESK, PROJECTOR, PHONE })) {
      for (const run of [(page) => runAgainst(page, agent.origin), (page) => page.click('#demo'), (page) => page.click('#demo-faulty')]) {
        const { page } = await visit(context);
        await page.evaluate(watchShifts);
        await run(page);
        await finished(page);
        await drawn(page);
        const shifts = await page.evaluate(() => globalThis.shifts);
        const sum = shifts.reduce((sum, [value]) => sum + value, 0);
        t.diagnostic(`${name}, ${await page.locator('.subject').innerText()}: ${sum.toFixed(4)}`);
        assert.ok(sum <= 0.02, `${name}: ${sum} ${JSON.stringify(shifts, null, 1)}`);
      }
    }
  });

  await t.test('the fix is in sight when a finding is opened', async (t) => {
    const { page } = await checked(DESK);
    for (const at of [0, 1, 2, 3]) {
      await page.locator('.finding-open').nth(at).click();
      await page.locator('#fix:not(:empty)').waitFor();
      await drawn(page);
      const { y, height } = await box(page, '#fix');
      t.diagnostic(`${await page.locator('#detail .ids code').innerText()}: the fix from ${Math.round(y)} to ${Math.round(y + height)}`);
      assert.ok(y > 0 && y + height <= 800, `${y} + ${height}`);
      const order = await page.evaluate(() => {
        const tops = ['#detail-title', '#actual', '#fix', '#again-check', '#why'].map((part) => document.querySelector(part).getBoundingClientRect().top);
        return tops.every((top, at) => at === 0 || tops[at - 1] < top);
      });
      assert.ok(order, 'title, received, fix, buttons, reason');
    }
  });

  await t.test('a detail that is closed gives back the focus and the place', async (t) => {
    for (const context of [DESK, PHONE]) {
      const { page } = await checked(context);
      for (const close of [() => page.click('#detail-close'), () => page.keyboard.press('Escape')]) {
        const opener = page.locator('.finding-open').nth(2);
        await opener.evaluate((button) => scrollTo(0, button.getBoundingClientRect().top + scrollY - 300));
        const [before, id] = [await scrolled(page), await opener.getAttribute('id')];
        await opener.click();
        await page.locator('#fix:not(:empty)').waitFor();
        await drawn(page);
        await close();
        await page.locator('#detail-title').waitFor({ state: 'detached' });
        await drawn(page);
        const after = await scrolled(page);
        t.diagnostic(`${context.viewport.width} px: ${Math.abs(after - before)} px away, focus on ${await focused(page)}`);
        assert.ok(Math.abs(after - before) <= 2, `${before} ${after}`);
        assert.ok(id && (await focused(page)) === id, `${await focused(page)} instead of ${id}`);
      }
    }
  });

  await t.test('Enter goes to the heading of the detail, which is one Tab from its buttons, and says where one is', async () => {
    const { page, watched } = await checked(DESK);
    const opener = page.locator('.finding-open').first();
    assert.equal(await opener.getAttribute('aria-expanded'), 'false');
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.locator('#fix:not(:empty)').waitFor();
    await drawn(page);
    assert.equal(await focused(page), 'detail-title');
    assert.equal(await opener.getAttribute('aria-expanded'), 'true');
    assert.match(await page.locator('#announce').textContent(), /^Finding 1 of \d+: /);
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate(() => document.querySelector('#detail').contains(document.activeElement)));

    const title = await page.locator('#detail-title').innerText();
    assert.equal(await page.locator('#finding-previous').isDisabled(), true, 'there is none before the first');
    await page.click('#finding-next');
    await page.waitForFunction((before) => document.querySelector('#detail-title').innerText !== before, title);
    await drawn(page);
    assert.equal(await focused(page), 'finding-next', 'so that it can be pressed again');
    assert.match(await page.locator('#announce').textContent(), /^Finding 2 of \d+: /);
    await page.click('#finding-previous');
    await page.waitForFunction((before) => document.querySelector('#detail-title').innerText === before, title);
    await page.click('#finding-next');
    await drawn(page);
    await page.keyboard.press('Escape');
    await drawn(page);
    assert.equal(await focused(page), await page.locator('.finding-open').nth(1).getAttribute('id'), 'the entry of what was shown last');
    assert.deepEqual(await axe(page), []);
    assertQuiet(watched);
  });

  await t.test('a cell of the picture brings the list that it narrows into view', async () => {
    for (const context of [DESK, PHONE]) {
      const { page } = await checked(context);
      await page.locator('.cell[data-status=fail]').first().click();
      await page.locator('.cell[aria-pressed=true]').waitFor();
      await page.locator('tr[data-check]').first().waitFor();
      await page.waitForTimeout(300);
      const { y, height } = await box(page, 'tr[data-check]');
      assert.ok(y > 0 && y + height < context.viewport.height, `${context.viewport.width} px: the first line is at ${y}`);
    }
  });

  await t.test('an entry says what came instead of what, and what to do, also beside a detail', async () => {
    const { page } = await checked(DESK);
    const entries = page.locator('#findings [data-finding]');
    const read = () =>
      entries.evaluateAll((all) =>
        all.map((entry) => ['.finding-message', '.finding-fix'].map((part) => entry.querySelector(part).textContent.trim())));
    const told = await read();
    for (const [message, fix] of told) {
      assert.match(message, /\S.*[.!?]$/);
      assert.doesNotMatch(message, /^expected/);
      assert.match(fix, /\S.*[.!?]$/);
    }
    await page.locator('.finding-open').first().click();
    await page.locator('#fix:not(:empty)').waitFor();
    assert.deepEqual(await read(), told);
    assert.ok(await entries.first().locator('.finding-message').isVisible());
  });
});

test('credentials that are asked for', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const agent = await startAgent(t, ['--fault', 'protected']);
  const { page } = await openPage(t, `${served.origin}/`, { browser, context: DESK });
  await runAgainst(page, agent.origin);

  assert.ok(await page.locator('#give').evaluate((button) => button.matches('.primary')), 'what helps is the button to press');
  assert.equal(await page.locator('.primary:visible').count(), 1);
  await page.click('#give');
  await page.fill('#bearer', 'wrong');
  await page.keyboard.press('Enter');
  await finished(page);
  const { y } = await box(page, '#verdict');
  t.diagnostic(`the verdict is at y = ${Math.round(y)}`);
  assert.ok(y < 200, `the form has folded: ${y}`);
  assert.notEqual(await focused(page), 'BODY');
});

test('an author who goes on working', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const first = await startAgent(t, ONE_INTERFACE);
  const port = new URL(first.origin).port;
  const { page } = await openPage(t, `${served.origin}/`, { browser, context: DESK });

  await t.test('is told what differs from the last run of the agent', async () => {
    await runAgainst(page, first.origin);
    assert.equal(await page.locator('#since').innerText(), '', 'it is the first run');
    await page.waitForFunction(() => document.querySelectorAll('#compare-list li').length === 1);
    await page.click('#run');
    await finished(page);
    await page.locator('#since', { hasText: 'Since your last run of this agent: nothing changed' }).waitFor();
  });

  await t.test('has it checked again when it was started again', async () => {
    await page.locator('#follow input').check();
    // Looked at once, so that what comes then is a change.
    await page.waitForTimeout(4_000);
    const runs = await page.getAttribute('#verdict', 'data-run');
    await first.stop();
    await page.waitForTimeout(4_000);
    assert.equal(await page.getAttribute('#verdict', 'data-run'), runs, 'an agent that is gone is not run against');
    await start(t, cli(), ['agent', '--listen', `127.0.0.1:${port}`, ...ONE_INTERFACE, '--fault', 'get-unknown-internal']);
    await page.locator(`#verdict[data-run="${Number(runs) + 1}"]`).waitFor();
    await finished(page);
    await page.locator('#since', { hasText: 'Since your last run of this agent: 1 newly broken' }).waitFor();
    assert.ok(await page.locator('#follow input').isChecked(), 'it goes on');
    assert.deepEqual(await axe(page), []);
  });

  await t.test('is offered nothing of that for an agent elsewhere', async () => {
    const { page: other } = await openPage(t, `${served.origin}/`, { browser, context: DESK });
    await other.click('#demo');
    await finished(other);
    assert.equal(await other.locator('#follow').isVisible(), false);
  });
});
