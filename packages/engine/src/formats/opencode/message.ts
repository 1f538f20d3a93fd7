import { isArray, isObject, type Json, type JsonObject, safeString, without } from '../../json.ts';
import { type ContentPart, type Message, type ToolResultPart, user } from '../../message/index.ts';
import type { Draft, MessageEntry, ModelName, UsageEntry } from '../../session/index.ts';
import { readTime } from '../time.ts';
import { amount, usageNote } from '../usage.ts';
import { fileOf, readResult, readStep, typed } from './parts.ts';

/** A message of opencode with its parts. */
export interface Stored {
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

/** What a tool returned, and when opencode pruned it. */
export interface Returned {
  readonly draft: Draft<MessageEntry>;
  readonly part: ToolResultPart;
  readonly at: number | undefined;
  readonly prunedAt: number | undefined;
}

/** One call of the model: what it said (nothing, at times), what its tools returned, and what it consumed. */
export interface AnswerStep {
  readonly answer: Draft<MessageEntry> | undefined;
  readonly results: readonly Returned[];
  readonly usage: Draft<UsageEntry> | undefined;
}

/** Parts that only mark or describe, for the screen and for undoing changes of files. */
const marks: ReadonlySet<unknown> = new Set(['step-start', 'step-finish', 'snapshot']);
const describedParts: ReadonlySet<unknown> = new Set([
  'text',
  'reasoning',
  'tool',
  'file',
  'compaction',
  'subtask',
  'agent',
  'patch',
]);

/** Parts that are not sent to the model: skipped ones by name, and those kept in the details. */
export function sideParts({ info, parts }: Stored): {
  readonly leftOut: readonly string[];
  readonly notes: readonly Draft[];
} {
  const isNew = ({ type }: JsonObject) => !marks.has(type) && !describedParts.has(type);
  const notes = parts.filter(isNew).map((part): Draft => {
    const kind = `opencode:${safeString(part.type)}`;
    const value = without(bare(part), ['type']) ?? {};
    return part.type === 'retry' ? { type: 'custom', customType: kind, data: value } : { type: 'unknown', kind, value };
  });
  const changes = isObject(info.summary) && isArray(info.summary.diffs) && info.summary.diffs.length > 0;
  return { leftOut: [...(changes ? ['lists of changes'] : []), ...parts.flatMap(hidden)], notes };
}

/** What of a part is for the screen. */
function hidden({ type, ignored, state }: JsonObject): string[] {
  if (marks.has(type)) return ['marks of steps'];
  if (type === 'text' && ignored === true) return ['texts for the screen'];
  const shown = isObject(state) && isObject(state.metadata) ? Object.keys(state.metadata) : [];
  return type === 'tool' && shown.length > 0 ? ['copies of tool results for the screen'] : [];
}

/** How the message that asks for a summary reads to the model. */
export const summaryQuestion: Message = user('What did we do so far?', { origin: 'engine' });

/**
 * The parts of a user message; `undefined` if the model gets none. `isTask` says whether the model of another session
 * wrote a text: a sub-agent's task is stored like a human message.
 */
export function readUser({
  stored: { info, parts },
  isTask,
}: {
  readonly stored: Stored;
  readonly isTask: (text: string) => boolean;
}): Draft<MessageEntry> | undefined {
  const read = parts.flatMap((part): ContentPart[] => {
    switch (part.type) {
      case 'text': {
        if (typeof part.text !== 'string' || part.ignored === true) return [];
        if (part.synthetic === true) return [{ type: 'text', origin: 'engine', text: part.text }];
        return [isTask(part.text) ? { type: 'text', origin: 'model', text: part.text } : typed(part.text)];
      }
      case 'file':
        return [fileOf({ part, origin: 'human' }) ?? []].flat();
      case 'compaction':
        return summaryQuestion.parts.filter((question) => question.type === 'text');
      case 'subtask':
        return [{ type: 'text', origin: 'engine', text: 'The following tool was executed by the user' }];
      default:
        return [];
    }
  });
  if (read.length === 0) return undefined;
  const named = parts.flatMap((part) => (part.type === 'agent' || part.type === 'subtask' ? [bare(part)] : []));
  const files = parts.flatMap((part) =>
    part.type === 'file' && !fileOf({ part, origin: 'human' }) ? [unsent(part)] : [],
  );
  const kept = { ...(named.length > 0 && { agents: named }), ...(files.length > 0 && { files }) };
  return {
    type: 'message',
    message: { role: 'user', parts: read },
    details: { opencode: { ...facts(info, ['id', 'agent', 'model', 'system']), ...kept } },
  };
}

/** The steps of an answer. In older versions one message has several, each behind a mark; now it has one. */
export function readAnswer({ info, parts: all }: Stored): AnswerStep[] {
  const by = modelOf(info);
  const steps = stepsOf(all);
  return steps.map((step, index) => {
    const parts = readStep(step);
    const patches = step.flatMap((part) => (part.type === 'patch' ? [bare(part)] : []));
    // How the message ended is said of its last step: the others were there before.
    const names = index === steps.length - 1 ? ['id', 'agent', 'finish', 'error'] : ['id', 'agent'];
    const details = { opencode: { ...facts(info, names), ...(patches.length > 0 && { patches }) } };
    const message: Message = { role: 'assistant', parts };
    const end = step.findLast(({ type }) => type === 'step-finish');
    return {
      answer: parts.length === 0 ? undefined : { type: 'message', message, ...(by && { by }), details },
      results: step.flatMap(returned),
      usage: usageOf({ of: end ?? (steps.length === 1 ? info : {}), by }),
    };
  });
}

/** What a message consumed as a whole. */
export function usageOfMessage({ info }: Stored): Draft<UsageEntry> | undefined {
  return usageOf({ of: info, by: modelOf(info) });
}

function stepsOf(parts: readonly JsonObject[]): JsonObject[][] {
  const steps: JsonObject[][] = [[]];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push([]);
    steps.at(-1)?.push(part);
  }
  return steps.filter((step) => step.length > 0);
}

function returned(part: JsonObject): Returned[] {
  const result = part.type === 'tool' ? readResult(part) : undefined;
  if (!result) return [];
  const time = isObject(part.state) && isObject(part.state.time) ? part.state.time : {};
  return [
    {
      draft: { type: 'message', message: { role: 'tool', parts: [result] } },
      part: result,
      at: readTime(time.end),
      prunedAt: readTime(time.compacted),
    },
  ];
}

/** `input` leaves the cached tokens out, and `output` the reasoning, unless the total says otherwise. */
function usageOf({
  of,
  by,
}: {
  readonly of: JsonObject;
  readonly by: ModelName | undefined;
}): Draft<UsageEntry> | undefined {
  const { tokens, cost } = of;
  if (!isObject(tokens)) return undefined;
  const cache = isObject(tokens.cache) ? tokens.cache : {};
  const { input, reasoning } = tokens;
  const { read: cacheRead, write: cacheWrite } = cache;
  const said = amount(tokens.output);
  const isWhole = tokens.total === amount(input) + said + amount(cacheRead) + amount(cacheWrite);
  const note = usageNote({
    input,
    cacheRead,
    cacheWrite,
    output: isWhole ? said : said + amount(reasoning),
    reasoning,
  });
  return (
    note && {
      ...note,
      ...(by && { model: by }),
      ...(typeof cost === 'number' && cost > 0 && { details: { opencode: { cost } } }),
    }
  );
}

/** The session that a call of the `task` tool started. */
export function taskOf(
  part: JsonObject,
): { readonly session: string; readonly call: string; readonly prompt: Json } | undefined {
  const { state, callID: call } = part;
  if (part.type !== 'tool' || !isObject(state) || typeof call !== 'string') return undefined;
  const { sessionId: session } = isObject(state.metadata) ? state.metadata : {};
  if (typeof session !== 'string') return undefined;
  return { session, call, prompt: (isObject(state.input) ? state.input.prompt : undefined) ?? null };
}

function modelOf({ providerID: provider, modelID: name }: JsonObject): ModelName | undefined {
  return typeof provider === 'string' && typeof name === 'string' ? { provider, name } : undefined;
}

/** A part without the ids that only the database needs. */
function bare(part: JsonObject): JsonObject {
  return without(part, ['id', 'sessionID', 'messageID']) ?? {};
}

/** A file whose text is in the message already. */
function unsent(part: JsonObject): JsonObject {
  const isInline = typeof part.url === 'string' && part.url.startsWith('data:');
  return without(bare(part), isInline ? ['url'] : []) ?? {};
}

/** Members that do not change any more once a message is there. */
function facts(info: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (info[name] === undefined ? [] : [[name, info[name]]])));
}
