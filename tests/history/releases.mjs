// Prints the releases that the table of bugs needs, for `scripts/setup history`.

import { releases } from './table.mjs';

console.log(releases().join('\n'));
