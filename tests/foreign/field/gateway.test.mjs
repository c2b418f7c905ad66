// Servers of other people's frameworks behind a reverse proxy that changes nothing: nothing is found, whatever the server does.

import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { AT_ONCE, start } from '../../e2e/support.mjs';
import { compare } from '../gateway_comparison.mjs';
import { startReverseProxy } from '../reverse_proxy.mjs';
import { chosen, commandOf, promptsOf } from './servers.mjs';

describe('servers of other frameworks behind a reverse proxy', { concurrency: AT_ONCE }, () => {
  for (const server of chosen()) {
    test(`the server in tests/foreign/field/${server} is the same behind it`, async (t) => {
      const { url, origin } = await start(t, ...commandOf(server));
      const via = url.replace(origin, await startReverseProxy(t, origin));
      const { failed, passed, skipped } = await compare([url, '--via', via, ...promptsOf(server)]);
      t.diagnostic(`${server}: ${passed} passed, ${skipped.length} skipped: ${skipped.join(' | ')}`);
      assert.deepEqual(failed, []);
      // Of one that does not answer at the URL of its card, the cards alone are compared.
      assert.ok(passed > 3, `${passed} passed; ${skipped.join('\n')}`);
    });
  }
});
