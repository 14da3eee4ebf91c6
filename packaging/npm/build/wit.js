// Reads the contract's text (wit/*.wit) into what src/contract.js works with: the types and functions of each interface.

const PRIMITIVES = new Set(['bool', 'u8', 's8', 'u16', 's16', 'u32', 's32', 'u64', 's64', 'f32', 'f64', 'string']);

/** The words of a text, without gates. Lines of documentation are words. */
const words = (text) => text.replace(/@since\([^)]*\)/g, '').match(/\/\/\/.*|->|[\w-]+|[^\s\w]/g) ?? [];

/** A reader of words that says what it expected. */
class Words {
  constructor(text, file) {
    this.all = words(text);
    this.file = file;
    this.at = 0;
    this.doc = [];
  }

  /** Passes over documentation, and keeps it. */
  #skip() {
    const isDoc = () => this.all[this.at]?.startsWith('///');
    if (isDoc()) this.doc = [];
    while (isDoc()) this.doc.push(this.all[this.at++].slice(4));
  }

  /** The documentation of what comes next. */
  takeDoc() {
    this.#skip();
    const { doc } = this;
    this.doc = [];
    return doc;
  }

  next() {
    this.#skip();
    return this.all[this.at++];
  }

  is(word) {
    this.#skip();
    if (this.all[this.at] !== word) return false;
    this.at += 1;
    return true;
  }

  expect(word) {
    const found = this.next();
    if (found !== word) throw new Error(`${this.file}: \`${word}\` is expected, not \`${found}\``);
  }

  /** What `read` reads, again and again, with commas between, until the word `end`. */
  list(end, read) {
    const found = [];
    while (!this.is(end)) {
      found.push(read());
      if (!this.is(',')) {
        this.expect(end);
        break;
      }
    }
    return found;
  }
}

/** One file's interface, or none if it has none. Types are named in full: `types/scope`. */
function readInterface(text, file) {
  const read = new Words(text, file);
  while (!read.is(';')) read.next();
  if (!read.is('interface')) return undefined;
  const name = read.next();
  const known = {};
  const types = {};
  const functions = {};
  const docs = {};

  const type = () => {
    const word = read.next();
    if (PRIMITIVES.has(word)) return word;
    if (word === 'list' || word === 'option') {
      read.expect('<');
      const of = type();
      read.expect('>');
      return [word, of];
    }
    if (word === 'tuple') {
      read.expect('<');
      return [word, ...read.list('>', type)];
    }
    if (word === 'result') {
      if (!read.is('<')) return [word, null, null];
      const ok = read.is('_') ? null : type();
      const err = read.is(',') ? type() : null;
      read.expect('>');
      return [word, ok, err];
    }
    // What is not used from elsewhere is defined here, perhaps further down.
    return { name: known[word] ?? `${name}/${word}` };
  };
  const field = (owner) => {
    const doc = read.takeDoc();
    const field = read.next();
    docs[`${owner}.${field}`] = doc;
    read.expect(':');
    return [field, type()];
  };
  const define = (kind, members) => {
    const own = read.next();
    known[own] = `${name}/${own}`;
    read.expect('{');
    types[own] = [kind, ...read.list('}', () => members(own))];
  };

  read.expect('{');
  for (;;) {
    const doc = read.takeDoc();
    if (read.is('}')) break;
    const word = read.next();
    const named = ['record', 'enum', 'variant', 'type'].includes(word) ? read.all[read.at] : word;
    docs[named] = doc;
    if (word === 'use') {
      const from = read.next();
      read.expect('.');
      read.expect('{');
      for (const used of read.list('}', () => read.next())) known[used] = `${from}/${used}`;
      read.expect(';');
    } else if (word === 'record') {
      define('record', field);
    } else if (word === 'enum') {
      define('enum', (own) => {
        const doc = read.takeDoc();
        const name = read.next();
        docs[`${own}.${name}`] = doc;
        return name;
      });
    } else if (word === 'variant') {
      define('variant', (own) => {
        const doc = read.takeDoc();
        const tag = read.next();
        docs[`${own}.${tag}`] = doc;
        if (!read.is('(')) return [tag, null];
        const holds = type();
        read.expect(')');
        return [tag, holds];
      });
    } else if (word === 'type') {
      const own = read.next();
      read.expect('=');
      types[own] = ['alias', type()];
      known[own] = `${name}/${own}`;
      read.expect(';');
    } else {
      read.expect(':');
      read.expect('func');
      read.expect('(');
      const params = read.list(')', () => field(word));
      const result = read.is('->') ? type() : null;
      read.expect(';');
      functions[word] = { params, result };
    }
  }
  return { name, types, functions, docs };
}

/** The contract of some files. @param {[file: string, text: string][]} files */
export function readContract(files) {
  const version = /^package myao:memory@(.*);$/m.exec(files[0][1])[1];
  const interfaces = {};
  for (const [file, text] of files) {
    const found = readInterface(text, file);
    if (found) interfaces[found.name] = found;
  }
  return { version, interfaces };
}
