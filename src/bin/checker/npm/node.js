// For Node.js, whose fetch reads no files: the module is read from beside this file.
import { readFile } from 'node:fs/promises';
import { offer } from './offer.js';

export const { init, checkAgent, checkList, scriptedAgent, scriptedFaults } = offer(() =>
  readFile(new URL('./bindings_bg.wasm', import.meta.url)),
);
