import { isPending, type Maybe } from '../layout/maybe.ts';
import { type ModeToChatMessageType, type OutputMode, toMode } from '../output/mode.ts';
import * as Raw from '../output/raw.ts';
import type { ITokenizer } from '../tokenizer.ts';
import type { CountMemory, Generations } from './memory.ts';

/** Asks the tokenizer, and remembers what it said. */
export class Counter {
  readonly tokenizer: ITokenizer;
  readonly isAdditive: boolean;
  readonly #memory: CountMemory | undefined;
  /** What a message of a role costs before anything stands in it. */
  readonly #bare: (number | undefined)[] = [];

  constructor({ tokenizer, memory }: { readonly tokenizer: ITokenizer; readonly memory?: CountMemory | undefined }) {
    this.tokenizer = tokenizer;
    this.isAdditive = tokenizer.additive === true;
    this.#memory = memory;
  }

  get mode(): OutputMode {
    return this.tokenizer.mode;
  }

  text(text: string): Maybe<number> {
    const texts = this.#memory?.texts;
    if (!texts) return this.part({ type: Raw.ChatCompletionContentPartKind.Text, text });
    const known = texts.get(text);
    if (known !== undefined) return known;
    return remembered(text, this.part({ type: Raw.ChatCompletionContentPartKind.Text, text }), texts);
  }

  part(part: Raw.ChatCompletionContentPart): Maybe<number> {
    return this.tokenizer.tokenLength(part);
  }

  message(raw: Raw.ChatMessage): Maybe<number> {
    const messages = this.#memory?.messages;
    if (!messages) return this.#ask(raw);
    const key = JSON.stringify(raw);
    const known = messages.get(key);
    if (known !== undefined) return known;
    return remembered(key, this.#ask(raw), messages);
  }

  /** A message without content, calls or name, once for each role. */
  bare(role: Raw.ChatRole): Maybe<number> {
    const known = this.#bare[role];
    if (known !== undefined) return known;
    const tokens = this.#ask({ role, content: [] } as unknown as Raw.ChatMessage);
    if (!isPending(tokens)) this.#bare[role] = tokens;
    return tokens;
  }

  #ask(raw: Raw.ChatMessage): Maybe<number> {
    const message = toMode(this.tokenizer.mode, raw) as ModeToChatMessageType[OutputMode];
    return this.tokenizer.countMessageTokens(message as never);
  }
}

function remembered(key: string, tokens: Maybe<number>, memory: Generations): Maybe<number> {
  if (!isPending(tokens)) {
    memory.set(key, tokens);
    return tokens;
  }
  return tokens.then((answer) => {
    memory.set(key, answer);
    return answer;
  });
}
