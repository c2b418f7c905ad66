// `check --cors-origin` from a terminal, against every situation of reach.test.mjs: it must say what the page says in Chromium, which
// reach.outcomes.json holds. No browser takes part.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { FAULTS, closedPort, selfSigned, startBanner, startFault } from './faults.mjs';
import { AT_ONCE, ROOT, runCli, startAgent } from './support.mjs';

const OUTCOMES = JSON.parse(readFileSync(join(ROOT, 'tests/e2e/reach.outcomes.json'), 'utf8'));
const LOCAL = 'http://localhost:8484';
const PUBLIC = 'https://checker.example';

/** What only a browser or its user decides, and no agent can change. */
const OF_THE_BROWSER = {
  'blocked-by-client': 'an extension of the browser',
  offline: 'a browser without a network',
  policy: 'the policy of the server that the page came from',
  'permission-denied': 'the user of the browser',
  'permission-granted-later': 'the user of the browser',
};

const PATIENCE = { silent: 2, 'options-silent': 2, 'call-silent': 2 };

const LIGHTS = { works: 'open', 'not needed': 'open' };

/** Checks as a page of an origin would, and says it as the page does. */
async function outcome(address, { home = LOCAL, patience, more = [] } = {}) {
  const times = patience ? ['--timeout', String(patience), '--reach-timeout', String(patience)] : [];
  const { code, stdout, stderr } = await runCli(['check', address, '--cors-origin', home, '--format', 'json', ...times, ...more]);
  assert.ok([0, 1, 3].includes(code), stderr);
  const report = JSON.parse(stdout);
  const { page } = report.connection;
  const [first] = page.obstacles;
  const clean = (line) => line.replaceAll(/127\.0\.0\.1:\d+/g, 'agent').replaceAll(/port \d{5}\b/g, 'port N');
  const row = {
    reason: first?.reason ?? null,
    title: first ? clean(first.title) : '',
    lamps: page.stages.map(({ stage, state }) => `${stage} ${LIGHTS[state] ?? state}`).join(', '),
    likeliest: first?.causes.length ? clean(first.causes[0]) : '',
    failed: report.summary.failed - report.summary.failedAdvisory,
    passed: report.summary.passed > 0,
    level: report.conformanceLevel ?? 'not-rated',
  };
  return { row, page, report };
}

/** The part of the page's row that a terminal has too. */
const expected = (name) => {
  const { reason, title, lamps, likeliest, failed, passed, level } = OUTCOMES[name];
  return { reason, title, lamps, likeliest, failed, passed, level };
};

test('a terminal says of the way what a page says in Chromium', { concurrency: AT_ONCE }, async (t) => {
  const met = new Set(Object.keys(OF_THE_BROWSER));
  const holds = async (name, address, options) => {
    met.add(name);
    const found = await outcome(address, options);
    assert.deepEqual(found.row, expected(name), `${name}: ${JSON.stringify(found.page)}`);
    return found;
  };
  const agent = await startAgent(t);

  await Promise.all(
    Object.keys(FAULTS).map((name) =>
      t.test(`fault ${name}`, async (t) => {
        const { origin, seen } = await startFault(t, name, (await startAgent(t)).origin);
        const more = name === 'no-authorization' ? ['--bearer', 'canary-5d1e'] : [];
        const { page } = await holds(name, origin, { patience: PATIENCE[name], more });
        assert.ok(!JSON.stringify(page).includes('canary'), name);
        if (name === 'none') {
          const asked = seen.filter(({ method }) => method === 'OPTIONS');
          assert.ok(asked.length > 0 && seen.every(({ mode }) => mode === 'cors'), 'the requests are those of a page');
          assert.deepEqual(page.fixes, []);
        }
        if (name === 'options-405') {
          assert.ok(page.obstacles[0].observed.some((line) => /OPTIONS .* HTTP 405/.test(line)), JSON.stringify(page));
          assert.equal(page.fixes.length, 10);
          assert.ok(page.fixes.every(({ text }) => text.includes(LOCAL)));
        }
      }),
    ),
  );

  await t.test('nothing there, in all its forms', async (t) => {
    await holds('port-refused', `http://127.0.0.1:${await closedPort()}`);
    await holds('name-unknown', 'http://no-such-host.invalid');
    await holds('no-http', await startBanner(t));
    await holds('bad-port', 'http://127.0.0.1:6667');
    const plain = await startFault(t, 'none', agent.origin);
    await holds('https-to-plain', plain.origin.replace('http:', 'https:'));
    const secure = await startFault(t, 'none', agent.origin, { tls: selfSigned() });
    const { page } = await holds('self-signed', secure.origin);
    assert.ok(page.obstacles[0].observed.some((line) => line.includes('--cacert')), 'the cause is known here');
    await holds('http-to-tls', secure.origin.replace('https:', 'http:'));
    const other = await startFault(t, 'none', agent.origin, { tls: selfSigned('elsewhere.example') });
    await holds('other-name', other.origin);
  });

  await t.test('addresses and networks', async (t) => {
    const { origin, port } = await startFault(t, 'none', agent.origin);
    await holds('unspecified-typed', `http://0.0.0.0:${port}`);
    const everywhere = await startFault(t, 'none', agent.origin, { advertise: `http://0.0.0.0:${await closedPort()}` });
    await holds('unspecified-advertised', everywhere.origin, { home: PUBLIC });
    await holds('mixed-content', 'http://agent.example', { home: PUBLIC });
    await holds('permission-granted', origin, { home: PUBLIC });
    await holds('permission-insecure', origin, { home: 'http://checker.example' });
  });

  await t.test('every situation is met, or is the browser’s', () => {
    assert.deepEqual([...met].sort(), Object.keys(OUTCOMES).sort());
  });
});
