// What `check --via` finds when an agent is compared with itself behind a gateway.

import assert from 'node:assert/strict';
import { runCli } from '../e2e/support.mjs';
import { rows } from './agents.mjs';

/** The exit code, the comparisons that failed or were skipped, each with its words, and how many passed. */
export async function compare(args) {
  const { code, stdout, stderr } = await runCli(['check', ...args, '--only', 'gateway.*', '--format', 'json']);
  assert.ok(code < 3, stderr);
  const compared = rows(JSON.parse(stdout)).filter(({ test: id }) => id.startsWith('gateway.'));
  const of = (status) => compared.filter((row) => row.status === status);
  const told = (status) => of(status).map(({ test: id, lane, message }) => `${id}@${lane ?? 'card'}: ${message}`);
  return { code, failed: told('fail'), passed: of('pass').length, skipped: told('skip') };
}
