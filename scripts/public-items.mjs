// Writes what the library offers to others, an item a line, read from its documentation without the programs' features:
// a change of docs/public-items.txt is a change of what others build on, and is looked at as one.
//   node scripts/public-items.mjs TARGET_FOLDER [--write]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIST = 'docs/public-items.txt';
const HEAD = '# What the library offers, without the features of the programs and with `test-agent`. `make docs` writes it anew.\n';
const [target, mode] = process.argv.slice(2);
const root = join(target, 'doc/a2a_conformance');

const links = (page) => [...page.matchAll(/<a href="((?:[a-z_]+\/)*[a-z]+\.[A-Za-z_]+\.html)"/g)].map((match) => match[1]);
const all = [...new Set(links(readFileSync(join(root, 'all.html'), 'utf8')))].sort();

/** The members of an item that are its own: what traits bring along is listed with the traits. */
function members(file) {
  const page = readFileSync(join(root, file), 'utf8');
  const own = page.split(/id="(?:trait-implementations|synthetic-implementations|foreign-impls|implementors)"/)[0];
  const ids = [...own.matchAll(/id="(method|tymethod|structfield|variant|associatedconstant|associatedtype)\.([A-Za-z0-9_.]+)"/g)].filter(
    ([, , name]) => !name.endsWith('.fields'),
  );
  return [...new Set(ids.map(([, kind, name]) => `${kind} ${name}`))].sort();
}

const lines = all.flatMap((file) => {
  const [, kind, name] = /([a-z]+)\.([A-Za-z_]+)\.html$/.exec(file);
  return [`${kind} ${name}`, ...members(file).map((member) => `${kind} ${name}: ${member}`)];
});
if (lines.length < 20) throw new Error(`only ${lines.length} items in ${root}: is this documentation of the library?`);
const text = `${HEAD}${lines.join('\n')}\n`;

if (mode === '--write') {
  writeFileSync(LIST, text);
} else if (readFileSync(LIST, 'utf8') !== text) {
  const known = new Set(readFileSync(LIST, 'utf8').split('\n'));
  const now = new Set(text.split('\n'));
  for (const line of now) if (!known.has(line)) console.error(`+ ${line}`);
  for (const line of known) if (!now.has(line)) console.error(`- ${line}`);
  console.error(`${LIST} is not what the library offers. If the change is meant: make docs`);
  process.exitCode = 1;
}
