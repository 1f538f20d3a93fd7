import { isArray, isObject, type Json, type JsonObject, parseJson, without } from '../../json.ts';
import type { ContentPart, Message, Part, TextPart, ToolCallPart, ToolResultPart } from '../../message/index.ts';
import {
  type CompactionEntry,
  type Entry,
  type ModelName,
  type SessionHeader,
  type UsageEntry,
  visibleItem,
} from '../../session/index.ts';
import type { Survey } from '../export/survey.ts';
import type { SkipCounter } from '../skip-counter.ts';
import { isoTime } from '../time.ts';
import type { TranscriptEvent } from './events.ts';

/** What a transcript begins with. */
export function startEvents({
  header,
  name,
}: {
  readonly header: SessionHeader;
  readonly name: string | undefined;
}): TranscriptEvent[] {
  const { id, createdAt, cwd, source, details } = header;
  const data = {
    sessionId: source?.format === ownFormat ? source.key : id,
    version: 1,
    producer: 'longhaul',
    copilotVersion: '',
    vscodeVersion: '',
    startTime: isoTime(createdAt),
    ...(cwd !== undefined && { context: { cwd } }),
    ...eventRest(details),
  };
  const title = name === undefined ? [] : [{ type: 'session.title_changed', data: { title: name } }];
  return [{ type: 'session.start', data }, ...title];
}

/** What each entry of a path becomes. */
export function createEvents({
  survey,
  skips,
}: {
  readonly survey: Pick<Survey, 'compactions'>;
  readonly skips: SkipCounter;
}): (of: { readonly entry: Entry; readonly next: Entry | undefined }) => TranscriptEvent[] {
  const compactions: Compactions = createCompactions({ survey });
  let model: string | undefined;
  return ({ entry, next }) => [...compactions.before(entry), ...eventsOf(entry, next)];

  function eventsOf(entry: Entry, next: Entry | undefined): TranscriptEvent[] {
    switch (entry.type) {
      case 'message': {
        const usage = next?.type === 'usage' && next.target === entry.id ? next.usage : undefined;
        const outputTokens = usage && usage.output > 0 ? usage.output : undefined;
        const { message, by } = entry;
        return messageEvents({ message, by, outputTokens, rest: eventRest(entry.details), skips });
      }
      case 'custom_message':
      case 'branch_summary': {
        const item = visibleItem(entry);
        return item ? messageEvents({ message: item.message, skips }) : [];
      }
      case 'compaction':
        // Without its epoch it changed nothing.
        return next?.type === 'epoch' && next.parentId === entry.id ? compactions.of(entry) : [];
      case 'epoch':
        if (entry.reason !== 'compaction') skips.skip(`changes of what is sent (${entry.reason})`);
        return [];
      case 'model_change':
        model = entry.model.name;
        return [{ type: 'session.model_change', data: { newModel: model } }];
      case 'thinking_change':
        // Copilot CLI refuses to open a file in which this event has no model.
        if (model === undefined) break;
        return [{ type: 'session.model_change', data: { newModel: model, reasoningEffort: entry.level } }];
      case 'usage':
        return usageEvents(entry);
      case 'custom':
        if (!entry.customType.startsWith(`${ownFormat}:`)) break;
        return [{ type: entry.customType.slice(ownFormat.length + 1), data: (entry.data ?? {}) as JsonObject }];
      case 'unknown':
        if (!entry.kind.startsWith(`${ownFormat}:`)) break;
        return [{ type: entry.kind.slice(ownFormat.length + 1), data: entry.value }];
      case 'session_info':
      case 'leaf':
        return [];
    }
    skips.skip(`entries of the kind ${entry.type}`);
    return [];
  }
}

/** Input usage of a call, in addition to the output tokens of its answer. */
function usageEvents({ usage, model, purpose, target }: UsageEntry): TranscriptEvent[] {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  if (purpose !== undefined || target === undefined || input + cacheRead + cacheWrite === 0) return [];
  const data = {
    ...(model && { model: model.name }),
    inputTokens: input + cacheRead + cacheWrite,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
  return [{ type: 'assistant.usage', data }];
}

/**
 * Copilot compacts in the background: what happens between the two events stays verbatim. The start event is therefore
 * placed before the first entry that our compaction kept.
 */
interface Compactions {
  /** What has to stand before an entry. */
  readonly before: (entry: Entry) => TranscriptEvent[];
  /** What a compaction that is in force becomes. */
  readonly of: (entry: CompactionEntry) => TranscriptEvent[];
}

function createCompactions({ survey }: { readonly survey: Pick<Survey, 'compactions'> }): Compactions {
  const waiting = [...survey.compactions];
  let isBegun = false;
  const begin = ({ trigger, tokensBefore }: (typeof waiting)[number]): TranscriptEvent[] => {
    if (isBegun) return [];
    isBegun = true;
    const data = { trigger: copilotTrigger(trigger), conversationTokens: tokensBefore };
    return [{ type: 'session.compaction_start', data }];
  };
  return {
    before({ id }) {
      const [next] = waiting;
      return next?.firstKeptId === id ? begin(next) : [];
    },
    of(entry) {
      const { summary, tokensBefore } = entry;
      const data = { success: true, preCompactionTokens: tokensBefore, summaryContent: summary };
      const complete = { ...data, ...eventRest(entry.details) };
      const events = [...begin(entry), { type: 'session.compaction_complete', data: complete }];
      isBegun = false;
      waiting.splice(0, waiting.findIndex(({ id }) => id === entry.id) + 1);
      return events;
    },
  };
}

/** Copilot CLI refuses to open a file with a trigger that is not one of its own. */
function copilotTrigger(trigger: string): string {
  if (['threshold', 'context_limit_retry', 'manual', 'memory_pressure', 'model_switch'].includes(trigger))
    return trigger;
  const ours: Readonly<Record<string, string>> = {
    overflow: 'context_limit_retry',
    memory: 'memory_pressure',
    'model-switch': 'model_switch',
  };
  return ours[trigger] ?? 'threshold';
}

/** The format under whose name an imported entry keeps what its event said beyond it. */
const ownFormat = 'copilot';

/** What the event of an imported entry said beyond the entry; it is written again. */
function eventRest(details: unknown): JsonObject {
  return isObject(details) && isObject(details[ownFormat]) ? details[ownFormat] : {};
}

/** A message, and what belongs to it. */
interface MessageEventInput {
  readonly message: Message;
  readonly by?: ModelName | undefined;
  readonly outputTokens?: number | undefined;
  /** What its event said beyond it, where it came from one. */
  readonly rest?: JsonObject;
  /** Takes what has no place in an event. */
  readonly skips: SkipCounter;
}

/** What a message becomes: the events of Copilot and of VS Code's chat that say the same. */
function messageEvents(input: MessageEventInput): TranscriptEvent[] {
  const { role, parts } = input.message;
  const results = parts.filter((part) => part.type === 'tool_result');
  const others = parts.filter((part) => part.type !== 'tool_result');
  const returned = results.map((result) => resultEvent({ ...input, result }));
  if (others.length === 0 && results.length > 0) return returned;
  switch (role) {
    case 'system':
      return [...returned, { type: 'system.message', data: { role: 'system', content: joined(textsIn(others)) } }];
    case 'assistant':
      return [...returned, ...answerEvents({ ...input, parts: others })];
    default:
      return [...returned, userEvent({ ...input, parts: others })];
  }
}

/** `content` is what a person typed, `transformedContent` what the model got where that is more. */
function userEvent({
  parts,
  rest = {},
  skips,
}: MessageEventInput & { readonly parts: readonly Part[] }): TranscriptEvent {
  const texts = textsIn(parts);
  // A sub-agent is asked by a model, in the user's role.
  const author = typeof rest.source === 'string' && rest.source.startsWith('agent-') ? 'model' : 'human';
  const typed = joined(texts.filter(({ origin }) => origin === author));
  const content = typeof rest.content === 'string' ? rest.content : typed;
  const sent = joined(texts);
  const named = isArray(rest.attachments) ? rest.attachments : [];
  const attachments = [
    ...named.filter((item) => isObject(item) && item.type !== 'blob'),
    ...parts.flatMap((part) => blobOf({ part, skips })),
  ];
  const transformed = sent === content ? {} : { transformedContent: sent };
  const more = without(rest, ['content', 'attachments']);
  return { type: 'user.message', data: { content, ...transformed, attachments, ...more } };
}

function answerEvents({
  parts,
  by,
  outputTokens,
  rest,
  skips,
}: MessageEventInput & { readonly parts: readonly Part[] }): TranscriptEvent[] {
  const calls = parts.filter((part) => part.type === 'tool_call');
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' && part.text !== '' ? [part.text] : []));
  for (const { type } of parts) {
    if (!['text', 'thinking', 'tool_call'].includes(type)) skips.skip(`${type} parts`);
  }
  const data = {
    ...(by && { model: by.name }),
    content: joined(textsIn(parts)),
    toolRequests: calls.map((call) => ({
      toolCallId: call.id,
      name: call.name,
      arguments: argumentsOf(call),
      type: call.freeform ? 'custom' : 'function',
    })),
    ...(thoughts.length > 0 && { reasoningText: thoughts.join('\n\n') }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...rest,
  };
  const started = calls.map((call) => ({
    type: 'tool.execution_start',
    data: { toolCallId: call.id, toolName: call.name, arguments: argumentsOf(call) },
  }));
  return [{ type: 'assistant.message', data }, ...started];
}

function resultEvent({
  result,
  rest,
  skips,
}: MessageEventInput & { readonly result: ToolResultPart }): TranscriptEvent {
  const { callId, isError } = result;
  const content = joined(textsIn(result.content));
  const binary = result.content.flatMap((part) => (isError ? lostOf({ part, skips }) : blobOf({ part, skips })));
  const images = binary.length > 0 ? { binaryResultsForLlm: binary.map((blob) => ({ ...blob, type: 'image' })) } : {};
  const outcome = isError ? { error: { message: content, ...rest } } : { result: { content, ...images } };
  return { type: 'tool.execution_complete', data: { toolCallId: callId, success: !isError, ...outcome } };
}

/** An image as the events carry it. What else is no text has no place in them. */
function blobOf({ part, skips }: { readonly part: Part | ContentPart; readonly skips: SkipCounter }): JsonObject[] {
  if (part.type === 'image' && part.source.kind === 'base64') {
    return [{ type: 'blob', data: part.source.data, mimeType: part.source.mediaType }];
  }
  return lostOf({ part, skips });
}

function lostOf({ part, skips }: { readonly part: Part | ContentPart; readonly skips: SkipCounter }): [] {
  if (part.type !== 'text') skips.skip(`${part.type} parts`);
  return [];
}

/** An object where that says exactly what the model wrote, else the text. */
function argumentsOf(call: ToolCallPart): Json {
  const value = call.freeform ? undefined : parseJson(call.arguments);
  return isObject(value) && JSON.stringify(value) === call.arguments ? value : call.arguments;
}

function textsIn(parts: readonly Part[]): TextPart[] {
  return parts.filter((part) => part.type === 'text');
}

/** Texts that stand apart stay apart; what is apart already gets no more space each time it goes to and fro. */
function joined(texts: readonly TextPart[]): string {
  return texts.reduce((all, { text }) => {
    const isApart = all === '' || text === '' || /\s$/.test(all) || /^\s/.test(text);
    return isApart ? all + text : `${all}\n\n${text}`;
  }, '');
}
