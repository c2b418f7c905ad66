// One check in full: the sentence that it stands on, its exchanges, texts to copy; running it again; what is waited for, by its
// name; and the message that an inconclusive check asks for.

import assert from 'node:assert/strict';
import http from 'node:http';
import test from 'node:test';
import { ONE_INTERFACE, assertQuiet, axe, cli, openPage, start, startAgent, startBrowser, startServe } from './support.mjs';
import { finished, row, unfold } from './page.mjs';

const focused = (page) => page.evaluate(() => document.activeElement?.id ?? document.activeElement?.tagName);
const keepsFocus = async (page) => assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), 'BODY');

async function withoutViolations(page) {
  assert.deepEqual(await axe(page), []);
}

/** Opens the line of that check. */
async function open(page, check) {
  await unfold(page);
  await page.locator(`tr[data-check="${check}"] .row-button`).click();
  await page.locator('#why:not(:empty)').waitFor();
}

/** Serves a card that a test makes, and answers calls as it says. */
async function startFake(t, { skills = 1, call }) {
  const server = http.createServer((request, response) => {
    const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
    if (request.method === 'OPTIONS') return response.writeHead(204, headers).end();
    if (!request.url.includes('agent-card')) return call(request, response, headers);
    const base = `http://127.0.0.1:${server.address().port}`;
    const card = {
      name: 'An agent of a test',
      description: 'It answers as the test says.',
      version: '1',
      supportedInterfaces: [{ url: `${base}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      capabilities: {},
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: Array.from({ length: skills }, (_, n) => ({
        id: `skill-${n}`,
        name: `Skill ${n}`,
        description: 'It does what the others do, and its description is as long.',
        tags: ['test'],
      })),
    };
    response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(card));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

test('one check in full', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const visit = (context = {}) =>
    openPage(t, `${served.origin}/`, { browser, context: { permissions: ['clipboard-read', 'clipboard-write'], ...context } });
  const copied = async (page, button) => {
    await button.click();
    await button.locator('xpath=..').getByText('Copied').waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };

  await t.test('shows the sentence apart from why it matters, and copies what was found', async () => {
    const { page, watched } = await visit();
    await page.click('#demo-faulty');
    await finished(page);
    await page.locator('tr[data-status=fail] .row-button').first().click();
    await page.locator('#rules blockquote').first().waitFor();
    const links = await page.locator('#rules a').evaluateAll((all) => all.map(({ href }) => href));
    assert.ok(links.length >= 2 && links.every((href) => href.startsWith('https://')), links.join(' '));
    assert.match(await page.locator('#rules').innerText(), /^required/);
    assert.ok(!(await page.locator('#rules').innerText()).includes(await page.locator('#why').innerText()));

    const title = await page.locator('#detail-title').innerText();
    const issue = await copied(page, page.locator('#copy-issue'));
    assert.ok(issue.startsWith(`${title}\n\nResult: fail (required)`), issue);
    assert.match(issue, /\nExpected:\n {4}.+\n\nReceived:\n {4}/);
    const markdown = await copied(page, page.locator('#copy-markdown'));
    assert.ok(markdown.startsWith('### ') && markdown.includes('```sh\ncurl -i'), markdown);

    const fold = page.locator('.exchange').first();
    const [bash, powerShell] = await fold.getByRole('button', { name: 'Copy as curl' }).all();
    assert.match(await copied(page, bash), /^curl -i/);
    assert.match(await copied(page, powerShell), /^@"\nurl = "[^]+"@ \| curl\.exe -i/m);
    const raw = fold.getByRole('region', { name: 'Answer' }).getByRole('button', { name: 'Raw' });
    const body = fold.getByRole('region', { name: 'Answer' }).locator('.body');
    const pretty = await body.innerText();
    await raw.click();
    await page.waitForFunction((before) => document.querySelector('.exchange section[aria-label=Answer] .body').innerText !== before, pretty);
    assert.deepEqual(JSON.parse(await body.innerText()), JSON.parse(pretty));
    assert.equal(await raw.getAttribute('aria-pressed'), 'true');
    await raw.click();
    assert.equal(await body.innerText(), pretty);

    await page.locator('#tested > summary').click();
    const tested = await page.locator('#tested').innerText();
    assert.match(tested, /The agent .+/);
    assert.ok((await page.locator('#tested .calls li').count()) > 0);
    await withoutViolations(page);
    assertQuiet(watched);
  });

  await t.test('tells the events of a stream in words', async () => {
    const { page } = await visit();
    await page.click('#demo');
    await finished(page);
    await unfold(page);
    const said = new Set();
    for (const line of await page.locator('tr[data-check^="stream."] .row-button').all()) {
      await line.click();
      await page.locator('#why:not(:empty)').waitFor();
      for (const text of await page.locator('.timeline .brief').allTextContents()) said.add(text);
      if (said.size > 5) break;
    }
    assert.ok(said.has('statusUpdate \u00b7 WORKING'), [...said].join('; '));
    assert.ok([...said].some((text) => /^artifactUpdate( \u00b7 (append|lastChunk))*$/.test(text)), [...said].join('; '));
  });

  await t.test('shows the whole of a body that was cut, and says what the browser hid', async (t) => {
    const call = (_, response, headers) =>
      response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}');
    const origin = await startFake(t, { skills: 300, call });
    const { page } = await visit({ viewport: { width: 320, height: 700 } });
    await page.fill('#address', origin);
    await page.click('#run');
    await finished(page);
    await open(page, 'card.required-fields');
    const answer = page.locator('.exchange').first().getByRole('region', { name: 'Answer' });
    assert.match(await answer.innerText(), /Cut: lines/);
    assert.match(await answer.locator('.hides').innerText(), /hides[^]+WWW-Authenticate/);
    assert.ok(!(await answer.locator('.body').innerText()).includes('skill-299'));
    await answer.getByRole('button', { name: 'Show all of it' }).click();
    await answer.locator('.body', { hasText: 'skill-299' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= 320), true, 'nothing is wider than the screen');
    await withoutViolations(page);
  });
});

test('running again', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);

  await t.test('a mended agent: the row is open still, and says what it was', async (t) => {
    const faulty = await startAgent(t, [...ONE_INTERFACE, '--fault', 'cancel-terminal-wrong-code', '--fault', 'stream-two-payloads']);
    const { page, watched } = await openPage(t, `${served.origin}/`, { browser });
    await page.fill('#address', faulty.origin);
    await page.click('#run');
    await finished(page);
    const said = async () => (await page.locator('#verdict-level, #verdict-reason, #details > p').allTextContents()).join('\n');
    const verdict = await said();
    await page.click('[data-filter=fail]');
    const line = page.locator('tr[data-status=fail]').first();
    const check = await line.getAttribute('data-check');
    await line.locator('.row-button').click();
    await page.locator('#why:not(:empty)').waitFor();
    const title = await page.locator('#detail-title').innerText();

    await faulty.stop();
    await start(t, cli(), ['agent', '--listen', new URL(faulty.origin).host, ...ONE_INTERFACE]);
    await page.locator('#again-check').focus();
    await page.keyboard.press('Enter');
    await page.locator('#again-note', { hasText: 'run again at' }).waitFor({ timeout: 60_000 });
    assert.match(await page.locator('#again-note').innerText(), /results? (was|were) run again at \d\d:\d\d; [1-9]\d* changed\. Verdict/);
    assert.equal(await focused(page), 'again-check');
    assert.equal(await page.locator('#detail-title').innerText(), title);
    assert.match(await page.locator('.detail-head .was').innerText(), /^was: fail$/);
    assert.equal(await page.locator(`tr[data-check="${check}"] .was`).innerText(), 'was: fail');
    assert.equal(await page.getAttribute('[data-filter=fail]', 'aria-pressed'), 'true');
    assert.equal(await said(), verdict, 'the verdict is that of the whole run');
    await withoutViolations(page);

    // The rest of what failed, and then everything.
    await page.click('#again-failed');
    await page.locator('[data-filter=fail] b', { hasText: /^0$/ }).waitFor({ timeout: 60_000 });
    await page.waitForFunction(() => /run again at/.test(document.querySelector('#again-note').textContent));
    await keepsFocus(page);
    await page.click('#again-all');
    await page.locator('#verdict[data-word=conformant]').waitFor({ timeout: 60_000 });
    assert.equal(await page.locator('#detail-title').innerText(), title, 'the row is open again');
    assert.equal(await page.getAttribute('[data-filter=fail]', 'aria-pressed'), 'true', 'filters are kept');
    await keepsFocus(page);
    assertQuiet(watched, [/ERR_CONNECTION_REFUSED|net::|404|400/]);
  });

  await t.test('a group, of the demo agent', async (t) => {
    const { page } = await openPage(t, `${served.origin}/`, { browser });
    await page.click('#demo-faulty');
    await finished(page);
    await page.locator('[data-again="2"]').click();
    await page.locator('#again-note', { hasText: /run again at \d\d:\d\d; none changed/ }).waitFor();
    await keepsFocus(page);
    assert.equal(await page.locator('.dot[data-status=running]').count(), 0);
  });
});

test('waiting has a name', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const origin = await startFake(t, { call: () => {} });
  const { page } = await openPage(t, `${served.origin}/`, { browser });
  await page.fill('#address', origin);
  await page.click('#run');
  const text = page.locator('#waiting-text');
  await text.filter({ hasText: /^Waiting for your agent: \w+, \d+ s of 45 s/ }).waitFor({ timeout: 20_000 });
  assert.equal(await page.evaluate(() => document.querySelector('#progress').position < 1), true, 'the bar is not at its end');
  assert.match(await page.locator('#way').innerText(), /waiting/);
  await withoutViolations(page);
  await page.click('#wait-longer');
  await text.filter({ hasText: /s of 90 s/ }).waitFor({ timeout: 5_000 });
  const waits = async () => (await text.innerText()).replace(/,.*/, '');
  const before = await waits();
  await page.locator('#give-up').focus();
  for (let press = 0; press < 60 && (await page.getAttribute('#verdict', 'data-level')) === 'running'; press += 1) {
    if (await page.locator('#give-up').isVisible()) await page.click('#give-up', { timeout: 2_000 }).catch(() => {});
    await page.waitForTimeout(400);
    await keepsFocus(page);
  }
  assert.ok(before.startsWith('Waiting for your agent'));
  await finished(page, 5_000);
  const failed = page.locator('.dot[data-status=fail]:not([data-lane=""])');
  assert.equal(await failed.count(), 0, 'nothing that was given up is held against the agent');
  assert.match(await page.locator('#verdict').innerText(), /Incomplete/);
});

test('an inconclusive check asks for a message, and runs with it', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const agent = await startAgent(t, ONE_INTERFACE);
  const { page } = await openPage(t, `${served.origin}/`, { browser });
  await page.fill('#address', agent.origin);
  await page.locator('#settings > summary').click();
  await page.locator('#settings details').evaluateAll((all) => all.forEach((fold) => (fold.open = true)));
  await page.selectOption('#profile', 'generic');
  // The other skills work for half a minute.
  await page.fill('#skills', 'message-only, task-lifecycle');
  await page.click('#run');
  await finished(page, 60_000);
  await page.fill('#filter-text', 'set the prompt "input-required"');
  const line = page.locator('tr[data-status=blocked]').first();
  const check = await line.getAttribute('data-check');
  await line.locator('.row-button').click();
  await page.fill('#filter-text', '');
  await page.click('#give-message');
  await page.waitForFunction(() => document.activeElement?.id === 'give-text');
  assert.match(await page.locator('#give-form').innerText(), /input-required: a message that makes a task require input/);
  await withoutViolations(page);
  await page.keyboard.type('multi-turn start conversation');
  await page.keyboard.press('Enter');
  await page.locator('#again-note', { hasText: 'run again at' }).waitFor({ timeout: 60_000 });
  await keepsFocus(page);
  assert.notEqual(await row(page, check), 'fail');
  assert.match(await page.locator('.detail-head .was').innerText(), /was: not judged/);
  assert.equal(await page.inputValue('[data-prompt=input-required]'), 'multi-turn start conversation');
});
