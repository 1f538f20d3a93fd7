import { type AgentEvent, type BackgroundEvent, createPlainStream, type EventSource, plain } from 'longhaul/agent';
import { type EngineEvent, eventLine } from 'longhaul/engine';
import { type ModelFailure, promptTokens } from 'longhaul/models';
import type { Entry } from 'longhaul/session';
import type { TokenShares } from 'longhaul/tokens';
import { isRecord } from '../../input/is-record.ts';
import { createUsageTally, type UsageTally } from '../../stats/usage.ts';
import { callItemId, type ItemChange, outputOf, shownOutput, Transcript } from './transcript.ts';
import type {
  BackgroundCommand,
  CompactionJob,
  ContextMeter,
  InteractiveActivity,
  InteractiveEvent,
  NoticeItem,
  QueuedInput,
  TodoItem,
} from './view.ts';

/** More items are dropped from the front; `loadEarlier` reads them again. */
const keptItems = 2_000;

/** Lines of a sub-agent that are shown. */
const subagentLines = 8;

/**
 * Follows a session: entries as they become durable, and the events of its agent between them. The log decides; events only
 * show early what the log says later.
 *
 * @example
 * const state = new ViewState({ session: id, now: io.now, emit });
 * session.watch((entries) => entries.forEach((entry) => state.takeEntry(entry)));
 * agent.on((event, from) => state.takeEvent(event, from));
 */
export class ViewState {
  readonly transcript = new Transcript();
  name: string | undefined;
  todos: readonly TodoItem[] = [];
  activity: InteractiveActivity;
  context: ContextMeter | undefined;
  cache: { readonly read: number; readonly prompt: number } | undefined;
  job: CompactionJob | undefined;
  /** Whether items were dropped from the front. */
  isTrimmed = false;
  readonly #session: string;
  readonly #now: () => number;
  readonly #emit: (event: InteractiveEvent) => void;
  readonly #queue = new Map<string, QueuedInput>();
  readonly #background = new Map<string, BackgroundCommand>();
  /** Streamed texts of the answer in progress, in order. */
  #segments: {
    readonly id: string;
    readonly kind: 'assistant' | 'thinking';
    readonly stream: ReturnType<typeof createPlainStream>;
  }[] = [];
  #answers = 0;
  #notices = 0;
  #tally: UsageTally = createUsageTally();
  #keep = keptItems;
  #isRunning = false;

  constructor(of: {
    readonly session: string;
    readonly now: () => number;
    readonly emit: (event: InteractiveEvent) => void;
  }) {
    this.#session = of.session;
    this.#now = of.now;
    this.#emit = of.emit;
    this.activity = { kind: 'idle', since: of.now() };
  }

  get queue(): readonly QueuedInput[] {
    return [...this.#queue.values()];
  }

  get background(): readonly BackgroundCommand[] {
    return [...this.#background.values()];
  }

  get costUsd(): number | undefined {
    return this.#tally.counted().dollars ?? undefined;
  }

  /** Facts of an earlier run: todos, todos, queued messages, usage. Notes only, in order of the log. */
  restore(notes: readonly Entry[]): void {
    this.#tally = createUsageTally();
    for (const note of notes) this.#takeNote(note);
  }

  /** Everything is read again after this: the session moved to another place. */
  clear(): void {
    this.transcript.clear();
    this.#segments = [];
    this.isTrimmed = false;
    this.#keep = keptItems;
  }

  /** The user looks at earlier items, so they stay. */
  keepMore(amount: number): void {
    this.#keep += amount;
  }

  takeEntry(entry: Entry): void {
    this.#takeNote(entry);
    const isAnswer =
      entry.type === 'partial_answer' || (entry.type === 'message' && entry.message.role === 'assistant');
    const live = isAnswer && this.#isRunning ? this.#segments.map(({ id }) => id) : undefined;
    if (isAnswer) this.#segments = [];
    this.#changed(this.transcript.take(entry, live));
  }

  #takeNote(entry: Entry): void {
    this.#tally.take(entry);
    switch (entry.type) {
      case 'queued_prompt': {
        const text = entry.message.parts.flatMap((part) =>
          part.type === 'text' && part.origin === 'human' ? [part.text] : [],
        );
        this.#queue.set(entry.key, {
          key: entry.key,
          text: plain(text.join('\n')),
          how: entry.how === 'steered' ? 'steered' : 'queued',
        });
        break;
      }
      case 'withdrawn_prompt':
        this.#queue.delete(entry.key);
        break;
      case 'message':
        if (entry.key !== undefined) this.#queue.delete(entry.key.replace(/:\d+$/, ''));
        break;
      case 'session_info':
        if (entry.info.name !== undefined) this.name = plain(entry.info.name) || undefined;
        break;
      case 'working_state':
        if ('todos' in entry.state) this.todos = todosOf(entry.state.todos);
        break;
      case 'usage': {
        if (entry.purpose !== undefined) break;
        this.cache = { read: entry.usage.cacheRead, prompt: promptTokens(entry.usage) };
        break;
      }
      default:
        return;
    }
    this.#emit({ type: 'status' });
  }

  takeEvent(event: AgentEvent, from: EventSource): void {
    if (from.session !== this.#session) {
      this.#takeSubagent(event, from);
      return;
    }
    switch (event.type) {
      case 'run_start':
        this.#isRunning = true;
        if (event.resumed) this.notice({ level: 'info', text: 'The work continues where it was interrupted.' });
        this.#act({ kind: 'thinking' });
        return;
      case 'turn_start':
        this.#answers += 1;
        this.#act({ kind: 'thinking' });
        return;
      case 'text':
        this.#stream({ kind: 'assistant', delta: event.delta });
        return;
      case 'thinking':
        this.#stream({ kind: 'thinking', delta: event.delta });
        return;
      case 'tool_start':
        this.#startTool(event);
        return;
      case 'tool_output':
        this.#appendOutput(event);
        return;
      case 'tool_end':
        this.#endTool(event);
        return;
      case 'retry':
        this.notice({ level: 'warning', text: `Retrying (attempt ${event.attempt}): ${event.failure.message}` });
        this.#act({ kind: 'retrying', text: `attempt ${event.attempt}` });
        return;
      case 'overflow':
        this.notice({
          level: 'warning',
          text: 'The request was too long for the model; it is made smaller and sent again.',
        });
        return;
      case 'provider_compaction':
        this.notice({ level: 'info', text: `The provider compacted the context itself (${event.name}).` });
        return;
      case 'notice':
        this.notice({ level: 'warning', text: event.text });
        return;
      case 'engine':
        this.#takeEngine(event.event);
        return;
      case 'run_end':
        this.#endRun(event);
        return;
      default:
        return;
    }
  }

  /** Adds a line that is not in the log: it concerns this run only. */
  notice({ level, text }: Pick<NoticeItem, 'level' | 'text'>): void {
    this.#notices += 1;
    const item: NoticeItem = {
      id: `notice:${this.#notices}`,
      at: this.#now(),
      kind: 'notice',
      level,
      text: plain(text),
    };
    this.#changed([this.transcript.put(item)]);
  }

  put(item: Parameters<Transcript['put']>[0]): void {
    this.#changed([this.transcript.put(item)]);
  }

  setContext(context: ContextMeter | undefined): void {
    this.context = context;
    this.#emit({ type: 'status' });
  }

  setJob(job: CompactionJob | undefined): void {
    this.job = job;
    this.#emit({ type: 'status' });
  }

  act(activity: Omit<InteractiveActivity, 'since'>): void {
    this.#act(activity);
  }

  #act({ kind, text }: Omit<InteractiveActivity, 'since'>): void {
    const { activity } = this;
    const since = activity.kind === kind && activity.text === text ? activity.since : this.#now();
    this.activity = { kind, since, ...(text !== undefined && { text }) };
    this.#emit({ type: 'status' });
  }

  #stream({ kind, delta }: { readonly kind: 'assistant' | 'thinking'; readonly delta: string }): void {
    let segment = this.#segments.at(-1);
    if (segment?.kind !== kind) {
      segment = { id: `answer:${this.#answers}.${this.#segments.length}`, kind, stream: createPlainStream() };
      this.#segments.push(segment);
    }
    const text = segment.stream.push(delta);
    this.#act({ kind: kind === 'assistant' ? 'answering' : 'thinking' });
    if (text === '') return;
    const known = this.transcript.find(segment.id);
    const before = known?.kind === kind ? known.text : '';
    const at = known?.at ?? this.#now();
    const change = this.transcript.put({ id: segment.id, at, kind, text: before + text, isStreaming: true });
    if (change.change === 'added') this.#emit({ type: 'item', ...change });
    else this.#emit({ type: 'delta', id: segment.id, text });
  }

  #startTool({ callId, tool, input, summary }: Extract<AgentEvent, { type: 'tool_start' }>): void {
    const id = callItemId(callId);
    const known = this.transcript.call(callId);
    const base = known ?? { id, at: this.#now(), kind: 'tool', callId, tool, input, output: '', isCut: false };
    this.put({ ...base, kind: 'tool', summary: plain(summary), input, state: 'running' });
    this.#act({ kind: 'tool', text: plain(summary) });
  }

  /** The call waits for the user, or no longer does. */
  setWaiting({ callId, isWaiting }: { readonly callId: string; readonly isWaiting: boolean }): void {
    const call = this.transcript.call(callId);
    if (call && ['pending', 'waiting', 'running'].includes(call.state))
      this.put({ ...call, state: isWaiting ? 'waiting' : 'running' });
    this.#act(isWaiting ? { kind: 'waiting' } : { kind: 'tool', ...(call && { text: call.summary }) });
  }

  #appendOutput({ callId, text: written }: Extract<AgentEvent, { type: 'tool_output' }>): void {
    const call = this.transcript.call(callId);
    if (!call) return;
    const text = plain(written);
    const all = call.output + text;
    // Cut in steps, so that a long output is not copied for every line.
    const shown = all.length > 2 * shownOutput ? outputOf(all) : { output: all, isCut: call.isCut };
    this.transcript.put({ ...call, ...shown });
    this.#emit({ type: 'delta', id: call.id, text });
  }

  #endTool({ callId, isError, text, ms, details }: Extract<AgentEvent, { type: 'tool_end' }>): void {
    const call = this.transcript.call(callId);
    if (!call) return;
    const facts = isRecord(details) ? details : {};
    const { subagent } = call;
    this.put({
      ...call,
      state: isError ? 'failed' : 'done',
      ...outputOf(plain(text)),
      ms,
      ...(typeof facts.diff === 'string' && { diff: plain(facts.diff) }),
      ...(typeof facts.exit === 'number' && { exit: facts.exit }),
      ...(subagent && { subagent: { ...subagent, isRunning: false } }),
    });
    this.#act({ kind: 'thinking' });
  }

  /** A background command started, printed something or ended. */
  takeBackground({ id, command, text = '', exit }: BackgroundEvent): void {
    const known = this.#background.get(id) ?? { id, command: plain(command), state: 'running', output: '' };
    const all = known.output + plain(text);
    this.#background.set(id, {
      ...known,
      ...(exit !== undefined && { state: 'ended', exit }),
      output: all.length > 2 * shownOutput ? outputOf(all).output : all,
    });
    this.#emit({ type: 'status' });
  }

  #takeSubagent(event: AgentEvent, { parent }: EventSource): void {
    if (parent?.session !== this.#session) return;
    const call = this.transcript.call(parent.callId);
    if (!call) return;
    const { description, prompt } = call.input;
    const task = [description, prompt].find((each) => typeof each === 'string') ?? '';
    const before = call.subagent ?? { session: '', task: plain(String(task)), isRunning: true, lines: [] };
    if (event.type === 'run_start') this.put({ ...call, subagent: { ...before, session: event.session } });
    if (event.type !== 'tool_start') return;
    const lines = [...before.lines, plain(event.summary)].slice(-subagentLines);
    this.put({ ...call, subagent: { ...before, lines } });
  }

  #takeEngine(event: EngineEvent): void {
    switch (event.type) {
      case 'usage': {
        const { used, bound, window, reserve } = event;
        const shares = sharesOf(event);
        this.setContext({ threshold: window - reserve, ...this.context, used, bound, window, reserve, shares });
        return;
      }
      case 'compactionStart':
        this.#act({ kind: 'compacting' });
        this.setJob({ kind: 'compaction', state: 'running', startedAt: event.at });
        return;
      case 'compactionComplete':
        this.#act({ kind: this.#isRunning ? 'thinking' : 'idle' });
        if (event.error !== undefined) this.notice({ level: 'warning', text: eventLine(event) });
        this.setJob(undefined);
        return;
      case 'jobStart':
        this.setJob({ kind: 'background', state: 'running', startedAt: event.at });
        return;
      case 'jobSettled': {
        const state = event.outcome === 'done' ? 'ready' : 'failed';
        const { startedAt = event.at } = this.job ?? {};
        if (event.outcome === 'cancelled') {
          this.setJob(undefined);
          return;
        }
        this.setJob({
          kind: 'background',
          state,
          startedAt,
          ...(event.why !== undefined && { why: event.why }),
        });
        return;
      }
      case 'jobInstalled':
      case 'jobDropped':
        this.setJob(undefined);
        return;
      case 'guard':
      case 'limit':
      case 'hookFailed':
        this.notice({ level: 'warning', text: eventLine(event) });
        return;
      default:
        return;
    }
  }

  #endRun({ reason, failure }: Extract<AgentEvent, { type: 'run_end' }>): void {
    // Text that was streamed and not logged: the provider failed after it.
    for (const { id } of this.#segments) {
      const item = this.transcript.find(id);
      if (item && (item.kind === 'assistant' || item.kind === 'thinking')) this.put({ ...item, isStreaming: false });
    }
    this.#segments = [];
    this.#isRunning = false;
    for (const item of this.transcript.items.slice(-50)) {
      if (item.kind === 'tool' && ['pending', 'running', 'waiting'].includes(item.state))
        this.put({ ...item, state: 'interrupted' });
    }
    if (failure) this.notice({ level: 'error', text: failureText(failure) });
    if (reason === 'max_turns') this.notice({ level: 'warning', text: 'The limit of turns was reached.' });
    if (reason === 'max_cost') this.notice({ level: 'warning', text: 'The cost limit was reached.' });
    this.#act({ kind: 'idle' });
    const how =
      reason === 'done' ? 'done' : reason === 'aborted' ? 'stopped' : reason.startsWith('max') ? 'limit' : 'failed';
    this.#emit({ type: 'finished', reason: how, ...(failure && { text: failure.message }) });
  }

  #changed(changes: readonly ItemChange[]): void {
    for (const change of changes) this.#emit({ type: 'item', ...change });
    // In steps: removing one item at a time would move all others each time.
    if (this.transcript.items.length > this.#keep * 1.25) this.isTrimmed ||= this.transcript.trim({ keep: this.#keep });
  }
}

/** The shares of a snapshot. */
export function sharesOf({ system, tools, messages, toolResults, files }: TokenShares): TokenShares {
  return { system, tools, messages, toolResults, files };
}

function failureText({ kind, message }: ModelFailure): string {
  const next = kind === 'auth' ? ' Check the key of the provider; `longhaul models` shows where it is read from.' : '';
  return `${message}${next}`;
}

const statuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const;

function todosOf(value: unknown): readonly TodoItem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((todo: unknown) => {
    if (!isRecord(todo) || typeof todo.content !== 'string') return [];
    const status = statuses.find((each) => each === todo.status) ?? 'pending';
    return [{ text: plain(todo.content), status }];
  });
}
