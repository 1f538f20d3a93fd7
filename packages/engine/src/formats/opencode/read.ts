import { isObject, type Json, type JsonObject, safeString, without } from '../../json.ts';
import type { Message } from '../../message/index.ts';
import type { Draft, Entry, EntryId, EpochItem, MessageEntry, UsageEntry } from '../../session/index.ts';
import { codecVersion } from '../../session/internal.ts';
import { createChain, digestOf } from '../ids.ts';
import { createLogBuilder, type LogBuilder } from '../log-builder.ts';
import type { ParsedHeader } from '../parsed-session.ts';
import type { SkipCounter } from '../skip-counter.ts';
import { readTime } from '../time.ts';
import type { WarningList } from '../warnings.ts';
import {
  type Returned,
  readAnswer,
  readUser,
  type Stored,
  sideParts,
  summaryQuestion,
  usageOfMessage,
} from './message.ts';
import { prunedNotice } from './parts.ts';

/** Session data outside of its messages. */
interface SessionFacts {
  /** The title, once it has one. */
  readonly title: string | undefined;
  /** Where a person has gone back to, and has not gone on from yet. */
  readonly revert: { readonly message: string; readonly part: string | undefined } | undefined;
}

/**
 * The entries of a session of opencode.
 *
 * @example
 * for await (const entry of readOpencodeEntries({ messages, facts, weaver, tally, warnings, isTask, startedAt: 0 })) { … }
 */
async function* readOpencodeEntries({
  messages,
  facts,
  builder,
  skips,
  warnings,
  isTask,
  startedAt,
}: {
  readonly messages: Iterable<Stored>;
  readonly facts: SessionFacts;
  readonly builder: LogBuilder;
  readonly skips: SkipCounter;
  readonly warnings: WarningList;
  /** Whether a text of the user was written by the model of the session that this one works for. */
  readonly isTask: (text: string) => boolean;
  readonly startedAt: number;
}): AsyncGenerator<Entry> {
  const history = createHistory({ builder });
  let question: Stored | undefined;
  let cut: Stored | undefined;
  let at = startedAt;
  let tokens = 0;

  for (const { item: stored, isLast } of withLast(messages)) {
    at = readTime(isObject(stored.info.time) ? stored.info.time.created : undefined) ?? at;
    yield* history.prune(at);
    if (stored.info.id === facts.revert?.message) cut = upTo({ stored, part: facts.revert?.part });
    yield* read({ stored, isLast });
  }
  yield* history.prune(Number.POSITIVE_INFINITY);
  yield* revert();
  if (facts.title !== undefined) {
    yield* builder.append({ draft: { type: 'session_info', info: { name: facts.title } }, at });
  }

  function* read({ stored, isLast }: { readonly stored: Stored; readonly isLast: boolean }): Generator<Entry> {
    const isSummary = stored.info.role === 'assistant' && stored.info.summary === true;
    if (isSummary && isDone(stored)) {
      yield* compact(stored);
      return;
    }
    if (question) {
      yield* say({ stored: question, isOpen: isSummary && isLast && !hasError(stored) });
      question = undefined;
    }
    const asks = stored.info.role === 'user' && stored.parts.some(({ type }) => type === 'compaction');
    // What it is, a question or the beginning of a compaction, the message behind it tells.
    if (asks && !isLast) question = stored;
    else yield* say({ stored, isOpen: isLast && (asks || isOpen(stored)) });
  }

  function* say(of: { readonly stored: Stored; readonly isOpen: boolean }): Generator<Entry> {
    const { stored } = of;
    history.begin(idOf(stored));
    if (stored.info.role === 'assistant') yield* answer(of);
    else yield* ask(of);
    yield* aside(stored);
  }

  /** What a message does not tell the model. */
  function* aside(stored: Stored): Generator<Entry> {
    const { leftOut, notes } = sideParts(stored);
    leftOut.forEach(skips.skip);
    for (const draft of notes) yield* builder.append({ draft, at });
  }

  function* ask({
    stored,
    isOpen: isUnfinished,
  }: {
    readonly stored: Stored;
    readonly isOpen: boolean;
  }): Generator<Entry> {
    const draft = stored.info.role === 'user' ? readUser({ stored, isTask }) : undefined;
    if (draft) yield* history.say({ draft: isUnfinished ? unfinished(draft) : draft, at });
    else if (stored.info.role !== 'user') {
      const value = { info: stored.info, parts: stored.parts };
      yield* builder.append({ draft: { type: 'unknown', kind: `opencode:${String(stored.info.role)}`, value }, at });
    }
  }

  function* answer({
    stored,
    isOpen: isUnfinished,
  }: {
    readonly stored: Stored;
    readonly isOpen: boolean;
  }): Generator<Entry> {
    if (isFailed(stored)) {
      const data = { id: stored.info.id, error: stored.info.error, parts: stored.parts };
      yield* builder.append({ draft: { type: 'custom', customType: 'opencode:error', data }, at });
      return;
    }
    const steps = readAnswer(stored);
    for (const [index, { answer: draft, results, usage }] of steps.entries()) {
      const mayGrow = isUnfinished && index === steps.length - 1;
      const entries = draft ? history.say({ draft: mayGrow ? unfinished(draft) : draft, at }) : [];
      yield* entries;
      for (const returned of results) yield* history.answer({ returned, at });
      const target = entries.at(-1)?.id;
      if (!usage) continue;
      tokens = sizeOf(usage.usage);
      yield* builder.append({ draft: { ...usage, ...(target !== undefined && { target }) }, at });
    }
  }

  function* compact(stored: Stored): Generator<Entry> {
    const asked = question;
    question = undefined;
    const parts = readAnswer(stored).flatMap(({ answer: said }) => said?.message.parts ?? []);
    const answered: Message = { role: 'assistant', parts };
    const summary = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const mark = asked?.parts.find(({ type }) => type === 'compaction');
    const tail = typeof mark?.tail_start_id === 'string' ? mark.tail_start_id : undefined;
    if (tail !== undefined && !history.has(tail)) {
      const message = `A compaction kept messages from ${tail} on, which is not there; none were kept.`;
      warnings.add({ code: 'missing-parent', message });
    }
    const made = [
      ...(asked ? [{ id: idOf(asked), message: summaryQuestion }] : []),
      { id: idOf(stored), message: answered },
    ];
    const trigger = mark === undefined ? 'import' : mark.auto === true ? 'auto' : 'manual';
    yield* history.compact({ made, summary, tail, tokens, trigger, details: { opencode: { id: idOf(stored) } }, at });
    const usage = usageOfMessage(stored);
    if (usage) yield* builder.append({ draft: { ...usage, purpose: 'compaction' }, at });
    yield* aside(stored);
  }

  function* revert(): Generator<Entry> {
    if (!facts.revert) return;
    yield* history.revert({ id: facts.revert.message, at });
    // The parts before the revert point of a partly reverted message remain.
    if (cut) yield* say({ stored: cut, isOpen: false });
  }
}

/** An assistant that is still at it. */
function isOpen(stored: Stored): boolean {
  return stored.info.role === 'assistant' && !isCompleted(stored) && !hasError(stored);
}

function isCompleted({ info }: Stored): boolean {
  return isObject(info.time) && info.time.completed !== undefined;
}

function hasError({ info }: Stored): boolean {
  return info.error !== undefined && info.error !== null;
}

/** Versions that knew no tail did not say why an answer ended. */
function isDone(stored: Stored): boolean {
  return (typeof stored.info.finish === 'string' || isCompleted(stored)) && !hasError(stored);
}

/** opencode leaves an answer out of what it sends if it failed, unless a person stopped it after it had said something. */
function isFailed(stored: Stored): boolean {
  const { error } = stored.info;
  const isStopped = isObject(error) && error.name === 'MessageAbortedError';
  return (
    hasError(stored) && !(isStopped && stored.parts.some(({ type }) => type !== 'step-start' && type !== 'reasoning'))
  );
}

function unfinished(draft: Draft<MessageEntry>): Draft<MessageEntry> {
  return { ...draft, details: { ...(isObject(draft.details) ? draft.details : {}), unfinished: true } };
}

/** A message up to a part, where it was gone back to the middle of it. */
function upTo({ stored, part }: { readonly stored: Stored; readonly part: string | undefined }): Stored | undefined {
  const index = part === undefined ? -1 : stored.parts.findIndex(({ id }) => id === part);
  return index <= 0 ? undefined : { info: stored.info, parts: stored.parts.slice(0, index) };
}

function idOf({ info }: Stored): string {
  return safeString(info.id);
}

/** How full the window was after an answer. */
function sizeOf({ input, output, cacheRead, cacheWrite }: UsageEntry['usage']): number {
  return input + output + cacheRead + cacheWrite;
}

function* withLast<T>(items: Iterable<T>): Generator<{ readonly item: T; readonly isLast: boolean }> {
  let held: { readonly item: T } | undefined;
  for (const item of items) {
    if (held) yield { ...held, isLast: false };
    held = { item };
  }
  if (held) yield { ...held, isLast: true };
}

/** A message of opencode, where it is in the log. */
interface HistoryMessage {
  items: EpochItem[];
  /** Where the session stood before it. */
  readonly before: EntryId | null;
}

/** An output that opencode has pruned, and will not send from then on. */
interface Pruned {
  readonly at: number;
  readonly entry: EntryId;
  readonly made: Message;
}

/** The messages of a session in opencode's order, tracked next to the log. */
interface MessageHistory {
  /** Begins a message. */
  begin(id: string): void;
  /** Appends to the message that was begun. */
  say(input: { readonly draft: Draft<MessageEntry>; readonly at: number }): Entry[];
  /** Appends what a tool returned. */
  answer(input: { readonly returned: Returned; readonly at: number }): Entry[];
  /** Elides what was pruned up to a time. */
  prune(until: number): Entry[];
  /**
   * Puts a summary in place of what came before: the question and the summary first, as opencode sends them, then the
   * messages from `tail` on.
   */
  compact(input: {
    readonly made: readonly { readonly id: string; readonly message: Message }[];
    readonly summary: string;
    readonly tail: string | undefined;
    readonly tokens: number;
    readonly trigger: string;
    readonly details: { readonly opencode: { readonly id: string } };
    readonly at: number;
  }): Entry[];
  has(id: string): boolean;
  /** Goes back to before a message. */
  revert(input: { readonly id: string; readonly at: number }): Entry[];
}

function createHistory({ builder }: { readonly builder: LogBuilder }): MessageHistory {
  const slots = new Map<string, HistoryMessage>();
  let current: HistoryMessage = { items: [], before: null };
  let pruned: Pruned[] = [];
  return {
    has: (id) => slots.has(id),
    begin,
    say,
    answer({ returned: { draft, part, at: ended, prunedAt }, at }) {
      const entries = say({ draft, at: ended ?? at });
      const entry = entries.at(-1)?.id;
      if (entry !== undefined && prunedAt !== undefined) {
        const { wire: _, ...rest } = part;
        const content = [{ type: 'text', origin: 'engine', text: prunedNotice } as const];
        pruned.push({ at: prunedAt, entry, made: { role: 'tool', parts: [{ ...rest, content }] } });
      }
      return entries;
    },
    prune,
    compact({ made, summary, tail, tokens, trigger, details, at }) {
      const kept = tailFrom(tail);
      const [first] = kept;
      const firstKeptId = first ? entryOf(first) : null;
      const facts = { summary, firstKeptId, tokensBefore: tokens, trigger, details };
      const before = builder.leaf;
      const lead = made.map(({ id, message }): EpochItem => {
        slots.set(id, { items: [{ made: message }], before });
        return { made: message };
      });
      return [
        ...builder.append({ draft: { type: 'compaction', ...facts }, at }),
        ...open({ reason: 'compaction', list: [...lead, ...kept], at }),
      ];
    },
    revert({ id, at }) {
      const target = slots.get(id)?.before;
      if (target === undefined || target === builder.leaf) return [];
      return builder.append({ draft: { type: 'leaf', target, reason: 'rewind' }, at });
    },
  };

  function begin(id: string): void {
    current = { items: [], before: builder.leaf };
    slots.set(id, current);
  }

  function say({ draft, at }: { readonly draft: Draft<MessageEntry>; readonly at: number }): Entry[] {
    const entries = builder.append({ draft, at });
    const entry = entries.at(-1)?.id;
    if (entry !== undefined) current.items.push({ entry });
    return entries;
  }

  function prune(until: number): Entry[] {
    const due = new Map(pruned.filter(({ at }) => at <= until).map((one) => [one.entry, one]));
    if (due.size === 0) return [];
    pruned = pruned.filter(({ at }) => at > until);
    const elide = (item: EpochItem): EpochItem => {
      const one = 'entry' in item ? due.get(item.entry) : undefined;
      return one ? { made: one.made, for: one.entry } : item;
    };
    for (const slot of slots.values()) slot.items = slot.items.map(elide);
    const items = builder.items();
    const targets = items.flatMap((item) => ('entry' in item && due.has(item.entry) ? [item.entry] : []));
    // What a summary has already replaced is not sent anyway.
    if (targets.length === 0) return [];
    const at = [...due.values()].reduce((latest, one) => Math.max(latest, one.at), 0);
    const pruneTargets = targets.map((entry) => ({ entry, notice: prunedNotice }));
    return [
      ...builder.append({ draft: { type: 'prune', targets: pruneTargets }, at }),
      ...open({ reason: 'prune', list: items.map(elide), at }),
    ];
  }

  function open(of: { readonly reason: string; readonly list: readonly EpochItem[]; readonly at: number }): Entry[] {
    const { reason, list, at } = of;
    return builder.append({ draft: { type: 'epoch', reason, items: { list }, codec: codecVersion }, at });
  }

  /** The messages from one on, in the order in which they were said. */
  function tailFrom(id: string | undefined): EpochItem[] {
    const ids = [...slots.keys()];
    const start = id === undefined ? -1 : ids.indexOf(id);
    return start < 0 ? [] : [...slots.values()].slice(start).flatMap(({ items }) => items);
  }
}

function entryOf(item: EpochItem): EntryId | null {
  return ('entry' in item ? item.entry : item.for) ?? null;
}

/** Titles that a session has until a model has made one up for it. */
const placeholder = /^(New|Child) session - \d{4}-/;

/** What `opencode export` says of a session, and what the row of a database says in its words. */
export type OpencodeInfo = JsonObject & { readonly id: string };

export function headerOf(info: OpencodeInfo): ParsedHeader {
  const { directory } = info;
  const createdAt = readTime(isObject(info.time) ? info.time.created : undefined);
  // The rest changes while the session goes on.
  const kept = without(info, ['id', 'directory', 'title', 'time', 'summary', 'revert', 'permission', 'cost', 'tokens']);
  return {
    ...(typeof directory === 'string' && directory !== '' && { cwd: directory }),
    ...(createdAt !== undefined && { createdAt }),
    ...(kept && { details: { opencode: kept } }),
  };
}

/** The session that started this one to do a part of its work. */
export function parentOf({ parentID: parent }: OpencodeInfo): string | undefined {
  return typeof parent === 'string' ? parent : undefined;
}

/** The log of one session. `tasks` are the keys of what its owner asked of it. */
export function entriesOf({
  info,
  messages,
  tasks = new Set(),
  skips,
  warnings,
  startedAt,
}: {
  readonly info: OpencodeInfo;
  readonly messages: Iterable<Stored>;
  readonly tasks?: ReadonlySet<string>;
  readonly skips: SkipCounter;
  readonly warnings: WarningList;
  readonly startedAt: number;
}): AsyncGenerator<Entry> {
  // The first message of a sub-agent is its task; later messages may be human.
  let isFirst = parentOf(info) !== undefined;
  const isTask = (text: string) => {
    const isFirstText = isFirst;
    isFirst = false;
    return isFirstText || tasks.has(taskKey(text));
  };
  const builder = createLogBuilder({ idOf: createChain({ seed: `opencode\n${info.id}` }) });
  return readOpencodeEntries({ messages, facts: factsOf(info), builder, skips, warnings, isTask, startedAt });
}

/** A task without its text, which need not be kept in memory. */
export function taskKey(text: string): string {
  return digestOf(text);
}

function factsOf({ title, revert }: OpencodeInfo): SessionFacts {
  const { messageID: message, partID: part } = isObject(revert) ? revert : {};
  return {
    title: isTitle(title) ? title : undefined,
    revert: typeof message === 'string' ? { message, part: typeof part === 'string' ? part : undefined } : undefined,
  };
}

function isTitle(title: Json | undefined): title is string {
  return typeof title === 'string' && title !== '' && !placeholder.test(title);
}
