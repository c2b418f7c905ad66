// The form of the release page, and its copy buttons: also where browsers have no clipboard for it, which is the case on
// every http origin that is not this machine.

import assert from 'node:assert/strict';
import test from 'node:test';
import { CHROMIUM_FLAGS, assertQuiet, openPage, overflow, startAgent, startBrowser, startServe } from './support.mjs';
import { finished, row, runAgainst, settings, share } from './page.mjs';

/** A name that is not a loopback name, and that only the browser knows. */
const HOST = 'page.test';

test('the form', async (t) => {
  const served = await startServe(t);
  const agent = await startAgent(t);
  const browser = await startBrowser(t, { args: [...CHROMIUM_FLAGS, `--host-resolver-rules=MAP ${HOST} 127.0.0.1`] });
  const open = (origin = served.origin, context = {}) => openPage(t, `${origin}/`, { browser, context });
  const elsewhere = served.origin.replace(/\/\/[^:]+/, `//${HOST}`);
  const demo = async (page) => {
    await page.locator('html[data-start=ready]').waitFor();
    await page.click('#demo');
    await finished(page);
    await share(page);
  };
  const said = (page) => page.locator('.copy:has(#copy-link) .said');

  await t.test('copies where browsers have no clipboard for pages', async () => {
    const { page, watched } = await open(elsewhere);
    assert.equal(await page.evaluate(() => isSecureContext || 'clipboard' in navigator), false);
    await demo(page);
    await page.click('#copy-link');
    await said(page).getByText('Copied').waitFor();
    assert.equal(await page.locator('.to-copy').count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'copy-link', 'the focus stays');
    await page.keyboard.press('Escape');
    await page.focus('#filter-text');
    await page.keyboard.press('Control+V');
    assert.ok((await page.inputValue('#filter-text')).startsWith(`${elsewhere}/`));
    assertQuiet(watched);
  });

  await t.test('leaves the text selected where nothing may be copied for its visitor', async () => {
    const { page, watched } = await open(elsewhere);
    await demo(page);
    await page.evaluate(() => {
      document.execCommand = () => false;
    });
    await page.click('#copy-link');
    await said(page).getByText('Press Ctrl+C').waitFor();
    const selected = await page.locator('.to-copy').evaluate((area) => [
      area === document.activeElement,
      area.value.slice(area.selectionStart, area.selectionEnd),
    ]);
    assert.equal(selected[0], true);
    assert.ok(selected[1].startsWith(`${elsewhere}/`));
    await page.keyboard.press('Tab');
    assert.equal(await page.locator('.to-copy').count(), 0, 'it goes when it is left');
    assertQuiet(watched);
  });

  await t.test('moves nothing when it says that something was copied', async () => {
    for (const width of [1280, 360]) {
      const { page, context } = await open(served.origin, { viewport: { width, height: 800 } });
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await demo(page);
      // Until the run is among those to compare with, a line of the list is still to come.
      await page.locator('#compare-list li').waitFor({ state: 'attached' });
      // Browsers differ in whether a folded element has a place.
      const places = () =>
        page.evaluate(() =>
          [...document.querySelectorAll('button, table, h2')].filter((part) => part.checkVisibility()).map((part) => part.getBoundingClientRect().top),
        );
      await page.locator('#copy-link').scrollIntoViewIfNeeded();
      const before = await places();
      await page.click('#copy-link');
      await said(page).getByText('Copied').waitFor();
      assert.deepEqual(await places(), before, `${width} px`);
      const wide = await overflow(page);
      assert.ok(wide <= 0, `${wide} px too wide at ${width} px`);
    }
  });

  await t.test('says what it makes of what is typed, and marks what it refuses', async () => {
    const { page } = await open();
    await page.locator('html[data-start=ready]').waitFor();
    const address = page.locator('#address');
    for (const [typed, first] of [
      [':8080', 'http://localhost:8080/.well-known/agent-card.json'],
      ['http:/agent.test', 'http://agent.test/.well-known/agent-card.json'],
      ['http//agent.test', 'http://agent.test/.well-known/agent-card.json'],
    ]) {
      await address.fill(typed);
      await page.locator('#card-url', { hasText: first }).waitFor();
    }
    await address.fill('agent.test?x=1');
    await page.locator('#unused', { hasText: '?x=1 is left out' }).waitFor();

    await address.fill('two words');
    await page.locator('#preview', { hasText: 'contains a space' }).waitFor();
    assert.equal(await address.getAttribute('aria-invalid'), 'false', 'while somebody types');
    await page.click('#run');
    await page.locator('#address[aria-invalid=true]').waitFor();
    const described = (await address.getAttribute('aria-describedby')).split(' ');
    const words = await page.evaluate((ids) => ids.map((id) => document.getElementById(id).innerText).join(' '), described);
    assert.match(words, /contains a space/);
    await address.fill('agent.test');
    await page.locator('#address[aria-invalid=false]').waitFor();
  });

  await t.test('takes address and headers out of a curl command', async () => {
    const { page } = await open();
    await page.locator('html[data-start=ready]').waitFor();
    await page.fill('#address', `curl -X POST '${agent.origin}/rpc' -H 'Content-Type: application/json' -H 'X-Api-Key: canary' -d '{}'`);
    assert.equal(await page.inputValue('#address'), `${agent.origin}/rpc`);
    await page.locator('#taken', { hasText: 'the address and X-Api-Key' }).waitFor();
    await settings(page);
    assert.equal(await page.inputValue('#headers'), 'X-Api-Key: canary');
  });

  await t.test('judges a card that is pasted, without a call', async () => {
    const { page, watched } = await open();
    await page.locator('html[data-start=ready]').waitFor();
    const card = await (await fetch(`${agent.origin}/.well-known/agent-card.json`)).text();
    await page.fill('#address', card);
    await page.locator('#preview', { hasText: 'An agent card' }).waitFor();
    await page.click('#run');
    await finished(page);
    assert.equal(await row(page, 'card.required-fields'), 'pass');
    assert.equal(await page.locator('#way').count(), 0);
    assert.deepEqual(watched.requests.filter((url) => url.startsWith(agent.origin)), []);
    assert.ok(!page.url().includes('protocolVersion'), 'the card is not in the link');
  });

  await t.test('makes a test call, and says how a token was refused', async () => {
    const locked = await startAgent(t, ['--fault', 'protected']);
    const { page } = await open();
    await page.locator('html[data-start=ready]').waitFor();
    await page.fill('#address', locked.origin);
    await settings(page);
    await page.fill('#bearer', 'not-the-token');
    await page.click('#test-call');
    await page.locator('#test-call-result', { hasText: 'Your token was refused (HTTP 401' }).waitFor();
    assert.equal(await page.locator('#verdict').count(), 0, 'nothing else changes');
    await runAgainst(page, locked.origin);
    assert.equal(await page.locator('[data-stage=write]').getAttribute('data-light'), 'turned-away');
    // Only what the card asks for, and what was typed.
    assert.equal(await page.locator('#headers').isVisible(), false);
    await settings(page);
    await page.click('#all-credentials');
    assert.equal(await page.locator('#headers').isVisible(), true);

    await page.fill('#address', agent.origin);
    await page.fill('#bearer', '');
    await page.click('#test-call');
    await page.locator('#test-call-result', { hasText: 'was answered' }).waitFor();
  });
});
