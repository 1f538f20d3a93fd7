import * as Raw from '../output/raw.ts';

/**
 * A fingerprint of each message and everything before it. Two renders share fingerprints as long as they start with the
 * same messages: where they diverge, a provider's cached prefix ends. Breakpoints move and are ignored.
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
 * Number of leading messages that two renders share: the prefix a provider can read from its cache.
 *
 * @example
 * commonPrefix({ before: messages.slice(0, 12), after: messages }); // 12
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

/** Sorted members, so that equal messages serialize equally. */
function plain(message: Raw.ChatMessage): unknown {
  const content = message.content.filter(({ type }) => type !== Raw.ChatCompletionContentPartKind.CacheBreakpoint);
  const calls = message.role === Raw.ChatRole.Assistant ? message.toolCalls : undefined;
  const callId = message.role === Raw.ChatRole.Tool ? message.toolCallId : undefined;
  return [message.role, message.name, content, calls, callId];
}

/** A 64-bit hash from two 32-bit mixes: sufficient to distinguish messages, and portable. */
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
