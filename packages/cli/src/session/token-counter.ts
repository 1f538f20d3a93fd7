import type { Message, Part } from 'longhaul/message';
import { countingRules, createMessageCounter, createTokenizer, total } from 'longhaul/tokens';

/** What tokens are spent on, in the order in which it is listed to people. */
export const tokenKinds = ['human', 'model', 'thinking', 'toolCalls', 'toolResults', 'engine'] as const;

export type TokenKind = (typeof tokenKinds)[number];

/** Counts the tokens of a message by what they are spent on. */
export type CountTokens = (message: Message) => Partial<Record<TokenKind, number>>;

/**
 * A counter for messages of any model: exact for OpenAI's newer ones, close for the others.
 *
 * @example
 * const countTokens = await loadTokenCounter();
 * countTokens({ role: 'user', parts: [{ type: 'text', origin: 'human', text: 'hi' }] }); // { human: 5 }
 */
export async function loadTokenCounter(): Promise<CountTokens> {
  const { count } = await createTokenizer('o200k_base');
  const counter = createMessageCounter({ count, rules: countingRules['openai-chat'] });
  return ({ role, parts }) => {
    const frame = total(counter.message({ role, parts: [] }));
    const kinds: Partial<Record<TokenKind, number>> = {};
    const add = (kind: TokenKind, tokens: number) => {
      kinds[kind] = (kinds[kind] ?? 0) + tokens;
    };
    // What a message costs beyond its parts goes to the first of them.
    const [first] = parts;
    add(first ? kindOf(first) : 'engine', frame);
    for (const part of parts) add(kindOf(part), total(counter.message({ role, parts: [part] })) - frame);
    return kinds;
  };
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
      return part.origin === 'tool' ? 'toolResults' : part.origin;
  }
}
