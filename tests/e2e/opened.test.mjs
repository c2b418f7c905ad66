// What is written about an agent whose every string is an attack (attacks.mjs), opened by what people open it with: a terminal,
// a browser, what GitHub renders Markdown with, and the readers of the other formats (tests/validate.py). Every format that the
// program offers is tried: a new one fails here until it is said what opens it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ATTACKS, startAttacker } from './attacks.mjs';
import { finished, save } from './page.mjs';
import { ROOT, assertOnlyAsked, cli, openPage, runCli, startAgent, startBrowser, startServe } from './support.mjs';

const PYTHON = process.env.A2A_PYTHON ?? 'python3';

/** How a file of each format ends, by which tests/validate.py knows its reader. */
const ENDS = {
  text: 'txt',
  json: 'json',
  markdown: 'md',
  junit: 'junit.xml',
  ctrf: 'ctrf.json',
  har: 'har',
  html: 'html',
  badge: 'svg',
  acts: 'any.json',
  agent: 'agent.md',
  prometheus: 'prom',
};
/** An agent that does not answer well is not waited for. */
const SOON = ['--timeout', '4', '--answer-timeout', '3', '--event-timeout', '2', '--idle-timeout', '2'];
/** Members of a report whose values are words that a reader knows, or what others are found by. */
const WORDS = new Set([
  'lane', 'lanes', 'id', 'level', 'status', 'reason', 'category', 'conformanceLevel', 'completion', 'kind', 'method', 'encoding', 'scenario',
  'step', 'testDate', 'suite', 'verdict', 'protocolVersion', 'from', 'to',
]);
/** What may stand at an element of a page or a picture of ours. */
const ATTRIBUTES = /^(class|id|href|rel|scope|lang|charset|name|content|http-equiv|data-(count|status)|aria-(label|hidden)|role|open|start|align|xmlns|width|height|x|y|rx|d|fill|fill-opacity|font-(family|size)|text-anchor|textLength|clip-path)$/i;

/** The formats of a command, as it lists them itself. */
async function formats(command) {
  const { stdout } = await runCli([command, '--help']);
  const [, list] = /--format <FORMAT>[^]*?Possible values:\n([^]*?)\n\s*\[default/.exec(stdout);
  return [...list.matchAll(/^ +- (\w+):/gm)].map(([, name]) => name);
}

test('what is written about an agent whose every string is an attack', { timeout: 600_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'a2a-opened-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const agent = await startAgent(t);
  const [adds, breaks, card] = await Promise.all(['adds', 'breaks', 'card'].map((how) => startAttacker(t, agent.origin, how)));
  const files = [];
  const keep = async (name, text) => {
    files.push(join(folder, name));
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  /** Runs the program; what it prints and says is kept under this name, and its text is the answer. */
  const written = async (name, format, args) => {
    const { code, stdout, stderr } = await runCli([...args, '--format', format]);
    assert.ok([0, 1, 3].includes(code), `${args.join(' ')}: ${code}\n${stderr}`);
    assert.ok(ENDS[format], `say in ENDS what opens a file of ${format}, and try it here`);
    await keep(`${name}.${ENDS[format]}`, stdout);
    if (stderr) await keep(`${name}-${format}-said.txt`, stderr);
    return stdout;
  };

  // An agent that is conformant but for the attacks, one that answers with nothing else, and cards that are nothing else.
  const offered = await formats('check');
  const reports = offered.filter((format) => format !== 'acts');
  await Promise.all([
    ...reports.map((format) => written('adds', format, ['check', adds.origin, ...SOON, ...(format === 'text' ? ['-v', '--trace'] : [])])),
    ...['text', 'markdown', 'html', 'json'].map((format) => written('breaks', format, ['check', breaks.origin, ...SOON])),
    ...offered.map((format) => written('acts', format, ['scenario', 'tests/acts/steps.acts.yaml', adds.origin])),
  ]);
  // Each begins with another attack, so that many come to stand in each place.
  for (let number = 0; number < 6; number += 1) {
    const others = number === 0 ? ['junit', 'json'] : [];
    for (const format of ['text', 'markdown', 'html', ...others]) await written(`card-${number}`, format, ['check', card.origin]);
  }
  await written('good', 'json', ['check', agent.origin, ...SOON]);

  // A report of a stranger's: every text in it an attack, but for the words that make it a report.
  const adding = await readFile(join(folder, 'adds.json'), 'utf8');
  let count = 0;
  const doctored = (value, name) => {
    if (Array.isArray(value)) return value.map((item) => doctored(item, name));
    if (value !== null && typeof value === 'object') {
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, doctored(member, key)]));
    }
    if (typeof value !== 'string' || WORDS.has(name)) return value;
    // What is counted by its name has to keep it.
    // Half of a surrogate pair is no text, which the file would be refused for.
    const attack = ATTACKS[count++ % ATTACKS.length].toWellFormed();
    return name === 'test' ? `${value} ${attack}` : attack;
  };
  const report = JSON.parse(adding);
  const described = { title: '', why: '', area: '', scenario: '', scenarioTitle: '' };
  for (const row of Object.values(report.categories).flat()) Object.assign(row, { described, specUrl: '', remediation: '' });
  const stranger = join(folder, 'stranger.any.json');
  await writeFile(stranger, JSON.stringify(doctored(report, '')));

  const at = (name) => join(folder, name);
  for (const format of await formats('compare')) {
    await written('compared', format, ['compare', at('good.json'), at('adds.json')]);
    await written('compared-stranger', format, ['compare', at('good.json'), stranger]);
  }
  for (const format of await formats('matrix')) {
    const end = format === 'json' ? { json: 'any.json' } : {};
    const { stdout } = await runCli(['matrix', at('adds.json'), at('breaks.json'), at('card-0.json'), stranger, '--format', format]);
    await keep(`matrix.${end[format] ?? ENDS[format]}`, stdout);
  }
  await Promise.all(
    (await formats('pairs')).map(async (format) => {
      const { stdout, stderr } = await runCli(['pairs', '--timeout', '4', adds.origin, card.origin, '--format', format]);
      await keep(`pairs.${format === 'json' ? 'any.json' : ENDS[format]}`, stdout);
      await keep(`pairs-${format}-said.txt`, stderr);
    }),
  );
  // Where there are colours, links, a width and a line of progress.
  const inTerminal = [join(ROOT, 'tests/in_terminal.py'), '100', cli(), 'check', ...SOON, '-v', '--trace', breaks.origin];
  const shown = await promisify(execFile)(PYTHON, inTerminal, { maxBuffer: 1 << 26 }).catch((error) => error);
  assert.ok(shown.stdout.length > 10_000, shown.stdout);
  await keep('terminal.ansi', shown.stdout);

  await t.test('each is read by its reader, and steers neither a terminal nor a CI server', async () => {
    // A matrix in HTML has no counts; a browser opens it below.
    const read = files.filter((file) => !/(matrix|pairs)\.html$/.test(file));
    const { stderr } = await promisify(execFile)(PYTHON, [join(ROOT, 'tests/validate.py'), ...read], { maxBuffer: 1 << 26 }).catch((error) => error);
    assert.deepEqual(stderr.trim().split('\n').filter(Boolean).slice(0, 30), []);
  });

  await t.test('in a browser nothing runs, nothing is asked for, and nothing is there but text', async () => {
    const browser = await startBrowser(t);
    const opened = files.filter((file) => /\.(html|svg)$/.test(file));
    assert.ok(opened.length > 10);
    for (const file of opened) {
      // Without the policy that forbids everything anyway.
      const text = await readFile(file, 'utf8');
      const bare = file.replace(/(\.\w+)$/, '-bare$1');
      await writeFile(bare, text.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ''));
      const { page, watched, context } = await openPage(t, pathToFileURL(bare).href, { browser });
      const strange = await page.evaluate((source) => {
        const known = new RegExp(source, 'i');
        const all = [...document.querySelectorAll('*')];
        return [
          ...(globalThis.harmed ? [`a script ran: ${globalThis.harmed}`] : []),
          ...all.flatMap(({ localName, attributes }) => [...attributes].filter(({ name }) => !known.test(name)).map(({ name }) => `<${localName}> has ${name}`)),
          ...all.filter((each) => each.matches('script, img, iframe, object, embed, form, base, link, a[href^="javascript:" i], a[href^="data:" i]')).map(({ outerHTML }) => outerHTML),
        ];
      }, ATTRIBUTES.source);
      assert.deepEqual(strange, [], file);
      assert.deepEqual(watched.requests.filter((url) => url !== pathToFileURL(bare).href), [], file);
      await context.close();
    }
  });

  await t.test('the page shows these files as text, and what it writes and copies of them is as safe', async () => {
    const served = await startServe(t);
    const browser = await startBrowser(t, { whole: true });
    for (const file of [at('adds.json'), stranger]) {
      const context = { permissions: ['clipboard-read', 'clipboard-write'] };
      const { page, watched, context: profile } = await openPage(t, served.origin, { browser, context });
      await page.locator('html[data-start=ready]').waitFor();
      await page.setInputFiles('#file-show', file);
      await finished(page);
      const unfold = () => page.evaluate(() => document.querySelectorAll('main details').forEach((fold) => (fold.open = true)));
      const copies = [];
      await unfold();
      for (const row of (await page.locator('tr[data-status=fail] .row-button').all()).slice(0, 6)) {
        await row.click();
        await page.locator('#detail-title').waitFor();
        await unfold();
        assert.equal(await page.locator('main img, main script, main iframe, main object').count(), 0);
        for (const button of ['#copy-issue', '#copy-markdown']) {
          await page.locator(button).click();
          await page.locator(`.copy:has(${button}) .said`, { hasText: 'Copied' }).waitFor();
          const name = `copied-${file === stranger ? 'stranger' : 'adds'}-${copies.length}.${button === '#copy-issue' ? 'txt' : 'md'}`;
          await writeFile(at(name), await page.evaluate(() => navigator.clipboard.readText()));
          copies.push(at(name));
        }
      }
      // The agent's own card may be a link; whatever it is, no script.
      const links = await page.locator('a[href]').evaluateAll((all) => all.map(({ href }) => href));
      assert.deepEqual(links.filter((href) => !/^(https?|blob):/.test(href)), []);
      // What turns the direction of writing ends with the words that it is in.
      assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('main span')).unicodeBidi), 'isolate');
      assert.equal(await page.evaluate(() => globalThis.harmed), undefined);
      assertOnlyAsked(watched, [served.origin]);
      for (const format of ['json', 'markdown', 'junit', 'ctrf', 'har', 'html', 'badge']) {
        const { name, text } = await save(page, format);
        assert.match(name, /^a2a-report-[\w.-]{1,90}\.[a-z.]+$/);
        await writeFile(at(name), text);
        // What a stranger's file says of itself may be no address, no time and no sum; a reader that insists on those is not asked.
        if (file !== stranger || ['markdown', 'html', 'badge'].includes(format)) copies.push(at(name));
      }
      const { stderr } = await promisify(execFile)(PYTHON, [join(ROOT, 'tests/validate.py'), ...copies], { maxBuffer: 1 << 26 }).catch((error) => error);
      assert.deepEqual(stderr.trim().split('\n').filter(Boolean).slice(0, 30), []);
      await profile.close();
    }
  });
});
