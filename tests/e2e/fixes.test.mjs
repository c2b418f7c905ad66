// The page's advice, pasted: real agents on official SDKs, started without CORS, are blocked; started with the lines that the
// page shows for their stack, they are checked in full.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { PROMPTS, TOKEN, expected, found, reviewed, startForeign } from '../foreign/agents.mjs';
import { ROOT, openPage, start, startBrowser, startServe } from './support.mjs';
import { chips, finished, save, settings } from './page.mjs';

/** How each stack's agent is started without CORS, and with what was pasted into a file. */
const STACKS = {
  starlette: {
    sdk: 'python-sdk',
    reason: 'cors-missing',
    blocked: (t) => startForeign(t, 'python-sdk', TOKEN, ['--cors', 'none']),
    fixed: (t, file) => startForeign(t, 'python-sdk', TOKEN, ['--cors', file]),
    paste: (snippet) => snippet,
  },
  express: {
    sdk: 'js-sdk',
    reason: 'cors-missing',
    blocked: (t) => startForeign(t, 'js-sdk', TOKEN, ['--cors', 'none']),
    fixed: (t, file) => startForeign(t, 'js-sdk', TOKEN, ['--cors', file]),
    paste: (snippet) => snippet,
  },
  axum: {
    sdk: 'rust-sdk',
    // The SDK shares the card by itself, and nothing else.
    reason: 'preflight-refused',
    blocked: async (t) => start(t, await rustAgent(), [TOKEN, '--no-cors']),
    fixed: async (t, file) => start(t, await rustAgent(file), [TOKEN]),
    // A block, whose value is the app.
    paste: (snippet) => `{\n${snippet}\napp\n}\n`,
  },
};

/** Builds the agent in Rust, with what was pasted if that is given. */
async function rustAgent(file) {
  const target = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'foreign');
  const features = file ? ['--features', 'pasted'] : [];
  const args = ['build', '--quiet', '--locked', '--target-dir', target, ...features];
  await promisify(execFile)('cargo', args, {
    cwd: join(ROOT, 'tests/foreign/rust-sdk'),
    env: { ...process.env, ...(file ? { A2A_PASTED_CORS: file } : {}) },
  });
  return join(target, 'debug/foreign-rust-agent');
}

test('what the page says to paste opens an agent to it', async (t) => {
  const served = await startServe(t);
  const browser = await startBrowser(t);

  async function check(page, address) {
    await page.fill('#address', address);
    // Those that were given for another origin stay behind.
    await settings(page);
    await page.fill('#bearer', TOKEN);
    await page.click('#run');
    await finished(page, 120_000);
  }

  for (const [stack, { sdk, reason, blocked, fixed, paste }] of Object.entries(STACKS)) {
    await t.test(`${stack}, on ${sdk}`, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'a2a-fix-'));
      t.after(() => rm(folder, { recursive: true, force: true }));
      const { page } = await openPage(t, `${served.origin}/`, { browser });
      await page.locator('html[data-start=ready]').waitFor();
      await settings(page);
      for (const [behaviour, text] of Object.entries(PROMPTS)) await page.fill(`[data-prompt="${behaviour}"]`, text);

      const closed = await blocked(t);
      await check(page, closed.origin);
      assert.equal(await page.locator('#reach').count(), 1, 'without CORS it is blocked');
      assert.equal(await page.getAttribute('#reach', 'data-reason'), reason);
      assert.equal((await chips(page)).fail, 0);
      await page.selectOption('#stack', stack);
      const file = join(folder, 'pasted');
      await writeFile(file, paste(await page.locator('#snippet').innerText()));
      await closed.stop();

      const opened = await fixed(t, file);
      await check(page, opened.origin);
      assert.equal(await page.locator('#reach').count(), 0, 'nothing is in the way');
      const { text } = await save(page, 'json');
      const report = JSON.parse(text);
      assert.deepEqual(found(report), expected(reviewed(sdk)));
      assert.ok(report.summary.passed > 100, `${report.summary.passed} passed`);
      for (const stage of ['address', 'read', 'write', 'stream']) {
        assert.equal(await page.locator(`[data-stage=${stage}]`).getAttribute('data-light'), 'open', stage);
      }
    });
  }
});
