// Puts the package together in a folder: its sources, the components of target/component, and the contract.
//
//   node build.js FOLDER VERSION

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { declarations } from './declarations.js';
import { readContract } from './wit.js';

const project = new URL('../../../', import.meta.url);
const sources = new URL('../', import.meta.url);
const [folder, version] = process.argv.slice(2);

rmSync(folder, { recursive: true, force: true });
mkdirSync(`${folder}/component`, { recursive: true });
for (const name of ['src', 'README.md', 'index.d.ts', 'summarizer.d.ts']) {
  cpSync(fileURLToPath(new URL(name, sources)), `${folder}/${name}`, { recursive: true });
}
cpSync(fileURLToPath(new URL('LICENSE', project)), `${folder}/LICENSE`);
for (const name of ['bot', 'summarizer']) {
  cpSync(fileURLToPath(new URL(`target/component/myao_${name}.wasm`, project)), `${folder}/component/${name}.wasm`);
}
const manifest = readFileSync(new URL('package.json', sources), 'utf8');
writeFileSync(`${folder}/package.json`, manifest.replace('"version": "0.0.0"', `"version": "${version}"`));

const wit = new URL('wit/', project);
const files = readdirSync(wit).filter((name) => name.endsWith('.wit')).sort();
const contract = readContract(files.map((name) => [name, readFileSync(new URL(name, wit), 'utf8')]));
const header = '// Made from wit/ by build/build.js.';
const interfaces = Object.values(contract.interfaces).map(({ name, types, functions }) => [name, { types, functions }]);
const data = JSON.stringify({ version: contract.version, interfaces: Object.fromEntries(interfaces) });
writeFileSync(`${folder}/src/contract.js`, `${header}\nexport const CONTRACT = ${data};\nexport const VERSION = '${version}';\n`);
writeFileSync(`${folder}/contract.d.ts`, `${header}\n\n${declarations(contract)}`);
