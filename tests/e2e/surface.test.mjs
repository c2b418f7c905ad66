// The page's surface: themes, forced colours, paper, narrow and wide, what the tab says; and the shell, where the checker
// cannot start.

import assert from 'node:assert/strict';
import test from 'node:test';
import { host } from './host.mjs';
import { finished } from './page.mjs';
import { assertQuiet, axe, openPage, startBrowser } from './support.mjs';

const PAPER = { light: 'rgb(251, 250, 247)', dark: 'rgb(20, 22, 26)' };

const paper = (page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
const ready = (page) => page.locator('html[data-start=ready]').waitFor();
// An element can be found before the style sheets have come; nobody sees it until then.
const painted = (page) => page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length === 1);

test('the surface', async (t) => {
  const browser = await startBrowser(t);
  const served = await host(t);
  const open = (context = {}, hash = '') => openPage(t, served.url + hash, { browser, context });

  await t.test('the theme is the system\'s, the visitor\'s, and the system\'s again', async () => {
    const { page, watched } = await open({ colorScheme: 'light' });
    await ready(page);
    assert.equal(await page.locator('#theme').inputValue(), 'system');
    assert.equal(await paper(page), PAPER.light);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.equal(await paper(page), PAPER.dark);

    for (const chosen of ['light', 'dark']) {
      await page.selectOption('#theme', chosen);
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        assert.equal(await paper(page), PAPER[chosen], `${chosen} where the system is ${colorScheme}`);
      }
      await page.reload();
      await ready(page);
      assert.equal(await page.locator('#theme').inputValue(), chosen);
      assert.equal(await paper(page), PAPER[chosen]);
    }

    await page.selectOption('#theme', 'system');
    for (const colorScheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme });
      assert.equal(await paper(page), PAPER[colorScheme]);
    }
    assert.deepEqual(await page.evaluate(() => ({ ...localStorage })), {});
    await page.reload();
    await ready(page);
    assert.equal(await page.locator('#theme').inputValue(), 'system');
    assertQuiet(watched);
  });

  await t.test('the theme that was chosen is there before the checker is', async () => {
    const { page } = await open({ colorScheme: 'light' });
    await ready(page);
    await page.selectOption('#theme', 'dark');
    await page.route('**/*.wasm', () => {});
    await page.goto(served.url, { waitUntil: 'commit' });
    await painted(page);
    assert.equal(await page.locator('.loading').isVisible(), true);
    assert.equal(await paper(page), PAPER.dark);
    assert.equal(await page.locator('html[data-start=ready]').count(), 0);
  });

  await t.test('without storage the theme holds until the page is left', async () => {
    const context = await browser.newContext({ colorScheme: 'light' });
    t.after(() => context.close());
    const page = await context.newPage();
    await page.addInitScript(() => {
      for (const name of ['getItem', 'setItem', 'removeItem']) {
        Storage.prototype[name] = () => {
          throw new DOMException('denied', 'SecurityError');
        };
      }
    });
    await page.goto(served.url);
    await ready(page);
    await page.selectOption('#theme', 'dark');
    assert.equal(await paper(page), PAPER.dark);
  });

  await t.test('forced colours keep the edges of what can be pressed, and the shapes', async () => {
    const { page } = await open({ forcedColors: 'active', colorScheme: 'dark' });
    await ready(page);
    await page.click('#demo-faulty');
    await finished(page);
    const bare = await page.evaluate(() =>
      [...document.querySelectorAll('button, input, select')]
        .filter((part) => part.offsetParent && !part.matches('[type=checkbox], .link, .row-button'))
        .filter((part) => {
          const { borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(part);
          return parseFloat(borderTopWidth) === 0 || borderTopColor === backgroundColor;
        })
        .map((part) => part.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(bare, []);
    const faint = await page.evaluate(() =>
      [...document.querySelectorAll('main svg.shape')]
        .filter((shape) => shape.getClientRects().length)
        .filter((shape) => getComputedStyle(shape).color === getComputedStyle(document.documentElement).backgroundColor)
        .map((shape) => shape.outerHTML),
    );
    assert.deepEqual(faint, []);
    await page.locator('#address').focus();
    assert.notEqual(await page.locator('#address').evaluate((field) => getComputedStyle(field).outlineStyle), 'none');
    assert.deepEqual(await axe(page, { rules: { 'color-contrast': { enabled: false } } }), []);
  });

  await t.test('nothing moves where motion is not wanted', async () => {
    const { page } = await open({ reducedMotion: 'reduce' });
    await ready(page);
    await page.click('#demo-faulty');
    await finished(page);
    const moving = await page.evaluate(() =>
      [...document.querySelectorAll('*')]
        .filter((part) => {
          const { transitionDuration, animationName } = getComputedStyle(part);
          return /[1-9]/.test(transitionDuration) || animationName !== 'none';
        })
        .map((part) => part.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(moving, []);
  });

  await t.test('on paper are the verdict, what was checked with what, and every finding, musts first, and no controls', async () => {
    const { page } = await open({ colorScheme: 'dark' });
    await ready(page);
    await page.selectOption('#theme', 'dark');
    await page.click('#demo-faulty');
    await finished(page);
    const failing = await page.locator('.dot:is([data-status=fail], [data-status=advisory])').evaluateAll((dots) =>
      dots.map((dot) => ({ check: dot.closest('tr').dataset.check, must: dot.dataset.status === 'fail' })),
    );
    assert.ok(failing.some(({ must }) => must) && failing.some(({ must }) => !must));
    // A row that is open, and a filter: neither may keep anything from the paper.
    await page.locator('tr[data-status=fail] .row-button').first().click();
    await page.click('[data-filter=advisory]');

    // The paper that the browser itself prints.
    await page.evaluate(() => {
      window.addEventListener('afterprint', () => (window.afterPrint = document.querySelector('.printed').textContent));
    });
    const pdf = await page.pdf();
    assert.ok(pdf.length > 10_000);
    assert.ok((await page.evaluate(() => window.afterPrint)).includes('Checked with'));

    await page.emulateMedia({ media: 'print' });
    const text = await page.locator('.printed').innerText();
    for (const fact of [/Verdict\s+Not conformant/, /Agent\s+\S+/, /Date\s+\d+ \w{3} \d{4}, \d\d:\d\d UTC/, /Checked with\s+a2a-conformance \d+\.\d+\.\d+/]) {
      assert.match(text, fact);
    }
    const findings = await page.locator('.printed-finding').evaluateAll((all) => all.map((finding) => finding.innerText));
    assert.equal(findings.length, failing.length);
    for (const { check } of failing) assert.ok(findings.some((finding) => finding.includes(check)), check);
    const musts = findings.map((finding) => finding.includes('\u{b7} required \u{b7}'));
    assert.deepEqual(musts, [...musts].sort((a, b) => b - a));
    assert.ok(findings.every((finding) => /Fix: /.test(finding)), findings.find((finding) => !/Fix: /.test(finding)));

    assert.equal(await page.locator('#verdict').isVisible(), true);
    const controls = await page.evaluate(() =>
      [...document.querySelectorAll('button, input, select, textarea, summary, progress')]
        // The text of these controls belongs on paper, where they look like text.
        .filter((part) => part.getClientRects().length && !part.matches('.row-button, .group-button, .dot, .cell'))
        .map((part) => part.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(controls, []);
    // Black on white, whatever the theme.
    const { ink, back } = await page.locator('.printed-finding').first().evaluate((part) => ({
      ink: getComputedStyle(part).color,
      back: getComputedStyle(document.documentElement).backgroundColor,
    }));
    assert.deepEqual([ink, back], ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
  });

  // A projector at 200 % is a screen of half its pixels, each of them doubled.
  for (const [width, height, deviceScaleFactor] of [[320, 640, 2], [640, 360, 2], [960, 540, 2], [1920, 1080, 2], [3840, 2160, 1]]) {
    await t.test(`fits ${width} x ${height}`, async () => {
      const { page } = await open({ viewport: { width, height }, deviceScaleFactor });
      await ready(page);
      const fits = async (when) => {
        const wide = await page.evaluate(() => {
          const room = document.documentElement.clientWidth;
          const cut = [...document.querySelectorAll('header *, main *, footer *')].filter((part) => {
            const { right, width } = part.getBoundingClientRect();
            const inBox = part.closest('pre, .sheet, .fault-list, [data-scrolls], .visually-hidden');
            return width > 0 && right > room + 1 && !inBox && getComputedStyle(part).clipPath === 'none';
          });
          return [Math.max(0, document.documentElement.scrollWidth - room), ...cut.map((part) => part.outerHTML.slice(0, 90))];
        });
        assert.deepEqual(wide, [0], when);
      };
      await fits('empty');
      await page.click('#demo-faulty');
      await finished(page);
      await fits('done');
      const hidden = await page.locator('.grid').evaluate((grid) => grid.scrollWidth - grid.clientWidth);
      // Widths are rounded.
      assert.ok(hidden <= 1, `${hidden} px of the picture are out of sight`);
      await page.locator('tr[data-status=fail] .row-button').first().click();
      await page.locator('#detail-title').waitFor();
      await fits('detail');
    });
  }

  await t.test('the tab says how far the run is, what came of it, and of which agent', async () => {
    const { page } = await open();
    await ready(page);
    assert.equal(await page.title(), 'A2A conformance: check an agent');
    await page.evaluate(() => {
      window.seen = new Set();
      window.icons = new Set();
      new MutationObserver(() => {
        window.seen.add(document.title);
        window.icons.add(document.querySelector('link[rel=icon]').href);
      }).observe(document.head, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    await page.click('#demo-faulty');
    await finished(page);
    const failed = await page.locator('#count-fail').innerText().then((text) => text.match(/\d+/)[0]);
    await page.waitForFunction(() => document.title.startsWith('\u2717'));
    assert.match(await page.title(), new RegExp(`^\u2717 ${failed} failed \u00b7 `));
    const icon = await page.locator('link[rel=icon]').getAttribute('href');
    assert.match(icon, /^data:image\/svg\+xml,.*b3261e/);
    // The browser can draw it, under the page's own policy.
    const size = await page.evaluate(async (src) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      return image.naturalWidth;
    }, icon);
    assert.ok(size > 0);
    const seen = await page.evaluate(() => [...window.seen]);
    assert.ok(seen.some((title) => /^\d+ of \d+ \u00b7 /.test(title)), seen.join('\n'));
    assert.ok((await page.evaluate(() => window.icons.size)) <= 7, 'an icon for each quarter, not for each check');

    await page.fill('#address', 'http://127.0.0.1:9/base');
    await page.click('#run');
    await finished(page);
    await page.waitForFunction(() => document.title === '\u25cb Incomplete \u00b7 127.0.0.1:9');
  });
});

test('the shell, where the checker cannot start', async (t) => {
  const browser = await startBrowser(t);
  const served = await host(t);
  const shell = async (context, prepare = async () => {}) => {
    const profile = await browser.newContext(context);
    t.after(() => profile.close());
    const page = await profile.newPage();
    await prepare(page);
    return page;
  };
  const failed = (page) => page.getByText('could not start in this browser', { exact: false });

  await t.test('says what the page is for before it is loaded', async () => {
    const page = await shell({}, (page) => page.route('**/*.wasm', () => {}));
    await page.goto(served.url, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1, name: /conforms to the protocol/ }).waitFor();
    await page.getByText('Loading the checker').waitFor();
    await painted(page);
    assert.deepEqual(await axe(page), []);
  });

  await t.test('says that scripts are switched off, and not that it loads', async () => {
    const page = await shell({ javaScriptEnabled: false });
    await page.goto(served.url);
    const notice = page.locator('noscript .notice');
    assert.equal(await notice.isVisible(), true);
    assert.match(await notice.innerText(), /JavaScript is switched off/);
    assert.equal(await page.locator('h1').isVisible(), true);
    for (const other of ['.loading', '.slow', '.failed', '.crashed']) {
      assert.equal(await page.locator(other).isVisible(), false, other);
    }
  });

  for (const [what, prepare] of [
    ['has no WebAssembly', (page) => page.addInitScript(() => delete globalThis.WebAssembly)],
    ['does not get the module', (page) => page.route('**/*.wasm', (route) => route.abort())],
    ['finds no module', (page) => page.route('**/*.wasm', (route) => route.fulfill({ status: 404, body: 'not found' }))],
    ['gets something else as the module', (page) => page.route('**/*.wasm', (route) => route.fulfill({ status: 200, body: '<!doctype html>' }))],
    ['does not get the script', (page) => page.route('**/a2a-conformance-*.js', (route) => route.abort())],
  ]) {
    await t.test(`says so where the browser ${what}`, async () => {
      const page = await shell({}, prepare);
      await page.goto(served.url);
      await failed(page).waitFor();
      assert.equal(await page.locator('.loading').isVisible(), false);
      assert.deepEqual(await axe(page), []);
    });
  }

  await t.test('says so where a policy of the server forbids WebAssembly', async (t) => {
    const strict = await host(t, { headers: { 'content-security-policy': "script-src 'self' 'unsafe-inline'" } });
    const page = await shell({});
    await page.goto(strict.url);
    await failed(page).waitFor();
  });

  await t.test('starts where the server does not know the type of WebAssembly', async (t) => {
    const plain = await host(t, { types: { '.wasm': 'text/plain' } });
    const page = await shell({});
    await page.goto(plain.url);
    await ready(page);
  });
});
