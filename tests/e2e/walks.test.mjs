// Five people's tasks, walked on the release page from beginning to end: what each presses, types and swipes, and how long it takes. The
// presses are held, the seconds are printed: those of a busy machine say nothing of the page.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { finished } from './page.mjs';
import { ONE_INTERFACE, PROFILE, ROOT, assertQuiet, download, openPage, overflow, start, startAgent, startBrowser, startServe } from './support.mjs';

const PYTHON = process.env.A2A_PYTHON ?? 'python3';

/** The line that a first-time author forgets: the task is not enqueued before its updates. */
const FORGOTTEN = 'await event_queue.enqueue_event(new_task_from_user_message(context.message))';
const DESK = { viewport: { width: 1280, height: 800 } };
/** A projector of 1920 x 1080 at 200 %. */
const PROJECTOR = { viewport: { width: 960, height: 540 }, deviceScaleFactor: 2 };
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 3 };

/** Counts what somebody does, and says it at the end. */
class Walk {
  constructor(t, page, who) {
    Object.assign(this, { t, page, who, did: [], began: performance.now() });
  }

  async press(selector) {
    const target = this.page.locator(selector).first();
    await target.waitFor();
    this.did.push(`press "${(await target.innerText()).split('\n')[0].slice(0, 60) || selector}"`);
    await (this.who === 'phone' ? target.tap() : target.click());
  }

  async paste(selector, text) {
    this.did.push('paste');
    await this.page.locator(selector).fill(text);
  }

  async swipe(pixels) {
    this.did.push(`swipe ${pixels} px`);
    await this.page.mouse.wheel(0, pixels);
    await this.page.waitForTimeout(100);
  }

  async back() {
    this.did.push('back');
    await this.page.goBack();
  }

  async key(key) {
    this.did.push(`key ${key}`);
    await this.page.keyboard.press(key);
    // Code that moves the focus does so with the next frame.
    await this.page.waitForTimeout(60);
  }

  end(most) {
    const seconds = ((performance.now() - this.began) / 1000).toFixed(1);
    this.t.diagnostic(`${this.who}: ${this.did.length} actions in ${seconds} s: ${this.did.join(', ')}`);
    assert.ok(this.did.length <= most, `${this.did.length} actions: ${this.did.join(', ')}`);
  }
}

/** Whether a part is in sight as a whole. */
const inSight = (page, selector) =>
  page.locator(selector).first().evaluate((part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

test('five people', { timeout: 600_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const visit = async (context, fragment = '') => {
    const { page, watched } = await openPage(t, `${served.origin}/${fragment}`, { browser, context: { ...PROFILE, ...context } });
    await page.locator('html[data-start=ready]').waitFor();
    return { page, watched };
  };

  await t.test('a first-time author with a broken agent comes to the line of code, and sees that it is mended', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'a2a-walk-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const sound = await readFile(join(ROOT, 'tests/foreign/python-sdk/agent.py'), 'utf8');
    const file = join(folder, 'agent.py');
    await writeFile(file, sound.replace(FORGOTTEN, 'pass'));
    const broken = await start(t, PYTHON, [file]);
    const { page, watched } = await visit(DESK);
    const walk = new Walk(t, page, 'author');
    await walk.paste('#address', broken.origin);
    await walk.press('#run');
    await finished(page);
    assert.match(await page.locator('#verdict').innerText(), /Not conformant[^]*1 required rule broken/);
    const first = page.locator('[data-finding]').first();
    assert.ok(await inSight(page, '[data-finding]'));
    assert.match(await first.innerText(), /Agent should enqueue Task before/);
    assert.ok((await first.innerText()).includes(FORGOTTEN), `the line of code is in sight without a press: ${await first.innerText()}`);
    await walk.press('.finding-open');
    await page.locator('#fix:not(:empty)').waitFor();
    assert.ok((await page.locator('#fix').innerText()).includes(FORGOTTEN));
    await walk.press('#follow input');
    // Long enough for the page to have seen the card of the agent that runs.
    await page.waitForTimeout(3_000);
    const { port } = new URL(broken.origin);
    await broken.stop();
    // An author edits meanwhile.
    await page.waitForTimeout(2_000);
    await writeFile(file, sound);
    await start(t, PYTHON, [file, '--port', port]);
    await page.locator('#verdict', { hasText: 'Since your last run of this agent' }).waitFor({ timeout: 240_000 });
    await finished(page, 240_000);
    assert.match(await page.locator('#since').innerText(), /[1-9]\d* fixed/);
    assert.doesNotMatch(await page.locator('#findings').innerText(), /Agent should enqueue Task before/);
    walk.end(4);
    assertQuiet(watched, [/Failed to load resource|ERR_CONNECTION_REFUSED|CORS/]);
  });

  await t.test('a workshop leader sees on a projector who has to do what', async (t) => {
    const faults = ['rpc-version-missing', 'get-wrapped', 'list-by-offset', 'history-unbounded', 'timestamps-seconds'];
    const agents = await Promise.all(
      Array.from({ length: 20 }, (_, index) => startAgent(t, [...ONE_INTERFACE, ...(faults[index] ? ['--fault', faults[index]] : [])])),
    );
    const { page, watched } = await visit(PROJECTOR);
    const walk = new Walk(t, page, 'leader');
    await walk.press('#several-open');
    await walk.paste('#several-list', agents.map(({ origin }) => origin).join('\n'));
    await walk.press('#several-run');
    const done = () => !document.querySelector('#several-agents tbody tr:is([data-status=running], [data-status=pending])');
    await page.locator('#several-agents tbody tr').nth(19).waitFor();
    await page.waitForFunction(done, undefined, { timeout: 300_000 });
    assert.ok((await inSight(page, '.total')) && (await inSight(page, '#several-agents tbody tr')), 'totals and table are in sight');
    await walk.press('.total[data-status=fail]');
    assert.ok((await page.locator('#several-agents tbody tr').count()) >= 4);
    await walk.press('#several-agents tbody tr [data-act]');
    await page.locator('[data-finding]').first().waitFor();
    await walk.back();
    await page.locator('#several-agents tbody tr').first().waitFor();
    const file = await download(page, () => walk.press('#several-json'));
    assert.equal(JSON.parse(file.text).agents?.length ?? JSON.parse(file.text).reports?.length, 20);
    walk.end(8);
    assertQuiet(watched);
  });

  await t.test('the receiver of a link knows what it asks before anything is sent, and has a verdict with one press', async (t) => {
    const agent = await startAgent(t, [...ONE_INTERFACE, '--fault', 'get-wrapped']);
    const { page, watched } = await visit(DESK, `#u=${encodeURIComponent(agent.origin)}`);
    const walk = new Walk(t, page, 'receiver');
    const said = await page.locator('main').innerText();
    assert.match(said, /this link/i);
    assert.ok(!watched.requests.some((url) => url.startsWith(agent.origin)), 'nothing is sent by itself');
    await walk.press('#run');
    await finished(page);
    await page.locator('[data-finding]').first().waitFor();
    walk.end(1);
    assertQuiet(watched);
  });

  await t.test('on a phone, from the address to the fix and back to its place', async (t) => {
    const agent = await startAgent(t, [...ONE_INTERFACE, '--fault', 'get-wrapped', '--fault', 'list-by-offset']);
    const { page, watched } = await visit(PHONE);
    const walk = new Walk(t, page, 'phone');
    await walk.paste('#address', agent.origin);
    await walk.press('#run');
    await finished(page);
    if (!(await inSight(page, '[data-finding]'))) await walk.swipe(600);
    assert.ok(await inSight(page, '[data-finding] .finding-message'), 'within one swipe');
    await walk.press('.finding-open');
    await page.locator('#fix:not(:empty)').waitFor();
    assert.ok(await inSight(page, '#detail-title'));
    assert.equal(await overflow(page), 0);
    await walk.back();
    await page.waitForFunction(() => document.activeElement.matches('.finding-open'));
    assert.ok(await inSight(page, '[data-finding] .finding-message'), 'back at the entry');
    walk.end(5);
    assertQuiet(watched);
  });

  await t.test('by keyboard alone, with what a screen reader says of each stop', async (t) => {
    const agent = await startAgent(t, [...ONE_INTERFACE, '--fault', 'get-wrapped']);
    const { page, watched } = await visit(DESK);
    const walk = new Walk(t, page, 'keyboard');
    const devtools = await page.context().newCDPSession(page);
    /** Role and name of what has the focus, as the accessibility tree has it. */
    const heard = async () => {
      const { result } = await devtools.send('Runtime.evaluate', { expression: 'document.activeElement' });
      const { nodes } = await devtools.send('Accessibility.getPartialAXTree', { objectId: result.objectId, fetchRelatives: false });
      return `${nodes[0].role?.value} ${nodes[0].name?.value ?? ''}`;
    };
    /** Tab until what is heard matches; each stop has to have a name. */
    const tabTo = async (wanted, most) => {
      for (let step = 0; step < most; step += 1) {
        await walk.key('Tab');
        const now = await heard();
        assert.match(now, /^\S+ \S/, `a stop without a name: ${now}`);
        if (wanted.test(now)) return now;
      }
      return assert.fail(`${wanted} is not reached within ${most} stops`);
    };
    await walk.key('/');
    assert.match(await heard(), /^textbox .*address/i);
    walk.did.push('type');
    await page.keyboard.type(agent.origin);
    await walk.key('Enter');
    await finished(page);
    const spoken = await page.locator('[role=status], [aria-live]').allInnerTexts();
    assert.ok(spoken.some((text) => /Not conformant/.test(text)), `the verdict is said: ${spoken.join(' | ')}`);
    t.diagnostic(`heard: ${await tabTo(/^button .*Got .* instead of/, 30)}`);
    await walk.key('Enter');
    await page.locator('#fix:not(:empty)').waitFor();
    const heading = await heard();
    t.diagnostic(`heard: ${heading}`);
    assert.match(heading, /^heading /, 'the focus is on the heading of the detail');
    await walk.key('Escape');
    assert.match(await heard(), /^button .*Got .* instead of/, 'and back where it was');
    walk.end(30);
    assertQuiet(watched);
  });
});
