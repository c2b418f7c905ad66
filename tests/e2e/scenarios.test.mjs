// Tests of one's own in the release page: files are opened by drop, by picker and by URL, a mistake has its place, a run shows each
// test with its steps, and the files that are saved are those of the command line.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { finished, save, validated } from './page.mjs';
import { assertOnlyAsked, assertQuiet, axe, download, openPage, overflow, runCli, startAgent, startBrowser, startServe } from './support.mjs';

const message = (text) => `{message: {role: ROLE_USER, parts: [{text: ${text}}]}}`;

/** One test of each result. */
const SUITE = `acts_version: "1.0"
spec_version: "1.0"
suites:
  - id: own
    name: Tests of our own
    tests:
      - id: OWN-PASS
        name: A message is answered and its task is read
        description: The task can be read when it is over.
        level: must
        steps:
          - {id: ask, operation: send_message, params: ${message('tck-complete-task')}, capture: {taskId: task.id}}
          - {id: read, operation: get_task, params: {id: "{{ask.taskId}}"}, expect: {body: {status: {state: TASK_STATE_COMPLETED}}}}
      - id: OWN-FAIL
        name: The task says what no agent says
        level: must
        spec_ref: "1.0 §4.1.3"
        steps:
          - {id: first, operation: send_message, params: ${message('tck-complete-task')}, capture: {taskId: task.id}}
          - {id: second, operation: get_task, params: {id: "{{first.taskId}}"}, expect: {body: {status: {state: TASK_STATE_DANCING}}}}
          - {id: third, operation: get_task, params: {id: "{{first.taskId}}"}}
      - id: OWN-SKIP
        name: A skill that the agent does not have
        level: must
        preconditions: {skills: [{id: dance}]}
        steps: [{id: card, operation: get_agent_card}]
`;
const MISTAKEN = SUITE.replace('operation: get_agent_card', 'operation: get_card');

/** Drops files on the page: names with texts. */
async function drop(page, files) {
  const dataTransfer = await page.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(files)) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  await page.dispatchEvent('body', 'drop', { dataTransfer });
}

const names = (page) => page.locator('#tests-names li code').allInnerTexts();
const statuses = (page) =>
  page
    .locator('tr[data-check]')
    .evaluateAll((all) => Object.fromEntries(all.map(({ dataset }) => [dataset.check, dataset.status])));
const steps = (page) => page.locator('#steps > li').evaluateAll((all) => all.map(({ dataset }) => [dataset.step, dataset.status]));
const inBothColours = async (page, where) => {
  for (const [width, height] of [[1280, 800], [360, 740]]) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await axe(page), [], `${where}, ${colorScheme}, ${width} px`);
      assert.equal(await overflow(page), 0, `${where}, ${width} px`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
};

test('tests of files', { timeout: 600_000 }, async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const open = async () => {
    const opened = await openPage(t, `${served.origin}/`, { browser });
    await opened.page.locator('html[data-start=ready]').waitFor();
    return opened;
  };
  const opened = async (page, text = SUITE) => {
    await drop(page, { 'own.acts.yaml': text });
    await page.locator('#tests-names li').waitFor();
  };

  await t.test('files are dropped, picked and fetched, and closed again', async (t) => {
    const { page, watched } = await open();
    await drop(page, { 'a.yaml': SUITE, 'b.acts.json': JSON.stringify({ acts_version: '1.0', spec_version: '1.0', suites: [] }) });
    await page.locator('#tests-names li').nth(1).waitFor();
    assert.deepEqual(await names(page), ['a.yaml', 'b.acts.json']);
    await page.locator('#tests-names button').nth(1).click();
    await page.locator('#tests-summary', { hasText: '1 file with 3 tests.' }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'tests-title');

    const other = SUITE.replaceAll('OWN-', 'OTHER-').replace('id: own', 'id: other');
    await page.setInputFiles('#file-tests', [{ name: 'c.yaml', mimeType: 'application/yaml', buffer: Buffer.from(other) }]);
    await page.locator('#tests-summary', { hasText: '2 files with 6 tests.' }).waitFor();

    const server = http.createServer((request, response) => {
      const status = request.url === '/d.yaml' ? 200 : 404;
      response.writeHead(status, { 'access-control-allow-origin': '*', 'content-type': 'text/yaml' });
      response.end(SUITE.replaceAll('OWN-', 'THIRD-').replace('id: own', 'id: third'));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const url = `http://127.0.0.1:${server.address().port}`;
    await page.fill('#tests-url', `${url}/d.yaml`);
    await page.press('#tests-url', 'Enter');
    await page.locator('#tests-summary', { hasText: '3 files with 9 tests.' }).waitFor();
    await page.fill('#tests-url', `${url}/none.yaml`);
    await page.click('#tests-fetch');
    await page.locator('#tests-problem', { hasText: 'the answer is HTTP 404' }).waitFor();
    await page.fill('#tests-url', 'd.yaml');
    await page.click('#tests-fetch');
    await page.locator('#tests-problem', { hasText: 'begins with https:// or http://' }).waitFor();
    assert.deepEqual(await names(page), ['a.yaml', 'c.yaml', `${url}/d.yaml`]);
    assertOnlyAsked(watched, [served.origin, url]);
    assertQuiet(watched, [/404/]);
  });

  await t.test('a mistake is named with file, line and column, and what was expected', async () => {
    const { page, watched } = await open();
    await opened(page, MISTAKEN);
    const mistake = page.locator('#tests-mistakes li');
    await mistake.waitFor();
    const line = MISTAKEN.split('\n').findIndex((text) => text.includes('get_card')) + 1;
    const column = MISTAKEN.split('\n')[line - 1].indexOf('get_card') + 1;
    const text = await mistake.innerText();
    assert.ok(text.includes('own.acts.yaml') && text.includes(`line ${line}, column ${column}`), text);
    assert.match(text, /there is no operation get_card; did you mean get_task/);
    await page.press('#tests-demo', 'Enter');
    assert.match(await page.innerText('#tests-problem'), /no test that can be run/);
    assert.equal(await page.locator('#verdict').count(), 0, 'nothing is run');
    await inBothColours(page, 'a mistake');
    await opened(page);
    await page.locator('#tests-summary', { hasText: '1 file with 3 tests.' }).waitFor();
    assert.equal(await mistake.count(), 0);
    assertQuiet(watched);
  });

  await t.test('a run shows each test with its steps, and each step with its evidence', async (t) => {
    const { page, watched } = await open();
    await opened(page);
    const agent = await startAgent(t);
    await page.fill('#address', agent.origin);
    await page.click('#tests-run');
    await finished(page);
    assert.deepEqual(await statuses(page), { 'OWN-PASS': 'pass', 'OWN-FAIL': 'fail', 'OWN-SKIP': 'skip' });

    await page.locator('tr[data-check=OWN-FAIL] .row-button').click();
    await page.locator('#steps').waitFor();
    assert.deepEqual(await steps(page), [['first', 'pass'], ['second', 'fail'], ['third', 'skip']]);
    const second = page.locator('#steps [data-step=second]');
    assert.match(await second.locator('.pair').innerText(), /TASK_STATE_DANCING[^]*TASK_STATE_COMPLETED/);
    assert.match(await second.locator('.exchange').innerText(), /TASK_STATE_COMPLETED/);
    assert.equal(await page.locator('#steps [data-step=first] .exchange').count(), 1);
    assert.equal(await page.locator('#steps [data-step=third] .exchange').count(), 0);
    await inBothColours(page, 'a failure');

    await page.locator('tr[data-check=OWN-PASS] .row-button').click();
    await page.locator('#detail-title', { hasText: 'its task is read' }).waitFor();
    await page.locator('#steps [data-step=read]').waitFor();
    assert.deepEqual(await steps(page), [['ask', 'pass'], ['read', 'pass']]);
    await page.locator('tr[data-check=OWN-SKIP] .row-button').click();
    await page.locator('#message', { hasText: 'dance' }).waitFor();

    assert.match(await page.innerText('#skipped'), /OWN-SKIP[^]*dance/);
    const json = await save(page, 'json');
    const statusOf = (report) => Object.values(report.categories).flat().map(({ test, lane, status }) => `${test}@${lane} ${status}`).sort();
    const ofPage = JSON.parse(json.text);
    const folder = await mkdtemp(join(tmpdir(), 'a2a-tests-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'own.acts.yaml');
    await writeFile(path, SUITE);
    const { stdout } = await runCli(['scenario', path, agent.origin, '--format', 'json']);
    assert.deepEqual(statusOf(ofPage), statusOf(JSON.parse(stdout)), 'as on the command line');
    await validated(t, json);
    const junit = await validated(t, await save(page, 'junit'));
    assert.ok(junit.failures > 0);
    assert.match((await save(page, 'markdown')).text, /OWN-FAIL/);
    const acts = await save(page, 'acts');
    assert.match(acts.name, /^acts-report-.*\.json$/);
    const results = JSON.parse(acts.text).suites[0].tests.map(({ id, result }) => [id, result]);
    assert.deepEqual(results, [['OWN-PASS', 'pass'], ['OWN-FAIL', 'fail'], ['OWN-SKIP', 'skip']]);
    assertOnlyAsked(watched, [served.origin, agent.origin]);
    assertQuiet(watched);
  });

  await t.test('variables, texts for behaviours and further agents are given a line each', async (t) => {
    const { page, watched } = await open();
    const named = SUITE.slice(0, SUITE.indexOf('      - id: OWN-PASS')).concat(`      - id: OWN-NAME
        name: The card has the name that was given
        level: must
        steps: [{id: card, operation: get_agent_card, expect: {body: {name: "{{name}}"}}}]
      - id: OWN-SONG
        name: A behaviour by other words
        level: must
        steps: [{id: sing, operation: send_message, params: ${message('tck-sing')}, expect: {body: {task: {status: {state: TASK_STATE_REJECTED}}}}}]
`);
    await opened(page, named);
    const agent = await startAgent(t);
    await page.fill('#address', agent.origin);
    await page.fill('#tests-given', 'name=Scripted agent');
    await page.click('#tests-run');
    await page.locator('#tests-problem', { hasText: 'Expected --var NAME=VALUE' }).waitFor();
    await page.fill('#tests-given', '');
    await page.click('#tests-run');
    await finished(page);
    assert.deepEqual(await statuses(page), { 'OWN-NAME': 'blocked', 'OWN-SONG': 'fail' });
    await page.click('#tests-open');
    await page.fill('#tests-given', "--var name=Scripted agent\n--behavior tck-sing='tck-reject-task please'");
    await page.click('#tests-run');
    await page.locator('#verdict[data-run="3"]').waitFor();
    await finished(page);
    assert.deepEqual(await statuses(page), { 'OWN-NAME': 'pass', 'OWN-SONG': 'pass' });
    assertQuiet(watched);
  });

  await t.test('with the keyboard alone, against the demo agent, again and after a correction', async () => {
    const { page, watched } = await open();
    await page.focus('#tests-open');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement.id === 'tests-title');
    await opened(page);
    await page.focus('#tests-demo');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement.id === 'verdict');
    await finished(page);
    assert.equal((await statuses(page))['OWN-FAIL'], 'fail');
    await page.focus('#again-all');
    await page.keyboard.press('Enter');
    await page.locator('#verdict[data-run="2"]').waitFor();
    await finished(page);
    assert.equal((await statuses(page))['OWN-FAIL'], 'fail');

    await page.focus('#tests-open');
    await page.keyboard.press('Enter');
    await opened(page, SUITE.replace('DANCING', 'COMPLETED'));
    await page.locator('#tests-summary', { hasText: '3 tests' }).waitFor();
    await page.focus('#tests-demo');
    await page.keyboard.press('Enter');
    await page.locator('#verdict[data-run="3"]').waitFor();
    await finished(page);
    assert.equal((await statuses(page))['OWN-FAIL'], 'pass');
    assert.equal(await page.locator('#download-acts').count(), 1);

    // The checks of the page itself are as they were.
    // By key: rows above that are drawn late may move it between the two halves of a click.
    await page.locator('.demo-again > summary').press('Enter');
    await page.click('#demo');
    await page.locator('#verdict[data-run="4"]').waitFor();
    await finished(page);
    assert.equal(await page.locator('#download-acts').count(), 0);
    assert.equal(await page.locator('tr[data-check^=OWN]').count(), 0);
    assertQuiet(watched);
  });
});
