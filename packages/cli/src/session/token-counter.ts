import type { Message, Part } from 'longhaul/message';
import { countingRules, createMessageCounter, createTokenizer, total } from 'longhaul/tokens';

/** Kinds of tokens, in display order. */
export const tokenKinds = ['human', 'model', 'thinking', 'toolCalls', 'toolResults', 'engine'] as const;

export type TokenKind = (typeof tokenKinds)[number];

/** Counts the tokens of messages. */
export interface TokenCounter {
  readonly byKind: (message: Message) => Partial<Record<TokenKind, number>>;
  /** All kinds together. */
  readonly count: (message: Message) => number;
}

/**
 * A token counter for any model: exact for newer OpenAI models, close for the others.
 *
 * @example
 * const { byKind } = await loadTokenCounter();
 * byKind({ role: 'user', parts: [{ type: 'text', origin: 'human', text: 'hi' }] }); // { human: 5 }
 */
export async function loadTokenCounter(): Promise<TokenCounter> {
  const { count } = await createTokenizer('o200k_base');
  const counter = createMessageCounter({ count, rules: countingRules['openai-chat'] });
  const byKind: TokenCounter['byKind'] = ({ role, parts }) => {
    const frame = total(counter.message({ role, parts: [] }));
    const kinds: Partial<Record<TokenKind, number>> = {};
    const add = (kind: TokenKind, tokens: number) => {
      kinds[kind] = (kinds[kind] ?? 0) + tokens;
    };
    // The overhead of a message is attributed to its first part.
    const [first] = parts;
    add(first ? kindOf(first) : 'engine', frame);
    for (const part of parts) add(kindOf(part), total(counter.message({ role, parts: [part] })) - frame);
    return kinds;
  };
  return { byKind, count: (message) => sumOfKinds(byKind(message)) };
}

export function sumOfKinds(kinds: Partial<Record<TokenKind, number>>): number {
  return Object.values(kinds).reduce((a, b) => a + b, 0);
}

function kindOf(part: Part): TokenKind {
  switch (part.type) {
    case 'thinking':
      return 'thinking';
    case 'tool_call':
      return 'toolCalls';
    case 'tool_result':
      return 'toolResults';
    default:
      return part.origin === 'tool' || part.origin === 'data' ? 'toolResults' : part.origin;
  }
}
