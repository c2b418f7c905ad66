// Promises of the page as a whole (docs/UX.md) that no other file holds: the texts before the first run, results that come
// one by one, links to a check, files of a run that goes on, a visit without a mouse, and the structure for screen readers.

import assert from 'node:assert/strict';
import test from 'node:test';
import { startTrick } from './faults.mjs';
import { chips, finished, openLine, rows, save, settings, share, unfold, validated, withChecker } from './page.mjs';
import { ONE_INTERFACE, PROFILE, assertQuiet, axe, download, openPage, startAgent, startBrowser, startServe } from './support.mjs';

/** A late answer, as of an agent that is far away. */
const LATE_MS = 60;
/** What browsers add to a request by themselves. */
const BROWSERS = /^(host|connection|content-length|origin|referer|user-agent|accept-(encoding|language)|pragma|cache-control|sec-.*|priority)$/;

const focused = (page) => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
const within = (page, selector) =>
  page.locator(selector).first().evaluate((part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  });

test('the page as a whole', { timeout: 300_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const visit = async ({ fragment = '', context = {}, script } = {}) => {
    const profile = await browser.newContext({ ...PROFILE, ...context });
    t.after(() => profile.close());
    const page = await profile.newPage();
    if (script) await page.addInitScript(script);
    await page.goto(`${served.origin}/${fragment}`);
    await withChecker(page);
    return page;
  };
  /** An agent whose answers are late, and what it was asked. */
  const startLate = async (t, late = LATE_MS, args = ONE_INTERFACE) => {
    const asked = [];
    const { origin } = await startTrick(t, (await startAgent(t, args)).origin, async ({ request, body }) => {
      asked.push({ method: request.method, url: request.url, headers: request.headers, body });
      await new Promise((resolve) => setTimeout(resolve, late));
      return false;
    });
    return { origin, asked };
  };

  await t.test('says before the first run what it does, what leaves the browser, and every header that is sent', async (t) => {
    const page = await visit();
    assert.match(await page.locator('h1').innerText(), /^Check whether an A2A agent conforms/);
    assert.match(await page.locator('.lead').innerText(), /address of an agent.*every rule it follows or breaks/);
    assert.match(await page.locator('.private').innerText(), /from this browser to your agent and nowhere else/);
    assert.ok(await page.locator('#demo').isVisible());

    const { origin, asked } = await startLate(t, 0, []);
    await page.fill('#address', origin);
    await page.click('#run');
    await finished(page);
    await page.click('#sent > summary');
    const listed = await page.locator('#sent code').allInnerTexts();
    const sent = new Set(asked.flatMap(({ headers }) => Object.keys(headers)).filter((name) => !BROWSERS.test(name)));
    assert.ok(sent.has('a2a-version'), [...sent].join());
    for (const name of sent) assert.ok(listed.includes(name), `${name} is sent and not listed`);
    assert.ok(asked.every(({ headers }) => !('cookie' in headers || 'referer' in headers)));
    assert.deepEqual(await axe(page), []);
  });

  await t.test('shows results one by one: all rows first, counts that grow, lines that stay where they are', async (t) => {
    const { origin } = await startLate(t);
    const page = await visit({
      script: () => {
        globalThis.shifts = [];
        new PerformanceObserver((list) => {
          for (const { value, startTime, hadRecentInput, sources } of list.getEntries()) {
            if (hadRecentInput) continue;
            globalThis.shifts.push([value, startTime, ...sources.map(({ node }) => node?.outerHTML?.slice(0, 80))]);
          }
        }).observe({ type: 'layout-shift', buffered: true });
      },
    });
    await page.fill('#address', origin);
    await page.evaluate(() => {
      globalThis.counts = [];
      globalThis.orders = [];
      const look = () => {
        const level = document.querySelector('#verdict-level')?.textContent ?? '';
        const count = level.match(/^(\d+) of (\d+)/);
        if (count) globalThis.counts.push([Number(count[1]), document.querySelectorAll('tr[data-check]').length]);
        if (document.querySelector('#verdict[data-level=running]')) {
          globalThis.orders.push([...document.querySelectorAll('.group-button')].map(({ dataset }) => dataset.category).join());
        }
        requestAnimationFrame(look);
      };
      look();
    });
    await page.click('#run');
    const now = () => page.evaluate(() => performance.now());
    // A shift after a click is expected, but a busy browser takes longer than the time in which it counts as the answer to one.
    const unfolding = [await now()];
    await unfold(page);
    await page.locator('tr[data-check][data-status=pending]').first().waitFor();
    unfolding.push(await now());
    await finished(page, 120_000);
    const { counts, orders, shifts } = await page.evaluate(() => ({ ...globalThis, counts, orders, shifts }));
    const uncalled = shifts.filter(([, at]) => at < unfolding[0] || at > unfolding[1]);
    const shift = uncalled.reduce((sum, [value]) => sum + value, 0);
    assert.ok(new Set(counts.map(([judged]) => judged)).size > 5, 'the count was seen to grow');
    assert.deepEqual(counts, counts.toSorted(([a], [b]) => a - b), 'and never to shrink');
    for (const [at, order] of [...new Set(orders)].entries()) {
      if (at > 0) assert.ok(order.startsWith([...new Set(orders)][at - 1]), `groups changed places: ${orders.at(at - 1)} ${order}`);
    }
    assert.ok(shift <= 0.02, `layout shift ${shift}: ${JSON.stringify(uncalled)}`);
  });

  await t.test('saves what was found so far while the run goes on, and the button keeps the focus to its end', async (t) => {
    const { origin } = await startLate(t, 150);
    const page = await visit();
    await page.fill('#address', origin);
    await page.click('#run');
    await page.waitForFunction(() => Number(document.querySelector('#count-pass')?.textContent ?? 0) > 5);
    const files = {};
    await share(page);
    for (const format of ['json', 'junit', 'ctrf', 'html', 'har', 'markdown', 'badge']) {
      files[format] = await download(page, () => page.click(`#download-${format}`));
    }
    assert.equal(await page.getAttribute('#verdict', 'data-level'), 'running');
    await page.focus('#download-har');
    await finished(page, 120_000);
    assert.equal(await focused(page), 'download-har');
    for (const [format, file] of Object.entries(files)) {
      assert.ok(file.name.includes(new URL(origin).host.replace(':', '-')), file.name);
      if (format !== 'markdown') await validated(t, file);
    }
    const report = JSON.parse(files.json.text);
    assert.ok(report.summary.passed > 5 && report.incomplete, report.headline);
    assert.equal(report.conformanceLevel, undefined);
  });

  await t.test('a link to a check opens it, with its line and its detail in view', async (t) => {
    const agent = await startAgent(t, ['--fault', 'only-http']);
    const [check, lane] = ['push.create', 'rest-1.0'];
    for (const viewport of [{ width: 1280, height: 800 }, { width: 360, height: 740 }]) {
      const page = await visit({ fragment: `#u=${encodeURIComponent(agent.origin)}&c=${check}@${lane}`, context: { viewport } });
      await page.click('#run');
      await page.locator('#detail-title').waitFor();
      await finished(page);
      await page.locator('#why:not(:empty)').waitFor();
      await page.waitForTimeout(100);
      assert.equal(await page.locator('tr.row.open').getAttribute('data-check'), check);
      assert.ok(await within(page, '#detail-title'), `the detail at ${viewport.width} px`);
      if (viewport.width >= 960) assert.ok(await within(page, 'tr.row.open'), 'the line');
      assert.ok(page.url().includes(`c=${check}@${lane}`));
    }
  });

  await t.test('filters are kept by a reload', async () => {
    const page = await visit({ fragment: '#f=fail,advisory&q=stream&v=must' });
    await page.click('#demo-faulty');
    await finished(page);
    const look = async () => [
      await page.getAttribute('[data-filter=fail]', 'aria-pressed'),
      await page.getAttribute('[data-filter=pass]', 'aria-pressed'),
      await page.inputValue('#filter-text'),
      await page.inputValue('[data-narrow=v]'),
      (await rows(page)).length > 0,
    ];
    assert.deepEqual(await look(), ['true', 'false', 'stream', 'must', true]);
    await page.reload();
    await withChecker(page);
    await page.click('#kept-open');
    await page.locator('#opened').waitFor();
    assert.deepEqual(await look(), ['true', 'false', 'stream', 'must', true]);
  });

  await t.test('one check that is run again asks for no more than it needs', async (t) => {
    const { origin, asked } = await startLate(t, 0);
    const page = await visit();
    await page.fill('#address', origin);
    await page.click('#run');
    await finished(page);
    const before = asked.length;
    await page.fill('#filter-text', 'card.required-fields');
    await openLine(page, 'pass');
    await page.click('#again-check');
    await page.locator('#again-note', { hasText: 'run again at' }).waitFor();
    const again = asked.slice(before).map(({ method, url }) => `${method} ${url}`);
    assert.ok(again.length > 0 && again.every((request) => request === 'GET /.well-known/agent-card.json'), again.join('\n'));
  });

  await t.test('from the address to a file without a mouse, and the focus is never lost', async (t) => {
    const agent = await startAgent(t, [...ONE_INTERFACE, '--fault', 'stream-two-payloads', '--fault', 'cancel-terminal-wrong-code']);
    const page = await visit();
    const at = async (expected) => {
      // Wait for code that moves the focus with the next frame.
      await page.waitForTimeout(60);
      const now = await focused(page);
      assert.ok(now !== 'BODY', `the focus is lost where ${expected} was expected`);
      assert.match(now, expected);
    };
    const press = (key) => page.keyboard.press(key);
    /** Walks with Tab until an element has the focus; fails when it is not reached. */
    const tab = async (selector, key = 'Tab') => {
      for (let step = 0; step < 150; step += 1) {
        await press(key);
        if (await page.evaluate((selector) => document.activeElement.matches(selector), selector)) return;
      }
      assert.fail(`${selector} is not reached with ${key}`);
    };

    await press('Tab');
    assert.match(await page.evaluate(() => document.activeElement.className), /skip/);
    await press('Enter');
    await at(/^main$/);
    await press('/');
    await at(/^address$/);
    await page.keyboard.type(agent.origin);
    await press('Enter');
    await finished(page);
    await at(/^address$/);
    await press('Escape');
    await at(/^main$/);

    await press('/');
    await at(/^filter-text$/);
    await page.keyboard.type('get.');
    await press('Escape');
    await at(/^main$/);
    assert.equal(await page.inputValue('#filter-text'), '');
    await press('j');
    await at(/^line-\d+$/);
    const first = await focused(page);
    await press('ArrowDown');
    await at(/^line-\d+$/);
    assert.notEqual(await focused(page), first);
    await press('k');
    await at(new RegExp(`^${first}$`));
    await press('Enter');
    await page.locator('#why:not(:empty)').waitFor();
    await press('j');
    await at(/^line-\d+$/);
    await tab('#detail-close');
    await press('Enter');
    await page.locator('#detail-title').waitFor({ state: 'detached' });
    await at(/^line-\d+$/);

    await press('?');
    await page.locator('#help[open]').waitFor();
    await press('Escape');
    await page.locator('#help[open]').waitFor({ state: 'detached' });
    await at(/^line-\d+$/);

    await tab('[data-filter=fail]', 'Shift+Tab');
    await press('Space');
    assert.equal(await page.getAttribute('[data-filter=fail]', 'aria-pressed'), 'true');
    await tab('#filter-reset');
    await press('Enter');
    await at(/^filter-text$/);
    await tab('#unfold');
    await press('Enter');
    await at(/^unfold$/);
    await tab('#share-open', 'Shift+Tab');
    await press('Enter');
    await tab('#download-json');
    const file = await download(page, () => press('Enter'));
    assert.equal(JSON.parse(file.text).summary.failed > 0, true);
    await at(/^download-json$/);
    await press('Escape');
    await at(/^share-open$/);

    // And again, by its key; the second Escape of a run that goes on stops it.
    await press('r');
    await page.locator('#verdict[data-run="2"][data-level=running]').waitFor();
    await press('Escape');
    await page.locator('#verdict[data-run="2"]:not([data-level=running])').waitFor({ timeout: 5_000 });
    assert.notEqual(await focused(page), 'BODY');
  });

  await t.test('shortcuts are letters in a field', async () => {
    const page = await visit();
    await page.focus('#address');
    await page.keyboard.type('r/?jk');
    assert.equal(await page.inputValue('#address'), 'r/?jk');
    assert.equal(await page.locator('#verdict').count(), 0);
    assert.equal(await page.locator('#help[open]').count(), 0);
  });

  await t.test('has one heading, its landmarks, a table with heads, and a region that speaks', async () => {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 360, height: 740 }]) {
      const page = await visit({ context: { viewport } });
      const spoken = await page.locator('#announce').evaluate((region) => [region.getAttribute('role'), region.textContent]);
      assert.deepEqual(spoken, ['status', ''], 'the region is there before it is filled');
      await page.evaluate(() => {
        globalThis.said = [];
        const region = document.querySelector('#announce');
        new MutationObserver(() => globalThis.said.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
      });
      await page.click('#demo-faulty');
      await finished(page);
      await unfold(page);
      const facts = await page.evaluate(() => ({
        lang: document.documentElement.lang,
        zoomable: !/user-scalable|maximum-scale/.test(document.querySelector('meta[name=viewport]').content),
        headings: document.querySelectorAll('h1').length,
        landmarks: ['header', 'main', 'footer', 'nav'].map((name) => document.querySelectorAll(`#app ${name === 'header' ? 'header.top' : name}`).length),
        columns: document.querySelectorAll('.checks thead th[scope=col]').length,
        lines: document.querySelectorAll('tr[data-check]').length,
        heads: document.querySelectorAll('tr[data-check] > th[scope=row]').length,
        wordless: [...document.querySelectorAll('tr[data-check] .result .word')].filter((word) => !word.textContent.trim()).length,
      }));
      assert.deepEqual({ ...facts, lines: facts.lines > 200 }, {
        lang: 'en', zoomable: true, headings: 1, landmarks: [1, 1, 1, 1], columns: 5, lines: true, heads: facts.lines, wordless: 0,
      });
      const said = await page.evaluate(() => globalThis.said);
      assert.match(said.at(-1), /Not conformant/);
      assert.ok(said.length < 25, `stages and the verdict, not each row: ${said.length}`);
    }
  });

  await t.test('on a phone fields do not zoom and do not correct, and a detail has its way back', async () => {
    const page = await visit({ context: { viewport: { width: 360, height: 740 }, hasTouch: true } });
    await settings(page);
    const fields = await page.evaluate(() =>
      [...document.querySelectorAll('input:not([type=checkbox], [type=file]), textarea, select')]
        .filter((field) => field.getClientRects().length)
        .map((field) => [field.id || field.dataset.prompt, parseFloat(getComputedStyle(field).fontSize)])
        .filter(([, size]) => size < 16),
    );
    assert.deepEqual(fields, [], 'less than 16 px zooms the page on phones');
    const address = page.locator('#address');
    assert.deepEqual(
      await Promise.all(['inputmode', 'autocapitalize', 'spellcheck'].map((name) => address.getAttribute(name))),
      ['url', 'off', 'false'],
    );
    await page.click('#settings > summary');
    await page.click('#demo-faulty');
    await finished(page);
    await page.locator('tr[data-status=fail] .row-button').first().click();
    await page.waitForFunction(() => document.activeElement.id === 'detail-title');
    assert.equal(await page.locator('.list').isVisible(), false);
    await page.click('#detail-close');
    assert.equal(await page.locator('.list').isVisible(), true);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    assert.ok(await within(page, '.sticky-verdict'), 'the verdict sticks');
    assert.match(await page.locator('.sticky-verdict').innerText(), /Not conformant/);
  });

  await t.test('shows every kind of result in the demo agent, within three seconds', async (t) => {
    const page = await visit();
    await page.click('#demo-faulty');
    const begun = performance.now();
    await finished(page);
    t.diagnostic(`${Math.round(performance.now() - begun)} ms`);
    for (const [kind, count] of Object.entries(await chips(page))) assert.ok(count > 0, kind);
  });

  await t.test('the list has room for its titles, whatever columns it shows', async (t) => {
    const agent = await startAgent(t);
    for (const width of [320, 360, 960, 1280]) {
      const page = await visit({ context: { viewport: { width, height: 800 } } });
      for (const run of [
        () => page.click('#demo-faulty'),
        async () => {
          await page.fill('#address', JSON.stringify(await (await fetch(`${agent.origin}/.well-known/agent-card.json`)).json()));
          await page.click('#run');
        },
      ]) {
        await run();
        await finished(page);
        await unfold(page);
        const room = await page.evaluate(() => {
          const table = document.querySelector('.checks table').getBoundingClientRect();
          const right = (selector) => [...document.querySelectorAll(selector)].at(-1).getBoundingClientRect().right;
          const title = document.querySelector('tr[data-check] .col-check').getBoundingClientRect().width;
          return { title: title / table.width, ends: ['thead tr', 'tr.group', 'tr.row'].map((row) => Math.round(table.right - right(row))) };
        });
        assert.ok(room.title > 0.4, `titles have ${Math.round(room.title * 100)} % at ${width} px`);
        assert.deepEqual(room.ends, [0, 0, 0], `${width} px`);
      }
    }
  });

  await t.test('what a format is for stands below its name, at every width', async () => {
    for (const width of [360, 1280, 1920]) {
      const page = await visit({ context: { viewport: { width, height: 800 } } });
      await page.click('#demo');
      await finished(page);
      await share(page);
      for (const format of ['json', 'markdown', 'html', 'junit', 'ctrf', 'har', 'badge']) {
        const { width: wide, height } = await page.locator(`#download-${format} > span`).boundingBox();
        assert.ok(wide > 20 && height > 10, `${format} at ${width} px`);
      }
    }
  });

  await t.test('nobody has to rest on anything to learn something', async () => {
    const page = await visit();
    await page.click('#demo-faulty');
    await finished(page);
    await page.locator('tr[data-status=fail] .row-button').first().click();
    await page.locator('#why:not(:empty)').waitFor();
    const hidden = await page.evaluate(() =>
      [...document.querySelectorAll('main [title]')]
        .filter((part) => part.title && part.title !== part.getAttribute('aria-label') && !part.textContent.includes(part.title))
        .map((part) => part.outerHTML.slice(0, 120)),
    );
    assert.deepEqual(hidden, []);
    await page.locator('#legend > summary').click();
    const legend = await page.locator('#legend').innerText();
    for (const word of ['must', 'should', 'may']) assert.ok(legend.includes(word), word);
  });

  await t.test('every file says which versions it stands on', async () => {
    const page = await visit();
    await page.click('#demo-faulty');
    await finished(page);
    const [, tool] = (await page.locator('.foot').innerText()).match(/a2a-conformance (\d+\.\d+\.\d+)/);
    const suite = await page.locator('.foot > p code').innerText();
    for (const format of ['json', 'markdown', 'html', 'junit', 'ctrf', 'har']) {
      const { text } = await save(page, format);
      for (const fact of [tool, suite, '1.0']) assert.ok(text.includes(fact), `${format}: ${fact}`);
    }
  });
});
