// Prints what the page in dist/ costs to download, first what is there when the page can be used, then what is fetched after that,
// and fails when either is more than its budget.

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Brotli bytes of all wasm, script and style of a part together; see "The size of the page" in docs/DECISIONS.md. */
const BUDGETS = { 'first load': 302_000, 'the checker': 918_000 };
const COUNTED = new Set(['.wasm', '.js', '.css']);
/** What the page fetches when it is idle, or when somebody runs a check. */
const LATER = /^checker-|^offline\.js$/;
const DIST = 'dist';

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;

const files = readdirSync(DIST, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && COUNTED.has(extname(entry.name)))
  .map((entry) => {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const bytes = readFileSync(file);
    return [relative(DIST, file), bytes.length, gzipSync(bytes, { level: 9 }).length, brotli(bytes)];
  })
  .sort((a, b) => b[3] - a[3]);

const width = Math.max(...files.map(([name]) => name.length));
const line = ([name, ...sizes]) => name.padEnd(width) + sizes.map((size) => String(size).padStart(10)).join('');
console.log(line(['', 'raw', 'gzip', 'brotli']));
for (const [part, budget] of Object.entries(BUDGETS)) {
  const rows = files.filter(([name]) => LATER.test(name) === (part === 'the checker'));
  if (!rows.some(([name]) => name.endsWith('.wasm'))) {
    console.error(`no .wasm in ${DIST}/ for ${part}: the page is not built`);
    process.exit(1);
  }
  const total = [part, ...[1, 2, 3].map((column) => rows.reduce((sum, row) => sum + row[column], 0))];
  for (const row of [...rows, total]) console.log(line(row));
  const spent = total[3];
  console.log(`budget: ${spent} of ${budget} bytes brotli (${Math.round((100 * spent) / budget)} %)\n`);
  if (spent > budget) {
    console.error(`error: ${part} is ${spent - budget} bytes over its budget`);
    process.exitCode = 1;
  }
}
