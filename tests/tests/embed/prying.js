// What tests/faulty-component finds out of the machine through the npm package, twice, and how its calls end that wait for a time:
//
//   node prying.mjs CONTEXT.json WORKSPACE.json faulty.wasm

import { readFileSync } from 'node:fs';
import { Summarizer } from 'myao-memory';
import { readContext } from './json.js';

const context = readContext(JSON.parse(readFileSync(process.argv[2], 'utf8')));
const summarizer = await Summarizer.load({ component: readFileSync(process.argv[4]) });
const told = [];
for (const what of ['tell time and chance', 'tell time and chance', 'tell of the machine', 'sleep', 'work']) {
  told.push(await summarizer.renderPrompt(context, 'channel', 'short-term', what).catch((error) => error.message));
}
console.log(JSON.stringify(told));
