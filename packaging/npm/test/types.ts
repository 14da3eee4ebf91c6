// The types agree with the runtime: tsc compiles this under `strict`, and what is wrong has to be wrong.

import { Memory, MemoryError, MemoryStore, Summarizer } from 'myao-memory';
import type { Chat, Context, Entry, Llm, Place, PlacedStorage, SavedMemory, Storage } from 'myao-memory';
import { Summarizer as InBrowsers } from 'myao-memory/summarizer';

const store = new MemoryStore({ utcOffsetSeconds: 32400 });
store.putChannel({ id: 'C1', name: 'general', isPrivate: false });
store.putMessage({ channelId: 'C1', ts: '1709287200.000001', userId: 'U1', text: 'hello' });

class Model implements Llm {
  async complete({ systemPrompt, maxTokens }: { systemPrompt: string; maxTokens: number }) {
    if (systemPrompt.length > maxTokens) throw new MemoryError('context-too-long', 'too long', { value: 7 });
    return 'an answer';
  }
}
const chat: Chat = { post: (request) => ({ tag: 'posted', val: [request.answers] }) };
const own: Storage = { at: (place: Place): PlacedStorage => ({ ...store.at(place), findCandidates: undefined, terms: undefined }) };

const memory = await Memory.load({ storage: store, llm: new Model(), chat, settings: { 'memory.short_term_window_hours': 48 } });
await Memory.load({ storage: own });
const { entries } = await memory.generate(new Date());
const made: Entry['made'] = entries.flatMap((entry) => entry.made);
const answer = await memory.replyToMention({ channelId: 'C1', messageTs: '1709287200.000001' }, 1709287201);
if (answer.tag === 'posted') answer.val.text satisfies string;
const context: Context = await memory.buildContext({ channelId: 'C1' }, { unixSeconds: 1, utcOffsetSeconds: 0 });
(await memory.ask({ text: 'when?' }, 5)).sources.map(({ user }) => user?.name satisfies string | undefined);
store.memories() satisfies SavedMemory[];
made.length satisfies number;

const summarizer: Summarizer = await Summarizer.load({ log: { write: (level, line) => console.log(level, line) } });
(await summarizer.summarize(context, 'channel', 'short-term')).text satisfies string;
(await InBrowsers.load()).about.contract satisfies string;
try {
  await memory.generate(0);
} catch (error) {
  if (error instanceof MemoryError) error.retry satisfies 'never' | 'later' | 'after-repair';
}

// @ts-expect-error there has to be a storage
await Memory.load({});
// @ts-expect-error there is no such option
await Memory.load({ storage: store, model: new Model() });
// @ts-expect-error a model completes
await Memory.load({ storage: store, llm: { completeAll: () => [] } });
// @ts-expect-error no such type of memory
await memory.summarize(context, 'channel', 'short_term');
// @ts-expect-error it returns a promise
memory.renderPrompt(context, 'channel', 'short-term').length;
