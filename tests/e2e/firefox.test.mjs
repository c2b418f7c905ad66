// The way to the agent as the release page finds it in Firefox: the same table of outcomes as in Chromium, but for what this
// engine shows and that one does not. Skipped where there is no Firefox.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { FAULTS, closedPort, selfSigned, startBanner, startFault } from './faults.mjs';
import { firefoxProgram, startFirefox } from './firefox.mjs';
import { ROOT, startAgent, startServe } from './support.mjs';

const OUTCOMES = JSON.parse(readFileSync(join(ROOT, 'tests/e2e/reach.outcomes.json'), 'utf8'));

/** What Firefox says instead. */
const OTHERWISE = {
  // Firefox takes whatever a port says for an answer of HTTP/0.9, which nobody may read.
  'no-http': { reason: 'cors-missing', action: 'Copy the fix' },
};

/** Seconds of patience for the faults in which somebody is silent. */
const PATIENCE = { silent: '2', 'options-silent': '2', 'call-silent': '2' };

const skip = firefoxProgram() ? false : 'no Firefox here: put it on PATH, or name its program in FIREFOX';

test('the way to the agent, in Firefox', { skip }, async (t) => {
  const served = await startServe(t);
  const agent = await startAgent(t);
  const firefox = await startFirefox(t);
  t.diagnostic(`Firefox ${firefox.version}`);

  async function outcome(address, patience = '', bearer = '') {
    const tab = await firefox.open(`${served.origin}/`);
    const row = await tab.evaluate(
      async (address, patience, bearer) => {
        const until = async (holds) => {
          while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50));
        };
        const fill = (id, text) => {
          const field = document.getElementById(id);
          field.value = text;
          field.dispatchEvent(new Event('input', { bubbles: true }));
        };
        await until(() => document.documentElement.dataset.start === 'ready');
        fill('address', address);
        fill('timeout', patience);
        fill('bearer', bearer);
        document.getElementById('run').click();
        const verdict = () => document.getElementById('verdict')?.dataset.level ?? 'none';
        await until(() => !['none', 'running'].includes(verdict()));
        return {
          reason: document.getElementById('reach')?.dataset.reason ?? null,
          action: document.getElementById('reach-action')?.textContent.trim() ?? '',
          lamps: [...document.querySelectorAll('#way [data-stage]')].map(({ dataset }) => `${dataset.stage} ${dataset.light}`).join(', '),
          primary: [...document.querySelectorAll('.primary')].filter((button) => button.checkVisibility()).length,
          failed: Number(document.getElementById('count-fail')?.textContent),
          level: verdict(),
        };
      },
      address,
      patience,
      bearer,
    );
    await tab.close();
    return row;
  }

  async function compare(name, ...asked) {
    const { reason, action, lamps, primary, failed, level } = { ...OUTCOMES[name], ...OTHERWISE[name] };
    assert.deepEqual(await outcome(...asked), { reason, action, lamps, primary, failed, level }, name);
  }

  for (const name of Object.keys(FAULTS)) {
    await t.test(`fault ${name}`, async (t) => {
      const { origin } = await startFault(t, name, agent.origin);
      await compare(name, origin, PATIENCE[name], name === 'no-authorization' ? 'canary-5d1e' : '');
    });
  }

  await t.test('nothing there, in all its forms', async (t) => {
    await compare('port-refused', `http://127.0.0.1:${await closedPort()}`);
    await compare('name-unknown', 'http://no-such-host.invalid');
    await compare('bad-port', 'http://127.0.0.1:6667');
    await compare('no-http', await startBanner(t));
    const plain = await startFault(t, 'none', agent.origin);
    await compare('https-to-plain', plain.origin.replace('http:', 'https:'));
    const secure = await startFault(t, 'none', agent.origin, { tls: selfSigned() });
    await compare('self-signed', secure.origin);
    await compare('http-to-tls', secure.origin.replace('https:', 'http:'));
  });
});
