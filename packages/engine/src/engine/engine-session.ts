import { createMask, type Mask } from '../analysis/index.ts';
import type { Json, ToolDefinition } from '../message/index.ts';
import type { ModelFailure, TargetModel } from '../models/index.ts';
import {
  type Context,
  conversationOf,
  type Draft,
  type EntryOf,
  type PinEntry,
  type Recalled,
  type Reversal,
  type Session,
  type SessionId,
} from '../session/index.ts';
import type { Clock } from '../time.ts';
import { BackgroundCompaction } from './background/background-compaction.ts';
import { type MoveInput, type MoveResult, moveSession } from './branch/move.ts';
import { BudgetEnforcer } from './budget-enforcer.ts';
import { type Checkpoint, checkpointsOf } from './checkpoints/checkpoint.ts';
import { type CheckpointMirror, mirrorCheckpoints } from './checkpoints/mirror.ts';
import { DeclinedCompaction } from './declined.ts';
import type { EngineEvent, EventName } from './events/event.ts';
import { createEventStream, type EngineListener, type EventStream, type EventsInput } from './events/stream.ts';
import { sizeOf, truncationOf } from './events/truncation.ts';
import type { Hooks } from './hooks/hooks.ts';
import { createHookRunner, type HookRunner } from './hooks/run-hooks.ts';
import { Compactor } from './install/compactor.ts';
import { type BilledUsage, ModelState } from './model-state.ts';
import { type PinInput, pinRule } from './pin.ts';
import type { Summarizers } from './plan/candidate.ts';
import { overridesOf, type Policy } from './policy/policy.ts';
import { type PrepareParts, prepare } from './prepare.ts';
import { capDraft } from './prune/cap-output.ts';
import { type PruneInput, type PruneResult, pruneNow } from './prune/elide.ts';
import { epochWithoutThinking, ThinkingValidity } from './repair-request.ts';
import { createMessageCount, type SessionLedger } from './session-ledger.ts';
import { followState } from './state.ts';
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
 * A session that stays inside the window of its model. Everything that changes what is sent is an entry of the log, so
 * another machine that opens the session sends the same bytes. Calls run one after the other; `append` never waits for a
 * summary.
 */
export class EngineSession {
  readonly session: Session;
  /** Masks secrets in everything derived from this session, the configured ones included. */
  readonly mask: Mask;
  readonly #tools: EngineTools;
  readonly #stream: EventStream;
  readonly #endStream: () => void;
  readonly #hooks: HookRunner | undefined;
  readonly #transcripts: Transcripts;
  readonly #compactor: Compactor;
  readonly #parts: PrepareParts;
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ session, tools }: { readonly session: Session; readonly tools: EngineTools }) {
    const { by, policy, now, count, accounting } = tools;
    const { stream, emit, close } = createEventStream({ session: session.id, now });
    const { secrets } = by;
    const transcripts = createTranscripts({ session, secrets });
    const hooks =
      tools.hooks && createHookRunner({ hooks: tools.hooks, session, count, secrets, now, emit, transcripts });
    const models = new ModelState({ session, accounting, emit });
    const thinking = new ThinkingValidity(session);
    const declined = new DeclinedCompaction({ session, models });
    const compactor = new Compactor({ session, by, policy, emit, now, hooks, transcripts, thinking });
    const isModelFree = by.summarizer === by.last;
    const background = new BackgroundCompaction({
      session,
      compactor,
      policy,
      // After a summary that had to be made without the model, the next job backs off.
      isGood: ({ proposal }) => isModelFree || proposal.strategy !== by.last.strategy,
      now,
      emit,
      declined,
    });
    const enforcer = new BudgetEnforcer({
      ...tools,
      session,
      compactor,
      background,
      models,
      declined,
      emit,
      isModelFree,
      secrets,
    });
    this.session = session;
    this.mask = createMask({ values: secrets ?? [], salt: session.id });
    this.#tools = tools;
    this.#stream = stream;
    this.#endStream = close;
    this.#hooks = hooks;
    this.#transcripts = transcripts;
    this.#compactor = compactor;
    this.#parts = {
      session,
      policy,
      count,
      state: followState(session),
      models,
      enforcer,
      background,
      thinking,
      capped: (draft) =>
        capDraft({
          draft,
          offloads: policy.prune.offloadAbove,
          window: models.ledger?.window,
          count,
          said: session.context.items,
        }),
      emit,
    };
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

  /** Listens to all events, in order. */
  onAny(listener: EngineListener<EventName>): () => void {
    return this.#stream.onAny(listener);
  }

  /** The same events as an async iterator. */
  events(input?: EventsInput): AsyncIterableIterator<EngineEvent> {
    return this.#stream.events(input);
  }

  /** The state of the background summary. */
  get job(): JobView {
    return this.#parts.background.view;
  }

  /** Cancels the background summary; whether there was one. */
  cancelJob(): boolean {
    return this.#parts.background.cancel('It was cancelled.');
  }

  /**
   * Cancels the background summary, waits for calls in progress, and ends the event stream. Afterwards no model keeps the
   * process alive and no background summary starts. The store stays open.
   */
  async close(): Promise<void> {
    await this.#parts.background.close();
    await this.#exclusive(async () => undefined);
    this.#endStream();
  }

  /** Appends answers, tool results and metadata. Input for the model is passed to `prepare`. */
  append<D extends Draft>(draft: D): Promise<EntryOf<D>> {
    return this.session.append(this.#parts.capped(draft));
  }

  /**
   * Makes the next request: appends the turn, opens an epoch where one is due, and returns what to send. Rejects with
   * `nothing-to-send` where no message is left that the provider would accept.
   */
  prepare(input: PrepareInput): Promise<Prepared> {
    return this.#exclusive(() => prepare({ parts: this.#parts, input }));
  }

  /** Records the outcome of the last request: its usage, or why it failed. */
  report(
    outcome:
      | { readonly usage: BilledUsage /** The provider's id of the request. */; readonly requestId?: string }
      | { readonly failure: ModelFailure },
  ): Promise<void> {
    return this.#exclusive(() => this.#parts.models.recordOutcome(outcome));
  }

  /**
   * Opens an epoch without the reasoning of earlier answers, after a provider rejected its signatures. Whether there was
   * any; what is appended from now on keeps its own.
   *
   * @example
   * if (failure.kind === 'invalid' && failure.rejectsThinking) await session.dropThinking({ model });
   */
  dropThinking({ model }: { readonly model?: TargetModel } = {}): Promise<boolean> {
    return this.#exclusive(async () => {
      const draft = epochWithoutThinking({ context: this.context, model });
      if (!draft) return false;
      this.#parts.background.cancel('The reasoning of earlier answers was removed.');
      const { id } = await this.session.append(draft);
      this.#parts.emit('epoch', { reason: draft.reason, epoch: id });
      return true;
    });
  }

  /** The size of a request to a model and the budget it has to fit into, before switching to it. Nothing is written. */
  async preflight({ model, tools: given }: Pick<PrepareInput, 'model' | 'tools'>): Promise<Preflight> {
    const tools = given ?? (await this.tools());
    const state = await this.#parts.state();
    await this.#parts.models.load({ model, state });
    const ledger = this.#parts.models.createLedger({ model, state });
    const { used: tokens, bound } = ledger.estimate({ items: this.context.items, tools });
    const budget = this.#parts.enforcer.budgetFor({ ledger, tools });
    return { tokens, bound, budget, fits: bound <= budget.limit };
  }

  /** The tools that were offered with the last request, or that an imported request held. */
  async tools(): Promise<readonly ToolDefinition[]> {
    const { tools } = await this.#parts.state();
    return tools ?? conversationOf(this.session).tools;
  }

  /**
   * How full the window of a model is, by the ledger that decides when to compact: with the tools that were offered last
   * and the usage that the provider reported. Nothing is written.
   *
   * @example
   * const { snapshot, budget } = await session.size({ model });
   * console.log(`${snapshot.used} of ${snapshot.window} tokens, at most ${snapshot.bound}`);
   */
  size({ model, tools: given, messages }: SizeInput): Promise<SessionSize> {
    return this.#exclusive(async () => {
      const tools = given ?? (await this.tools());
      const ledger = await this.#ledgerFor({ model, tools });
      const items = messages?.map((message) => ({ message, entry: null, isMade: true }));
      const snapshot = items ? ledger.estimate({ items, tools }) : ledger.count({ context: this.context, tools });
      const budget = this.#parts.enforcer.budgetFor({ ledger, tools });
      return {
        snapshot,
        budget,
        tools,
        toolTokens: ledger.toolTokens(tools),
        countMessage: ledger.counter.countMessage,
      };
    });
  }

  /** The ledger of the session for a model, with the usage that the log has of earlier requests. */
  async #ledgerFor({ model, tools }: { model: TargetModel; tools: readonly ToolDefinition[] }): Promise<SessionLedger> {
    const state = await this.#parts.state();
    await this.#parts.models.load({ model, state });
    const ledger = this.#parts.models.ledgerFor({ model, state });
    await this.#parts.models.countAhead(ledger);
    ledger.count({ context: this.context, tools });
    await this.#parts.models.restoreLastRequest(ledger);
    return ledger;
  }

  /** Compacts now. A background summary is cancelled. */
  compact({
    model,
    tools: given,
    options,
    trigger = 'manual',
    target,
    ...input
  }: CompactInput): Promise<CompactionResult> {
    return this.#exclusive(async () => {
      const tools = given ?? (await this.tools());
      const state = await this.#parts.state();
      await this.#parts.models.load({ model: target ?? model, state });
      if (!input.dryRun) this.#parts.background.cancel('A compaction was requested.');
      const ledger = target
        ? this.#parts.models.createLedger({ model: target, state })
        : await this.#ledgerFor({ model, tools });
      const budget = this.#parts.enforcer.budgetFor({ ledger, tools });
      const { workingState, previous } = state;
      // A caller of `compact` waits for a model; under memory pressure only a policy that may wait does.
      const usesModel = trigger !== 'memory' || this.#tools.policy.when.mayWait > 0;
      return await this.#compactor.compact({
        ledger,
        tools,
        budget,
        trigger,
        isForced: false,
        usesModel,
        state: workingState,
        mode: this.#tools.policy.summarize.mode,
        live: this.#parts.enforcer.liveFor({ model, ledger, tools, options }),
        ...(previous && { previous }),
        ...input,
      });
    });
  }

  /** What `compact` would do. Nothing is written. */
  preview(input: CompactInput): Promise<CompactionResult> {
    return this.compact({ ...input, dryRun: true });
  }

  /** Prunes old tool outputs now. */
  prune({ model, tools: given, dryRun = false }: PruneInput): Promise<PruneResult> {
    return this.#exclusive(async () => {
      const tools = given ?? (await this.tools());
      const ledger = await this.#ledgerFor({ model, tools });
      const { policy } = this.#tools;
      const size = () => sizeOf({ snapshot: ledger.count({ context: this.context, tools }), context: this.context });
      const before = size();
      const pruned = await pruneNow({ session: this.session, ledger, emit: this.#parts.emit, policy, tools, dryRun });
      const { limit } = this.#parts.enforcer.budgetFor({ ledger, tools });
      if (pruned.installed) this.#parts.emit('truncation', truncationOf({ by: 'prune', limit, before, after: size() }));
      return pruned;
    });
  }

  /** Undoes the newest action. Automatic compaction is suspended until the window forces it. */
  undo(): Promise<Reversal> {
    return this.#exclusive(() => this.#moved(() => this.session.undo()));
  }

  redo(): Promise<Reversal> {
    return this.#exclusive(() => this.#moved(() => this.session.redo()));
  }

  /** Moves to another entry of the tree; on request, or by the policy, with a summary of the branch that is left. */
  move({ model, ...wish }: MoveInput & { readonly model?: TargetModel }): Promise<MoveResult> {
    return this.#exclusive(async () => {
      const { count, policy, by } = this.#tools;
      const ledger = model
        ? this.#parts.models.createLedger({ model, state: await this.#parts.state() })
        : this.#parts.models.ledger;
      const { countMessage } = ledger?.counter ?? { countMessage: createMessageCount(count) };
      // A summary that was not requested does not wait for a model, unless the policy may wait.
      const summarizer = wish.summarize || policy.when.mayWait > 0 ? by.summarizer : by.last;
      const result = await moveSession({
        session: this.session,
        secrets: by.secrets,
        count,
        hooks: this.#hooks,
        summarizer,
        countMessage,
        window: ledger?.window,
        mode: overridesOf(policy).foreground,
        conversation: ledger?.model,
        summarize: policy.summarize.branches,
        ...wish,
      });
      if (!result.moved) return result;
      this.#parts.background.cancel('The session moved to another place.');
      const { from, leaf: to, summary, abandoned } = result;
      this.#parts.emit('moved', { from, to, abandoned: abandoned.length, ...(summary && { summary: summary.id }) });
      return result;
    });
  }

  /** The compactions in force, read from the log. */
  checkpoints(): Promise<Checkpoint[]> {
    return checkpointsOf({ session: this.session, secrets: this.#tools.by.secrets });
  }

  /** Mirrors the checkpoints to files, `DIR/checkpoints/NNN-title.md` and an index, until it is closed. */
  mirror({ dir }: { readonly dir: string }): CheckpointMirror {
    const { by, now } = this.#tools;
    const onWritten = ({ number, title, id: entry }: Checkpoint) =>
      this.#parts.emit('checkpoint', { number, title, entry });
    return mirrorCheckpoints({ session: this.session, dir, secrets: by.secrets, now, onWritten });
  }

  /** The file of the transcript that is kept up to date, if any. */
  get transcript(): string | undefined {
    return this.#transcripts.path;
  }

  /** The same, after what is new was written to it. */
  async writtenTranscript(): Promise<string | undefined> {
    await this.#transcripts.place();
    return this.#transcripts.path;
  }

  /** Keeps a readable transcript up to date; summaries name it until it is closed. */
  follow(input: { readonly file: string }): Promise<Transcript> {
    return this.#transcripts.follow(input);
  }

  /** Pins a rule: every compaction keeps it byte for byte. A rule that cannot be kept is refused. */
  pin(input: PinInput): Promise<PinEntry> {
    return this.#exclusive(() => pinRule({ session: this.session, count: this.#tools.count, ...input }));
  }

  /** Records what the agent is working in: plan, todos, skills. The newest value of each member holds. */
  async state(state: { readonly [name: string]: Json }): Promise<void> {
    await this.#exclusive(() => this.session.append({ type: 'working_state', state }));
  }

  recall(input: Parameters<Session['recall']>[0]): Promise<Recalled> {
    return this.session.recall(input);
  }

  /** A background summary is cancelled only after the move succeeded: where the session stays, it is still valid. */
  async #moved<T>(go: () => Promise<T>): Promise<T> {
    const gone = await go();
    this.#parts.background.cancel('The session moved to another place.');
    return gone;
  }

  /** Runs calls one after the other, in the order in which they were made. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}
