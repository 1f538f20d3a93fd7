import type { PromptSizing } from './element.ts';
import type * as Raw from './output/raw.ts';
import type { ITokenizer } from './tokenizer.ts';

/** One character is one token, a message costs 3 more, an image 50, a document 40. */
export const characters: ITokenizer<1> = {
  mode: 1,
  tokenLength: sizeOf,
  countMessageTokens: ({ content }) => content.reduce((sum, part) => sum + sizeOf(part), 3),
};

function sizeOf(part: Raw.ChatCompletionContentPart): number {
  if (part.type === 1) return part.text.length;
  return part.type === 0 ? 50 : part.type === 4 ? 40 : 0;
}

/** The texts of messages, one line per message. */
export function textsOf(messages: readonly Raw.ChatMessage[]): string[] {
  return messages.map(({ content }) =>
    content.map((part) => (part.type === 1 ? part.text : `<${part.type}>`)).join(''),
  );
}

/** An element that renders nothing and records its budget. */
export function budgetRecorder(into: number[]) {
  return (_props: object, sizing: PromptSizing): undefined => {
    into.push(sizing.tokenBudget);
    return undefined;
  };
}
