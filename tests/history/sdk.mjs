// A release of the JavaScript SDK in a folder of its own, as programs load it that are ES modules.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = process.env.A2A_SDK;
const PACKAGE = join(ROOT, 'node_modules/@a2a-js/sdk');
const { exports: entries } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));

/** An entry of the SDK: `./server`. */
export async function load(entry) {
  const { import: found } = entries[entry];
  return import(pathToFileURL(join(PACKAGE, typeof found === 'string' ? found : found.default)));
}

export const express = createRequire(`${ROOT}/`)('express');
