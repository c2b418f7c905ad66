// The table of bugs, and what a run of the checker before and after a fix says of one.

import { readFileSync } from 'node:fs';
import { rows } from '../foreign/agents.mjs';

/** The folders of the two sets: the agents of the second were written by somebody who did not know the checks. */
export const SETS = ['.', 'second'];

/** What a run may say of a bug. */
export const OUTCOMES = ['found', 'missed', 'not reached', 'allowed'];

/**
 * The bugs of all sets in their order, each with its `set`: see README.md for the members of each.
 */
export function bugs() {
  const read = (set) => JSON.parse(readFileSync(new URL(`${set}/bugs.json`, import.meta.url), 'utf8'));
  return SETS.flatMap((set) => read(set).map((bug) => ({ set, ...bug })));
}

/** What installs the releases of a line. */
export function kindOf(line) {
  return line.startsWith('js') ? 'npm' : 'python';
}

/** The releases that the table needs, each once: `python 0.3.26`. */
export function releases() {
  return [...new Set(bugs().flatMap(({ line, before, after }) => [before, after].map((one) => `${kindOf(line)} ${one}`)))];
}

/** What a run needs to be told, as one text: runs that are told the same are the same run. */
export function runOf(bug, release) {
  const { set, line, agent = [], options = [] } = bug;
  return JSON.stringify({ set, line, release, agent, options });
}

/**
 * How the checker did: *found* when a check about the bug fails before the fix, saying what it should, and no more after it;
 * *allowed* when none does because the specification allows it; *missed* when the situation came about and no such check fails; *not
 * reached* when it did not come about.
 */
export function verdict(bug, before, after) {
  // A note is a pass with something to say.
  const accused = (report) => about(bug, report).filter((row) => (row.status === 'fail' || row.actual) && says(bug, row, report));
  const still = new Set(accused(after).map(place));
  const found = accused(before).filter((row) => !still.has(place(row)));
  if (found.length > 0) return { outcome: 'found', by: found };
  if (bug.allowed) return { outcome: 'allowed', by: [] };
  const own = about(bug, before);
  const judged = own.length > 0 ? own.some(({ status }) => status !== 'skip') : bug.driven === true;
  return { outcome: judged ? 'missed' : 'not reached', by: [] };
}

/** The rows of a report that are about a bug: in the place of one that was left out for another's cause, that other. */
function about({ checks = [], lanes }, report) {
  const all = rows(report);
  const own = all.filter(({ test, lane }) => checks.includes(test) && (!lanes || lanes.includes(lane ?? 'card')));
  return own.map((row) => {
    const [, cause] = (row.status === 'skip' && /: see ([a-z0-9.-]+)$/.exec(row.message)) || [];
    return all.find(({ test, lane, status }) => test === cause && lane === row.lane && status === 'fail') ?? row;
  });
}

/** Whether a finding says what it should, or rests on an exchange that should show it, by `scenario/step`. */
function says({ says: words }, { message = '', actual = '', pointer = '', exchanges = [] }, report) {
  const seen = report.exchanges.filter(({ id }) => exchanges.includes(id)).map(({ scenario, step }) => `${scenario}/${step}`);
  return !words || new RegExp(words).test([message, actual, pointer, ...seen].join('\n'));
}

function place({ test, lane }) {
  return `${test}@${lane ?? 'card'}`;
}

/** The musts that passed before the fix and fail after it: something else broke, or a check accuses the innocent. */
export function onlyAfter(before, after) {
  const judged = rows(before).filter(({ status }) => status === 'pass');
  const passed = new Set(judged.map(place));
  return rows(after)
    .filter(({ status, level }) => status === 'fail' && level === 'must')
    .map(place)
    .filter((row) => passed.has(row));
}
