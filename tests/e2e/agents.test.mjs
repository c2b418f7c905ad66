// The release page and the command line on the same real agents: an agent on the official Python SDK, and the scripted one.

import assert from 'node:assert/strict';
import test from 'node:test';
import { PROMPTS, TOKEN, expected, found, reviewed, startForeign } from '../foreign/agents.mjs';
import { runCli, startAgent, startBrowser, startServe } from './support.mjs';
import { checkInPage, counted, save, validated, verdicts } from './page.mjs';

/** What only one of the hosts can see. */
const HIDDEN = (page, native) => page === 'skip not-observable' || native === 'skip not-observable';

test('real agents', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);

  const inPage = (address, given) => checkInPage(t, `${served.origin}/`, browser, address, given);

  async function onCommandLine(address, { prompts = {}, token } = {}) {
    const given = Object.entries(prompts).flatMap(([behaviour, text]) => ['--prompt', `${behaviour}=${text}`]);
    const { stdout } = await runCli(['check', address, '--format', 'json', ...(token ? ['--bearer', token] : []), ...given]);
    return JSON.parse(stdout);
  }

  function same(page, native) {
    const [left, right] = [verdicts(page), verdicts(native)];
    assert.deepEqual([...left.keys()].sort(), [...right.keys()].sort());
    const different = [...left].filter(([key, status]) => status !== right.get(key) && !HIDDEN(status, right.get(key)));
    assert.deepEqual(different.map(([key, status]) => `${key}: page ${status}, command line ${right.get(key)}`), []);
    assert.equal(page.conformanceLevel, native.conformanceLevel);
  }

  await t.test('the Python SDK agent ends with a level, and every failure on it is a known deviation', async () => {
    const given = { prompts: PROMPTS, token: TOKEN };
    const { origin } = await startForeign(t, 'python-sdk', TOKEN);
    const { page, report, file } = await inPage(origin, given);
    t.diagnostic(`checked in ${Math.round(report.duration_ms)} ms, level ${report.conformanceLevel}`);
    // One must fails, of streams.
    assert.equal(report.conformanceLevel, 'minimal');
    assert.deepEqual(found(report), expected(reviewed('python-sdk')));

    const shown = await counted(page);
    const junit = await save(page, 'junit');
    const markdown = await save(page, 'markdown');
    const counts = await validated(t, file);
    assert.deepEqual(await validated(t, junit), counts);
    assert.equal(counts.failures, shown.failed);
    assert.equal(report.summary.total, shown.total);
    assert.ok(markdown.text.includes('discovery.cache-control'));

    same(report, await onCommandLine(origin, given));
  });

  await t.test('the scripted agent with faults gets the same verdicts from the page and the command line', async () => {
    const faults = ['get-missing-id-accepted', 'stream-two-payloads', 'card-skill-duplicate', 'cancel-ignored'];
    const { origin } = await startAgent(t, faults.flatMap((fault) => ['--fault', fault]));
    const { report } = await inPage(origin);
    same(report, await onCommandLine(origin));
    assert.ok(report.summary.failedRequired >= 3);
  });
});
