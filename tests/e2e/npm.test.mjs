// The npm package as others get it: packed, unpacked, type-checked, and used by a page in a browser and by Node.js. The examples
// of docs/SCRIPTS.md are run.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { extname, join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { DIST, ROOT, assertQuiet, openPage, runCli, startAgent, startBrowser, startServe } from './support.mjs';

const run = promisify(execFile);
const PLACE = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target'), 'npm');
/** Somebody else's project, with the package installed. */
const PROJECT = join(PLACE, 'project');
const PACKAGE = join(PROJECT, 'node_modules/a2a-conformance');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** Browsers report every refusal on their console, and many calls are meant to be refused. */
const REFUSED = [/responded with a status of 4\d\d/];
const TYPES = { '.js': 'text/javascript', '.html': 'text/html', '.wasm': 'application/wasm' };

/** Verdicts that rest on when something came: whoever reads late, on a busy machine, judges otherwise. */
const ON_TIME = /^(stream\.incremental|subscribe\.)/;

/** What an agent's author would look at: the rows of a report by check and lane. */
const rows = (report) =>
  Object.values(report.categories)
    .flat()
    .filter(({ test }) => !ON_TIME.test(test))
    .map(({ test, lane, status, reason }) => `${test}@${lane ?? 'card'} ${status} ${reason ?? ''}`)
    .sort();

/** The examples of the guide: what is behind each fence's word, and its code. */
function examples() {
  const guide = readFileSync(join(ROOT, 'docs/SCRIPTS.md'), 'utf8');
  return [...guide.matchAll(/^```(js|ts)( page)?\n([\s\S]*?)^```$/gm)].map(([, language, page, code]) => ({
    kind: page ? 'page' : language,
    code,
  }));
}

/** Serves the project's files. Resolves to their origin. */
async function serveProject(t) {
  const server = createServer((request, response) => {
    const file = join(PROJECT, decodeURIComponent(new URL(request.url, 'http://h').pathname));
    if (!file.startsWith(PROJECT) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

/** Runs a module of the project by Node.js: what it printed. */
async function node(name, code, args = []) {
  const file = join(PROJECT, name);
  writeFileSync(file, code);
  const { stdout } = await run(process.execPath, [file, ...args], { cwd: PROJECT, timeout: 60_000, maxBuffer: 1 << 26 });
  return stdout;
}

async function tsc(t, files) {
  for (const [name, code] of Object.entries(files)) writeFileSync(join(PROJECT, name), code);
  const options = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      target: 'es2022',
      module: 'nodenext',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
    },
    files: Object.keys(files),
  };
  writeFileSync(join(PROJECT, 'tsconfig.json'), JSON.stringify(options));
  const { stdout } = await run(process.execPath, [TSC, '-p', PROJECT], { maxBuffer: 1 << 24 }).catch((error) => error);
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}

test('the npm package', async (t) => {
  assert.ok(existsSync(join(PLACE, 'packed.json')), 'target/npm holds the package: run `make npm`');
  const [packed] = JSON.parse(readFileSync(join(PLACE, 'packed.json'), 'utf8'));
  rmSync(PROJECT, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  await run('tar', ['-xzf', join(PLACE, packed.filename), '-C', PACKAGE, '--strip-components=1']);
  writeFileSync(join(PROJECT, 'package.json'), '{ "type": "module" }');
  const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));

  await t.test('holds what it needs and nothing that runs on installing', () => {
    assert.deepEqual(
      packed.files.map(({ path }) => path).sort(),
      [
        'LICENSE-APACHE',
        'LICENSE-MIT',
        'README.md',
        'bindings.js',
        'bindings_bg.wasm',
        'index.d.ts',
        'index.js',
        'node.js',
        'offer.js',
        'package.json',
      ].sort(),
    );
    const cargo = readFileSync(join(ROOT, 'Cargo.toml'), 'utf8');
    assert.equal(manifest.version, /^version = "(.+)"$/m.exec(cargo)[1]);
    assert.equal(manifest.name, 'a2a-conformance');
    for (const name of ['scripts', 'dependencies', 'peerDependencies', 'optionalDependencies', 'bin']) {
      assert.equal(manifest[name], undefined, name);
    }
    const module = readFileSync(join(PACKAGE, 'bindings_bg.wasm'));
    t.diagnostic(`${packed.size} bytes packed; the module ${module.length}, ${brotliCompressSync(module).length} with brotli`);
    // The paths of the machine that built it are private.
    assert.ok(!module.includes(ROOT), 'the module names the folder that it was built in');
  });

  await t.test('is made without Leptos', () => {
    // A module names the source files whose code can panic.
    const names = (bytes) => ['leptos', 'tachys', 'reactive_graph'].filter((name) => bytes.includes(name));
    const page = readdirSync(DIST).find((name) => name.startsWith('a2a-conformance-') && name.endsWith('.wasm'));
    assert.equal(names(readFileSync(join(DIST, page))).length, 3);
    assert.deepEqual(names(readFileSync(join(PACKAGE, 'bindings_bg.wasm'))), []);
  });

  const agent = await startAgent(t);
  // No notification reaches a script.
  const whole = JSON.parse((await runCli(['check', agent.origin, '--format', 'json', '--no-webhooks'])).stdout);

  await t.test('checks in Node.js as the command line does, and lets the program end', async () => {
    const told = JSON.parse(
      await node(
        'check.mjs',
        `import { checkAgent } from 'a2a-conformance';
        const events = [];
        const report = await checkAgent({ url: process.argv[2], onEvent: (event) => events.push(event) });
        process.stdout.write(JSON.stringify({ report, events }));`,
        [agent.origin],
      ),
    );
    assert.match(told.report.tool.host, /^Node\.js \d+/);
    assert.deepEqual(rows(told.report), rows(whole));
    assert.ok(rows(whole).length > 400, whole.headline);
    assert.deepEqual([told.report.summary.failedRequired, told.report.summary.blocked], [0, 0]);
    // Each row was planned once and judged once, each exchange told of, and the last count is the report's.
    const of = (type) => told.events.filter((event) => event.type === type);
    const planned = of('planned').flatMap((event) => event.rows).map((row) => `${row.test}@${row.lane ?? 'card'}`);
    assert.deepEqual(planned.sort(), of('verdict').map((row) => `${row.test}@${row.lane ?? 'card'}`).sort());
    assert.equal(of('exchange').length, told.report.exchanges.length);
    const { type, judged, ...counts } = of('progress').at(-1);
    assert.deepEqual([type, judged, counts], ['progress', counts.total, told.report.summary]);
    assert.equal(told.events.at(-1).type, 'finished');
    assert.equal(told.events.at(-1).completion, 'complete');
    assert.ok(of('stage').length > 1 && of('agent').length === 1 && of('lanes').length === 1);

    // A report and events as they came fit their types, with no member that those do not name.
    const some = (type) => of(type).slice(0, 20);
    const kinds = [...new Set(told.events.map((event) => event.type))];
    told.report.exchanges = told.report.exchanges.filter(({ response }, index) => index < 20 || response?.frames).slice(0, 40);
    const errors = await tsc(t, {
      'literal.mts': `import type { CheckEvent, Report } from 'a2a-conformance';
        export const report: Report = ${JSON.stringify(told.report)};
        export const events: CheckEvent[] = ${JSON.stringify(kinds.flatMap(some))};`,
    });
    assert.deepEqual(errors.slice(0, 5), []);
  });

  await t.test('says in Node.js why there is no connection', async () => {
    const closing = createTcpServer((socket) => socket.destroy());
    await new Promise((resolve) => closing.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${closing.address().port}`;
    const trouble = `import { checkAgent } from 'a2a-conformance';
      const { verdict, exchanges } = await checkAgent({ url: process.argv[2], timeouts: { reach: 5 } });
      console.log(verdict, exchanges[0].end.trouble, exchanges[0].end.detail);`;
    assert.match(await node('closed.mjs', trouble, [address]), /^incomplete closed ./);
    await new Promise((resolve) => closing.close(resolve));
    assert.match(await node('refused.mjs', trouble, [address]), /^incomplete unreachable .*ECONNREFUSED/);
  });

  await t.test('has types that fit what people write, and refuse what is wrong', async () => {
    const usage = Object.fromEntries(
      examples()
        .filter(({ kind }) => kind === 'ts')
        .map(({ code }, index) => [`example-${index}.mts`, code]),
    );
    assert.ok(Object.keys(usage).length > 0);
    usage['usage.mts'] = `import { checkAgent, checkList, init, scriptedAgent, scriptedFaults } from 'a2a-conformance';
      import type { CheckAgentError, CheckEvent, CheckOptions, ScriptedAgent } from 'a2a-conformance';
      await init(new URL('./bindings_bg.wasm', import.meta.url));
      const everything: CheckOptions = {
        url: new URL('https://h.example'), bearer: 't', headers: { 'X-Key': 'v' }, query: { key: 'v' },
        laneHeaders: { 'rest-1.0': { 'X-Key': 'v' } }, clientId: 'me', clientSecret: null, scope: 'a', tokenUrl: 'https://h.example/token',
        refreshToken: 'r', allowOrigins: ['https://h.example'], secondBasic: 'u:p', secondHeaders: {}, secondQuery: {},
        via: new URL('https://gate.example'), peer: 'https://b.example', peerBearer: 't', peerHeaders: { 'X-Key': 'v' }, peerPrompts: { complete: 'Book' },
        jwks: { keys: [{ kty: 'EC' }] }, protocolVersion: '0.3', profile: 'tck', prompts: { cancel: 'Wait' }, skills: ['s'], only: ['card.*'], thorough: true,
        repeat: 2, interfaces: 20, concurrency: 1, timeoutSeconds: 90, timeouts: { reach: 1, run: 5 }, signal: AbortSignal.timeout(5),
        onEvent(event: CheckEvent) { if (event.type === 'verdict') event.test.length; else if (event.type === 'planned') event.rows.length; },
      };
      const report = await checkAgent(everything);
      const alone: string[] | undefined = report.agents?.map(({ address, report: own }) => address + own.headline);
      const level: 'full' | 'partial' | 'minimal' | 'non-conformant' | undefined = report.conformanceLevel;
      await checkAgent({ card: { name: 'x' } });
      await checkAgent({ endpoint: 'https://h.example/rpc', binding: 'JSONRPC', declares: ['streaming'] });
      const agent: ScriptedAgent = await scriptedAgent(['get-wrapped'], { base: 'http://h.example' });
      const response: Response = await agent.fetch(agent.url, { method: 'POST' });
      const ids: string[] = (await checkList()).map((check) => check.id).concat((await scriptedFaults()).map((fault) => fault.id));
      const code = (error: CheckAgentError): 'aborted' | string => error.report ? error.code : error.option ?? '';
      export { alone, level, response, ids, code };`;
    assert.deepEqual(await tsc(t, usage), []);

    const wrong = [
      `checkAgent({})`,
      `checkAgent({ url: 'h', card: {} })`,
      `checkAgent({ endpoint: 'https://h.example' })`,
      `checkAgent({ url: 'h', declares: ['streaming'] })`,
      `checkAgent({ url: 'h', timeoutSecond: 3 })`,
      `checkAgent({ url: 'h', prompts: { dance: 'Dance' } })`,
      `checkAgent({ url: 'h', onEvent: (event) => event.check })`,
      `checkAgent({ url: 'h', protocolVersion: '2.0' })`,
      `checkAgent({ url: 'h', peer: 5 })`,
    ];
    const lines = wrong.map((call) => `export const _${wrong.indexOf(call)} = ${call};`);
    const errors = await tsc(t, { 'wrong.mts': [`import { checkAgent } from 'a2a-conformance';`, ...lines].join('\n') });
    const at = new Set(errors.map((line) => Number(/\((\d+),/.exec(line)[1]) - 2));
    assert.deepEqual([...at].sort(), wrong.map((_, index) => index), errors.join('\n'));
  });

  const browser = await startBrowser(t);
  const origin = await serveProject(t);
  const imports = { imports: { 'a2a-conformance': '/node_modules/a2a-conformance/index.js' } };
  writeFileSync(join(PROJECT, 'page.html'), `<!doctype html><title>A page</title><link rel="icon" href="data:,"><script type="importmap">${JSON.stringify(imports)}</script>`);

  await t.test('works in a page', async () => {
    const { page, watched } = await openPage(t, `${origin}/page.html`, { browser });
    const told = await page.evaluate(async (url) => {
      const { checkAgent, checkList } = await import('a2a-conformance');
      const kinds = new Set();
      const report = await checkAgent({ url: new URL(url), only: ['card.*', 'send.*'], onEvent: (event) => kinds.add(event.type) });
      return { report, kinds: [...kinds], listed: (await checkList()).length };
    }, agent.origin);
    assert.equal(told.report.schemaVersion, 1);
    assert.equal(told.report.tool.host, 'script');
    assert.match(told.report.tool.userAgent, /Chrome/);
    assert.equal(told.report.summary.failed, 0);
    assert.ok(told.report.summary.passed > 20, told.report.headline);
    assert.ok(told.listed > 200);
    for (const kind of ['stage', 'agent', 'lanes', 'planned', 'exchange', 'verdict', 'progress', 'finished']) {
      assert.ok(told.kinds.includes(kind), kind);
    }
    assertQuiet(watched, REFUSED);
  });

  // The same calls in both: they have one reader of options.
  const served = await startServe(t);
  const refusals = async (url) => {
    const isPage = globalThis.wasmBindings !== undefined;
    const { checkAgent } = isPage ? globalThis.wasmBindings : await import('a2a-conformance');
    const refusal = async (options) => {
      try {
        return { resolved: (await checkAgent(options)).verdict };
      } catch (error) {
        if (!(error instanceof Error)) return { thrown: error };
        const { name, code, option, message } = error;
        return { name, code, option, message, failed: error.report?.summary.failed, cause: error.cause?.name, completed: error.report?.incomplete };
      }
    };
    const early = new AbortController();
    early.abort();
    const late = new AbortController();
    const answers = [
      await refusal({ url, timeoutSecond: 3 }),
      await refusal({ url, onEvents: () => {} }),
      await refusal({ url, signal: {} }),
      await refusal({ url, onEvent: 'log' }),
      await refusal({ url, headers: new Headers({ 'x-key': 'canary' }) }),
      await refusal({ url, prompts: new Map([['cancel', 'Wait']]) }),
      await refusal({ url, timeoutSeconds: Number.NaN }),
      await refusal({ url, bearer: () => 'canary' }),
      await refusal('http://127.0.0.1'),
      await refusal(),
      await refusal({ url, signal: early.signal }),
      await refusal({ url, signal: late.signal, onEvent: (event) => event.type === 'verdict' && late.abort() }),
      await refusal({
        url,
        onEvent: () => {
          throw 'enough';
        },
      }),
      await refusal({ url, bearer: undefined, signal: undefined, onEvent: null, only: ['card.*'] }),
    ];
    return answers;
  };
  await t.test('refuses what it cannot use, by name and code, as the page does', async () => {
    const own = await openPage(t, `${origin}/page.html`, { browser });
    const theirs = await openPage(t, served.origin, { browser });
    await theirs.page.locator('html[data-start=ready]').waitFor();
    const answers = await own.page.evaluate(refusals, agent.origin);
    const codes = answers.map(({ name, code, option, thrown, resolved }) => thrown ?? resolved ?? [name, code, option].join(' ').trim());
    const refused = 'CheckAgentError invalid-option';
    assert.deepEqual(codes, [
      'CheckAgentError unknown-option timeoutSecond',
      'CheckAgentError unknown-option onEvents',
      `${refused} signal`,
      `${refused} onEvent`,
      `${refused} headers`,
      `${refused} prompts`,
      `${refused} timeoutSeconds`,
      `${refused} bearer`,
      `${refused} options`,
      `${refused} options`,
      'AbortError aborted',
      'AbortError aborted',
      'enough',
      'incomplete',
    ]);
    assert.match(answers[0].message, /nearest is `timeoutSeconds`/);
    assert.equal(answers[10].failed, undefined);
    assert.deepEqual([answers[11].failed, answers[11].cause], [0, 'AbortError']);
    assert.match(answers[11].completed, /stopped/);
    assert.deepEqual(await theirs.page.evaluate(refusals, agent.origin), answers);
    assertQuiet(own.watched, REFUSED);
  });

  await t.test('sends the credentials that it was given', async () => {
    const guarded = await startAgent(t, ['--fault', 'two-users']);
    const check = `import { checkAgent, scriptedAgent } from 'a2a-conformance';
      const { headers, secondHeaders } = await scriptedAgent(['two-users']);
      const only = ['auth.*', 'send.*'];
      const report = await checkAgent({ url: process.argv[2], headers, secondHeaders, only });
      const without = await checkAgent({ url: process.argv[2], only });
      const text = JSON.stringify(report);
      const shown = Object.values({ ...headers, ...secondHeaders }).filter((value) => text.includes(value.replace(/^Bearer /, '')));
      console.log(JSON.stringify({ summary: report.summary, without: without.summary, shown, sent: report.options.credentials }));`;
    const { summary, without, shown, sent } = JSON.parse(await node('guarded.mjs', check, [guarded.origin]));
    assert.deepEqual([summary.failed, summary.blocked, shown], [0, 0, []]);
    assert.ok(without.blocked > 10 && summary.passed > without.passed, JSON.stringify({ summary, without }));
    assert.deepEqual(sent, ['header Authorization', 'header Authorization of the second identity']);
  });

  await t.test('judges a card and an endpoint by themselves', async () => {
    const told = await node(
      'sources.mjs',
      `import { checkAgent } from 'a2a-conformance';
      const card = await (await fetch(process.argv[2] + '/.well-known/agent-card.json')).json();
      const { url: endpoint } = card.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === 'JSONRPC');
      const reports = [await checkAgent({ card }), await checkAgent({ endpoint, binding: 'JSONRPC', only: ['send.*'] })];
      delete card.skills;
      reports.push(await checkAgent({ card: JSON.stringify(card) }));
      console.log(JSON.stringify(reports.map(({ options, summary, exchanges }) => [options.source, summary.failed > 0, exchanges.length > 1])));`,
      [agent.origin],
    );
    assert.deepEqual(JSON.parse(told), [
      ['card', false, false],
      ['endpoint', false, true],
      ['card', true, false],
    ]);
  });

  await t.test('has a scripted agent whose fetch streams, fails and can be aborted', async () => {
    const { page, watched } = await openPage(t, `${origin}/page.html`, { browser });
    const told = await page.evaluate(async () => {
      const { scriptedAgent, scriptedFaults } = await import('a2a-conformance');
      const faults = await scriptedFaults();
      const agent = await scriptedAgent([], { base: 'http://h.example/' });
      const call = (method, text, options) =>
        agent.fetch(`${agent.url}/rpc`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method,
            params: { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] } },
          }),
          ...options,
        });
      const card = await (await agent.fetch(`${agent.url}/.well-known/agent-card.json`)).json();
      const streamed = await call('SendStreamingMessage', 'streaming');
      const controller = new AbortController();
      const hanging = await call('SendStreamingMessage', 'cancel', { signal: controller.signal });
      const reading = (async (reader) => {
        while (!(await reader.read()).done);
      })(hanging.body.getReader()).catch((error) => error.name);
      controller.abort();
      const unknown = await scriptedAgent(['get-wrap']).catch(({ name, code, message }) => [name, code, message]);
      return {
        faults: faults.length,
        url: agent.url,
        names: faults.every(({ id, title }) => id && title),
        interfaces: card.supportedInterfaces.map(({ url }) => url),
        type: streamed.headers.get('content-type'),
        events: (await streamed.text()).split('data:').length - 1,
        aborted: await reading,
        unknown,
      };
    });
    assert.ok(told.faults > 200 && told.names);
    assert.equal(told.url, 'http://h.example');
    assert.ok(told.interfaces.every((url) => url.startsWith('http://h.example/')), String(told.interfaces));
    assert.match(told.type, /^text\/event-stream/);
    assert.ok(told.events > 2, String(told.events));
    assert.equal(told.aborted, 'AbortError');
    assert.deepEqual(told.unknown.slice(0, 2), ['CheckAgentError', 'unknown-fault']);
    assert.match(told.unknown[2], /get-wrapped/);
    assertQuiet(watched, REFUSED);
  });

  await t.test('does what its guide says', async () => {
    const all = examples().map(({ kind, code }) => ({ kind, code: code.replaceAll('https://agent.example.com', agent.origin) }));
    assert.deepEqual([...new Set(all.map(({ kind }) => kind))].sort(), ['js', 'page', 'ts']);
    for (const [index, { kind, code }] of all.entries()) {
      if (kind === 'ts') continue;
      if (kind === 'js') assert.notEqual(await node(`guide-${index}.mjs`, code), '', code);
      const { page, watched } = await openPage(t, kind === 'js' ? `${origin}/page.html` : served.origin, { browser });
      if (kind === 'page') await page.locator('html[data-start=ready]').waitFor();
      writeFileSync(join(PROJECT, `guide-${index}.js`), code);
      // The product's page loads no scripts of other origins; its console takes what is typed.
      if (kind === 'js') await page.evaluate((name) => import(name), `/guide-${index}.js`);
      else await page.evaluate(`(async () => { ${code} })()`);
      assert.ok(watched.console.length > 0, code);
      assertQuiet(watched, REFUSED);
    }
  });
});
