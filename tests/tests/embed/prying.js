// What tests/faulty-component finds out of the machine through the imports of tests/embed/node/, twice, and how its calls end
// that wait for a time. Run in the folder with jco, behind the component's transpiled modules.

import { readFileSync } from 'node:fs';
import { emptyWasi, log, ScriptedModel } from './imports.js';
import { readContext } from './json.js';
import { instantiate } from './generated/faulty/faulty.js';

const context = readContext(JSON.parse(readFileSync(process.argv[2], 'utf8')));
const modules = (name) => new WebAssembly.Module(readFileSync(new URL(`generated/faulty/${name}`, import.meta.url)));
const refused = () => { throw new Error('it is not to be called'); };
const imports = {
  'myao:memory/llm': new ScriptedModel({}, {}).imports(),
  'myao:memory/settings': { get: refused },
  'myao:memory/log': log,
  ...emptyWasi(),
};
const toldTo = (what) => {
  try {
    return instantiate(modules, imports).memorySummarizer.renderPrompt(context, 'channel', 'short-term', what);
  } catch (error) {
    return error.message;
  }
};
const what = ['tell time and chance', 'tell time and chance', 'tell of the machine', 'sleep', 'work'];
console.log(JSON.stringify(what.map(toldTo)));
