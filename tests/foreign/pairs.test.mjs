// Two agents on official SDKs together, and each of them with the scripted agent, in both orders: what fails between them is what
// the reviewed list says, no more and no less. An entry is about somebody else's work, so it says what was seen and why it matters.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { AT_ONCE, ROOT, runCli, startAgent } from '../e2e/support.mjs';
import { PROMPTS, SDKS, TOKEN, rows, startForeign } from './agents.mjs';

const LIST = JSON.parse(readFileSync(join(ROOT, 'tests/foreign/pairs.json'), 'utf8'));

/** The scripted agent of each version, by the path where it serves it. */
const SCRIPTED = { 'scripted-1.0': '', 'scripted-0.3': '/0.3' };

/** Starts one of a pair: its address, and the options that its credentials and its prompts need. */
async function started(t, name, prefix) {
  if (name in SCRIPTED) {
    const { url } = await startAgent(t);
    return { url: `${url.replace(/\/$/, '')}${SCRIPTED[name]}`, options: [] };
  }
  const { url } = await startForeign(t, name, TOKEN);
  const prompts = Object.entries(PROMPTS).flatMap(([behaviour, text]) => [`--${prefix}prompt`, `${behaviour}=${text}`]);
  return { url, options: [`--${prefix}bearer`, TOKEN, ...prompts] };
}

describe('pairs of agents', { concurrency: AT_ONCE }, () => {
  for (const { agents, talk, cause, findings, open } of LIST.pairs) {
    test(agents.join(' with '), async (t) => {
      const first = await started(t, agents[0], '');
      const second = await started(t, agents[1], 'peer-');
      const args = ['--only', 'pair.*', '--format', 'json', ...first.options, '--peer', second.url, ...second.options];
      const { stdout, stderr } = await runCli(['check', first.url, ...args]);
      assert.ok(stdout.startsWith('{'), stderr);
      const report = JSON.parse(stdout);
      const said = new Map(rows(report).map((row) => [`${row.test}@${row.lane ?? 'both'} ${row.level}`, row]));
      const with_ = (fits) => [...said].filter(([, row]) => fits(row)).map(([name]) => name).sort();
      const messages = [...said].filter(([, row]) => row.status !== 'pass').map(([name, row]) => `${name}: ${row.message}`);
      t.diagnostic(`${report.exchanges.length} requests; ${messages.join('\n')}`);
      const listed = findings.map(({ row }) => row).sort();
      assert.deepEqual(with_((row) => row.status === 'fail'), listed, messages.join('\n'));
      const undecided = with_((row) => row.status === 'skip' && row.reason !== 'not-applicable');
      // Two that cannot talk leave everything else open.
      const left = cause ? with_((row) => row.reason === 'blocked') : open.map(({ row }) => row).sort();
      assert.deepEqual(undecided, left, messages.join('\n'));
      assert.deepEqual(report.lanes.map(({ id }) => id), talk.map((lane, place) => `${'ab'[place]}-${lane}`));
      assert.equal(report.cause?.includes(cause ?? 'the two agents cannot talk') ?? false, Boolean(cause));
      assert.ok(!stdout.includes(TOKEN), 'the token is in the report');
    });
  }
});

test('every entry names agents that are there, and says what was seen and why it matters', () => {
  const known = [...SDKS, ...Object.keys(SCRIPTED)];
  for (const { agents, findings, open } of LIST.pairs) {
    assert.ok(agents.length === 2 && agents.every((name) => known.includes(name)), agents);
    for (const { row, wire, why } of findings) {
      assert.match(row, /^pair\.[a-z-]+@(both|[ab]-[a-z]+-\d\.\d) (must|should)$/);
      assert.ok(wire.includes('->') && why.length > 20, row);
    }
    for (const { row, why } of open) {
      assert.ok(why.length > 20, row);
    }
  }
});

test('three agents are one table, by one command', { timeout: 300_000 }, async (t) => {
  const [python, javascript] = [await startForeign(t, 'python-sdk', TOKEN), await startForeign(t, 'js-sdk', TOKEN)];
  const scripted = await startAgent(t);
  const folder = await mkdtemp(join(tmpdir(), 'a2a-pairs-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'agents.json');
  await writeFile(file, JSON.stringify([python, javascript].map(({ url }) => ({ url, bearer: TOKEN, prompt: PROMPTS }))));
  const { stdout, stderr } = await runCli(['pairs', scripted.url, '--agents', file, '--format', 'json']);
  assert.ok(stdout.startsWith('{'), stderr);
  assert.ok(!stdout.includes(TOKEN) && !stderr.includes(TOKEN), 'the token is in the output');
  const table = JSON.parse(stdout);
  const results = table.pairs.flatMap(({ directions }) => directions);
  assert.deepEqual(results.map(({ caller, called }) => `${caller}-${called}`), ['1-2', '2-1', '1-3', '3-1', '2-3', '3-2']);
  // What fails between two of them is in the reviewed list above.
  for (const { result, because } of results) assert.ok(['works', 'advice'].includes(result), because);
  assert.ok(table.agents.every(({ interfaces, messages }) => interfaces.length > 0 && messages > 0));
});
