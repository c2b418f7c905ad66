// The command line on an agent behind every kind of credentials: it is checked fully, and no secret is in what is written.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { CANARY, OTHERS, SECRETS, startAuthorizationServer, startBystander, startGate, traces } from './authenticating_proxy.mjs';
import { AT_ONCE, cli, runCli, startAgent } from '../e2e/support.mjs';

/** How each kind of credentials of two identities is given, in as many ways as there are: options, files, variables. */
const GIVEN = {
  bearer: ({ file }) => ({ args: ['--bearer', `@${file}`, '--second-bearer', OTHERS.bearer], secret: SECRETS.bearer }),
  basic: ({ file }) => ({ args: ['--basic', SECRETS.basic, '--second-basic', `@${file}`], secret: OTHERS.basic }),
  key: () => ({
    args: [],
    env: { A2A_API_KEY: `X-Api-Key=${SECRETS.key}`, A2A_SECOND_API_KEY: `X-Api-Key=${OTHERS.key}` },
  }),
  query: ({ file }) => ({
    args: ['--api-key-query', `key=@${file}`, '--second-api-key-query', `key=${OTHERS.query}`],
    secret: SECRETS.query,
  }),
  oauth: ({ server }) => ({
    args: ['--client-id', 'me', '--second-client-id', 'other', '--allow-origin', server.origin],
    env: { A2A_CLIENT_SECRET: SECRETS.client, A2A_SECOND_CLIENT_SECRET: OTHERS.client },
  }),
  openid: ({ server, file }) => ({
    args: [
      ...['--client-id', 'me', '--client-secret', SECRETS.client, '--allow-origin', server.origin],
      ...['--second-client-id', 'other', '--second-client-secret', `@${file}`],
    ],
    secret: OTHERS.client,
  }),
};

// Side by side: the runs wait for their agents most of the time.
describe('agents behind credentials', { concurrency: AT_ONCE }, () => {
  for (const kind of Object.keys(GIVEN)) {
    test(`an agent behind ${kind} is checked fully`, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'credentials-'));
      t.after(() => rm(folder, { recursive: true }));
      // Every token runs out during the run.
      const server = await startAuthorizationServer(t, { uses: 100 });
      const { origin: inner } = await startAgent(t, ['--fault', 'two-users']);
      const address = await startGate(t, inner, kind, server);
      const file = join(folder, 'secret');
      const { args, env = {}, secret } = GIVEN[kind]({ server, file });
      if (secret) await writeFile(file, `${secret}\n`);

      const started = performance.now();
      const run = (more) => runCli(['check', address, ...args, ...more], { env: { ...process.env, ...env } });
      const { code, stdout, stderr } = await run(['--format', 'json']);
      assert.equal(code, 0, stderr);
      const report = JSON.parse(stdout);
      const { total, passed, failedRequired, failedAdvisory, blocked } = report.summary;
      t.diagnostic(
        `${kind}: ${total} rows in ${((performance.now() - started) / 1000).toFixed(1)} s, ${passed} passed, ` +
          `${report.exchanges.length} requests, ${server.tokens()} tokens`,
      );
      assert.equal(failedRequired + failedAdvisory, 0);
      assert.equal(blocked ?? 0, 0);
      const foreign = Object.values(report.categories).flat().filter(({ test }) => test.startsWith('auth.foreign-'));
      assert.ok(foreign.length >= 8);
      assert.deepEqual(foreign.filter(({ status }) => status !== 'pass'), []);
      if (kind === 'oauth' || kind === 'openid') assert.ok(server.tokens() > 1, 'a token that ran out was not renewed');

      for (const text of [stdout, stderr]) assert.deepEqual(traces(text), []);
      const others = ['text', 'markdown', 'junit'].map(async (format) => [format, await run(['--format', format])]);
      for (const [format, again] of await Promise.all(others)) {
        assert.deepEqual(traces(again.stdout + again.stderr), [], format);
      }
    });
  }
});

test('a person is shown a code, and the run goes on when it is confirmed', async (t) => {
  const server = await startAuthorizationServer(t, { uses: 200 });
  const { origin: inner } = await startAgent(t, ['--fault', 'protected']);
  const address = await startGate(t, inner, 'device', server);
  const child = spawn(cli(), ['check', address, '--client-id', 'app', '--allow-origin', server.origin, '--format', 'json']);
  t.after(() => child.kill());
  let [told, report] = ['', ''];
  child.stdout.on('data', (chunk) => (report += chunk));
  child.stderr.on('data', (chunk) => {
    told += chunk;
    if (told.includes('WDJB-MJHT')) server.agree();
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0, told);
  assert.ok(told.includes(`open ${server.origin}/device and enter the code WDJB-MJHT`), told);
  const { failed, blocked } = JSON.parse(report).summary;
  assert.deepEqual([failed, blocked ?? 0], [0, 0]);
  assert.ok(server.tokens() > 1, 'the token that ran out was renewed');
  assert.deepEqual(server.faults, []);
  assert.deepEqual(traces(told + report), []);
});

test('credentials do not follow a redirect to another origin', async (t) => {
  const { origin: inner } = await startAgent(t, ['--fault', 'protected']);
  const { origin, heard } = await startBystander(t);
  const address = await startGate(t, inner, 'key', undefined, { redirect: origin });
  const { code, stdout } = await runCli(['check', address, '--api-key', `X-Api-Key=${SECRETS.key}`]);
  assert.equal(code, 3, stdout);
  assert.match(stdout, /another origin/);
  assert.deepEqual(heard, []);
});

test('the secret of a client is not sent where only the card leads', async (t) => {
  const server = await startAuthorizationServer(t);
  const { origin: inner } = await startAgent(t, ['--fault', 'protected']);
  const address = await startGate(t, inner, 'oauth', server);
  const { code, stdout } = await runCli(['check', address, '--client-id', 'me', '--client-secret', SECRETS.client]);
  assert.equal(code, 3, stdout);
  assert.match(stdout, new RegExp(`--allow-origin ${server.origin}`));
  assert.equal(server.tokens(), 0);
});
