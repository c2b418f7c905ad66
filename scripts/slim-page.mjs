// Makes what Trunk built smaller to download: the scripts without what only people read, the styles as one file and most scripts
// as another, modules without the names of their functions, and short names where script and module call each other.
// wasm-bindgen's are up to 300 letters long.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';

/** The names that wasm-bindgen makes up. By the others, such as `checkAgent`, somebody else may call too. */
const MADE_UP = /^(__wbg_|__wbindgen_|wasm_bindgen_)/;

/** Slims the page in a folder. Answers its HTML, which names the files that are there now. */
export function slim(folder, html) {
  const file = (name) => join(folder, name);
  const styles = [...html.matchAll(/\s*<link rel="stylesheet" href="\.\/([^"]+)"[^>]*>/g)];
  const [first, ...others] = styles;
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  const results = new Map();
  for (const name of scripts) {
    const module = name.replace(/\.js$/, '_bg.wasm');
    if (existsSync(file(module))) {
      const names = shortNames(file(module));
      results.set(module, renamed(readFileSync(file(module)), names));
      // Names of that kind that the script has for itself get short ones of esbuild's choice.
      const options = { mangleProps: MADE_UP, mangleCache: Object.fromEntries(names) };
      results.set(name, minified(file(name), options));
    } else {
      results.set(name, minified(file(name)));
    }
  }
  results.set(first[1], styles.map(([, name]) => minified(file(name))).join(''));
  // The first one says what becomes of the others, and has to be there before them.
  const [, joined, ...joining] = [...html.matchAll(/\s*<script src="\.\/([^"]+)"><\/script>/g)];
  results.set(joined[1], [joined, ...joining].map(([, name]) => results.get(name)).join(''));

  let slimmed = html;
  for (const [link, name] of [...others, ...joining]) {
    results.delete(name);
    slimmed = slimmed.replace(link, '');
    rmSync(file(name));
  }
  for (const [name, content] of results) {
    // Other content, another name: what a browser or a proxy still has of an older build must not be mixed in.
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
    // The checker came without one.
    const fresh = name.replace(/(-[0-9a-f]+)?(_bg)?(?=\.\w+$)/, `-${hash}$2`);
    rmSync(file(name));
    writeFileSync(file(fresh), content);
    slimmed = slimmed.replaceAll(`./${name}`, `./${fresh}`);
  }
  return slimmed;
}

function minified(file, options = {}) {
  const loader = file.endsWith('.css') ? 'css' : 'js';
  return transformSync(readFileSync(file, 'utf8'), { loader, minify: true, legalComments: 'none', ...options }).code;
}

/** A short name for each that a module and its script call each other by. */
function shortNames(file) {
  const module = new WebAssembly.Module(readFileSync(file));
  const shared = [...WebAssembly.Module.imports(module), ...WebAssembly.Module.exports(module)];
  const made = new Set(shared.map(({ name }) => name).filter((name) => MADE_UP.test(name)));
  return new Map([...made].map((name, index) => [name, `_${index.toString(36)}`]));
}

/** The module with these names changed in its imports and exports, and without what only tools read; everything else stays. */
function renamed(bytes, names) {
  const [CUSTOM, IMPORTS, EXPORTS, FUNCTION] = [0, 2, 7, 0];
  const out = [bytes.subarray(0, 8)];
  let at = 8;
  // Numbers are in LEB128.
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at];
      at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const encode = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...encode(value >>> 7)]);
  const sized = (content) => Buffer.concat([Buffer.from(encode(content.length)), content]);
  const piece = () => {
    const length = number();
    at += length;
    return bytes.subarray(at - length, at);
  };
  const name = () => {
    const text = piece().toString();
    return sized(Buffer.from(names.get(text) ?? text));
  };
  const entry = (section) => {
    const from = section === IMPORTS ? [sized(piece())] : [];
    const called = name();
    const start = at;
    const kind = number();
    // Only functions are imported, each with the number of its type; an export has its own number in its place.
    if (section === IMPORTS && kind !== FUNCTION) throw new Error('the module imports something that is no function');
    number();
    return Buffer.concat([...from, called, bytes.subarray(start, at)]);
  };
  while (at < bytes.length) {
    const section = number();
    let content;
    if (section === IMPORTS || section === EXPORTS) {
      number();
      const count = number();
      content = Buffer.concat([Buffer.from(encode(count)), ...Array.from({ length: count }, () => entry(section))]);
    } else {
      content = piece();
      if (section === CUSTOM) continue;
    }
    out.push(Buffer.from([section]), sized(content));
  }
  return Buffer.concat(out);
}
