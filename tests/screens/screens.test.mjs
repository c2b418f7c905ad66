// Every state of the page, light and dark, on a desk and on a phone: axe finds nothing in it, nothing is wider than the screen, and a
// picture of it is in test-results/screens for somebody to look at. A command of its own, `make screens`, because it takes minutes.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { closedPort, startFault } from '../e2e/faults.mjs';
import { finished, openLine, runAgainst, save, settings, share, unfold, withChecker } from '../e2e/page.mjs';
import { AT_ONCE, ROOT, axe, drawAll, openPage, overflow, runCli, startAgent, startBrowser, startServe } from '../e2e/support.mjs';

const PICTURES = join(ROOT, 'test-results/screens');
const THEMES = ['light', 'dark'];
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 360, height: 740 }, narrow: { width: 320, height: 640 } };

/** Runs the demo agent with the faults of the start page. */
async function faulty(page) {
  await page.click('#demo-faulty');
  await finished(page);
}

/** Reads the card of an agent in the workbench, before any run. */
async function workbench(page, { agent }) {
  await page.fill('#address', agent.origin);
  await page.click('#bench-open');
  await page.click('#bench-card');
  await page.locator('#bench-known').filter({ hasText: 'declares' }).waitFor();
}

/** Lists agents one by one: one with faults, one that wants credentials, one that conforms and one that is not there. */
async function severalListed(page, { t, agent, protectedAgent }) {
  const faulty = await startAgent(t, ['--fault', 'list-by-offset']);
  const nobody = `http://127.0.0.1:${await closedPort()}`;
  await page.click('#several-open');
  await page.fill('#several-list', [faulty.origin, protectedAgent.origin, agent.origin, nobody].join('\n'));
  await page.locator('#several-read', { hasText: '4 agents' }).waitFor();
}

/** Checks all of them. */
async function several(page, given) {
  await severalListed(page, given);
  await page.click('#several-run');
  const rows = page.locator('#several-agents tbody tr');
  await rows.nth(3).waitFor();
  await page.locator('#several-agents tbody tr:is([data-status=running], [data-status=pending])').first().waitFor({ state: 'detached', timeout: 120_000 });
}

/** A file with a test that passes, one that fails, and one whose precondition is not met. */
const TESTS = `acts_version: "1.0"
spec_version: "1.0"
suites:
  - id: own
    name: Tests of our own
    tests:
      - id: OWN-001
        name: A question is answered
        level: must
        steps: [{id: ask, operation: send_message, params: {message: {role: ROLE_USER, parts: [{text: tck-complete-task}]}}}]
      - id: OWN-002
        name: The task says where Lisbon is
        description: Clients show the state to their users.
        level: must
        steps:
          - {id: ask, operation: send_message, params: {message: {role: ROLE_USER, parts: [{text: tck-complete-task}]}}, capture: {taskId: task.id}}
          - {id: read, operation: get_task, params: {id: "{{ask.taskId}}"}, expect: {body: {status: {state: TASK_STATE_DANCING}}}}
          - {id: again, operation: get_task, params: {id: "{{ask.taskId}}"}}
      - id: OWN-003
        name: A skill that the agent does not have
        level: should
        preconditions: {skills: [{id: dance}]}
        steps: [{id: card, operation: get_agent_card}]
`;

/** Opens a file of tests. */
async function testsOpened(page, text = TESTS) {
  await page.click('#tests-open');
  await page.setInputFiles('#file-tests', { name: 'own.acts.yaml', mimeType: 'application/yaml', buffer: Buffer.from(text) });
  await page.locator('#tests-names li').waitFor();
}

/** Runs its tests. */
async function testsRun(page) {
  await testsOpened(page);
  await page.click('#tests-demo');
  await finished(page);
}

/** Watches a client that names no version. */
async function clientWatched(page, { t }) {
  const agent = await startAgent(t, ['--watch']);
  await page.click('#watch-open');
  await page.fill('#watch-address', agent.origin);
  await page.click('#watch-run');
  const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'message-only hello' }] } } };
  await fetch(`${agent.origin}/.well-known/agent-card.json`, { headers: { 'user-agent': 'one/1' } });
  await fetch(`${agent.origin}/rpc`, { method: 'POST', headers: { 'content-type': 'application/json', 'user-agent': 'one/1' }, body: JSON.stringify(call) });
  await page.locator('#watched-requests tbody tr').nth(1).waitFor();
}

/** Opens a report that only the command line writes. */
async function nativeReport(page, { t }, args) {
  const [agent, other] = [await startAgent(t), await startAgent(t, ['--fault', 'get-wrapped'])];
  const { stdout } = await runCli(['check', agent.origin, ...args(other.origin), '--quiet', '--format', 'json']);
  await page.setInputFiles('#file-show', { name: 'report.json', mimeType: 'application/json', buffer: Buffer.from(stdout) });
  await finished(page);
}

/** What brings each state about, in a page that has just been opened. */
const STATES = {
  start: async () => {},
  'start, checks listed': (page) => page.locator('.catalogue > summary').click(),
  'start, faults to choose': async (page) => {
    await page.locator('#faults > summary').click();
    await page.locator('[data-fault]').first().waitFor();
  },
  'an address that is refused': async (page) => {
    await page.fill('#address', 'ftp://agent.example');
    await page.click('#run');
    await page.locator('#problem:not(:empty)').waitFor();
  },
  settings: (page) => settings(page),
  'a checker that cannot be loaded': async (page) => {
    await page.evaluate(() => {
      window.checker.ask = () => Promise.reject(new Error('no network'));
    });
    await page.click('#demo');
    await page.locator('#demo-note:not(:empty)').waitFor();
  },
  running: async (page, { t, agent }) => {
    const { origin } = await startFault(t, 'call-silent', agent.origin);
    await page.fill('#address', origin);
    await page.click('#run');
    await page.locator('tr[data-check]').first().waitFor({ state: 'attached' }).catch(() => {});
    await page.waitForTimeout(1500);
  },
  stopped: async (page, { t, agent }) => {
    const { origin } = await startFault(t, 'call-silent', agent.origin);
    await page.fill('#address', origin);
    await page.click('#run');
    await page.waitForTimeout(1000);
    await page.click('#stop');
    await finished(page);
  },
  'a client, watched': clientWatched,
  'a client, its report': async (page, given) => {
    await clientWatched(page, given);
    await page.click('#watch-report');
    await finished(page);
  },
  'a load, opened': (page, given) => nativeReport(page, given, () => ['--load', '1s', '--rate', '5', '--only', 'load.*']),
  'two agents, opened': (page, given) => nativeReport(page, given, (other) => ['--peer', other, '--only', 'pair.*']),
  conformant: async (page) => {
    await page.click('#demo');
    await finished(page);
  },
  faulty,
  'faulty, unfolded': async (page) => {
    await faulty(page);
    await unfold(page);
  },
  'a failure': async (page) => {
    await faulty(page);
    await openLine(page, 'fail');
    await page.locator('#expected').waitFor();
  },
  'a failure of a stream': async (page) => {
    await faulty(page);
    await page.locator('tr[data-check="stream.oneof"] .row-button').click();
    await page.locator('.timeline').first().waitFor();
  },
  'a pass': async (page) => {
    await faulty(page);
    await openLine(page, 'pass');
    await page.locator('#why:not(:empty)').waitFor();
  },
  'a search that finds nothing': async (page) => {
    await faulty(page);
    await page.fill('#filter-text', 'zzzz');
    await page.locator('#nothing-shown').waitFor();
  },
  'an agent without CORS': async (page, { t, agent }) => {
    await runAgainst(page, (await startFault(t, 'no-allow-origin', agent.origin)).origin);
  },
  'nothing there': async (page) => runAgainst(page, `http://127.0.0.1:${await closedPort()}`),
  'an agent that wants credentials': async (page, { protectedAgent }) => {
    await runAgainst(page, protectedAgent.origin);
    await settings(page);
  },
  'a card': async (page, { agent }) => {
    const card = await (await fetch(`${agent.origin}/.well-known/agent-card.json`)).text();
    await runAgainst(page, card.replaceAll('\n', ' '));
  },
  'after a reload': async (page) => {
    await faulty(page);
    await page.waitForFunction(() => sessionStorage.getItem('a2a-conformance.report'));
    await page.reload();
    await page.locator('#kept').waitFor();
  },
  traffic: async (page) => {
    await faulty(page);
    await page.click('#tab-traffic');
    await page.locator('tr[data-exchange]').first().waitFor();
  },
  'an exchange': async (page) => {
    await faulty(page);
    await page.click('#tab-traffic');
    await page.fill('#traffic-text', 'sendstreamingmessage 200');
    await page.locator('tr[data-exchange] button').first().click();
    await page.locator('#traffic-exchange .sheet').first().waitFor();
  },
  'the card of an agent': async (page) => {
    await faulty(page);
    await page.click('#tab-card');
    await page.locator('#panel-card h2').first().waitFor();
  },
  'the workbench': workbench,
  'an answer in the workbench': async (page, given) => {
    await workbench(page, given);
    await page.fill('#bench-text', 'task-lifecycle');
    await page.waitForFunction(() => document.getElementById('bench-body').value.includes('task-lifecycle'));
    await page.click('#bench-send');
    await page.locator('#bench-judged').waitFor();
  },
  'a conversation': async (page, given) => {
    await workbench(page, given);
    for (const text of ['multi-turn', 'done']) {
      await page.fill('#talk-text', text);
      await page.click('#talk-send');
      await page.locator('#bench-stop:disabled').waitFor();
    }
    await page.locator('#turns li[data-who=artifact]').waitFor();
  },
  'tests of files to run': (page) => testsOpened(page),
  'tests with a mistake': async (page) => {
    await testsOpened(page, TESTS.replace('get_agent_card', 'get_card').replace('level: should', 'level: shall'));
    await page.locator('#tests-mistakes li').nth(1).waitFor();
  },
  'tests of files': testsRun,
  'a test that fails': async (page) => {
    await testsRun(page);
    await page.locator('tr[data-check="OWN-002"] .row-button').click();
    await page.locator('#steps').waitFor();
  },
  'several agents to check': severalListed,
  'several agents': several,
  'a check of several agents': async (page, given) => {
    await several(page, given);
    await page.selectOption('#several-order', 'worst');
    await page.fill('#several-check-text', 'list.');
    await page.locator('#several-checks tr[data-check]').first().waitFor();
  },
  'a comparison': async (page) => {
    await page.click('#demo');
    await finished(page);
    const { name, text } = await save(page, 'json');
    await page.locator('.demo-again > summary').click();
    await faulty(page);
    await page.locator('#compare > summary').click();
    await page.setInputFiles('#file-compare', { name, mimeType: 'application/json', buffer: Buffer.from(text) });
    await page.locator('#comparison').waitFor();
  },
  'a link to share': async (page) => {
    await faulty(page);
    await share(page);
    await page.locator('#qr > summary').click();
  },
  'a file that cannot be opened': async (page) => {
    await page.setInputFiles('#file-show', { name: 'odd.har', mimeType: 'application/json', buffer: Buffer.from('{"log":{}}') });
    await page.locator('#file-problem:not(:empty)').waitFor();
  },
  help: async (page) => {
    await page.click('#help-open');
    await page.locator('#help[open]').waitFor();
  },
  crashed: (page) =>
    page.evaluate(() => {
      document.documentElement.dataset.start = 'crashed';
    }),
};

test('every state', { concurrency: AT_ONCE }, async (t) => {
  mkdirSync(PICTURES, { recursive: true });
  const served = await startServe(t);
  const browser = await startBrowser(t);
  const protectedAgent = await startAgent(t, ['--fault', 'protected']);

  const states = Object.entries(STATES).map(([name, bring]) =>
    t.test(name, async (t) => {
      // One state's tasks would be in the list of tasks of another.
      const agent = await startAgent(t);
      const context = { viewport: SIZES.desk, reducedMotion: 'reduce' };
      const { page } = await openPage(t, `${served.origin}/`, { browser, context });
      await withChecker(page);
      await bring(page, { t, agent, protectedAgent });
      await drawAll(page);
      // Below a heading that stays, any button can be half out of sight, and no target is as large as axe asks for then.
      await page.evaluate(() => scrollTo(0, 0));
      const faults = [];
      for (const [size, viewport] of Object.entries(SIZES)) {
        for (const colorScheme of THEMES) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          await page.waitForTimeout(100);
          await page.screenshot({ path: join(PICTURES, `${name.replaceAll(/\W+/g, '-')}-${size}-${colorScheme}.png`), fullPage: true });
          faults.push(...(await axe(page)).map((fault) => `${size} ${colorScheme}: ${fault}`));
          const wide = await overflow(page);
          if (wide > 0) faults.push(`${size} ${colorScheme}: ${wide} px wider than the screen`);
        }
      }
      assert.deepEqual(faults, []);
    }),
  );
  await Promise.all(states);

  await t.test('verdict and what to fix are seen without scrolling', async (t) => {
    const { page } = await openPage(t, `${served.origin}/`, { browser, context: { viewport: SIZES.desk } });
    await page.locator('html[data-start=ready]').waitFor();
    await faulty(page);
    for (const seen of ['#verdict-level', '#findings [data-finding]']) {
      const box = await page.locator(seen).first().boundingBox();
      assert.ok(box && box.y >= 0 && box.y + box.height <= SIZES.desk.height, `${seen} at ${box?.y}`);
    }
  });

  await t.test('a page of a full run is under 4 000 px tall', async (t) => {
    const { page } = await openPage(t, `${served.origin}/`, { browser, context: { viewport: SIZES.desk } });
    await page.locator('html[data-start=ready]').waitFor();
    await faulty(page);
    const tall = await page.evaluate(() => document.documentElement.scrollHeight);
    t.diagnostic(`${tall} px`);
    assert.ok(tall < 4000, `${tall} px`);
  });
});
