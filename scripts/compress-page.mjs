// Writes a .br and a .gz beside each file of the page, for servers that send such files to browsers that take them:
// `a2a-conformance serve` does, and docs/HOSTING.md shows how others do.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const COMPRESSIBLE = /\.(html|js|css|wasm|svg)$/;

/** Compresses the page in a folder, as small as it gets. */
export function compress(folder) {
  for (const entry of readdirSync(folder, { recursive: true })) {
    const name = String(entry);
    if (!COMPRESSIBLE.test(name)) continue;
    const file = join(folder, name);
    const bytes = readFileSync(file);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    for (const [end, smaller] of [['br', brotliCompressSync(bytes, { params })], ['gz', gzipSync(bytes, { level: 9 })]]) {
      if (smaller.length < bytes.length) writeFileSync(`${file}.${end}`, smaller);
    }
  }
}
