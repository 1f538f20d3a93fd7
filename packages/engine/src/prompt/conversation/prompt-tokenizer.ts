import type { Dialect } from '../../message/index.ts';
import { countingRules, createMessageCounter, total } from '../../tokens/index.ts';
import * as Raw from '../output/raw.ts';
import type { ITokenizer } from '../tokenizer.ts';
import { toMessage } from './to-messages.ts';

/**
 * Creates a prompt tokenizer from a text counter: messages, calls, images and documents are counted like in the ledger,
 * by the rules of a provider.
 *
 * @example
 * const { count } = await createTokenizer('o200k_base');
 * const { messages } = await render({ element, budget: 8000, tokenizer: createPromptTokenizer({ count }) });
 */
export function createPromptTokenizer({
  count,
  dialect = 'openai-chat',
}: {
  readonly count: (text: string) => number;
  readonly dialect?: Dialect;
}): ITokenizer<1> {
  const counter = createMessageCounter({ count, rules: countingRules[dialect] });
  const countMessageTokens = (message: Raw.ChatMessage) => total(counter.message(toMessage(message)));
  const frame = countMessageTokens({ role: Raw.ChatRole.User, content: [] });
  return {
    mode: 1,
    additive: true,
    tokenLength(part) {
      if (part.type === Raw.ChatCompletionContentPartKind.Text) return count(part.text);
      if (part.type === Raw.ChatCompletionContentPartKind.CacheBreakpoint) return 0;
      if (part.type === Raw.ChatCompletionContentPartKind.Opaque) return part.tokenUsage ?? 0;
      return countMessageTokens({ role: Raw.ChatRole.User, content: [part] }) - frame;
    },
    // Opaque parts declare their usage, which the renderer adds.
    countMessageTokens: (message) =>
      countMessageTokens({
        ...message,
        content: message.content.filter(({ type }) => type !== Raw.ChatCompletionContentPartKind.Opaque),
      } as Raw.ChatMessage),
  };
}
