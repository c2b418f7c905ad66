// Agents on official SDKs, and what is known to deviate from the specification in each: see docs/ARCHITECTURE.md.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, start } from '../e2e/support.mjs';

/** The SDKs by folder of tests/foreign, each with the program that runs its agent and its arguments. */
const AGENTS = {
  'python-sdk': (folder) => [process.env.A2A_PYTHON ?? 'python3', [join(folder, 'agent.py'), '--port', '0']],
  'js-sdk': (folder) => [process.execPath, [join(folder, 'agent.mjs')]],
  'rust-sdk': () => [rustAgent(), []],
};

export const SDKS = Object.keys(AGENTS);

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

/** Starts an agent. Its card names both bindings. With a token it lets in only those who have it. */
export function startForeign(t, sdk, token, more = []) {
  const [program, args] = AGENTS[sdk](join(ROOT, 'tests/foreign', sdk));
  return start(t, program, [...args, ...(token ? tokenArguments(sdk, token) : []), ...more]);
}

/** The reviewed list of an SDK: `{ sdk, pinned, deviations }`. */
export function reviewed(sdk) {
  return JSON.parse(readFileSync(join(ROOT, 'tests/foreign', sdk, 'deviations.json'), 'utf8'));
}

/** What a list says that a report must hold: `check@lane level`, sorted. */
export function expected({ deviations }) {
  return deviations.flatMap(({ check, lanes, level }) => lanes.map((lane) => `${check}@${lane} ${level}`)).sort();
}

/** What a report holds: every row that failed, those at should level too. */
export function found(report) {
  return rows(report)
    .filter(({ status }) => status === 'fail')
    .map(({ test, lane, level }) => `${test}@${laneName(lane)} ${level}`)
    .sort();
}

/** What a list says that a report must leave open, because a deviation hides it. */
export function hidden({ deviations }) {
  return deviations.flatMap(({ hides = [], lanes }) => hides.flatMap((check) => lanes.map((lane) => `${check}@${lane}`))).sort();
}

/** What a run could not decide. */
export function open(report) {
  return rows(report)
    .filter(({ status, reason }) => status === 'skip' && reason !== 'not-applicable')
    .map(({ test, lane }) => `${test}@${laneName(lane)}`)
    .sort();
}

export function rows(report) {
  return Object.values(report.categories).flat();
}

/** How a list calls the rows that are about the whole agent. */
export const CARD = 'card';

function laneName(lane) {
  return lane ?? CARD;
}

function tokenArguments(sdk, token) {
  return sdk === 'rust-sdk' ? [token] : ['--token', token];
}

function rustAgent() {
  const built = process.env.A2A_RUST_AGENT ?? join(ROOT, 'target/foreign/debug/foreign-rust-agent');
  if (!existsSync(built)) throw new Error(`${built} is missing: \`make test SUITES=foreign\` builds it`);
  return built;
}
