// The servers of other people's frameworks: how each is started and asked, and what was reviewed of each. See docs/TESTING.md.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../e2e/support.mjs';

const FOLDER = join(ROOT, 'tests/foreign/field');

/** What each server's model does when it is told to: it fails, or takes its time. */
const PROMPTS = { fail: 'fail', cancel: 'slow', 'long-running': 'slow', stream: 'slow' };

/** Servers whose framework lets an agent ask back are asked for that too. */
const MULTI_TURN = { ...PROMPTS, 'input-required': 'input-required', more: 'more' };

/** By folder, in the order of docs/FIELD.md: the program with its arguments, and the prompts. */
const SERVERS = {
  fasta2a: { run: python, prompts: PROMPTS },
  'fasta2a-06': { run: python, prompts: PROMPTS },
  'fasta2a-02': { run: python, prompts: PROMPTS },
  'python-a2a': { run: python, prompts: PROMPTS },
  a2akit: { run: python, prompts: MULTI_TURN },
  agno: { run: python, prompts: PROMPTS },
  'langgraph-api': { run: python, prompts: PROMPTS },
  mastra: { run: node, prompts: PROMPTS },
  voltagent: { run: node, prompts: PROMPTS },
  'a2a-protocol-server': { run: rust, prompts: MULTI_TURN },
};

export const ALL = Object.keys(SERVERS);

/** The servers to check: those that FIELD_SERVERS names, or all. */
export function chosen() {
  const names = process.env.FIELD_SERVERS?.split(/\s+/).filter(Boolean) ?? ALL;
  const unknown = names.filter((name) => !ALL.includes(name));
  if (unknown.length > 0) throw new Error(`FIELD_SERVERS: no such server: ${unknown}`);
  return names;
}

export function commandOf(server) {
  return SERVERS[server].run(server);
}

export function promptsOf(server) {
  return Object.entries(SERVERS[server].prompts).flatMap(([behaviour, text]) => ['--prompt', `${behaviour}=${text}`]);
}

/** What is known of a server: docs/TESTING.md says what the members hold. */
export function reviewed(server) {
  return JSON.parse(readFileSync(listOf(server), 'utf8'));
}

export function keep(server, list) {
  writeFileSync(listOf(server), `${JSON.stringify(list, null, 2)}\n`);
}

/** The sentence that each check judges, by version and check. */
export function sentences() {
  return JSON.parse(readFileSync(join(FOLDER, 'sentences.json'), 'utf8'));
}

/** The rows of a list that fail in every run, `check@lane level`, sorted. */
export function listed({ causes, disputed }) {
  return [...causes, ...disputed].flatMap(({ rows }) => rows).sort();
}

/** Those that fail in some runs only. */
export function unsteadyOf({ unsteady = [] }) {
  return unsteady.flatMap(({ rows }) => rows);
}

/** The sentence of a row: a lane is judged by its own version, and the card by that of the first lane. */
export function sentenceOf(row, { lanes }, all) {
  const [, check, lane] = row.match(/^(.+)@(\S+) (must|should)$/);
  const version = (lane === 'card' ? lanes[0] : lane).split('-')[1];
  const sentence = all[version]?.[check];
  return sentence && `${version} ${sentence}`;
}

/** What a run says of a server, as docs/FIELD.md tells it. */
export function outcomeOf({ code, report, messages, seconds }) {
  const { total, passed, failedRequired, failedAdvisory, inconclusive, blocked } = report.summary;
  const verdict = { 0: 'conformant', 1: 'not conformant', 3: 'incomplete' }[code];
  const level = report.conformanceLevel ?? 'not rated';
  const open = { inconclusive: inconclusive ?? 0, blocked: blocked ?? 0 };
  return { verdict, level, total, passed, failedRequired, failedAdvisory, ...open, messages, seconds };
}

/** The list with the rows that a run found: gone ones go, and new ones wait for somebody to review them. */
export function updated(list, found, outcome) {
  const known = [...listed(list), ...unsteadyOf(list)];
  const still = (entries) =>
    entries.map((entry) => ({ ...entry, rows: entry.rows.filter((row) => found.includes(row)) })).filter(({ rows }) => rows.length > 0);
  const unreviewed = found.filter((row) => !known.includes(row));
  const rest = { ...list, causes: still(list.causes), disputed: still(list.disputed), outcome };
  delete rest.unreviewed;
  return unreviewed.length > 0 ? { ...rest, unreviewed } : rest;
}

function listOf(server) {
  return join(FOLDER, server, 'reviewed.json');
}

function python(server) {
  return [installed(server, '.venv/bin/python'), [join(FOLDER, server, 'server.py')]];
}

function node(server) {
  installed(server, 'node_modules');
  return [process.execPath, [join(FOLDER, server, 'server.mjs')]];
}

function rust() {
  const built = process.env.A2A_FIELD_AGENT ?? join(ROOT, 'target/foreign/debug/field-rust-agent');
  if (!existsSync(built)) throw new Error(`${built} is missing: \`make field\` builds it`);
  return [built, []];
}

function installed(server, path) {
  const place = join(FOLDER, server, path);
  if (!existsSync(place)) throw new Error(`${place} is missing: \`scripts/setup field-all\` installs it`);
  return place;
}
