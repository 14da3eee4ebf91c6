// The package as people install it: the bot of the README, in an empty folder, from the .tgz alone.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const { MYAO_TGZ: tgz = '' } = process.env;
const bot = readFileSync(new URL('bot.js', import.meta.url), 'utf8');

/** A folder with nothing but the package. */
function installed(t) {
  const folder = mkdtempSync(join(tmpdir(), 'myao-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), '{}');
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', tgz], { cwd: folder });
  return folder;
}

/** What a program says to some lines. */
function said(folder, program, lines, [command, ...options] = [process.execPath, '--no-warnings']) {
  writeFileSync(join(folder, 'bot.mjs'), program);
  const { stdout, stderr, status } = spawnSync(command, [...options, 'bot.mjs'], { cwd: folder, input: lines.join('\n'), encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('the readme shows a bot of ten lines that remembers and answers', (t) => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  assert.ok(readme.includes(`\`\`\`js\n${bot}\`\`\``));
  assert.ok(bot.split('\n').filter((line) => line && !line.startsWith('import')).length <= 10);
  const folder = installed(t);
  assert.deepEqual(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')), ['myao-memory']);
  const answers = said(folder, bot, ['The crane comes on Friday at 10:30.', 'We order 12 labels.', 'When does the crane come?']);
  assert.match(answers, /The crane comes on Friday at 10:30.*\(you, /);
});

test('with a file it remembers after a restart', (t) => {
  if (!process.getBuiltinModule?.('node:sqlite')) return t.skip('this Node has no node:sqlite');
  const folder = installed(t);
  const program = bot.replaceAll("MemoryStore()", "SqliteStore('bot.db')").replace('MemoryStore }', 'SqliteStore }');
  assert.equal(said(folder, program, ['The crane comes on Friday at 10:30.']), '');
  assert.match(said(folder, program, ['When does the crane come?']), /The crane comes on Friday at 10:30/);
});

for (const command of [['deno', 'run', '--allow-read', '--allow-env'], ['bun', 'run']]) {
  test(`the bot runs in ${command[0]}`, { skip: spawnSync(command[0], ['--version']).status !== 0 }, (t) => {
    const answers = said(installed(t), bot, ['The crane comes on Friday at 10:30.', 'When does the crane come?'], command);
    assert.match(answers, /The crane comes on Friday at 10:30/);
  });
}

test('packing again gives the same bytes', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'myao-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const project = new URL('../../..', import.meta.url);
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, './target/npm'], { cwd: project });
  const [name] = readdirSync(folder);
  copyFileSync(tgz, join(folder, 'first'));
  assert.deepEqual(readFileSync(join(folder, name)), readFileSync(join(folder, 'first')));
});
