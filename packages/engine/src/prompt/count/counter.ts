import { isPending, type Maybe } from '../maybe-promise.ts';
import { type ModeToChatMessageType, type OutputMode, toMode } from '../output/mode.ts';
import * as Raw from '../output/raw.ts';
import type { ITokenizer } from '../tokenizer.ts';
import type { CountMemory, Generations } from './memory.ts';

/** Counts of messages without content by role, then with one empty text. */
type Hulls = (Maybe<number> | undefined)[];

const roles = 4;

/**
 * Calls the tokenizer and caches its results. Never throws: an exception of the tokenizer becomes a rejected promise,
 * so that concurrent counts are still awaited.
 */
export class PromptCounter {
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

  /** The declared usage of an opaque part, where it is in scope. */
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

  /** A message without text, or with an empty one. */
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

  /** An empty message, or one with an empty text, and at most a name: counted once, also while pending. */
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

/** A resolved count replaces its promise; a failed one is retried. */
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
