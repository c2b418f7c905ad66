// Puts the npm package together around the module that scripts/build-npm made, packs it, and prints what it weighs.
//   node scripts/npm-package.mjs target/npm
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { transformSync } from 'esbuild';

const place = process.argv[2];
const folder = join(place, 'package');
const cargo = readFileSync('Cargo.toml', 'utf8');
const member = (name) => new RegExp(`^${name} = "(.+)"$`, 'm').exec(cargo)[1];

for (const name of ['index.js', 'node.js', 'offer.js', 'index.d.ts']) copyFileSync(join('src/bin/npm', name), join(folder, name));
for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(name, join(folder, name));
copyFileSync('docs/SCRIPTS.md', join(folder, 'README.md'));

// Only what people read goes: names stay, so that an error's stack can be reported.
const bindings = join(folder, 'bindings.js');
const { code } = transformSync(readFileSync(bindings, 'utf8'), { loader: 'js', minifyWhitespace: true, legalComments: 'none' });
writeFileSync(bindings, code);

const manifest = {
  name: member('name'),
  version: member('version'),
  description: 'Checks whether an A2A (Agent2Agent) agent conforms to the protocol, in a browser or in Node.js.',
  license: member('license'),
  keywords: ['a2a', 'agent2agent', 'conformance', 'testing', 'agents'],
  type: 'module',
  engines: { node: '>=20' },
  types: './index.d.ts',
  exports: {
    '.': { types: './index.d.ts', node: './node.js', default: './index.js' },
    './package.json': './package.json',
  },
  // For those who read no `exports`.
  main: './node.js',
  browser: './index.js',
  sideEffects: false,
  files: readdirSync(folder).sort(),
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', '..'], { cwd: folder, encoding: 'utf8' });
writeFileSync(join(place, 'packed.json'), packed);
const [{ filename, size, unpackedSize, files }] = JSON.parse(packed);
for (const { path, size } of files) console.log(String(size).padStart(9), path);
const module = brotliCompressSync(readFileSync(join(folder, 'bindings_bg.wasm'))).length;
console.log(`${filename}: ${size} bytes packed, ${unpackedSize} unpacked; its module ${module} with brotli`);
