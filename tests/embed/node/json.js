// Between JSON and the values of the contract. JSON has the contract's own names (`scope-id`), the package's values have
// JavaScript's (`scopeId`).

/** @import {Context, Message, Timestamp} from 'myao-memory' */

/** Renames keys that are names of the contract. @param {any} value @returns {any} */
export function camel(value) {
  if (Array.isArray(value)) return value.map(camel);
  if (value === null) return undefined;
  if (typeof value !== 'object') return value;
  const rename = (/** @type {string} */ name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [rename(name), camel(inner)]));
}

/** The answers of a scripted model, by purpose. @param {any} json @returns {Record<string, import('./imports.js').Answer[]>} */
export function readAnswers(json) {
  const error = (/** @type {any} */ [tag, val]) => ({ error: { tag, val } });
  const read = (/** @type {any} */ answer) => (answer.error ? error(Object.entries(answer.error)[0]) : camel(answer));
  return Object.fromEntries(Object.entries(json).map(([purpose, answers]) => [purpose, answers.map(read)]));
}

/** A value of the contract as JSON that looks the same from every host: keys in order, cases of variants by their
 * names, with what they hold if they hold something. @param {any} value @returns {any} */
export function plain(value) {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(plain);
  if ('tag' in value) return 'val' in value ? { [value.tag]: plain(value.val) } : value.tag;
  const rename = (/** @type {string} */ name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const named = Object.entries(value).map(([name, inner]) => /** @type {const} */ ([rename(name), plain(inner)]));
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A time as ISO 8601 writes it, with its offset. @param {string} text @returns {Timestamp} */
function time(text) {
  const offset = /([+-])(\d\d):(\d\d)$/.exec(text);
  const minutes = offset ? Number(`${offset[1]}1`) * (Number(offset[2]) * 60 + Number(offset[3])) : 0;
  return { unixSeconds: Date.parse(text) / 1000, utcOffsetSeconds: minutes * 60 };
}

/** @param {any} message @returns {Message} */
const readMessage = ({ ts, user, text, timestamp, thread_ts, edited_at }) => ({
  ts,
  user: { id: user.id, name: user.name, isBot: user.is_bot ?? false },
  text,
  timestamp: time(timestamp),
  threadTs: thread_ts ?? undefined,
  editedAt: edited_at ? time(edited_at) : undefined,
  isForBot: false,
});

/** A context in the shape of tests/goldens/context.json. @param {any} json @returns {Context} */
export function readContext(json) {
  const history = json.conversation_history;
  return {
    persona: { name: json.persona.name, systemPrompt: json.persona.system_prompt },
    conversationHistory: {
      channelId: history.channel_id,
      channelName: history.channel_name,
      topLevelMessages: history.top_level_messages.map(readMessage),
      threads: Object.entries(history.thread_messages).map(([threadTs, messages]) => ({ threadTs, messages: messages.map(readMessage) })),
    },
    workspaceLongTermMemory: json.workspace_long_term_memory ?? undefined,
    workspaceShortTermMemory: json.workspace_short_term_memory ?? undefined,
    channelMemories: Object.values(json.channel_memories).map((memory) => ({
      channelId: memory.channel_id,
      channelName: memory.channel_name,
      longTermMemory: memory.long_term_memory ?? undefined,
      shortTermMemory: memory.short_term_memory ?? undefined,
      shortTermMemoryHistory: memory.short_term_memory_history ?? [],
    })),
    threadMemories: Object.entries(json.thread_memories ?? {}).map(([threadTs, content]) => ({ threadTs, content })),
    targetThreadTs: json.target_thread_ts ?? undefined,
  };
}
