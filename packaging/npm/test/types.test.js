// The package's declarations, its sources and a program are checked by TypeScript, if it is installed (scripts/prepare-embed node).

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import * as runtime from './package.js';

const modules = fileURLToPath(new URL('../../../target/embed/node/node_modules', import.meta.url));
const folder = fileURLToPath(new URL('../../../target/npm-types', import.meta.url));

test('types agree with the runtime', { skip: !existsSync(`${modules}/.bin/tsc`) }, (t) => {
  rmSync(folder, { recursive: true, force: true });
  cpSync(fileURLToPath(new URL('../../../target/npm', import.meta.url)), folder, { recursive: true });
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(fileURLToPath(new URL('types.ts', import.meta.url)), `${folder}/test/types.ts`);
  const compilerOptions = {
    strict: true, noUnusedLocals: true, noUnusedParameters: true, allowJs: true, checkJs: true, noEmit: true, target: 'es2023', lib: ['es2024', 'dom'], module: 'nodenext',
    types: ['node'], typeRoots: [`${modules}/@types`],
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['**/*'] }));
  const { stdout, status } = spawnSync(process.execPath, [`${modules}/typescript/bin/tsc`, '--project', folder], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

test('every class has the functions that are declared, and no others', () => {
  const declared = readFileSync(new URL('../index.d.ts', import.meta.url), 'utf8');
  for (const name of ['Memory', 'Summarizer', 'MemoryStore', 'SqliteStore']) {
    const [, body] = new RegExp(`export class ${name} [^{]*\\{\\n([^]*?)\\n\\}`).exec(declared);
    const functions = [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, each]) => each).filter((each) => each !== 'constructor');
    const there = Object.getOwnPropertyNames(runtime[name].prototype).filter((each) => !['constructor', 'change'].includes(each));
    assert.deepEqual(there.sort(), functions.sort(), name);
  }
});
