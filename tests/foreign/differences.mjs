// Differences between several runs of one agent.

import { CARD, RATES, rows } from './agents.mjs';

/**
 * The outcome of each row of a report, by `check@lane`: its status, why it was skipped and its level; beside it a remark, if there is one.
 * How often chance was met is a measurement, none of twelve like five of them.
 */
export function outcomes(report) {
  return new Map(
    rows(report).map(({ test, lane, status, reason, level, expected, message }) => {
      const measured = RATES.includes(test) && status !== 'skip' ? 'measured' : status;
      const remark = status === 'pass' ? expected : undefined;
      return [`${test}@${lane ?? CARD}`, { outcome: [measured, reason, level].filter(Boolean).join(' '), remark, message }];
    }),
  );
}

/**
 * The rows that did not come out alike in all of these runs, `{ name, outcomes }`, sorted: each with what was said of it, the usual first,
 * and who said so. `of` is what has to be alike.
 */
export function differences(runs, of = ({ outcome }) => outcome) {
  const every = new Set(runs.flatMap(({ outcomes }) => [...outcomes.keys()]));
  return [...every].sort().flatMap((row) => {
    const said = new Map();
    for (const { name, outcomes } of runs) {
      const there = outcomes.get(row);
      const what = there ? of(there) : 'not there';
      const alike = said.get(what) ?? { what, names: [], message: there?.message };
      alike.names.push(name);
      said.set(what, alike);
    }
    if (said.size === 1) return [];
    return [{ row, said: [...said.values()].sort((one, other) => other.names.length - one.names.length) }];
  });
}

/** The rows that differ in nothing but a remark, which a race that was met in one run may leave. */
export function remarked(runs) {
  const different = differences(runs).map(({ row }) => row);
  return differences(runs, ({ remark }) => remark !== undefined)
    .map(({ row }) => row)
    .filter((row) => !different.includes(row));
}

/** A difference in words: below the row a line for each outcome. The rarer ones have to be explained, so they name the runs. */
export function told({ row, said }) {
  const all = said.reduce((sum, { names }) => sum + names.length, 0);
  const lines = said.map(({ what, names, message }, rank) => {
    const where = rank === 0 ? '' : ` (${names.join(', ')})`;
    return `    ${names.length} of ${all} ${what}${where}${message ? `: ${message}` : ''}`;
  });
  return [row, ...lines].join('\n');
}
