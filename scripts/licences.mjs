// Checks that every crate we build on has a licence we accept and comes from the registry.
// It asks cargo about the platforms we support, build and test dependencies included.

import { execFileSync } from 'node:child_process';

/** Licences that ask for no more than their own text and a notice. */
const ACCEPTED = new Set([
  '0BSD',
  'Apache-2.0',
  'Apache-2.0 WITH LLVM-exception',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BSL-1.0',
  'CC0-1.0',
  'CDLA-Permissive-2.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unicode-3.0',
  'Unlicense',
  'Zlib',
]);

const PLATFORMS = [
  'wasm32-unknown-unknown',
  'x86_64-unknown-linux-gnu',
  'aarch64-unknown-linux-gnu',
  'x86_64-apple-darwin',
  'aarch64-apple-darwin',
];

/** Whether an SPDX expression can be met with accepted licences alone. `/` is how old manifests wrote OR. */
function accepted(expression) {
  const tokens = expression.replaceAll('/', ' OR ').match(/[()]|[^\s()]+/g) ?? [];
  let next = 0;

  const either = () => {
    let result = both();
    while (tokens[next] === 'OR') {
      next += 1;
      result = both() || result;
    }
    return result;
  };
  const both = () => {
    let result = one();
    while (tokens[next] === 'AND') {
      next += 1;
      result = one() && result;
    }
    return result;
  };
  const one = () => {
    if (tokens[next] === '(') {
      next += 1;
      const result = either();
      if (tokens[next] !== ')') throw new Error(`unbalanced licence expression: ${expression}`);
      next += 1;
      return result;
    }
    let name = tokens[next++];
    if (tokens[next] === 'WITH') {
      name = `${name} WITH ${tokens[next + 1]}`;
      next += 2;
    }
    return ACCEPTED.has(name);
  };

  const result = either();
  if (next !== tokens.length) throw new Error(`cannot read licence expression: ${expression}`);
  return result;
}

const crates = new Map();
for (const platform of PLATFORMS) {
  const { packages, resolve } = JSON.parse(
    execFileSync('cargo', ['metadata', '--locked', '--format-version=1', `--filter-platform=${platform}`], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const used = new Set(resolve.nodes.map((node) => node.id));
  for (const crate of packages) if (used.has(crate.id)) crates.set(crate.id, crate);
}

const problems = [];
for (const { name, version, license, source } of crates.values()) {
  const complain = (what) => problems.push(`${name} ${version}: ${what}`);
  if (!license) complain('names no licence');
  else if (!accepted(license)) complain(`licence not accepted: ${license}`);
  // Only we ourselves have no source.
  if (source !== null && !source.startsWith('registry+')) complain(`not from a registry: ${source}`);
}

for (const problem of problems) console.error(`error: ${problem}`);
console.log(`licences: ${crates.size} crates, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
