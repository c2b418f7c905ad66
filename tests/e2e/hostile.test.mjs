// Links and agents that mean harm: a link sends nothing before a click and shows whom a click would call; what an agent says is
// text, whatever it looks like; an address in a card that is not http is not a link and is never called; and whatever an agent
// sends without end, the run ends, stays small, and says what it was.

import assert from 'node:assert/strict';
import http from 'node:http';
import test from 'node:test';
import { OPEN, flood, startTrick } from './faults.mjs';
import { watchMemory } from './memory.mjs';
import { AT_ONCE, assertOnlyAsked, openPage, startAgent, startBrowser, startServe } from './support.mjs';
import { finished, save, settings, validated } from './page.mjs';

const MARKUP = '<img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=2</script><svg onload="globalThis.harmed=3">';
const SCRIPT = 'javascript:globalThis.harmed=4';

/** An agent all of whose words are markup. */
async function startHostile(t) {
  const asked = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const base = `http://127.0.0.1:${server.address().port}`;
    const open = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*', 'access-control-expose-headers': '*' };
    if (request.method === 'OPTIONS') return response.writeHead(204, open).end();
    const isCard = request.url.includes('agent-card');
    const card = {
      name: MARKUP,
      description: MARKUP,
      version: MARKUP,
      provider: { organization: MARKUP, url: SCRIPT },
      documentationUrl: SCRIPT,
      iconUrl: SCRIPT,
      supportedInterfaces: [
        { url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: SCRIPT, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: 'data:text/html,<script>globalThis.harmed=5</script>', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: 'file:///etc/passwd', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: {},
      securitySchemes: {
        [MARKUP]: { oauth2SecurityScheme: { flows: { authorizationCode: { authorizationUrl: SCRIPT, tokenUrl: SCRIPT, scopes: {} } } } },
        other: { openIdConnectSecurityScheme: { openIdConnectUrl: SCRIPT } },
        key: { apiKeySecurityScheme: { location: 'header', name: MARKUP } },
      },
      defaultInputModes: [MARKUP],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: MARKUP, name: MARKUP, description: MARKUP, tags: [MARKUP] }],
    };
    const fault = { jsonrpc: '2.0', id: null, error: { code: -32603, message: MARKUP, data: [{ '@type': MARKUP, html: MARKUP }] } };
    response.writeHead(200, { ...open, 'content-type': 'application/json', etag: '"<b>x</b>"' });
    response.end(JSON.stringify(isCard ? card : fault));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${server.address().port}`, asked };
}

test('links and agents that mean harm', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const hostile = await startHostile(t);

  await t.test('a link calls nobody before a click, and shows whom a click would call', async () => {
    const address = encodeURIComponent(`${hostile.origin}/base`);
    const { page, watched } = await openPage(t, `${served.origin}/#u=${address}&c=send.task-id&f=fail&q=%3Cb%3E`, { browser });
    await page.locator('html[data-start=ready]').waitFor();
    await page.waitForTimeout(500);
    assert.deepEqual(hostile.asked, []);
    assertOnlyAsked(watched, [served.origin]);
    assert.ok((await page.locator('#card-url').innerText()).startsWith(`${hostile.origin}/base/`));
  });

  for (const address of [SCRIPT, 'data:text/html,<script>globalThis.harmed=6</script>', MARKUP, `http://h/${MARKUP}`, `"><b>`]) {
    await t.test(`an address in a link is text: ${address.slice(0, 24)}`, async () => {
      const { page, watched } = await openPage(t, `${served.origin}/#u=${encodeURIComponent(address)}`, { browser });
      await page.locator('html[data-start=ready]').waitFor();
      await page.waitForTimeout(100);
      assert.equal(await page.evaluate(() => globalThis.harmed), undefined);
      assert.equal(await page.locator('#preview img, #preview script, #preview a').count(), 0);
      assertOnlyAsked(watched, [served.origin]);
    });
  }

  await t.test('what an agent says is text in the page and in every export', async (t) => {
    const { page, watched, context } = await openPage(t, `${served.origin}/`, { browser });
    await page.locator('html[data-start=ready]').waitFor();
    await page.fill('#address', hostile.origin);
    await page.click('#run');
    await finished(page);
    const unfold = () => page.evaluate(() => document.querySelectorAll('main details').forEach((fold) => (fold.open = true)));
    await unfold();
    for (const row of (await page.locator('tr[data-status=fail] .row-button').all()).slice(0, 8)) {
      await row.click();
      await page.locator('#detail-title').waitFor();
      await unfold();
      assert.equal(await page.locator('main img, main script, main iframe').count(), 0);
    }
    assert.equal(await page.evaluate(() => globalThis.harmed), undefined);
    const links = await page.locator('a[href]').evaluateAll((all) => all.map(({ href }) => href));
    assert.deepEqual(links.filter((href) => !/^https?:/.test(href)), []);
    assertOnlyAsked(watched, [served.origin, hostile.origin]);

    // Nor does signing in lead anywhere but to http and https.
    await unfold();
    for (const name of ['id', 'second:id']) await page.fill(`[data-key="${name}"]`, 'client');
    const doors = await page.locator('[data-sign-in]').all();
    assert.equal(doors.length, 4);
    for (const door of doors) {
      await door.click();
      await page.waitForFunction((button) => !/^Waiting/.test(button.nextElementSibling.textContent), await door.elementHandle());
    }
    assert.equal(context.pages().length, 1);
    assert.equal(await page.evaluate(() => globalThis.harmed), undefined);
    assertOnlyAsked(watched, [served.origin, hostile.origin]);

    const junit = await save(page, 'junit');
    const json = await save(page, 'json');
    assert.deepEqual(await validated(t, junit), await validated(t, json));
    for (const format of ['markdown', 'ctrf', 'har', 'html', 'badge']) {
      await validated(t, await save(page, format));
    }
  });
});

const MB = 1 << 20;
/** The most memory that a page and its worker may take for their programs and their objects, whatever an agent sends. */
const MOST = 150 * MB;
const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';

const mega = function* (letter, count) {
  const piece = letter.repeat(MB);
  for (let index = 0; index < count; index++) yield piece;
};
const forever = function* (piece) {
  for (;;) yield piece;
};
const deep = (levels) => ['['.repeat(levels) + ']'.repeat(levels)];
const drip = (response, type) => flood(response, type, forever(' '), 500);
const update = (asked, size = 2000) => {
  const state = { state: 'TASK_STATE_WORKING' };
  const event = { statusUpdate: { taskId: 't', contextId: 'c', status: state, metadata: { x: 'x'.repeat(size) } } };
  const call = asked.body.includes('"method"') ? JSON.parse(asked.body) : undefined;
  return `data: ${JSON.stringify(call ? { jsonrpc: '2.0', id: call.id, result: event } : event)}\n\n`;
};

/** An agent whose card lists so many interfaces and that has none of their methods; `delay` is the time before each answer, in ms. */
const listing = (interfaces, delay = 0) => async (asked, response) => {
  const base = `http://${asked.request.headers.host}`;
  if (asked.isCard) {
    const at = (number) => ({ url: `${base}/${number}`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' });
    const skills = [{ id: 's', name: 's', description: 's', tags: ['s'] }];
    const modes = { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] };
    const supportedInterfaces = Array.from({ length: interfaces }, (_, number) => at(number));
    const card = { name: 'many', description: 'many', version: '1', capabilities: {}, ...modes, skills, supportedInterfaces };
    return flood(response, JSON_TYPE, [JSON.stringify(card)]);
  }
  await new Promise((resolve) => setTimeout(resolve, delay));
  // Some of what is sent is not JSON.
  const [, id = 'null'] = /"id":("[^"]*"|\d+)/.exec(asked.body) ?? [];
  const error = { code: -32601, message: 'Method not found' };
  return flood(response, JSON_TYPE, [JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(id), error })]);
};

/**
 * What an agent does, what the report says of it, and how many checks pass at least. `may` lets checks fail: an agent that
 * speaks nonsense is at fault; one that speaks too much, or not to the end, is not read. `alone` is tried after the others.
 */
const HARMS = {
  'a body of 200 MB': {
    trick: (asked, response) => asked.sends && flood(response, JSON_TYPE, mega(' ', 200)),
    says: ['the body is longer than 5 MB: reading stopped'],
    passed: 50,
  },
  'a stream without end': {
    trick: (asked, response) => asked.streams && flood(response, EVENTS, forever(update(asked))),
    says: ['the stream contains more than 2000 events'],
    passed: 50,
    may: true,
  },
  'a line of 1 GB': {
    trick: (asked, response) => asked.streams && flood(response, EVENTS, ['data: ', ...mega('x', 1024)]),
    says: ['no event came: the stream is longer than 8 MB: reading stopped'],
    passed: 50,
  },
  'JSON of 10 000 levels': {
    trick: (asked, response) => asked.sends && flood(response, JSON_TYPE, deep(10_000)),
    says: ['more than 128 nested arrays and objects: reading stopped'],
    passed: 50,
  },
  'an agent that drips': {
    trick: (asked, response) => (asked.sends && drip(response, JSON_TYPE)) || (asked.streams && drip(response, EVENTS)),
    times: { 'time-answer': 2, 'time-event': 3 },
    says: ['the answer did not end within the 2 s allowed for an answer', 'the answer did not end within the 3 s allowed for the first event'],
    passed: 20,
  },
  'an agent that dies after 20 requests': {
    trick: (asked, response, die) => asked.number >= 20 && (die(), true),
    says: ['and then stopped, as if it had crashed. This began with exchange 2'],
    passed: 20,
  },
  'an agent that wakes up late': {
    trick: async (asked) => asked.number === 0 && new Promise((resolve) => setTimeout(resolve, 5_500, false)),
    says: ['the first answer took 6 s, as if the agent had to start up'],
    shows: /Note: the first answer took 6 s/,
    passed: 50,
  },
  'a stream that falls silent': {
    trick: (asked, response) => {
      if (!asked.streams) return false;
      response.writeHead(200, { ...OPEN, 'content-type': EVENTS });
      return response.write(update(asked)), true;
    },
    times: { 'time-idle': 1 },
    says: ['the 1 s allowed without data on the stream'],
    passed: 50,
    may: true,
  },
  'a run whose time is over': {
    trick: (asked, response) => asked.number > 20 && !asked.isCard && drip(response, JSON_TYPE),
    times: { 'time-run': 6 },
    says: ['the run reached its limit of 6 s'],
    passed: 20,
  },
  'nothing but tiny values, again and again': {
    trick: (asked, response) =>
      asked.number > 4 && !asked.isCard &&
      flood(response, JSON_TYPE, [`[${(asked.number % 2 ? '{"":0},' : `"${'x'.repeat(52)}",`).repeat(80_000)}0]`]),
    says: ['the answers in this run have used up the memory allowed'],
    passed: 0,
    may: true,
  },
  'streams of nearly the most that is read': {
    trick: (asked, response) => asked.streams && flood(response, EVENTS, Array(110).fill(update(asked, 60_000))),
    says: [],
    passed: 50,
    may: true,
  },
  'a card with 5 000 interfaces': {
    trick: listing(5_000),
    says: ['16 of the 5000 interfaces of the card were checked'],
    shows: /--interfaces 5000/,
    passed: 0,
    may: true,
    alone: true,
  },
  'a card of 200 MB': {
    trick: (asked, response) => asked.isCard && flood(response, JSON_TYPE, mega(' ', 200)),
    says: ['more than any card has: the body is longer than 5 MB'],
    passed: 0,
  },
  'a card that is a stream without end': {
    trick: (asked, response) => asked.isCard && flood(response, EVENTS, forever(update(asked))),
    says: ['more than any card has: the stream contains more than 2000 events'],
    passed: 0,
  },
  'a card of 10 000 levels': {
    trick: (asked, response) => asked.isCard && flood(response, JSON_TYPE, deep(10_000)),
    says: ['more than 128 nested arrays and objects, so reading stopped'],
    passed: 0,
  },
  'a card that drips': {
    trick: (asked, response) => asked.isCard && drip(response, JSON_TYPE),
    times: { 'time-reach': 2 },
    says: ['started to respond and did not finish within the 2 s allowed for the card'],
    passed: 0,
  },
};

test('agents that would fill the memory of a page, or keep it for ever', { concurrency: AT_ONCE }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  // Side by side, each with an agent of its own: what one makes an agent do, another would see in its list of tasks.
  const tried = ([name, { trick, times = {}, says, shows = /./, passed, may }]) =>
    t.test(name, async (t) => {
      const agent = await startAgent(t);
      const proxy = await startTrick(t, agent.origin, (asked, response) => trick(asked, response, () => proxy.die()));
      const { page, context } = await openPage(t, 'about:blank', { browser });
      const memory = await watchMemory(page, context);
      await page.goto(`${served.origin}/`);
      await page.locator('html[data-start=ready]').waitFor();
      let heap = 0;
      // Garbage is not counted: a browser collects it when it likes, later on a busy machine.
      const look = async () => {
        if ((await memory.objects()) > heap) {
          await memory.collect();
          heap = Math.max(heap, await memory.objects());
        }
      };
      let watching = true;
      const watcher = (async () => {
        while (watching) {
          await look();
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      })();
      await settings(page);
      for (const [id, seconds] of Object.entries(times)) await page.fill(`#${id}`, String(seconds));
      await page.fill('#address', proxy.origin);
      const begun = performance.now();
      await page.click('#run');
      await finished(page, 120_000);
      const took = performance.now() - begun;
      const report = JSON.parse((await save(page, 'json')).text);
      watching = false;
      await watcher;
      const wasm = await memory.programs();
      const measured = `program ${(wasm / MB).toFixed(1)} MB, objects ${(heap / MB).toFixed(1)} MB, ${(took / 1000).toFixed(1)} s`;
      t.diagnostic(`${name}: ${measured}`);
      assert.ok(wasm + heap < MOST, measured);

      const results = Object.values(report.categories).flat();
      const ends = report.exchanges.map(({ end }) => end.detail);
      const told = [report.incomplete, report.cause, ...results.map(({ message }) => message), ...ends].filter(Boolean);
      for (const words of says) assert.ok(told.some((text) => text.includes(words)), `${words}\n${told.join('\n')}`);
      assert.match(await page.locator('#verdict').textContent(), shows);
      assert.ok(report.summary.passed >= passed, `${report.summary.passed} passed`);
      if (!may) assert.deepEqual(results.filter(({ status }) => status === 'fail').map(({ test }) => test), []);
    });
  const harms = Object.entries(HARMS);
  await Promise.all(harms.filter(([, { alone }]) => !alone).map(tried));
  // Keeps the processor busy all the time, with nothing else beside it.
  for (const harm of harms.filter(([, { alone }]) => alone)) await tried(harm);
});

test('a card with 5 000 interfaces leaves the page to its user', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const agent = await startAgent(t);
  const proxy = await startTrick(t, agent.origin, listing(5_000, 300));
  const { page } = await openPage(t, `${served.origin}/`, { browser });
  await page.locator('html[data-start=ready]').waitFor();
  // The longest time between two frames: the page did not react to clicks for so long.
  await page.evaluate(() => {
    globalThis.longest = 0;
    let before = performance.now();
    const frame = (now) => {
      globalThis.longest = Math.max(globalThis.longest, now - before);
      before = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await page.fill('#address', proxy.origin);
  await page.click('#run');
  await page.waitForFunction(() => Number(document.querySelector('#count-pass')?.textContent ?? 0) > 5);
  const begun = performance.now();
  await page.click('#stop');
  await finished(page);
  const took = performance.now() - begun;
  const longest = await page.evaluate(() => globalThis.longest);
  t.diagnostic(`stopped after ${took.toFixed(0)} ms, longest time between two frames ${longest.toFixed(0)} ms`);
  assert.ok(took < 3_000, `${took} ms`);
  assert.ok(longest < 1_500, `${longest} ms`);
  assert.match(await page.locator('#verdict').innerText(), /stopped/);
  const report = JSON.parse((await save(page, 'json')).text);
  assert.deepEqual([report.lanes.length, report.notChecked.length], [16, 4_984]);
});
