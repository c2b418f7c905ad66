// The command line on agents of official SDKs: what fails on them is what the reviewed list of each says, no more and no
// less. A new entry is an accusation of somebody else's work, so it wants the specification's sentence and the bytes.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { AT_ONCE, ROOT, runCli } from '../e2e/support.mjs';
import {
  CARD,
  SDKS,
  TOKEN,
  byChance,
  cardOf,
  carriesMessage,
  expected,
  found,
  hidden,
  lanesOf,
  open,
  optionsOf,
  reviewed,
  rows,
  startForeign,
} from './agents.mjs';

/** What a card calls the bindings. */
const BINDINGS = { JSONRPC: 'jsonrpc', 'HTTP+JSON': 'rest', GRPC: 'grpc' };

// Side by side: an agent takes its time over most requests, and the processor is idle then.
describe('agents on official SDKs', { concurrency: AT_ONCE }, () => {
  for (const sdk of SDKS) {
    test(`the agent in tests/foreign/${sdk}`, async (t) => {
      const list = reviewed(sdk);
      const lanes = lanesOf(sdk);
      const { url, origin } = await startForeign(t, sdk, TOKEN);

      await t.test('shows its card, with every binding, to a page of another origin', async () => {
        const response = await fetch(`${origin}${cardOf(sdk)}`, { headers: { Origin: 'http://127.0.0.1:1' } });
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('access-control-allow-origin'), '*');
        assert.deepEqual(declared(await response.json()), lanes);
      });

      await t.test('has a list whose every entry says what, where, by which sentence and on what evidence', async () => {
        const { stdout } = await runCli(['checks', '--format', 'json']);
        assert.deepEqual(faulty(list, lanes, new Map(JSON.parse(stdout).map((check) => [check.id, check]))), []);
        const pinning = await readFile(join(ROOT, list.pinned.file), 'utf8');
        assert.ok(pinning.includes(list.pinned.text), `${list.pinned.file} does not pin ${list.pinned.text}`);
        const [version] = list.sdk.match(/\d+\.\d+\.\d+/);
        assert.ok(list.pinned.text.includes(version), `${list.pinned.text} is not ${list.sdk}`);
      });

      const started = performance.now();
      const args = ['--format', 'json', ...optionsOf(sdk)];
      const { code, stdout, stderr } = await runCli(['check', url, ...args]);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      // 0 and 1 are the verdicts of a complete run.
      assert.ok(code < 2, stderr);
      const report = JSON.parse(stdout);
      const { total, passed, failedRequired, failedAdvisory, skipped } = report.summary;
      const sent = report.exchanges.filter(carriesMessage).length;
      t.diagnostic(
        `${list.sdk}: ${total} rows in ${seconds} s: ${passed} passed, ${failedRequired} failed, ` +
          `${failedAdvisory} failed as advice, ${skipped} skipped; ${report.exchanges.length} requests, ${sent} messages`,
      );

      await t.test('is checked on every lane, and shows enough to decide every check that applies', () => {
        assert.deepEqual(report.lanes.map(({ id }) => id), lanes);
        assert.deepEqual(open(report), hidden(list));
        for (const lane of lanes) {
          const checks = (status) => rows(report).filter((row) => row.lane === lane && row.status === status).length;
          // Were the agent misread as a whole, most would be skipped.
          assert.ok(checks('pass') > checks('fail') + checks('skip'), lane);
        }
      });

      await t.test('has nothing that could not be observed: what needs no permission on loopback listens by itself', () => {
        assert.deepEqual(rows(report).filter(({ reason }) => reason === 'not-observable'), []);
      });

      await t.test('fails what the list says, and nothing else', () => {
        const [listed, chance, seen] = [expected(list), byChance(list), found(report)];
        const messages = new Map(rows(report).map((row) => [`${row.test}@${row.lane ?? CARD} ${row.level}`, row.message]));
        const isListed = (row) => listed.includes(row) || chance.includes(row.split(' ')[0]);
        const unlisted = seen.filter((row) => !isListed(row)).map((row) => `${row}: ${messages.get(row)}`);
        assert.deepEqual(unlisted, [], 'fails, and the list does not say so');
        assert.deepEqual(listed.filter((row) => !seen.includes(row)), [], 'is on the list, and does not fail any more');
      });
    });
  }
});

/** The lanes that a card declares, in its order. Before 1.0 an interface has no version of its own. */
function declared({ supportedInterfaces, additionalInterfaces, protocolVersion }) {
  const interfaces =
    supportedInterfaces ??
    additionalInterfaces.map(({ transport }) => ({ protocolBinding: transport, protocolVersion }));
  return interfaces.map(
    ({ protocolBinding, protocolVersion }) => `${BINDINGS[protocolBinding]}-${protocolVersion.match(/^\d+\.\d+/)}`,
  );
}

/** What is wrong with the entries of a list, in words. */
function faulty({ deviations, undecided }, known, checks) {
  const wrong = [];
  const seen = new Set();
  for (const { check, lanes, level, spec, wire, why, chance, hides = [], ...others } of deviations) {
    const claim = (holds, what) => holds || wrong.push(`${check}: ${what}`);
    claim(checks.has(check), 'there is no such check');
    claim(level === 'must' || level === 'should', `level ${level}`);
    claim(Array.isArray(lanes) && lanes.length > 0, 'no lanes');
    for (const lane of lanes ?? []) {
      claim([...known, CARD].includes(lane), `lane ${lane}`);
      claim(lane === CARD || spec?.startsWith(`${lane.split('-')[1]} `), `${lane} is judged by its own version`);
      claim(!seen.has(`${check}@${lane}`), `${lane} twice`);
      seen.add(`${check}@${lane}`);
    }
    claim(/^\d\.\d §\d+(\.\d+)*.*: ./s.test(spec ?? ''), 'spec cites no sentence by its section');
    claim(wire?.includes('->'), 'wire does not say what was sent and what came back');
    claim(why?.length > 20, 'why is missing');
    claim(chance === undefined || chance.length > 20, 'chance does not say what decides');
    claim(hides.every((id) => checks.has(id)), 'hides checks that do not exist');
    claim(Object.keys(others).length === 0, `unknown members ${Object.keys(others)}`);
  }
  for (const { checks: left, lanes, why, ...others } of undecided) {
    const claim = (holds, what) => holds || wrong.push(`undecided ${left}: ${what}`);
    claim(left?.length > 0 && left.every((id) => checks.has(id)), 'there is no such check');
    claim(lanes?.length > 0 && lanes.every((lane) => [...known, CARD].includes(lane)), `lanes ${lanes}`);
    claim(why?.length > 20, 'why is missing');
    claim(Object.keys(others).length === 0, `unknown members ${Object.keys(others)}`);
  }
  return wrong;
}
