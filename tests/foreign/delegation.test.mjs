// Agents on official SDKs that are told to call another agent, and do so by their SDK's client: the call is proven by what arrived, in
// both directions and while other tasks run; one that only says that it called is found out; and the client is judged by the call.

import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { AT_ONCE, runCli } from '../e2e/support.mjs';
import { rows, startForeign } from './agents.mjs';
import { CLIENT_FINDINGS } from './delegation.mjs';

const ORDER = 'delegate to {peer_url} with {token}';
const BOAST = 'boast to {peer_url} with {token}';
const SDKS = ['python-sdk', 'js-sdk'];
const ALONE = ['--only', 'delegation.*', '--format', 'json'];
const BOTH = [...ALONE, '--only', 'pair.delegated-call'];

/** The report of a check with these arguments. */
async function checked(args) {
  const { code, stdout, stderr } = await runCli(['check', ...args]);
  assert.ok(stdout.startsWith('{'), stderr);
  return { code, report: JSON.parse(stdout) };
}

/** What a report says of delegation, by check. */
function delegation(report) {
  // Instructions are for agents that take them.
  const judged = ({ reason }) => !['not-run', 'not-applicable'].includes(reason);
  const own = rows(report).filter((row) => row.test.startsWith('delegation.') && judged(row));
  return new Map(own.map((row) => [row.test, row]));
}

function assertProven(report) {
  const told = [...delegation(report).values()];
  assert.equal(told.length, 5);
  for (const { test, status, message } of told) assert.equal(status, 'pass', `${test}: ${message}`);
}

/** Holds the report on an agent's client to the reviewed list, which must occur. */
function assertReviewed(report, sdk) {
  assert.equal(report.clients.length, 1);
  const client = report.clients[0].report;
  assert.equal(client.subject, 'client');
  const failed = rows(client).filter(({ status }) => status === 'fail');
  const said = failed.map(({ test, level, message }) => `${test} (${level}): ${message}`).join('\n');
  const listed = CLIENT_FINDINGS[sdk].map(({ check, level }) => `${check} ${level}`);
  assert.deepEqual([...new Set(failed.map(({ test, level }) => `${test} ${level}`))].sort(), listed.sort(), said);
  assert.ok(rows(client).filter(({ status, level }) => status === 'pass' && level === 'must').length > 8, client.headline);
}

describe('agents that are told to call another', { concurrency: AT_ONCE }, () => {
  for (const sdk of SDKS) {
    test(`the call of ${sdk} is proven, and its client judged`, async (t) => {
      const { url } = await startForeign(t, sdk);
      const { code, report } = await checked([url, ...ALONE, '--delegate', ORDER]);
      assertProven(report);
      assertReviewed(report, sdk);
      assert.equal(code, 0, report.headline);
    });

    test(`${sdk} is found out when it only says that it called`, async (t) => {
      const { url } = await startForeign(t, sdk);
      const { code, report } = await checked([url, ...ALONE, '--delegate', BOAST]);
      const { status, message } = delegation(report).get('delegation.called');
      assert.equal(status, 'fail');
      assert.match(message, /answered with "I have called the other agent, and all is done\.", but did not call/);
      assert.equal(report.clients, undefined);
      assert.equal(code, 1, report.headline);
    });
  }

  test('two agents call each other, and each calls ours', async (t) => {
    const [python, js] = await Promise.all(SDKS.map((sdk) => startForeign(t, sdk)));
    const delegates = ['--delegate', ORDER, '--peer-delegate', ORDER];
    const { code, report } = await checked([python.url, '--peer', js.url, ...BOTH, ...delegates]);
    for (const [place, sdk] of SDKS.entries()) {
      assertProven(report.agents[place].report);
      assertReviewed(report.agents[place].report, sdk);
    }
    const calls = rows(report).filter(({ test }) => test === 'pair.delegated-call');
    assert.deepEqual(calls.map(({ lane, status }) => `${lane[0]} ${status}`), ['a pass', 'b pass'], JSON.stringify(calls));
    assert.equal(code, 0, report.headline);
  });

  test('of two agents the one is found out that only says that it called the other', async (t) => {
    const [python, js] = await Promise.all(SDKS.map((sdk) => startForeign(t, sdk)));
    const delegates = ['--delegate', ORDER, '--peer-delegate', BOAST];
    const { code, report } = await checked([python.url, '--peer', js.url, ...BOTH, ...delegates]);
    const calls = rows(report).filter(({ test }) => test === 'pair.delegated-call');
    assert.deepEqual(calls.map(({ lane, status }) => `${lane[0]} ${status}`), ['a pass', 'b fail'], JSON.stringify(calls));
    assert.equal(code, 1, report.headline);
  });
});
