// The clients of official SDKs in the situations of `agent --watch --situation`: what they do is the reviewed list, and no must is broken.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AT_ONCE, cli } from '../e2e/support.mjs';

const FOLDER = fileURLToPath(new URL('watched/', import.meta.url));
const CLIENTS = {
  'python-sdk': [process.env.A2A_PYTHON ?? 'python3', join(FOLDER, 'python_sdk.py')],
  'js-sdk': [process.execPath, join(FOLDER, 'js_sdk.mjs')],
};

/**
 * What each client does: whether its program ends well, the check that the situation is for, and what that says (`pass`, `note`, or nothing where
 * the client gives up and tells its user, which is its right).
 */
const REVIEWED = [
  // httpx follows no redirect unless it is told to, and the SDK does not tell it.
  { client: 'python-sdk', situation: 'card-redirected', ends: false, check: 'client.card-redirect', says: 'note' },
  { client: 'js-sdk', situation: 'card-redirected', ends: true, check: 'client.card-redirect', says: 'pass' },
  { client: 'python-sdk', situation: 'interface-moved', ends: false, check: 'client.card-refreshed' },
  { client: 'js-sdk', situation: 'interface-moved', ends: false, check: 'client.card-refreshed' },
  { client: 'python-sdk', situation: 'calls-redirected', ends: false, check: 'client.credentials-not-forwarded' },
  // fetch removes Authorization, so that the call is refused.
  { client: 'js-sdk', situation: 'calls-redirected', ends: false, check: 'client.credentials-not-forwarded', says: 'pass' },
  { client: 'python-sdk', situation: 'answers-lost', ends: false, check: 'client.retry-keeps-id' },
  { client: 'js-sdk', situation: 'answers-lost', ends: false, check: 'client.retry-keeps-id' },
  // httpx waits for five seconds, and fetch for minutes.
  { client: 'python-sdk', situation: 'answers-late', ends: false, check: 'client.retry-keeps-id' },
  { client: 'js-sdk', situation: 'answers-late', ends: true, check: 'client.retry-keeps-id' },
];

describe('clients in situations', { concurrency: AT_ONCE }, () => {
  for (const { client, situation, ends, check, says } of REVIEWED) {
    test(`${client}: ${situation}`, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'a2a-situation-'));
      const file = join(folder, 'report.json');
      const token = situation === 'calls-redirected' ? ['open-sesame'] : [];
      const fault = token.length > 0 ? ['--fault', 'protected'] : [];
      const options = ['--listen', '127.0.0.1:0', '--watch', '--situation', situation, '--format', 'json', '--output', file];
      const agent = spawn(cli(), ['agent', ...options, ...fault], { stdio: ['ignore', 'pipe', 'ignore'] });
      t.after(async () => {
        agent.kill('SIGKILL');
        await rm(folder, { recursive: true });
      });
      const [said] = await once(agent.stdout, 'data');
      const [program, ...script] = CLIENTS[client];
      const args = [...script, /http:\/\/\S+/.exec(said)[0], 'JSONRPC', ...token];
      const ended = await promisify(execFile)(program, args).then(() => true, () => false);
      agent.kill('SIGINT');
      await once(agent, 'exit');
      const rows = Object.values(JSON.parse(await readFile(file, 'utf8')).categories).flat();
      const row = rows.find((each) => each.test === check);
      const found = { pass: row?.message ? 'note' : 'pass' }[row?.status];
      assert.equal(found, says, JSON.stringify(row));
      assert.equal(ended, ends);
      assert.deepEqual(rows.filter(({ status, level }) => status === 'fail' && level === 'must').map((each) => each.test), []);
    });
  }
});
