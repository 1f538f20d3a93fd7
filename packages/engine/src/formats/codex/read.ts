import { isObject, type Json, type JsonObject, safeString, without } from '../../json.ts';
import type { Message, Origin } from '../../message/index.ts';
import type { Draft, Entry, EntryId, UsageEntry } from '../../session/index.ts';
import { codecVersion } from '../../session/internal.ts';
import { withNext } from '../lines/async-iterable.ts';
import type { FileRecord } from '../lines/read-records.ts';
import type { LogBuilder } from '../log-builder.ts';
import { createSessionRecorder, type RecorderState } from '../session-recorder.ts';
import { createSkipCounter } from '../skip-counter.ts';
import { amount, usageNote } from '../usage.ts';
import type { WarningList } from '../warnings.ts';
import { isOpen, type Witness } from './authors.ts';
import { createItemIndex, replacementOf } from './compaction.ts';
import { type ReadItem, readItem, userItem } from './items.ts';
import { duplicateEvents, informativeEvents, type RolloutLine, readLine } from './line.ts';

/**
 * The entries of a rollout: the items of the model's history, compactions with the list that replaced the history, and
 * notes for information that only events contain.
 *
 * @example
 * for await (const entry of readRollout({ records, weaver, warnings, startedAt: 0, session })) { … }
 */
export async function* readRollout({
  records,
  builder,
  warnings,
  startedAt,
  session,
}: {
  readonly records: AsyncIterable<FileRecord>;
  readonly builder: LogBuilder;
  readonly warnings: WarningList;
  /** The time of entries before any that has one. */
  readonly startedAt: number;
  readonly session: { readonly id: string; readonly provider: string; readonly author: Origin };
}): AsyncGenerator<Entry> {
  const recorder = createSessionRecorder({ builder, provider: session.provider, at: startedAt });
  const { append: put } = recorder;
  const skips = createSkipCounter({ warnings });
  const index = createItemIndex();
  const usage = createUsageReader();
  /** Names of the tools whose results are awaited. */
  const tools = new Map<string, string>();
  const turns = createTurnTracker<RecorderState>();
  let isBegun = false;
  let settings = '';
  let answer: EntryId | undefined;
  let spoilt = 0;
  let line = 0;

  for await (const { item: record, next } of withNext(records)) {
    line = record.line;
    const read = readLine(record.value);
    if (!read) {
      warn('bad-line', 'This line is nothing that Codex writes; it was left out.');
      continue;
    }
    recorder.at = read.at ?? recorder.at;
    yield* entriesOf(read, next && readLine(next.value));
  }
  skips.report();
  if (spoilt > 0) {
    const message = `Encrypted items (reasoning, or what a compaction made of it) were redacted in this file and cannot be sent again: ${spoilt}.`;
    warnings.add({ code: 'redacted', message });
  }

  function* entriesOf(read: RolloutLine, next: RolloutLine | undefined): Generator<Entry> {
    const { kind, payload } = read;
    switch (kind) {
      case 'session_meta':
        return yield* sessionMeta(payload);
      case 'turn_context':
        return yield* turnContext(payload);
      case 'response_item':
        return yield* responseItem(read, next);
      case 'inter_agent_communication':
        return yield* item({ raw: payload, read: userItem(payload) });
      case 'compacted':
        return yield* compacted(payload);
      case 'event_msg':
        return yield* event(payload);
      case 'token_usage_record':
        return yield* used(payload);
      case 'state':
      case 'world_state':
      case 'inter_agent_communication_metadata':
        return skips.skip(`${kind} lines`);
      default:
        return yield* put({ type: 'unknown', kind: `codex:${kind}`, value: payload });
    }
  }

  function* sessionMeta(meta: JsonObject): Generator<Entry> {
    // A fork repeats the header of its origin among the lines that it copies.
    const isOwn = meta.id === undefined || meta.id === session.id;
    if (!isOwn || isBegun) yield* put(custom('session_meta', without(meta, ['base_instructions'])));
    isBegun = true;
    const { base_instructions: base, history_base: elsewhere } = meta;
    if (isOwn && isObject(elsewhere)) {
      warn(
        'begins-elsewhere',
        `The session goes on from ${String(elsewhere.thread_id)}, whose lines are in a file of their own.`,
      );
    }
    if (isOwn && isObject(base)) yield* recorder.setSystemPrompt(base.text);
  }

  function* turnContext(context: JsonObject): Generator<Entry> {
    const { model: name, effort, cwd, approval_policy, sandbox_policy, collaboration_mode } = context;
    yield* recorder.setModel({ name, effort });
    const mode = isObject(collaboration_mode) ? collaboration_mode.mode : undefined;
    const now = { cwd, approval_policy, sandbox_policy, mode };
    if (JSON.stringify(now) === settings) return;
    settings = JSON.stringify(now);
    yield* put(custom('turn_context', now));
  }

  function* responseItem(read: RolloutLine, next: RolloutLine | undefined): Generator<Entry> {
    const { payload: raw, isBare, isInherited } = read;
    const echo = next?.kind === 'event_msg' && next.payload.type === 'user_message' ? next.payload.message : undefined;
    const witness: Witness = {
      author: isInherited ? 'human' : session.author,
      item: raw,
      echo: typeof echo === 'string' ? echo : undefined,
      hasEvents: !isBare,
    };
    const found = readItem({ item: raw, witness });
    const isLast = next === undefined && raw.role === 'user' && typeof found === 'object';
    yield* item({ raw, read: found, unfinished: isLast && isOpen({ message: found.message, witness }) });
  }

  function* item(of: {
    readonly raw: JsonObject;
    readonly read: ReadItem | undefined;
    readonly unfinished?: boolean;
  }): Generator<Entry> {
    const { raw, read } = of;
    if (read === 'spoilt') {
      spoilt += 1;
    } else if (read === 'note') {
      yield* put(custom(safeString(raw.type ?? 'inter_agent_communication'), without(raw, ['type'])));
    } else if (read === undefined) {
      warn('unknown-kind', `An item of the kind ${safeString(raw.type)} was kept as it is.`);
      yield* put({ type: 'unknown', kind: `codex:response_item:${safeString(raw.type)}`, value: raw });
    } else {
      const message = named(read.message);
      if (isPersons(message)) turns.said(recorder.state);
      const details = detailsOf({ raw, ...read, unfinished: of.unfinished === true });
      const isAnswer = message.role === 'assistant';
      const { model } = recorder.state;
      const id = yield* put({ type: 'message', message, ...(isAnswer && model && { by: model }), ...details });
      if (isAnswer) answer = id;
      index.remember({ item: raw, entry: id });
    }
  }

  /** Results do not say which tool they are of; their calls did. */
  function named(message: Message): Message {
    for (const part of message.parts) if (part.type === 'tool_call') tools.set(part.id, part.name);
    const [part] = message.parts;
    if (part?.type !== 'tool_result') return message;
    const name = tools.get(part.callId);
    tools.delete(part.callId);
    return name === undefined ? message : { ...message, parts: [{ ...part, name }] };
  }

  function isPersons({ role, parts }: Message): boolean {
    return role === 'user' && parts.some(({ origin }) => origin === session.author);
  }

  function* compacted(payload: JsonObject): Generator<Entry> {
    const author = { author: session.author, echo: undefined, hasEvents: true };
    const replacement = replacementOf({
      payload,
      items: builder.items(),
      index,
      read: (raw) => readItem({ item: raw, witness: { ...author, item: raw } }),
    });
    const { head } = recorder.state;
    const rest = without(payload, ['message', 'replacement_history', 'replacement_history_entries']);
    spoilt += replacement.spoilt;
    if (replacement.missing > 0) {
      warn('missing-item', `The compaction names ${replacement.missing} items that are not in the file.`);
    }
    yield* put({
      type: 'compaction',
      summary: typeof payload.message === 'string' ? payload.message : '',
      firstKeptId: null,
      tokensBefore: usage.contextTokens,
      trigger: 'import',
      ...(rest && { details: { codex: rest } }),
    });
    const others = replacement.list.filter((listed) => !('entry' in listed) || listed.entry !== head);
    const list = head === undefined ? others : [{ entry: head }, ...others];
    yield* put({ type: 'epoch', reason: 'compaction', items: { list }, codec: codecVersion });
  }

  function* event(payload: JsonObject): Generator<Entry> {
    const { type } = payload;
    if (type === 'task_started' || type === 'turn_started') turns.started();
    if (type === 'token_count') {
      yield* used(payload);
    } else if (type === 'thread_rolled_back') {
      yield* rollBack(payload.num_turns);
    } else if (type === 'thread_name_updated') {
      const { thread_name: name } = payload;
      yield* put({ type: 'session_info', info: { name: typeof name === 'string' ? name : '' } });
    } else if (duplicateEvents.has(type)) {
      skips.skip(`${type} events`);
    } else if (informativeEvents.has(type)) {
      yield* put(custom(safeString(type), without(payload, ['type'])));
    } else {
      yield* put({ type: 'unknown', kind: `codex:event_msg:${safeString(type)}`, value: payload });
    }
  }

  function* used(payload: JsonObject): Generator<Entry> {
    const counted = usage.take(payload);
    if (!counted) return skips.skip('repeated token counts');
    const { model } = recorder.state;
    yield* put({ ...counted, ...(model && { model }), ...(answer !== undefined && { target: answer }) });
    answer = undefined;
  }

  /** The last turns of a person never were: the session goes on from before their first message. */
  function* rollBack(count: unknown): Generator<Entry> {
    const target = turns.back(count);
    if (!target) return warn('nothing-to-roll-back', 'There is no turn before this that could be taken back.');
    answer = undefined;
    yield* recorder.rewind(target);
  }

  function warn(code: string, message: string): void {
    warnings.add({ code, message, line });
  }
}

function custom(kind: string, data: JsonObject | undefined): Draft {
  return { type: 'custom', customType: `codex:${kind}`, ...(data && { data }) };
}

/** What the item said that its message does not. */
function detailsOf(of: { readonly raw: JsonObject; readonly details?: JsonObject; readonly unfinished: boolean }): {
  readonly details?: JsonObject;
} {
  const { internal_chat_message_metadata_passthrough: passthrough } = of.raw;
  const codex = without({ ...of.details, ...(isObject(passthrough) && { passthrough }) }, []);
  const details = without({ codex, ...(of.unfinished && { unfinished: true }) }, []);
  return details ? { details } : {};
}

/** Tracks the leaf before each human turn on the current path. */
interface TurnTracker<Standing> {
  /** Codex began to work on something. */
  readonly started: () => void;
  /** A human turn begins; `before` is the leaf before it. */
  readonly said: (before: Standing) => void;
  /** Takes the newest turns away, and answers where the session stood before them. */
  readonly back: (count: unknown) => Standing | undefined;
}

/**
 * What is typed while Codex works belongs to the turn that it works on. Versions that do not log when it begins have a
 * turn for every message.
 *
 * @example
 * const turns = createTurns<EntryId | null>();
 */
function createTurnTracker<Standing>(): TurnTracker<Standing> {
  const turns: Standing[] = [];
  let isLogged = false;
  let isOpen = false;
  return {
    started() {
      isLogged = true;
      isOpen = false;
    },
    said(before) {
      if (isLogged && isOpen) return;
      turns.push(before);
      isOpen = true;
    },
    back(count) {
      const number = typeof count === 'number' && count > 0 ? Math.min(Math.ceil(count), turns.length) : 0;
      const target = turns[turns.length - number];
      turns.length -= number;
      isOpen = false;
      return target;
    },
  };
}

/** Reads what calls consumed off the running reports of a rollout. */
interface CodexUsageReader {
  /** The report as a note; `undefined` where it repeats the last one or counts nothing. */
  readonly take: (payload: JsonObject) => Draft<UsageEntry> | undefined;
  /** How large the context was when it was last reported. */
  readonly contextTokens: number;
}

/**
 * Codex reports usage after every call, and again when only the rate limits changed or when it estimates the size of a
 * compacted context; the running total is unchanged then. Newer versions write the same numbers in separate records.
 *
 * @example
 * const usage = createUsageReader();
 * usage.take({ type: 'token_count', info: { total_token_usage: total, last_token_usage: last } });
 */
function createUsageReader(): CodexUsageReader {
  let total = '';
  let contextTokens = 0;
  return {
    get contextTokens() {
      return contextTokens;
    },
    take(payload) {
      const report = isObject(payload.info)
        ? { last: payload.info.last_token_usage, total: payload.info.total_token_usage }
        : { last: payload.usage, total: payload.thread_token_usage };
      if (!isObject(report.last)) return undefined;
      const { last } = report;
      contextTokens = amount(last.total_tokens) || contextTokens;
      const sum = keyOf(report.total);
      if (sum !== '' && sum === total) return undefined;
      total = sum;
      return usageOf(last);
    },
  };
}

function usageOf(counts: JsonObject): Draft<UsageEntry> | undefined {
  return usageNote({
    prompt: counts.input_tokens,
    cacheRead: counts.cached_input_tokens,
    cacheWrite: counts.cache_write_input_tokens,
    output: counts.output_tokens,
    reasoning: counts.reasoning_output_tokens,
  });
}

function keyOf(total: Json | undefined): string {
  if (!isObject(total)) return '';
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = total;
  return JSON.stringify([input, cached, output]);
}
