import * as Raw from '../output/raw.ts';

/**
 * A name for each message and everything before it. Two renders have the same names as long as they begin with the same
 * messages: where the names part, a provider's cached prefix ends. Breakpoints move and are no part of it.
 *
 * @example
 * fingerprints(messages); // ['5b1c0a52e0f7c8d1', 'a09fe2c14bd7703e']
 */
export function fingerprints(messages: readonly Raw.ChatMessage[]): string[] {
  let before = '';
  return messages.map((message) => {
    before = hashOf(`${before}\n${JSON.stringify(plain(message))}`);
    return before;
  });
}

/**
 * How many messages at the beginning of two renders are the same: what a provider that cached the first need not read
 * again.
 *
 * @example
 * commonPrefix({ before: lastTurn.messages, after: thisTurn.messages }); // 12
 */
export function commonPrefix({
  before,
  after,
}: {
  readonly before: readonly Raw.ChatMessage[];
  readonly after: readonly Raw.ChatMessage[];
}): number {
  const known = fingerprints(before);
  const at = fingerprints(after).findIndex((each, index) => each !== known[index]);
  return at === -1 ? after.length : at;
}

/** Members in one order, so that equal messages are written alike. */
function plain(message: Raw.ChatMessage): unknown {
  const content = message.content.filter(({ type }) => type !== Raw.ChatCompletionContentPartKind.CacheBreakpoint);
  const calls = message.role === Raw.ChatRole.Assistant ? message.toolCalls : undefined;
  const callId = message.role === Raw.ChatRole.Tool ? message.toolCallId : undefined;
  return [message.role, message.name, content, calls, callId];
}

/** Two runs of a 32-bit mix over the text: enough to tell messages apart, and it runs anywhere. */
function hashOf(text: string): string {
  return [0x9e3779b9, 0x85ebca6b].map((seed) => mixed(text, seed)).join('');
}

function mixed(text: string, seed: number): string {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    hash = (hash << 13) | (hash >>> 19);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
  return ((hash ^ (hash >>> 15)) >>> 0).toString(16).padStart(8, '0');
}
