// Agents of official SDKs behind a reverse proxy (`check --via`): one that changes nothing leaves nothing to find, whatever the agent does.

import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { AT_ONCE, startAgent } from '../e2e/support.mjs';
import { SDKS, TOKEN, lanesOf, optionsOf, startForeign } from './agents.mjs';
import { compare } from './gateway_comparison.mjs';
import { startReverseProxy } from './reverse_proxy.mjs';

// Such a proxy does not have what gRPC needs.
const PLAIN = SDKS.filter((sdk) => lanesOf(sdk).every((lane) => !lane.startsWith('grpc')));

describe('agents on official SDKs behind a reverse proxy', { concurrency: AT_ONCE }, () => {
  for (const sdk of PLAIN) {
    test(`the agent in tests/foreign/${sdk} is the same behind it`, async (t) => {
      const { url, origin } = await startForeign(t, sdk, TOKEN);
      const proxy = await startReverseProxy(t, origin);
      const via = url.replace(origin, proxy);
      const { failed, passed, skipped } = await compare([url, '--via', via, ...optionsOf(sdk)]);
      t.diagnostic(`${sdk}: ${passed} passed, ${skipped.length} skipped: ${skipped.join(' | ')}`);
      assert.deepEqual(failed, []);
      assert.ok(passed > 15, `${passed} passed; ${skipped.join('\n')}`);
    });
  }

  const CHANGES = {
    'gateway.version-kept': { request: ({ headers }) => delete headers['a2a-version'] },
    'gateway.streams-unbuffered': { buffers: true },
    'gateway.errors-kept': { error: '<h1>Bad Gateway</h1>' },
  };
  for (const [check, change] of Object.entries(CHANGES)) {
    test(`what a proxy does to real messages is found: ${check}`, async (t) => {
      const { origin } = await startAgent(t, []);
      const { code, failed } = await compare([origin, '--via', await startReverseProxy(t, origin, change)]);
      assert.equal(code, 1);
      assert.ok(failed.length > 0 && failed.every((row) => row.startsWith(check)), failed.join('\n'));
    });
  }
});
