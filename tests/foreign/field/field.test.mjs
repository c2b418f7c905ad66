// The command line on servers of other people's frameworks: what fails on each is what was reviewed, no more and no less, and
// docs/FIELD.md tells it. With UPDATE_FIELD=1 the lists and the document are written anew; new rows still want a review.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after, describe } from 'node:test';
import { AT_ONCE, ROOT, runCli, start } from '../../e2e/support.mjs';
import { carriesMessage, found, rows } from '../agents.mjs';
import { document } from './document.mjs';
import {
  chosen,
  commandOf,
  keep,
  listed,
  outcomeOf,
  promptsOf,
  reviewed,
  sentenceOf,
  sentences,
  unsteadyOf,
  updated,
} from './servers.mjs';

const UPDATE = Boolean(process.env.UPDATE_FIELD);
const DOCUMENT = join(ROOT, 'docs/FIELD.md');

describe('servers of other frameworks', { concurrency: AT_ONCE }, () => {
  for (const server of chosen()) {
    test(`the server in tests/foreign/field/${server}`, async (t) => {
      const list = reviewed(server);

      await t.test('was reviewed: each row has its cause, the bytes, and each must its sentence', async () => {
        assert.deepEqual(await faulty(list), []);
      });

      const { url } = await start(t, ...commandOf(server));
      const started = performance.now();
      const { code, stdout, stderr } = await runCli(['check', url, '--format', 'json', ...promptsOf(server)]);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const report = JSON.parse(stdout || assert.fail(stderr));
      const messages = report.exchanges.filter(carriesMessage).length;
      const outcome = outcomeOf({ code, report, messages, seconds });
      t.diagnostic(`${server}: ${JSON.stringify(outcome)}, ${report.exchanges.length} requests`);
      const seen = found(report);
      if (UPDATE) keep(server, updated(list, seen, outcome));

      await t.test('fails what was reviewed, and nothing else', () => {
        const texts = new Map(rows(report).map((row) => [`${row.test}@${row.lane ?? 'card'} ${row.level}`, row.message]));
        const [known, unsteady] = [listed(list), unsteadyOf(list)];
        const unlisted = seen.filter((row) => ![...known, ...unsteady].includes(row)).map((row) => `${row}: ${texts.get(row)}`);
        assert.deepEqual(unlisted, [], 'fails, and nobody reviewed it');
        if (!UPDATE) assert.deepEqual(known.filter((row) => !seen.includes(row)), [], 'was reviewed, and does not fail any more');
      });

      await t.test('comes out as docs/FIELD.md says, on the lanes that it says', { skip: UPDATE }, () => {
        assert.deepEqual(report.lanes.map(({ id }) => id), list.lanes);
        const { verdict, level } = list.outcome;
        assert.deepEqual([outcome.verdict, outcome.level], [verdict, level]);
        // A row that is not the same in every run changes the counts.
        const { seconds, messages } = list.outcome;
        if (!list.unsteady) assert.deepEqual({ ...outcome, seconds, messages }, list.outcome);
        // Whether a cancel and a subscription are tried again, twice at most each, depends on the moment.
        const tries = 4 * report.lanes.length;
        assert.ok(Math.abs(outcome.messages - messages) <= tries, `${outcome.messages} messages instead of ${messages}`);
      });
    });
  }

  after(() => UPDATE && writeFile(DOCUMENT, document()));
});

test('docs/FIELD.md is what was reviewed', { skip: UPDATE && 'it has just been written' }, async () => {
  assert.equal(await readFile(DOCUMENT, 'utf8'), document(), 'run `make field UPDATE_FIELD=1`');
});

/** What is wrong with a list, in words. */
async function faulty({ product, about, pinned, lanes, causes, disputed, unsteady = [], unreviewed = [], outcome, ...others }) {
  const wrong = [];
  const claim = (holds, what) => holds || wrong.push(what);
  claim(product?.length > 0 && about?.length > 0 && lanes?.length > 0, 'product, about or lanes are missing');
  claim(outcome || UPDATE, 'the outcome is missing');
  claim(unreviewed.length === 0, `wants a review: ${unreviewed}`);
  claim(Object.keys(others).length === 0, `unknown members ${Object.keys(others)}`);
  const pinning = await readFile(join(ROOT, pinned.file), 'utf8');
  claim(pinning.includes(pinned.text), `${pinned.file} does not pin ${pinned.text}`);
  claim(product.includes(pinned.text.match(/\d+\.\d+\.\d+/)[0]), `${pinned.text} is not ${product}`);
  const { stdout } = await runCli(['checks', '--format', 'json']);
  const checks = new Set(JSON.parse(stdout).map(({ id }) => id));
  const all = sentences();
  for (const { what, wire, why, rows: broken, ...more } of [
    ...causes,
    ...unsteady,
    ...disputed.map((entry) => ({ what: 'disputed', ...entry })),
  ]) {
    claim(what?.length > 0 && why?.length > 20 && wire?.includes('->'), `${broken}: what, wire or why is missing`);
    claim(Object.keys(more).length === 0, `unknown members ${Object.keys(more)}`);
    for (const row of broken) claim(checks.has(row.split('@')[0]), `${row}: there is no such check`);
  }
  for (const { rows: broken } of [...causes, ...unsteady]) {
    for (const row of broken.filter((row) => row.endsWith(' must'))) {
      claim(/^\d\.\d §\S+.*: "./s.test(sentenceOf(row, { lanes }, all) ?? ''), `${row}: no sentence is cited`);
    }
  }
  const every = [...listed({ causes, disputed }), ...unsteadyOf({ unsteady })];
  claim(new Set(every).size === every.length, 'a row twice');
  return wrong;
}
