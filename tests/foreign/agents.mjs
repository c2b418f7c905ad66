// Agents on official SDKs, and what is known to deviate from the specification in each: see docs/TESTING.md.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ROOT, start } from '../e2e/support.mjs';

/** Everything is run on the agents of the newest release of a version; these know one word more than the others. */
const THOROUGH = ['--thorough', '--prompt', 'burst=burst'];

/** Ports that are free: who serves gRPC there has to name it in the card before it listens. */
const GRPC_PORT = await freePort();
const GRPC_PORT_03 = await freePort();

/**
 * The SDKs by folder of tests/foreign: the program that runs the agent with its arguments, the lanes that its card opens,
 * where that card is if not at the usual place, and options that a check of it needs.
 */
const AGENTS = {
  'python-sdk': { run: () => python('A2A_PYTHON', 'python-sdk'), lanes: ['jsonrpc-1.0', 'rest-1.0'], options: THOROUGH },
  'js-sdk': { run: () => node('js-sdk'), lanes: ['jsonrpc-1.0', 'rest-1.0'], options: THOROUGH },
  // Webhooks elsewhere than on this machine are behind a proxy that does not exist.
  'rust-sdk': {
    run: () => ['env', ['http_proxy=http://127.0.0.1:9', 'no_proxy=127.0.0.1', rustAgent()]],
    lanes: ['jsonrpc-1.0', 'rest-1.0'],
  },
  // Two versions at the same addresses.
  'python-sdk-both': {
    run: () => python('A2A_PYTHON', 'python-sdk', '--old'),
    lanes: ['jsonrpc-1.0', 'rest-1.0', 'jsonrpc-0.3', 'rest-0.3'],
  },
  // gRPC has a port of its own, which is another origin for the token.
  'python-sdk-grpc': {
    run: () => python('A2A_PYTHON', 'python-sdk', '--grpc', String(GRPC_PORT)),
    lanes: ['jsonrpc-1.0', 'rest-1.0', 'grpc-1.0'],
    options: ['--allow-origin', `http://127.0.0.1:${GRPC_PORT}`],
  },
  'python-sdk-03': { run: () => python('A2A_PYTHON_03', 'python-sdk-03'), lanes: ['jsonrpc-0.3', 'rest-0.3'], options: THOROUGH },
  // As python-sdk-grpc, in 0.3.
  'python-sdk-03-grpc': {
    run: () => python('A2A_PYTHON_03', 'python-sdk-03', '--grpc', String(GRPC_PORT_03)),
    lanes: ['jsonrpc-0.3', 'rest-0.3', 'grpc-0.3'],
    options: [...THOROUGH, '--allow-origin', `http://127.0.0.1:${GRPC_PORT_03}`],
  },
  'js-sdk-03': { run: () => node('js-sdk-03'), lanes: ['jsonrpc-0.3', 'rest-0.3'], options: THOROUGH },
  // The agent is that of 0.3; the SDK is older.
  'python-sdk-02': {
    run: () => python('A2A_PYTHON_02', 'python-sdk-03'),
    lanes: ['jsonrpc-0.2'],
    // It lets a subscription hang: see its list. Less than five times what its tasks take on a busy machine would leave checks open.
    options: ['--timeout', '30'],
    card: '/.well-known/agent.json',
  },
};

export const SDKS = Object.keys(AGENTS);

/** The lanes that a run against an SDK's agent has to open. */
export function lanesOf(sdk) {
  return AGENTS[sdk].lanes;
}

/** All that the command line is told to judge it as its list says: the token, the messages, and what only this agent needs. */
export function optionsOf(sdk) {
  const messages = Object.entries(PROMPTS).flatMap(([behaviour, text]) => ['--prompt', `${behaviour}=${text}`]);
  return ['--bearer', TOKEN, ...messages, ...(AGENTS[sdk].options ?? [])];
}

/** The path of its card. */
export function cardOf(sdk) {
  return AGENTS[sdk].card ?? '/.well-known/agent-card.json';
}

/** The messages that make these agents show what they can do: the text's first word chooses. */
export const PROMPTS = {
  'message-only': 'message-only hello',
  fail: 'fail',
  reject: 'reject',
  'input-required': 'input-required',
  more: 'a little more',
  done: 'done',
  cancel: 'slow',
  'long-running': 'slow',
  stream: 'streaming',
  'data-types': 'data-types',
  'auth-required': 'auth-required',
};

/** Those who have it are let in; the list of an SDK is about an agent that was started with it. */
export const TOKEN = 'only-for-these-tests';

/** Starts an agent. With a token it lets in only those who have it. */
export function startForeign(t, sdk, token, more = []) {
  const [program, args] = AGENTS[sdk].run();
  return start(t, program, [...args, ...(token ? tokenArguments(sdk, token) : []), ...more]);
}

/** The reviewed list of an SDK: `{ sdk, pinned, deviations, undecided }`, with the deviations of the list that it `includes`. */
export function reviewed(sdk) {
  const { includes, ...list } = JSON.parse(readFileSync(join(ROOT, 'tests/foreign', sdk, 'deviations.json'), 'utf8'));
  const others = includes ? reviewed(includes).deviations : [];
  return { undecided: [], ...list, deviations: [...others, ...list.deviations] };
}

/** What a list says that a report must hold: `check@lane level`, sorted. */
export function expected({ deviations }) {
  return rowsOf(deviations.filter(({ chance }) => !chance)).map(({ row, level }) => `${row} ${level}`).sort();
}

/** The rows, `check@lane`, that fail or not as something in the agent itself has it, whatever a run does. */
export function byChance({ deviations }) {
  return rowsOf(deviations.filter(({ chance }) => chance)).map(({ row }) => row);
}

function rowsOf(deviations) {
  return deviations.flatMap(({ check, lanes, level }) => lanes.map((lane) => ({ row: `${check}@${lane}`, level })));
}

/** Checks of what only chance meets: they give a rate as advice, which a reviewed list cannot hold. */
export const RATES = ['cancel.at-end', 'send.at-end', 'subscribe.at-end'];

/** What a report holds: every row that failed, those at should level too, but for rates. */
export function found(report) {
  return rows(report)
    .filter(({ status, test }) => status === 'fail' && !RATES.includes(test))
    .map(({ test, lane, level }) => `${test}@${laneName(lane)} ${level}`)
    .sort();
}

/** What a list says that a report must leave open, because a deviation hides it or the agent never comes so far. */
export function hidden({ deviations, undecided }) {
  const hiding = deviations.map(({ hides = [], lanes }) => ({ checks: hides, lanes }));
  return [...hiding, ...undecided]
    .flatMap(({ checks, lanes }) => checks.flatMap((check) => lanes.map((lane) => `${check}@${lane}`)))
    .sort();
}

/** What a run could not decide. */
export function open(report) {
  return rows(report)
    .filter(({ status, reason, test }) => status === 'skip' && reason !== 'not-applicable' && !RATES.includes(test))
    .map(({ test, lane }) => `${test}@${laneName(lane)}`)
    .sort();
}

export function rows(report) {
  return Object.values(report.categories).flat();
}

/** Whether an exchange gave the agent something to work on, which may cost its owner money. */
export function carriesMessage({ request }) {
  const called = request.body?.content?.match(/"method":"([^"]+)"/)?.[1];
  const sends = ['SendMessage', 'SendStreamingMessage', 'message/send', 'message/stream', 'tasks/send', 'tasks/sendSubscribe'];
  return called ? sends.includes(called) : /\/(message:(send|stream)|Send(Streaming)?Message)$/.test(new URL(request.url).pathname);
}

/** How a list calls the rows that are about the whole agent. */
export const CARD = 'card';

function laneName(lane) {
  return lane ?? CARD;
}

function python(environment, folder, ...args) {
  const program = process.env[environment] ?? 'python3';
  return [program, [join(ROOT, 'tests/foreign', folder, 'agent.py'), '--port', '0', ...args]];
}

function node(folder) {
  return [process.execPath, [join(ROOT, 'tests/foreign', folder, 'agent.mjs')]];
}

function tokenArguments(sdk, token) {
  return sdk === 'rust-sdk' ? [token] : ['--token', token];
}

function rustAgent() {
  const built = process.env.A2A_RUST_AGENT ?? join(ROOT, 'target/foreign/debug/foreign-rust-agent');
  if (!existsSync(built)) throw new Error(`${built} is missing: \`make test SUITES=foreign\` builds it`);
  return built;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
