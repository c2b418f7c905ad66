// An agent on an official SDK under load: fifty conversations at once for some seconds. What may fail was reviewed: see load.json beside the
// agent. Unlike the other lists it says what may occur, as a race does not show in every run.

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { ROOT, runCli } from '../e2e/support.mjs';
import { PROMPTS, rows, startForeign } from './agents.mjs';

const FIFTY = ['--load', '6s', '--rate', '25', '--load-conversations', '50', '--only', 'load.*'];

test('the agent in tests/foreign/python-sdk under load', async (t) => {
  const list = JSON.parse(await readFile(join(ROOT, 'tests/foreign/python-sdk/load.json'), 'utf8'));
  const pinning = await readFile(join(ROOT, list.pinned.file), 'utf8');
  assert.ok(pinning.includes(list.pinned.text), `${list.pinned.file} does not pin ${list.pinned.text}`);
  const folder = await mkdtemp(join(tmpdir(), 'a2a-load-'));
  t.after(() => rm(folder, { recursive: true }));
  const { url } = await startForeign(t, 'python-sdk');
  const file = join(folder, 'load.json');
  const { code, stderr } = await runCli(['check', url, ...FIFTY, '--prompt', `stream=${PROMPTS.stream}`, '--format', 'json', '-o', file]);
  assert.ok(code < 3, stderr);
  const report = JSON.parse(await readFile(file, 'utf8'));
  const { conversations, requests, errors } = report.load;
  t.diagnostic(`${JSON.stringify(conversations)} ${requests} requests ${JSON.stringify(errors)}`);
  assert.ok(conversations.accepted > 20, JSON.stringify(report.load));
  const failed = rows(report).filter(({ test, status }) => test.startsWith('load.') && status === 'fail');
  const unlisted = failed.filter(({ test, level }) => !list.may.some((entry) => entry.check === test && entry.level === level));
  assert.deepEqual(unlisted.map(({ test, message }) => `${test}: ${message}`), []);
});
