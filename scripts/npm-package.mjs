// Puts the npm package together around the checker of the page that was built, packs it, and prints what it weighs.
//   node scripts/npm-package.mjs target/npm
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const place = process.argv[2];
const folder = join(place, 'package');
const cargo = readFileSync('Cargo.toml', 'utf8');
const member = (name) => new RegExp(`^${name} = "(.+)"$`, 'm').exec(cargo)[1];

for (const name of ['index.js', 'node.js', 'offer.js', 'index.d.ts']) copyFileSync(join('src/bin/checker/npm', name), join(folder, name));
for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(name, join(folder, name));
copyFileSync('docs/SCRIPTS.md', join(folder, 'README.md'));

// The module and its bindings, under names without their digests.
const built = readdirSync('dist');
const find = (pattern) => join('dist', built.find((name) => pattern.test(name)));
copyFileSync(find(/^checker-[0-9a-f]{16}_bg\.wasm$/), join(folder, 'bindings_bg.wasm'));
const bindings = readFileSync(find(/^checker-[0-9a-f]{16}\.js$/), 'utf8');
writeFileSync(join(folder, 'bindings.js'), bindings.replace(/checker_bg\.wasm/g, 'bindings_bg.wasm'));

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
