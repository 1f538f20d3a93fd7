import { isObject, type Json, type JsonObject, without } from '../../json.ts';
import type { Message, Part } from '../../message/index.ts';
import type { Draft, MessageEntry, UsageEntry } from '../../session/index.ts';
import { usageNote } from '../usage.ts';
import { messageOf, readAnswerContent } from './content.ts';
import { detailsOf, type Rest, type TranscriptLine } from './line.ts';

/** Collects an answer of the model. Each of its content blocks is on a line of its own. */
export interface AnswerBuilder {
  /** The API's id of the message, which all its lines share. */
  readonly id: string | undefined;
  readonly at: number;
  /** The arguments of the tools it has called, by the id of the call. */
  readonly calls: ReadonlyMap<string, string>;
  /** Takes a line of it, and says what is new in it. */
  readonly add: (line: TranscriptLine) => readonly Part[];
  /** The answer, and what it consumed. */
  readonly drafts: (input: { readonly isUnfinished: boolean }) => {
    readonly message: Draft<MessageEntry>;
    readonly usage: Draft<UsageEntry> | undefined;
  };
}

/** Members of a message that the log says in its own way. */
const known = ['type', 'role', 'content', 'model', 'usage'];

/**
 * Opens an answer; `add` its lines, the first one too.
 *
 * @example
 * const answer = openAnswer({ line, restOf });
 * answer.add(line);
 */
export function openAnswer({ line, restOf }: { readonly line: TranscriptLine; readonly restOf: Rest }): AnswerBuilder {
  const { id } = messageOf(line.raw);
  const parts: Part[] = [];
  const calls = new Map<string, string>();
  const uuids: Json[] = [];
  let about: JsonObject = {};
  let rest: JsonObject = {};
  return {
    id: typeof id === 'string' ? id : undefined,
    at: line.at,
    calls,
    add,
    drafts,
  };

  function add({ raw }: TranscriptLine): readonly Part[] {
    const message = messageOf(raw);
    const { uuid, ...more } = restOf(raw);
    if (uuid !== undefined) uuids.push(uuid);
    about = { ...about, ...withoutNull(message) };
    rest = { ...rest, ...more };
    const added = readAnswerContent(message.content).filter(isNew);
    parts.push(...added);
    return added;
  }

  /** Some versions write a line again when the answer goes on. No model makes the same call twice under one id. */
  function isNew(part: Part): boolean {
    if (part.type !== 'tool_call') return true;
    const isKnown = calls.get(part.id) === part.arguments;
    calls.set(part.id, part.arguments);
    return !isKnown;
  }

  function drafts({ isUnfinished }: { readonly isUnfinished: boolean }) {
    const { model: name } = about;
    const isClient = name === '<synthetic>';
    const by = typeof name === 'string' && !isClient ? { provider: 'anthropic', name } : undefined;
    const message: Message = { role: 'assistant', parts: isClient ? parts.map(asClient) : parts };
    const { details } = detailsOf({ uuids, ...rest, ...without(about, known) });
    const allDetails = { ...details, ...(isUnfinished && { unfinished: true }) };
    const counted = usageOf(about.usage);
    return {
      message: { type: 'message', message, ...(by && { by }), details: allDetails } as const,
      usage: counted && { ...counted, ...(by && { model: by }) },
    };
  }
}

/** What Claude Code says in the model's place, it says in a model's name that is none. */
function asClient(part: Part): Part {
  return part.type === 'text' ? { ...part, origin: 'engine' } : part;
}

/** Anthropic's `input_tokens` leaves out what came from the cache and went into it. */
function usageOf(usage: Json | undefined): Draft<UsageEntry> | undefined {
  if (!isObject(usage)) return undefined;
  const {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    ...rest
  } = usage;
  const note = usageNote({ input, output, cacheRead: read, cacheWrite: write });
  return note && { ...note, ...detailsOf(rest) };
}

/** Lines that were written before the stream ended say `null` where a later one says more. */
function withoutNull(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
