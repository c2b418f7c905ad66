// Differences between several runs of one agent.

import { CARD, rows } from './agents.mjs';

/** The outcome of each row of a report, by `check@lane`: its status, why it was skipped, and whether there is a remark on it. */
export function outcomes(report) {
  return new Map(
    rows(report).map(({ test, lane, status, reason, expected, message }) => {
      const remark = status === 'pass' && expected !== undefined ? 'with a remark' : undefined;
      return [`${test}@${lane ?? CARD}`, { outcome: [status, reason, remark].filter(Boolean).join(' '), message }];
    }),
  );
}

/** A line for each row that did not come out alike in all of these runs, `{ name, outcomes }`; none when all are equal. */
export function differences(runs) {
  const every = new Set(runs.flatMap(({ outcomes }) => [...outcomes.keys()]));
  return [...every].sort().flatMap((row) => {
    const seen = new Map();
    for (const { name, outcomes } of runs) {
      const { outcome, message } = outcomes.get(row) ?? { outcome: 'not there' };
      const alike = seen.get(outcome) ?? { names: [], message };
      alike.names.push(name);
      seen.set(outcome, alike);
    }
    if (seen.size === 1) return [];
    // The rarer outcome is the one that has to be explained.
    const [usual, ...others] = [...seen].sort(([, one], [, other]) => other.names.length - one.names.length);
    const told = others.map(([outcome, { names, message }]) => `${outcome} in run ${names.join(', ')}: ${message ?? ''}`);
    return [`${row}: ${usual[0]} in ${usual[1].names.length} runs; ${told.join('; ')}`];
  });
}
