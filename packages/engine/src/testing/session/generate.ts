import type { ContentPart, Dialect, Message, Part, ToolCallPart, ToolResultPart } from '../../message/index.ts';
import { createRandom, type Random } from '../random.ts';
import { log, path, request, sentence } from './content.ts';
import { type ToolUse, toolUse } from './tools.ts';

export interface SessionOptions {
  /** Same seed, same session. */
  readonly seed: number;
  /** Number of user messages. Default 3. */
  readonly turns?: number;
  /** Maximum number of answers with calls per turn. Default 6. */
  readonly rounds?: number;
  /** Maximum lines of an ordinary tool output. Default 30. */
  readonly lines?: number;
  /** One huge output every N calls, with this many lines. Default: none. */
  readonly huge?: { readonly every: number; readonly lines: number };
  /** Share of calls that fail. Default 0.1. */
  readonly errorRate?: number;
  /** Share of user messages and outputs with an image. Default 0.05. */
  readonly imageRate?: number;
  /** Dialect of signed reasoning at the start of answers; default: none. */
  readonly thinking?: Dialect;
}

/** A valid PNG of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * A valid, realistic agent session from a seed: requests in several scripts, reasoning, parallel calls, failures,
 * images, huge outputs, shell commands run by the user. It ends with a user message or results, so it can be sent
 * unchanged.
 *
 * @example
 * const messages = generateSession({ seed: 1, turns: 20, huge: { every: 10, lines: 5000 } });
 */
export function generateSession(options: SessionOptions): Message[] {
  const random = createRandom(options.seed);
  const session: Message[] = [];
  let calls = 0;
  const turns = options.turns ?? 3;
  for (let turn = 0; turn < turns; turn += 1) {
    session.push(userMessage(random, options));
    if (turn === turns - 1) break;
    const rounds = random.int(0, options.rounds ?? 6);
    for (let round = 0; round < rounds; round += 1) {
      const uses = Array.from({ length: random.pick([1, 1, 1, 2, 4]) }, () => {
        calls += 1;
        const isHuge = options.huge !== undefined && calls % options.huge.every === 0;
        const lines = isHuge ? (options.huge?.lines ?? 0) : random.int(1, options.lines ?? 30);
        return { id: `call_${calls}`, use: toolUse(random, { lines, errorRate: options.errorRate ?? 0.1 }) };
      });
      session.push(answer({ random, options, calls: uses }));
      for (const { id, use } of shuffled(random, uses)) session.push(result({ random, options, id, use }));
    }
    session.push(answer({ random, options, calls: [] }));
  }
  return session;
}

function userMessage(random: Random, options: SessionOptions): Message {
  const parts: Part[] = [{ type: 'text', origin: 'human', text: request(random) }];
  if (random.chance(options.imageRate ?? 0.05)) parts.push(image('human'));
  // The user's text and the output of their shell command are in one message, with different origins.
  if (random.chance(0.15)) {
    parts.push({ type: 'text', origin: 'human', text: `$ cat ${path(random)}` });
    parts.push({ type: 'text', origin: 'tool', text: log(random, random.int(1, 10)) });
  }
  return { role: 'user', parts };
}

function answer(input: {
  readonly random: Random;
  readonly options: SessionOptions;
  readonly calls: readonly { readonly id: string; readonly use: ToolUse }[];
}): Message {
  const { random, options, calls } = input;
  const parts: Part[] = options.thinking ? [thought(random, options.thinking)] : [];
  if (calls.length === 0 || random.chance(0.6)) parts.push({ type: 'text', origin: 'model', text: sentence(random) });
  const made = calls.map(
    ({ id, use }): ToolCallPart => ({
      type: 'tool_call',
      origin: 'model',
      id,
      name: use.name,
      arguments: JSON.stringify(use.arguments),
    }),
  );
  return { role: 'assistant', parts: [...parts, ...made] };
}

function thought(random: Random, dialect: Dialect): Part {
  const text = sentence(random);
  const seal = `c2lnbmVk${random.int(0, 1e9)}`;
  const base = { type: 'thinking', origin: 'model', text } as const;
  if (dialect === 'openai-responses') {
    return { ...base, encrypted: seal, wire: { dialect, fields: { id: `rs_${random.int(0, 1e9)}` } } };
  }
  if (dialect === 'openai-chat') return { ...base, wire: { dialect, form: 'reasoning_content' } };
  return { ...base, signature: seal, wire: { dialect } };
}

function result(input: {
  readonly random: Random;
  readonly options: SessionOptions;
  readonly id: string;
  readonly use: ToolUse;
}): Message {
  const { random, options, id, use } = input;
  const content: ContentPart[] = [{ type: 'text', origin: 'tool', text: use.output }];
  if (!use.isError && random.chance(options.imageRate ?? 0.05)) content.push(image('tool'));
  const part: ToolResultPart = { type: 'tool_result', origin: 'tool', callId: id, name: use.name, content };
  return { role: 'tool', parts: [use.isError ? { ...part, isError: true } : part] };
}

function image(origin: Part['origin']): ContentPart {
  return { type: 'image', origin, source: { kind: 'base64', mediaType: 'image/png', data: pixel } };
}

/** Results of parallel calls come in any order. */
function shuffled<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((value) => ({ value, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
