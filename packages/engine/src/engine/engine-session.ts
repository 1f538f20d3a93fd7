import { createMask, type Mask } from '../analysis/index.ts';
import { isHumanMessage, type Json, type Message, type ToolDefinition } from '../message/index.ts';
import type { ModelFailure, TargetModel } from '../models/index.ts';
import {
  type Context,
  conversationOf,
  type Draft,
  type EntryId,
  type EntryOf,
  type PinEntry,
  type Recalled,
  type Reversal,
  type Session,
  type SessionId,
} from '../session/index.ts';
import type { Clock } from '../time.ts';
import type { ReportedUsage } from '../tokens/index.ts';
import { BackgroundCompaction } from './background/background-compaction.ts';
import { type MoveInput, type MoveResult, moveSession } from './branch/move.ts';
import { BudgetEnforcer } from './budget-enforcer.ts';
import { type Checkpoint, checkpointsOf } from './checkpoints/checkpoint.ts';
import { type CheckpointMirror, mirrorCheckpoints } from './checkpoints/mirror.ts';
import type { Emit, EngineEvent, EventName } from './events/event.ts';
import { createEventStream, type EngineListener, type EventStream, type EventsInput } from './events/stream.ts';
import { sizeOf, truncationOf } from './events/truncation.ts';
import type { Hooks } from './hooks/hooks.ts';
import { createHookRunner, type HookRunner } from './hooks/run-hooks.ts';
import { Compactor } from './install/compactor.ts';
import { ModelState, modelKey } from './model-state.ts';
import { type PinInput, pinRule } from './pin.ts';
import type { CompactionCandidate, Summarizers } from './plan/candidate.ts';
import { continuationAfter } from './policy/continuation.ts';
import type { Policy } from './policy/policy.ts';
import { capDraft } from './prune/cap-output.ts';
import { type PruneInput, type PruneResult, pruneNow } from './prune/elide.ts';
import { RequestRenderer } from './render-prompts.ts';
import { requireRequest, ThinkingValidity, validRequestFor } from './repair-request.ts';
import { createMessageCount, type SessionLedger } from './session-ledger.ts';
import { followState, isSentPrefix, type SessionState, sentRequest, startsWithRequest } from './state.ts';
import { syncHead, unchangedEpoch } from './sync-head.ts';
import type { TokenAccounting } from './token-accounting.ts';
import type { Transcript } from './transcript/follow.ts';
import { createTranscripts, type Transcripts } from './transcript/transcripts.ts';
import type {
  CompactInput,
  CompactionResult,
  JobView,
  Preflight,
  Prepared,
  PrepareInput,
  SessionSize,
  SizeInput,
} from './types.ts';

/** What all sessions of an engine share. */
export interface EngineTools {
  readonly count: (text: string) => number;
  readonly policy: Policy;
  readonly now: () => number;
  readonly sleep: Clock['sleep'];
  readonly random: () => number;
  readonly by: Summarizers;
  readonly hooks: Hooks | undefined;
  readonly accounting: TokenAccounting;
}

/**
 * A session that keeps itself inside the window. Everything that changes what is sent is an entry of the log, so another
 * machine that opens the session sends the same bytes. Calls take turns; `append` never waits for a summary.
 */
export class EngineSession {
  readonly session: Session;
  /** Masks secrets in what is derived from this session, the configured ones included. */
  readonly mask: Mask;
  readonly #tools: EngineTools;
  readonly #stream: EventStream;
  readonly #endStream: () => void;
  readonly #emit: Emit;
  readonly #asking: HookRunner | undefined;
  readonly #transcripts: Transcripts;
  readonly #rebinding: ThinkingValidity;
  readonly #compactor: Compactor;
  readonly #beside: BackgroundCompaction;
  readonly #knowledge: ModelState;
  readonly #fitting: BudgetEnforcer;
  readonly #prompts: RequestRenderer;
  readonly #standing: () => Promise<SessionState>;
  #line: Promise<unknown> = Promise.resolve();
  #isReopened: boolean;

  constructor({ session, tools }: { readonly session: Session; readonly tools: EngineTools }) {
    const { by, policy, now, count, accounting, hooks } = tools;
    const { stream, emit, close } = createEventStream({ session: session.id, now });
    const { secrets } = by;
    const transcripts = createTranscripts({ session, secrets });
    const asking = hooks && createHookRunner({ hooks, session, count, secrets, now, emit, transcripts });
    this.session = session;
    this.mask = createMask({ values: secrets ?? [], salt: session.id });
    this.#isReopened = session.head.last > 0;
    this.#tools = tools;
    this.#stream = stream;
    this.#endStream = close;
    this.#emit = emit;
    this.#standing = followState(session);
    this.#knowledge = new ModelState({ session, accounting, emit });
    this.#asking = asking;
    this.#transcripts = transcripts;
    this.#rebinding = new ThinkingValidity(session);
    const rebinding = this.#rebinding;
    this.#compactor = new Compactor({ session, by, policy, emit, now, asking, transcripts, rebinding });
    // Where a model was asked and the summary had to be made without it, the next one waits for a while.
    const isSure = by.summarizer === by.last;
    const isGood = ({ proposal }: CompactionCandidate) => isSure || proposal.strategy !== by.last.strategy;
    const onDeclined = () => this.#fitting.decline();
    this.#beside = new BackgroundCompaction({
      session,
      compactor: this.#compactor,
      policy,
      isGood,
      now,
      emit,
      onDeclined,
    });
    const parts = { compactor: this.#compactor, beside: this.#beside, knowledge: this.#knowledge };
    this.#fitting = new BudgetEnforcer({ session, ...tools, ...parts, emit, isSure, secrets });
    const [knowledge, fitting, standing] = [this.#knowledge, this.#fitting, this.#standing];
    this.#prompts = new RequestRenderer({ session, count, knowledge, fitting, standing });
  }

  get id(): SessionId {
    return this.session.id;
  }

  get context(): Context {
    return this.session.context;
  }

  on<Name extends EventName>(name: Name, listener: EngineListener<Name>): () => void {
    return this.#stream.on(name, listener);
  }

  /** Listens to everything that happens, in order. */
  onAny(listener: EngineListener<EventName>): () => void {
    return this.#stream.onAny(listener);
  }

  /** The same, to be read at one's own pace. */
  events(input?: EventsInput): AsyncIterableIterator<EngineEvent> {
    return this.#stream.events(input);
  }

  /** The summary that is made beside the work: idle, running, ready or failed. */
  get job(): JobView {
    return this.#beside.view;
  }

  /** Calls the summary off that is made beside the work; whether there was one. */
  cancelJob(): boolean {
    return this.#beside.cancel('It was called off.');
  }

  /**
   * Calls the summary off that is made beside the work, waits for what was asked for before, and ends the events. No
   * model keeps the process alive after it, and no other summary is begun beside the work. The store stays open.
   */
  async close(): Promise<void> {
    await this.#beside.close();
    await this.#alone(async () => undefined);
    this.#endStream();
  }

  /** Answers, tool results and metadata; what is said to the model comes with `prepare`. */
  append<D extends Draft>(draft: D): Promise<EntryOf<D>> {
    return this.session.append(this.#asSent(draft));
  }

  #asSent<D extends Draft>(draft: D): D {
    const { policy, count } = this.#tools;
    const { window } = this.#knowledge.ledger ?? {};
    return capDraft({ draft, offloads: policy.offloads, window, count, said: this.context.items });
  }

  /**
   * Makes the next request: appends the turn, opens an epoch where that is due, and says what to send. Where nothing is left
   * that the provider would take it rejects with `nothing-to-send`.
   */
  prepare(input: PrepareInput): Promise<Prepared> {
    return this.#alone(() => this.#prepare(input));
  }

  async #prepare({ model, head, turn, tools = [], options, signal }: PrepareInput): Promise<Prepared> {
    const opened: { reason: string; epoch: EntryId }[] = [];
    const note = (reason: string, epoch: EntryId | undefined) => {
      if (epoch === undefined) return;
      opened.push({ reason, epoch });
      this.#emit('epoch', { reason, epoch });
    };
    const knowledge = this.#knowledge;
    await knowledge.load({ model, standing: await this.#standing() });
    const before = knowledge.ledger?.model;
    const switchedFrom = before && modelKey(before) !== modelKey(model) ? before : undefined;
    const rendered = await this.#prompts.head({ model, head, tools, signal });
    await syncHead({
      session: this.session,
      standing: await this.#standing(),
      model,
      head: rendered.head,
      tools,
      note,
    });
    await rendered.remember();
    // What was planned on another beginning is of no use (editor.md 2.2).
    if (opened.length > 0) this.#beside.cancel('The beginning of the conversation has changed.');
    const standing = await this.#standing();
    const weighing = knowledge.ledgerFor({ model, standing });
    const making = { scale: weighing, tools, options, standing, switchedFrom, note, signal };
    const messages = await this.#prompts.turn({ turn, request: making });
    // Results and what the engine says itself change nothing about what was tried in vain.
    if ((await this.#say({ messages, key: turn?.key })) && messages.some(isHumanMessage)) {
      knowledge.overflows.clear();
      this.#fitting.begin();
    }
    knowledge.overflows.check(modelKey(model));
    const scale = knowledge.ledgerFor({ model, standing });
    scale.count({ context: this.context, tools });
    const { newlyCounted: touched } = scale;
    await knowledge.restoreLastRequest(scale);
    const request = { scale, tools, options, standing, switchedFrom, note, signal };
    const fit = () => this.#fitting.fit(request).catch((error) => knowledge.overflows.explain(error));
    let fitted = await fit();
    // What was confirmed no longer is, once something before it was mended.
    if (await this.#mended({ model, note })) {
      const { begin: _tooEarly, ...before } = fitted;
      fitted = { ...before, ...(await fit()) };
    }
    const { budget, compaction, begin } = fitted;
    const sent = validRequestFor({ context: this.context, model });
    requireRequest({ items: sent.items, context: this.context, model });
    const snapshot = scale.count({ context: this.context, tools });
    const { epoch } = this.context;
    knowledge.recordRequest(sentRequest({ context: this.context, model, items: sent.items, tokens: snapshot.used }));
    this.#emit('usage', { ...snapshot, messageCount: sent.head.length + sent.items.length });
    begin?.();
    return {
      head: sent.head,
      items: sent.items,
      tools,
      tokens: snapshot.used,
      bound: snapshot.bound,
      epoch,
      report: {
        ...{ snapshot, budget, opened, touched, repairs: sent.repairs },
        rebindsThinking: await this.#rebinding.in({ model, items: sent.items }),
        ...(compaction && { compaction }),
        ...continuationAfter({ context: this.context, policy: this.#tools.policy, compaction }),
      },
    };
  }

  /**
   * What mends a list for its provider can reach far back: a result that comes after its stand-in was sent takes its
   * place. What would change bytes that were sent opens an epoch.
   */
  async #mended({ model, note }: Pick<Parameters<typeof syncHead>[0], 'model' | 'note'>): Promise<boolean> {
    const { context, session } = this;
    const { lastRequest: sent } = this.#knowledge;
    // The log knows requests that were confirmed; before a restart there may have been longer ones. Mending may change them.
    const known = sent?.length ?? 0;
    const isUnknown =
      this.#isReopened && validRequestFor({ context, model }).repairs.some(({ at }) => at.message >= known);
    this.#isReopened = false;
    if (isUnknown) {
      note('repair', (await session.append(unchangedEpoch({ session, reason: 'repair', model }))).id);
      return true;
    }
    if (!sent || !isSentPrefix({ sent, context })) return false;
    const isOtherDialect = sent.dialect !== model.dialect;
    if (!isOtherDialect && startsWithRequest({ from: sent, items: validRequestFor({ context, model }).items }))
      return false;
    const reason = isOtherDialect ? 'model' : 'repair';
    note(reason, (await session.append(unchangedEpoch({ session, reason, model }))).id);
    return true;
  }

  /** What a provider said of the last request: its usage, or why it failed. */
  report(
    outcome:
      | { readonly usage: ReportedUsage /** The provider's id of the request. */; readonly requestId?: string }
      | { readonly failure: ModelFailure },
  ): Promise<void> {
    return this.#alone(() => this.#knowledge.recordOutcome(outcome));
  }

  /** What a request to a model would come to, and what it has to fit into: before one switches to it. Nothing is written. */
  async preflight({ model, tools: given }: Pick<PrepareInput, 'model' | 'tools'>): Promise<Preflight> {
    const tools = given ?? (await this.tools());
    const standing = await this.#standing();
    await this.#knowledge.load({ model, standing });
    const scale = this.#knowledge.createLedger({ model, standing });
    const { used: tokens, bound } = scale.estimate({ items: this.context.items, tools });
    const budget = this.#fitting.budgetFor({ scale, tools });
    return { tokens, bound, budget, fits: bound <= budget.limit };
  }

  /** The tools that were offered with the last request, or that an imported request held. */
  async tools(): Promise<readonly ToolDefinition[]> {
    const { offered } = await this.#standing();
    return offered ?? conversationOf(this.session).tools;
  }

  /**
   * How full the window of a model is where the session stands, by the ledger that decides when to compact: with the tools
   * that were offered last, and with what the provider reported. Nothing is written.
   *
   * @example
   * const { snapshot, budget } = await session.size({ model });
   * console.log(`${snapshot.used} of ${snapshot.window} tokens, at most ${snapshot.bound}`);
   */
  size({ model, tools: given, messages }: SizeInput): Promise<SessionSize> {
    return this.#alone(async () => {
      const tools = given ?? (await this.tools());
      const scale = await this.#weighed({ model, tools });
      const items = messages?.map((message) => ({ message, entry: null, isMade: true }));
      const snapshot = items ? scale.estimate({ items, tools }) : scale.count({ context: this.context, tools });
      const budget = this.#fitting.budgetFor({ scale, tools });
      return { snapshot, budget, tools, toolTokens: scale.toolTokens(tools), weigh: scale.scales.weigh };
    });
  }

  /** The scale of the session for a model, with everything that the log knows of what was sent. */
  async #weighed({ model, tools }: { model: TargetModel; tools: readonly ToolDefinition[] }): Promise<SessionLedger> {
    const standing = await this.#standing();
    await this.#knowledge.load({ model, standing });
    const scale = this.#knowledge.ledgerFor({ model, standing });
    scale.count({ context: this.context, tools });
    await this.#knowledge.restoreLastRequest(scale);
    return scale;
  }

  /** Compacts now, because somebody asks for it. What is being made beside the work is called off. */
  compact({
    model,
    tools: given,
    options,
    trigger = 'manual',
    target,
    ...input
  }: CompactInput): Promise<CompactionResult> {
    return this.#alone(async () => {
      const tools = given ?? (await this.tools());
      const standing = await this.#standing();
      await this.#knowledge.load({ model: target ?? model, standing });
      if (!input.dryRun) this.#beside.cancel('Somebody compacts by hand.');
      const scale = target
        ? this.#knowledge.createLedger({ model: target, standing })
        : await this.#weighed({ model, tools });
      const budget = this.#fitting.budgetFor({ scale, tools });
      const { state, previous } = standing;
      // Whoever asks for it waits for it; where memory runs short nobody did.
      const asks = trigger !== 'memory' || this.#tools.policy.mayWait > 0;
      return await this.#compactor.compact({
        ...{
          ledger: scale,
          tools,
          budget,
          trigger,
          isForced: false,
          usesModel: asks,
          state,
          mode: this.#tools.policy.mode,
        },
        live: this.#fitting.liveFor({ model, scale, tools, options }),
        ...(previous && { previous }),
        ...input,
      });
    });
  }

  /** What `compact` would do. Nothing is written. */
  preview(input: CompactInput): Promise<CompactionResult> {
    return this.compact({ ...input, dryRun: true });
  }

  /** Elides old tool outputs now, because somebody asks for it. */
  prune({ model, tools: given, dryRun = false }: PruneInput): Promise<PruneResult> {
    return this.#alone(async () => {
      const tools = given ?? (await this.tools());
      const scale = await this.#weighed({ model, tools });
      const { policy } = this.#tools;
      const size = () => sizeOf({ snapshot: scale.count({ context: this.context, tools }), context: this.context });
      const before = size();
      const pruned = await pruneNow({ session: this.session, scale, emit: this.#emit, policy, tools, dryRun });
      const { limit } = this.#fitting.budgetFor({ scale, tools });
      if (pruned.installed) this.#emit('truncation', truncationOf({ by: 'prune', limit, before, after: size() }));
      return pruned;
    });
  }

  /** Takes the newest action back and holds: nothing is compacted unasked until the window forces it. */
  undo(): Promise<Reversal> {
    return this.#alone(() => this.#elsewhere(() => this.session.undo()));
  }

  redo(): Promise<Reversal> {
    return this.#alone(() => this.#elsewhere(() => this.session.redo()));
  }

  /** Stands elsewhere in the tree; where that is asked for, what is left behind is told there. */
  move({ model, ...wish }: MoveInput & { readonly model?: TargetModel }): Promise<MoveResult> {
    return this.#alone(async () => {
      const { count, policy, by } = this.#tools;
      const scale = model
        ? this.#knowledge.createLedger({ model, standing: await this.#standing() })
        : this.#knowledge.ledger;
      const { weigh } = scale?.scales ?? { weigh: createMessageCount(count) };
      // What nobody asked for is not worth waiting for a model.
      const summarizer = wish.summarize || policy.mayWait > 0 ? by.summarizer : by.last;
      const about = { session: this.session, secrets: by.secrets, count, asking: this.#asking };
      const tools = {
        ...{ ...about, summarizer, weigh, window: scale?.window, mode: policy.foreground },
        conversation: scale?.model,
      };
      const result = await moveSession({ ...tools, summarize: policy.branchSummaries, ...wish });
      if (!result.moved) return result;
      this.#beside.cancel('The conversation goes on elsewhere.');
      const { from, leaf: to, summary, abandoned } = result;
      this.#emit('moved', { from, to, abandoned: abandoned.length, ...(summary && { summary: summary.id }) });
      return result;
    });
  }

  /** The compactions in force, a view of the log. */
  checkpoints(): Promise<Checkpoint[]> {
    return checkpointsOf({ session: this.session, secrets: this.#tools.by.secrets });
  }

  /** Keeps the checkpoints as files, `DIR/checkpoints/NNN-title.md` and a list of them, until it is closed. */
  mirror({ dir }: { readonly dir: string }): CheckpointMirror {
    const { by, now } = this.#tools;
    const onWritten = ({ number, title, id: entry }: Checkpoint) => this.#emit('checkpoint', { number, title, entry });
    return mirrorCheckpoints({ session: this.session, dir, secrets: by.secrets, now, onWritten });
  }

  /** Keeps a readable transcript up to date; summaries name it until it is closed. */
  follow(input: { readonly file: string }): Promise<Transcript> {
    return this.#transcripts.follow(input);
  }

  /** A rule that every compaction carries on, byte for byte. One that cannot be carried is refused. */
  pin(input: PinInput): Promise<PinEntry> {
    return this.#alone(() => pinRule({ session: this.session, count: this.#tools.count, ...input }));
  }

  /** Says what the agent is working in: plan, todos, skills. The newest of each member holds. */
  async state(state: { readonly [name: string]: Json }): Promise<void> {
    await this.#alone(() => this.session.append({ type: 'custom', customType: 'longhaul:state', data: state }));
  }

  recall(input: Parameters<Session['recall']>[0]): Promise<Recalled> {
    return this.session.recall(input);
  }

  /** Whether it was new: with a key that was there before it is the same turn, tried again. */
  async #say(turn: { readonly messages: readonly Message[]; readonly key: string | undefined }): Promise<boolean> {
    if (turn.messages.length === 0) return false;
    const { last } = this.session.head;
    const drafts = turn.messages.map((message, index) => ({
      type: 'message' as const,
      message,
      ...(turn.key !== undefined && { key: `${turn.key}:${index}` }),
    }));
    const said = await this.session.appendBatch(drafts.map((draft) => this.#asSent(draft)));
    return said.some(({ handle }) => handle > last);
  }

  /** What is planned on where the session stands is of no use where it goes; where it stays, it is. */
  async #elsewhere<T>(go: () => Promise<T>): Promise<T> {
    const gone = await go();
    this.#beside.cancel('The conversation goes on elsewhere.');
    return gone;
  }

  /** One thing at a time, in the order in which it was asked for. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => undefined);
    return done;
  }
}
