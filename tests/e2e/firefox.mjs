// Drives Firefox by the protocol that it brings along (WebDriver BiDi), without a driver program. Only what the tests need.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import utils from 'playwright-core/lib/utilsBundle';

/** How long Firefox may take to start, in milliseconds. */
const START_LIMIT = 30_000;

/** Nothing that the browser does on its own account is of interest here. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.safebrowsing.downloads.remote.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
};

/** Firefox's program: FIREFOX, or one along PATH; undefined where there is none. */
export function firefoxProgram() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = ['firefox-esr', 'firefox'].flatMap((name) => folders.map((folder) => join(folder, name)));
  return [process.env.FIREFOX, ...places, '/Applications/Firefox.app/Contents/MacOS/firefox'].filter(Boolean).find(existsSync);
}

/** Starts Firefox, which ends with the test. Resolves to `{ version, open(url) }`. */
export async function startFirefox(t) {
  const profile = await mkdtemp(join(tmpdir(), 'a2a-firefox-'));
  t.after(() => rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
  await writeFile(join(profile, 'user.js'), lines.join(''));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const child = spawn(firefoxProgram(), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = new Promise((resolve) => child.once('close', resolve));
  t.after(async () => {
    child.kill('SIGTERM');
    const impatience = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await exited;
    clearTimeout(impatience);
  });

  let printed = '';
  const address = await new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`Firefox did not start\n${printed}`)), START_LIMIT);
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      printed += chunk;
      const found = printed.match(/BiDi listening on (ws:\S+)\s/);
      if (found) {
        clearTimeout(limit);
        resolve(found[1]);
      }
    });
    child.once('close', () => reject(new Error(`Firefox ended\n${printed}`)));
  });

  const socket = new utils.ws(`${address}/session`);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  t.after(() => socket.close());
  let last = 0;
  const waiting = new Map();
  socket.on('message', (data) => {
    const { id, type, result, error, message } = JSON.parse(data);
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (type === 'success') resolve?.(result);
    else reject?.(new Error(`${error}: ${message}`));
  });
  const send = (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });

  const { capabilities } = await send('session.new', { capabilities: {} });

  /** A tab with that page: `evaluate(function, ...texts)` answers what the function returns, and `close()`. */
  async function open(url) {
    const { context } = await send('browsingContext.create', { type: 'tab' });
    await send('browsingContext.navigate', { context, url, wait: 'complete' });
    const evaluate = async (code, ...texts) => {
      const { result, exceptionDetails } = await send('script.callFunction', {
        functionDeclaration: `async (...args) => JSON.stringify((await (${code})(...args)) ?? null)`,
        arguments: texts.map((value) => ({ type: 'string', value })),
        target: { context },
        awaitPromise: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return JSON.parse(result.value);
    };
    return { evaluate, close: () => send('browsingContext.close', { context }) };
  }
  return { version: capabilities.browserVersion, open };
}
