// The contract's data types, and the functions that a program gives, as TypeScript declares them.

import { camel } from '../src/names.js';

const PRIMITIVES = { bool: 'boolean', string: 'string' };
/** Interfaces of which a program has the functions. */
const GIVEN = { storage: 'StorageFunctions', recall: 'RecallFunctions', llm: 'LlmFunctions', chat: 'ChatFunctions' };

const pascal = (name) => camel(`-${name}`);
/** Names that would mean something else in JavaScript, or in this package. */
const RENAMED = { 'errors/error': 'ContractError', 'storage/memory': 'SavedMemory' };
const typeName = (full) => RENAMED[full] ?? pascal(full.split('/')[1]);

function type(of) {
  if (of === null) return 'void';
  if (typeof of === 'string') return PRIMITIVES[of] ?? 'number';
  if (!Array.isArray(of)) return typeName(of.name);
  const [kind, ...inner] = of;
  if (kind === 'list') return inner[0] && typeof inner[0] === 'object' && inner[0][0] ? `Array<${type(inner[0])}>` : `${type(inner[0])}[]`;
  if (kind === 'option') return `${type(inner[0])} | undefined`;
  if (kind === 'tuple') return `[${inner.map(type).join(', ')}]`;
  return `{ tag: 'ok', val: ${type(inner[0])} } | { tag: 'err', val: ${type(inner[1])} }`;
}

/** A member whose value may be left out. */
const member = (name, of) => (Array.isArray(of) && of[0] === 'option' ? `${camel(name)}?: ${type(of)}` : `${camel(name)}: ${type(of)}`);

const comment = (lines, indent) => {
  const text = (lines ?? []).map((line) => line.replaceAll('*/', '* /'));
  if (text.length === 0) return '';
  if (text.length === 1) return `${indent}/** ${text[0]} */\n`;
  return `${indent}/**\n${text.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
};

function declaration(owner, own, [kind, ...members], docs) {
  const name = typeName(`${owner}/${own}`);
  const doc = comment(docs[own], '');
  const about = (member) => comment(docs[`${own}.${member}`], '  ');
  switch (kind) {
    case 'alias':
      return `${doc}export type ${name} = ${type(members[0])};\n`;
    case 'record':
      return `${doc}export interface ${name} {\n${members.map(([field, of]) => `${about(field)}  ${member(field, of)};\n`).join('')}}\n`;
    case 'enum':
      return `${doc}export type ${name} =\n${members.map((each) => `${about(each)}  | '${each}'`).join('\n')};\n`;
    default: {
      const cases = members.map(([tag, of]) => `${about(tag)}  | { tag: '${tag}'${of ? `, val: ${type(of)}` : ''} }`);
      return `${doc}export type ${name} =\n${cases.join('\n')};\n`;
    }
  }
}

/** Functions of imports: a result is returned or thrown, at once or later. */
function functions({ name, functions, docs }) {
  const each = Object.entries(functions).map(([own, { params, result }]) => {
    const isResult = Array.isArray(result) && result[0] === 'result';
    const given = params.map(([param, of]) => `${camel(param)}: ${type(of)}`).join(', ');
    return `${comment(docs[own], '  ')}  ${camel(own)}(${given}): MaybeLater<${type(isResult ? result[1] : result)}>;\n`;
  });
  const doc = comment([`The functions of the import \`${name}\`. They throw a \`MemoryError\` with a code of the contract.`], '');
  return `${doc}export interface ${GIVEN[name]} {\n${each.join('')}}\n`;
}

/** @param {ReturnType<typeof import('./wit.js').readContract>} contract */
export function declarations({ interfaces }) {
  const parts = [`/** What is there at once, or later. */\nexport type MaybeLater<T> = T | Promise<T>;\n`];
  for (const found of Object.values(interfaces)) {
    for (const [own, described] of Object.entries(found.types)) parts.push(declaration(found.name, own, described, found.docs));
    if (GIVEN[found.name]) parts.push(functions(found));
  }
  return parts.join('\n');
}
