// The summarizer in a browser, from the package's files as they are. It is left out where there is no Chromium.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { Summarizer } from './package.js';

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
const hasChromium = spawnSync('chromium', ['--version']).status === 0;

/** What the page does, and what Node does. */
const settings = { 'memory.prompt_language': 'en', 'engines.memory': 'llm', 'memory.language': 'any' };
const context = {
  persona: { name: 'myao', systemPrompt: 'You are friendly.' }, channelMemories: [], threadMemories: [],
  conversationHistory: {
    channelId: 'C1', channelName: 'general', threads: [],
    topLevelMessages: [{
      ts: '1772445000.000001', user: { id: 'U1', name: 'aki', isBot: false }, text: 'The crane comes on Friday.',
      timestamp: { unixSeconds: 1772445000, utcOffsetSeconds: 0 }, isForBot: false,
    }],
  },
};
async function work(Summarizer, settings, context) {
  const complete = async ({ systemPrompt }) => `- The crane comes on Friday. ${systemPrompt.length > 100}`;
  const summarizer = await Summarizer.load({ llm: { complete }, settings });
  const prompt = await summarizer.renderPrompt(context, 'channel', 'short-term');
  const summary = await summarizer.summarize(context, 'channel', 'short-term');
  const error = await summarizer.summarize({}, 'channel', 'short-term').catch(({ code, message }) => ({ code, message }));
  return { prompt, summary, error };
}

const PAGE = `<!doctype html><script type="module">
import { Summarizer } from '/src/browser.js';
${work}
const send = (body) => fetch('/came', { method: 'POST', body: JSON.stringify(body) });
work(Summarizer, ${JSON.stringify(settings)}, ${JSON.stringify(context)}).then(send, (error) => send({ failed: String(error) }));
</script>`;

test('a browser makes the same prompts and memories', { skip: !hasChromium, timeout: 60_000 }, async (t) => {
  let came;
  const answered = new Promise((resolve) => (came = resolve));
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      came(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      return response.end();
    }
    if (request.url === '/') return response.setHeader('content-type', 'text/html').end(PAGE);
    const type = TYPES[extname(request.url)];
    if (!type) return response.writeHead(404).end();
    response.setHeader('content-type', type).end(readFileSync(new URL(`../../../target/npm${request.url}`, import.meta.url)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const profile = mkdtempSync(join(tmpdir(), 'myao-'));
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`];
  const chromium = spawn('chromium', [...options, `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore' });
  t.after(async () => {
    const ended = new Promise((resolve) => chromium.once('exit', resolve));
    chromium.kill('SIGKILL');
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const expected = JSON.parse(JSON.stringify(await work(Summarizer, settings, context)));
  assert.deepEqual(await answered, expected);
  assert.match(expected.prompt, /The crane comes on Friday/);
});
