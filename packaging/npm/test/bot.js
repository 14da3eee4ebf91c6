import { createInterface } from 'node:readline';
import { Memory, MemoryStore } from 'myao-memory';

const store = new MemoryStore(); // or new SqliteStore('bot.db'): it remembers after a restart, too
store.putChannel({ id: 'C1', name: 'terminal' });
store.putUser({ id: 'U1', name: 'you' });
const memory = await Memory.load({ storage: store });
for await (const text of createInterface({ input: process.stdin })) {
  if (text.endsWith('?')) console.log((await memory.ask({ text, channelId: 'C1' }, new Date())).text);
  else store.putMessage({ channelId: 'C1', ts: (Date.now() / 1000).toFixed(6), userId: 'U1', text });
  await memory.generate(new Date());
}
