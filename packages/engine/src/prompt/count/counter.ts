import { isPending, type Maybe } from '../maybe-promise.ts';
import { type ModeToChatMessageType, type OutputMode, toMode } from '../output/mode.ts';
import * as Raw from '../output/raw.ts';
import type { ITokenizer } from '../tokenizer.ts';
import type { CountMemory, Generations } from './memory.ts';

/** Messages of each role without content, then those with one empty text. */
type Hulls = (Maybe<number> | undefined)[];

const roles = 4;

/**
 * Asks the tokenizer, and remembers what it said. It never throws: a tokenizer that does has answered with a promise that
 * fails, so that whoever waits for other answers still does.
 */
export class Counter {
  readonly tokenizer: ITokenizer;
  readonly isAdditive: boolean;
  readonly #memory: CountMemory | undefined;
  readonly #hulls: Hulls = [];
  readonly #named = new Map<string, Hulls>();

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
    try {
      return this.tokenizer.tokenLength(part);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** What an opaque part says it uses, where it can be used. */
  declared(part: Raw.ChatCompletionContentPartOpaque): number {
    const isUsable = Raw.ChatCompletionContentPartOpaque.usableIn(part, this.mode);
    return part.tokenUsage && isUsable ? part.tokenUsage : 0;
  }

  message(raw: Raw.ChatMessage): Maybe<number> {
    try {
      const messages = this.#memory?.messages;
      if (!messages) return this.#ask(raw);
      const key = JSON.stringify(raw);
      const known = messages.get(key);
      if (known !== undefined) return known;
      return remembered(key, this.#ask(raw), messages);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** A message without a text, or with an empty one. */
  emptied(raw: Raw.ChatMessage): Maybe<number> {
    const { role, name, content } = raw;
    const [part] = content;
    const isHull =
      role !== Raw.ChatRole.Tool &&
      !(role === Raw.ChatRole.Assistant && raw.toolCalls) &&
      content.length <= 1 &&
      (!part || part.type === Raw.ChatCompletionContentPartKind.Text);
    return isHull ? this.hull(role, part ? 1 : 0, name) : this.message(raw);
  }

  /** A message with nothing in it, or an empty text, and at most a name: asked for once, also while it is awaited. */
  hull(role: Raw.ChatRole, texts: 0 | 1, name: string | undefined): Maybe<number> {
    const hulls = name ? this.#hullsNamed(name) : this.#hulls;
    const place = texts * roles + role;
    const known = hulls[place];
    if (known !== undefined) return known;
    const content = texts === 0 ? [] : [{ type: Raw.ChatCompletionContentPartKind.Text, text: '' }];
    const tokens = this.message({ role, content, ...(name && { name }) } as Raw.ChatMessage);
    hulls[place] = isPending(tokens) ? keptIn(hulls, place, tokens) : tokens;
    return hulls[place];
  }

  #hullsNamed(name: string): Hulls {
    const known = this.#named.get(name);
    if (known) return known;
    const made: Hulls = [];
    this.#named.set(name, made);
    return made;
  }

  #ask(raw: Raw.ChatMessage): Maybe<number> {
    const message = toMode(this.tokenizer.mode, raw) as ModeToChatMessageType[OutputMode];
    return this.tokenizer.countMessageTokens(message as never);
  }
}

/** An answer that is awaited takes the place of its promise; one that failed is asked for again. */
function keptIn(hulls: Hulls, place: number, tokens: PromiseLike<number>): PromiseLike<number> {
  return tokens.then(
    (answer) => {
      hulls[place] = answer;
      return answer;
    },
    (error: unknown) => {
      hulls[place] = undefined;
      throw error;
    },
  );
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
