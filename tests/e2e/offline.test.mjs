// The page without a network: what the service worker keeps, and all that it keeps out of.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import vm from 'node:vm';
import { copyOfPage, host } from './host.mjs';
import { finished, openLine, runAgainst, withChecker } from './page.mjs';
import { DIST, KEEPING, assertOnlyAsked, assertQuiet, openPage, startBrowser } from './support.mjs';

const BASE = '/some/deep (path)/';

/** Waits until this build is kept, and answers the worker. */
async function kept(context, page) {
  await withChecker(page);
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active.state !== 'activated') await new Promise((resolve) => active.addEventListener('statechange', resolve, { once: true }));
  });
  return context.serviceWorkers().at(-1);
}

/** Waits until something holds; `holds` may be a promise. */
async function until(what, holds) {
  for (let attempt = 0; attempt < 150; attempt += 1) {
    if (await holds()) return;
    await sleep(200);
  }
  assert.fail(`waited in vain: ${what}`);
}

/** Runs the demo agent, and opens a check: both modules are needed for it. */
async function demo(page) {
  await page.click('#demo');
  await finished(page);
  assert.equal(await page.getAttribute('#verdict', 'data-level'), 'full');
  await openLine(page, 'pass');
  await page.locator('#why:not(:empty)').waitFor();
}

/** What an agent needs to be checked for its card, and a call. */
function agent(calls) {
  return (request, response) => {
    calls.push(`${request.method} ${request.url}`);
    const json = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (request.url.endsWith('/.well-known/agent-card.json')) {
      return json({
        name: 'Beside the page', description: 'Shares its origin', version: '1', capabilities: {}, skills: [],
        defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
        supportedInterfaces: [{ url: `http://${request.headers.host}${BASE.replaceAll(' ', '%20')}rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      });
    }
    if (request.method === 'POST') return json({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no' } });
    response.writeHead(404).end();
  };
}

test('after the first load', async (t) => {
  const browser = await startBrowser(t);

  await t.test('the page loads with its server gone, from any path, and runs the demo', async (t) => {
    const server = await host(t, { base: encodeURI(BASE) });
    const { page, watched, context } = await openPage(t, server.url, { browser, context: KEEPING });
    await kept(context, page);
    await server.stop();
    await page.goto(`${server.url}#u=${encodeURIComponent('http://127.0.0.1:9')}`);
    await page.reload();
    await page.locator('html[data-start=ready]').waitFor();
    assert.equal(await page.locator('#address').inputValue(), 'http://127.0.0.1:9');
    await demo(page);
    assertOnlyAsked(watched, [server.origin]);
    // The icon of the tab is the browser's own affair: no worker is asked.
    assertQuiet(watched, [/ERR_CONNECTION_REFUSED .*mark-/]);

    // It keeps the files of the build, and nothing else.
    const names = await page.evaluate(async () => {
      const found = [];
      for (const name of await caches.keys()) {
        for (const request of await (await caches.open(name)).keys()) found.push(decodeURI(new URL(request.url).pathname));
      }
      return found.sort();
    });
    const files = readdirSync(DIST).filter((name) => !/^(index\.html|offline\.js)$|\.(br|gz)$/.test(name));
    assert.deepEqual(names, ['', ...files].map((name) => BASE + name).sort());
    for (const file of ['a2a-conformance', 'checker']) assert.ok(files.some((name) => name.startsWith(file)), file);
  });

  await t.test('the traffic of an agent on the page\'s own origin is not answered by the worker', async (t) => {
    const calls = [];
    const folder = await copyOfPage(t);
    // The worker, with an ear of the test's. It hears of the checker's requests, which come from a worker, and leaves them to the
    // browser: what counts is what it answers.
    const ear = `
      self.heard = [];
      const respondWith = FetchEvent.prototype.respondWith;
      FetchEvent.prototype.respondWith = function (answer) {
        self.heard.push(\`\${this.request.method} \${this.request.url}\`);
        return respondWith.call(this, answer);
      };
    `;
    await writeFile(join(folder, 'offline.js'), ear + (await readFile(join(folder, 'offline.js'), 'utf8')));
    const server = await host(t, { folder, base: encodeURI(BASE), other: agent(calls) });
    const { page, context } = await openPage(t, server.url, { browser, context: KEEPING });
    const worker = await kept(context, page);
    await page.reload();
    await withChecker(page);
    assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null), 'the worker is at work');
    await runAgainst(page, server.url);
    // Requests that look most like the page's own: its start, read by a script; a file with a query; a sign-in that returns.
    await page.evaluate(async (wasm) => {
      await fetch('./').then((response) => response.text());
      await fetch(`./${wasm}?2`).then((response) => response.blob());
      await fetch(`./${wasm}`, { method: 'POST' });
    }, readdirSync(DIST).find((name) => name.startsWith('checker-') && name.endsWith('.wasm')));
    await page.goto(`${server.url}?code=abc&state=def`);

    assert.ok(calls.some((call) => call.startsWith('GET') && call.endsWith('agent-card.json')), calls.join('\n'));
    assert.ok(calls.filter((call) => call.startsWith('POST')).length > 2, calls.join('\n'));
    const heard = await worker.evaluate(() => self.heard);
    assert.ok(heard.length > 3, `the worker answers what is its own: ${heard}`);
    const files = new Set(readdirSync(DIST));
    const strange = heard.filter((request) => {
      const [method, url] = request.split(' ');
      const name = new URL(url).pathname.split('/').at(-1);
      return method !== 'GET' || url.includes('?') || (name !== '' && !files.has(name));
    });
    assert.deepEqual(strange, []);
    // One navigation without a query: the reload.
    assert.equal(heard.filter((request) => request.split('#')[0] === `GET ${server.url}`).length, 1, heard.join('\n'));
  });

  await t.test('a new release is taken at the first load with a network, and replaces the old one', async (t) => {
    const folder = await copyOfPage(t);
    const server = await host(t, { folder });
    const { page, context } = await openPage(t, server.url, { browser, context: KEEPING });
    await kept(context, page);
    const before = await page.evaluate(() => caches.keys());
    // Of another copy of the page on this origin, and of somebody else.
    const others = ['a2a-conformance /elsewhere/ 0123456789abcdef', 'somebody-else'];
    await page.evaluate((names) => Promise.all(names.map((name) => caches.open(name))), others);

    // The next release has another style sheet, under another name, and says so.
    const old = (await readdir(folder)).find((name) => /^base-.*\.css$/.test(name));
    const fresh = 'base-00000000deadbeef.css';
    await rename(join(folder, old), join(folder, fresh));
    for (const [file, change] of [
      ['index.html', (text) => text.replaceAll(old, fresh).replace('<title>', '<title>Next: ')],
      ['offline.js', (text) => text.replaceAll(old, fresh).replace(before[0].split(' ').at(-1), 'next')],
    ]) {
      const path = join(folder, file);
      await writeFile(path, change(await readFile(path, 'utf8')));
    }
    await page.reload();
    assert.ok(await page.locator(`link[href="./${fresh}"]`).count(), 'the new start page, at once');
    const expected = ['a2a-conformance / next', ...others].sort().join();
    await until('the new worker', async () => (await page.evaluate(() => caches.keys())).sort().join() === expected);
    await server.stop();
    await page.reload();
    await page.locator('html[data-start=ready]').waitFor();
    assert.equal(await page.locator(`link[href="./${fresh}"]`).count(), 1);
    await demo(page);
  });

  await t.test('a start page of another build is not kept', async (t) => {
    const folder = await copyOfPage(t);
    const path = join(folder, 'index.html');
    const html = await readFile(path, 'utf8');
    await writeFile(path, html.replace('</head>', '<link rel="prefetch" href="./later-00000000deadbeef.css"></head>'));
    const server = await host(t, { folder });
    const { page } = await openPage(t, server.url, { browser, context: KEEPING });
    await withChecker(page);
    await until('an attempt', async () => server.asked.filter((request) => request === 'GET /').length === 2);
    await until('its end', () =>
      page.evaluate(async () => {
        const known = await navigator.serviceWorker.getRegistration();
        return !known?.installing && !known?.waiting && !known?.active;
      }),
    );
    assert.deepEqual(await page.evaluate(() => caches.keys()), []);
  });

  await t.test('an origin that is not secure keeps nothing and misses nothing', async (t) => {
    const server = await host(t);
    const elsewhere = await startBrowser(t, {
      args: ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--host-resolver-rules=MAP page.test 127.0.0.1'],
    });
    const { page, watched } = await openPage(t, `http://page.test:${server.port}/`, { browser: elsewhere, context: KEEPING });
    await withChecker(page);
    assert.equal(await page.evaluate(() => isSecureContext), false);
    await demo(page);
    assert.ok(!server.asked.some((request) => request.includes('offline.js')), server.asked.join('\n'));
    assertQuiet(watched);
  });
});

// Firefox and Safari have no routes that keep a request away from a worker: there, what it does not answer counts.
test('the worker answers requests for its own files, and no other', async () => {
  const listeners = {};
  const at = 'https://host.example/page/';
  const files = readdirSync(DIST).filter((name) => /-[0-9a-f]{16}(_bg)?\.\w+$/.test(name));
  vm.runInNewContext(readFileSync(join(DIST, 'offline.js'), 'utf8'), {
    self: {
      location: { href: `${at}offline.js` },
      addEventListener: (kind, listener) => (listeners[kind] = listener),
    },
    URL,
    Response,
    caches: { match: async () => 'from the cache' },
    fetch: async () => 'from the network',
  });
  const answers = (url, { method = 'GET', mode = 'cors' } = {}) => {
    let answered = false;
    listeners.fetch({ request: { url, method, mode }, respondWith: () => (answered = true) });
    return answered;
  };
  for (const file of files) {
    assert.ok(answers(at + file), file);
    assert.ok(!answers(at + file, { method: 'POST' }), file);
    assert.ok(!answers(`${at}${file}?2`), file);
    assert.ok(!answers(`https://other.example/page/${file}`), file);
    assert.ok(!answers(`https://host.example/${file}`), file);
  }
  const navigate = { mode: 'navigate' };
  for (const url of [at, `${at}index.html`, `${at}#u=x`]) assert.ok(answers(url, navigate), url);
  for (const url of [`${at}?code=c&state=s`, `${at}rpc`, `${at}.well-known/agent-card.json`, 'https://host.example/']) {
    assert.ok(!answers(url, navigate), url);
  }
  for (const url of [at, `${at}index.html`, `${at}offline.js`, `${at}.well-known/agent-card.json`, `${at}rpc`, `${at}tasks/1:subscribe`]) {
    for (const method of ['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS']) assert.ok(!answers(url, { method }), `${method} ${url}`);
  }
});
