// Prints what the page in dist/ costs to download, and fails when that is more than its budget.

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Brotli bytes of all wasm, script and style together; see "Decisions" in docs/ARCHITECTURE.md. */
const BUDGET = 455_000;
const COUNTED = new Set(['.wasm', '.js', '.css']);
const DIST = 'dist';

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;

const rows = readdirSync(DIST, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && COUNTED.has(extname(entry.name)))
  .map((entry) => {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const bytes = readFileSync(file);
    return [relative(DIST, file), bytes.length, gzipSync(bytes, { level: 9 }).length, brotli(bytes)];
  })
  .sort((a, b) => b[3] - a[3]);

if (!rows.some(([name]) => name.endsWith('.wasm'))) {
  console.error(`no .wasm in ${DIST}/: the page is not built`);
  process.exit(1);
}

const total = ['total', ...[1, 2, 3].map((column) => rows.reduce((sum, row) => sum + row[column], 0))];
const width = Math.max(...[...rows, total].map(([name]) => name.length));
const line = ([name, ...sizes]) => name.padEnd(width) + sizes.map((size) => String(size).padStart(10)).join('');
console.log(line(['', 'raw', 'gzip', 'brotli']));
for (const row of [...rows, total]) console.log(line(row));

const spent = total[3];
console.log(`budget: ${spent} of ${BUDGET} bytes brotli (${Math.round((100 * spent) / BUDGET)} %)`);
if (spent > BUDGET) {
  console.error(`error: the page is ${spent - BUDGET} bytes over its budget`);
  process.exit(1);
}
