import {
  AssistantMessage,
  Chunk,
  Expandable,
  Fragment,
  HTMLTracer,
  h,
  type ITokenizer,
  PrioritizedList,
  type PromptPiece,
  render,
  SystemMessage,
  TextChunk,
  TokenLimit,
  ToolMessage,
  UserMessage,
  useKeepWith,
} from 'longhaul/prompt';

/** One character is one token, and a message costs one more. */
const letters: ITokenizer<1> = {
  mode: 1,
  additive: true,
  tokenLength: (part) => (part.type === 1 ? part.text.length : 0),
  countMessageTokens: ({ content }) =>
    1 + content.reduce((sum, part) => sum + (part.type === 1 ? part.text.length : 0), 0),
};

/** A prompt with a little of everything: 400 letters in all. */
export function smallPrompt(): PromptPiece {
  const Pair = useKeepWith();
  const call = { id: '1', type: 'function' as const, function: { name: 'ls', arguments: '{}' }, keepWith: Pair };
  return h(
    Fragment,
    null,
    h(SystemMessage, { priority: 1000 }, 'You are brief.'),
    h(
      UserMessage,
      { priority: 900 },
      h(TextChunk, { priority: 1 }, 'least '.repeat(10)),
      h(TextChunk, { priority: 2 }, 'more '.repeat(10)),
      h(Chunk, { priority: 3 }, 'a chunk'),
    ),
    h(AssistantMessage, { priority: 500, toolCalls: [call] }, 'Let me look.'),
    h(Pair, { priority: 400 }, h(ToolMessage, { toolCallId: '1' }, 'a.txt '.repeat(12))),
    h(
      TokenLimit,
      { max: 60, priority: 950 },
      h(UserMessage, {}, h(PrioritizedList, { descending: true, priority: 9 }, 'limited '.repeat(6), 'cut '.repeat(8))),
    ),
    h(UserMessage, { priority: 990, flexGrow: 1, flexReserve: 20 }, 'What is in it? ', h(Expandable, { value: grown })),
  );
}

const grown = ({ tokenBudget }: { readonly tokenBudget: number }) => '+'.repeat(Math.min(30, tokenBudget));

/** So many messages in turns, with priorities by age. */
export function longPrompt({ messages }: { readonly messages: number }): PromptPiece {
  return h(
    Fragment,
    null,
    h(SystemMessage, {}, 'Go on.'),
    ...Array.from({ length: messages }, (_, index) =>
      h(
        index % 2 ? AssistantMessage : UserMessage,
        { priority: index },
        `Message ${index}: ${'and so on '.repeat(index % 7)}`,
      ),
    ),
  );
}

/** A tracer that has watched a prompt; one that does not fit is watched, too. */
export async function traced(element: PromptPiece, { budget }: { readonly budget: number }): Promise<HTMLTracer> {
  const tracer = new HTMLTracer({ title: 'A small prompt' });
  await render({ element, budget, tokenizer: letters, tracer }).catch(() => undefined);
  return tracer;
}
