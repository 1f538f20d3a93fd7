import type { Json, Message, Repair, ToolDefinition } from '../../message/index.ts';
import type { ModelFailure } from '../../models/index.ts';
import {
  type Context,
  type Draft,
  type EntryId,
  type EntryOf,
  ownHandle,
  type PinEntry,
  type Recalled,
  type Reversal,
  type Session,
  type SessionId,
} from '../../session/index.ts';
import type { Calibration, ReportedUsage, Snapshot } from '../../tokens/index.ts';
import { type Budget, budgetOf } from '../plan/budget.ts';
import type { Summariser } from '../summarise/summariser.ts';
import { capOutputs } from '../tool-output/cap.ts';
import { adopt, type Standing } from './adopt.ts';
import { type CompactInput, Compactor } from './compactor.ts';
import { createEmitter, type EngineEvents, type Listener } from './events.ts';
import { guardWindow } from './guard-window.ts';
import { legalFor } from './legal.ts';
import { type PinInput, pinRule } from './pin.ts';
import { decide, type Policy } from './policy.ts';
import { elideOutputs, type PruneInput, type PruneResult, pruneNow } from './prune.ts';
import type { CompactionResult } from './result.ts';
import { Scale, type TargetModel } from './scale.ts';
import { standingOf } from './standing.ts';

/** What all sessions of an engine share. */
export interface EngineTools {
  readonly count: (text: string) => number;
  readonly policy: Policy;
  readonly summariser: Summariser;
  readonly calibrationFor: (model: TargetModel) => Calibration;
}

export interface PrepareInput {
  readonly model: TargetModel;
  /** System messages; those of before stay where they are left out. */
  readonly head?: readonly Message[];
  /** What is said now. With a `key` it is said once, however often it is prepared. */
  readonly turn?: { readonly messages: readonly Message[]; readonly key?: string };
  readonly tools?: readonly ToolDefinition[];
}

/** What is to be sent. It counts as sent. */
export interface Prepared {
  readonly head: readonly Message[];
  /** The conversation after the head, legal for the model's provider. */
  readonly items: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** The likely size, and one that is hardly ever exceeded. */
  readonly tokens: number;
  readonly bound: number;
  readonly epoch: EntryId | null;
  readonly report: PrepareReport;
}

export interface PrepareReport {
  readonly snapshot: Snapshot;
  readonly budget: Budget;
  /** The epochs that this call opened, in order. */
  readonly opened: readonly { readonly reason: string; readonly epoch: EntryId }[];
  readonly compaction?: CompactionResult;
  readonly repairs: readonly Repair[];
  /**
   * Thoughts of the turn in progress follow a changed beginning. Providers that bind thoughts to what came before them
   * must be told to drop such blocks (Anthropic: `thinking.block_binding.prefix_mismatch_behavior: "drop_block"`).
   */
  readonly rebindsThinking: boolean;
  /** How many messages had to be looked at to know the size: only those that are new. */
  readonly touched: number;
}

/**
 * A session that keeps itself inside the window. Everything that changes what is sent is an entry of the log, so another
 * machine that opens the session sends the same bytes. Calls take turns; `append` never waits for a summary.
 */
export class EngineSession {
  readonly session: Session;
  readonly #tools: EngineTools;
  readonly #emitter = createEmitter();
  readonly #compactor: Compactor;
  #standing: Standing | undefined;
  #scale: Scale | undefined;
  #line: Promise<unknown> = Promise.resolve();
  /** How many messages the last request had, for what its provider reports. */
  #sentLength = 0;
  #mustShrink = false;

  constructor({ session, tools }: { readonly session: Session; readonly tools: EngineTools }) {
    this.session = session;
    this.#tools = tools;
    this.#compactor = new Compactor({ session, summariser: tools.summariser, emit: this.#emitter.emit });
  }

  get id(): SessionId {
    return this.session.id;
  }

  get context(): Context {
    return this.session.context;
  }

  on<Name extends keyof EngineEvents>(name: Name, listener: Listener<Name>): () => void {
    return this.#emitter.on(name, listener);
  }

  /** Answers, tool results and metadata; what is said to the model comes with `prepare`. */
  append<D extends Draft>(draft: D): Promise<EntryOf<D>> {
    return this.session.append(this.#capped(draft));
  }

  /** A result that would fill half the window is cut the first time it is sent; all of it stays under its handle. */
  #capped<D extends Draft>(draft: D): D {
    const scale = this.#scale;
    if (!scale || draft.type !== 'message' || draft.sent !== undefined) return draft;
    const { window, scales } = scale;
    const sent = capOutputs({ message: draft.message, handle: ownHandle, window, count: scales.count });
    return sent === draft.message ? draft : { ...draft, sent };
  }

  /** Makes the next request: appends the turn, opens an epoch where that is due, and says what to send. */
  prepare(input: PrepareInput): Promise<Prepared> {
    return this.#alone(() => this.#prepare(input));
  }

  async #prepare({ model, head, turn, tools = [] }: PrepareInput): Promise<Prepared> {
    const standing = await this.#stand();
    const opened: { reason: string; epoch: EntryId }[] = [];
    const note = (reason: string, epoch: EntryId | undefined) => {
      if (epoch === undefined) return;
      opened.push({ reason, epoch });
      this.#emitter.emit('epoch', { reason, epoch });
    };
    this.#standing = await adopt({ session: this.session, standing, model, head, tools, note });
    const scale = this.#scaleFor(model);
    await this.#say(turn);
    const budget = this.#budget({ model, tools });
    let compaction: CompactionResult | undefined;
    let snapshot = scale.weigh({ context: this.context, tools });
    const { touched } = scale;
    const due = () =>
      this.#mustShrink
        ? 'force'
        : decide({
            policy: this.#tools.policy,
            budget,
            tokens: snapshot.used,
            bound: snapshot.bound,
            isHeld: this.#standing?.isHeld ?? false,
          });
    if (due() !== 'nothing' && this.#tools.policy.prunes) {
      note('prune', await elideOutputs({ session: this.session, scale, emit: this.#emitter.emit }));
      snapshot = scale.weigh({ context: this.context, tools });
    }
    const decision = due();
    if (decision !== 'nothing') {
      const isForced = decision === 'force';
      const trigger = isForced ? 'overflow' : 'threshold';
      compaction = await this.#compactor.compact({ scale, tools, budget, trigger, isForced });
      if (compaction.installed) note('compaction', this.context.epoch ?? undefined);
      this.#mustShrink = false;
      snapshot = scale.weigh({ context: this.context, tools });
    }
    if (snapshot.bound > budget.limit) {
      note(
        'guard',
        await guardWindow({ session: this.session, scale, budget, tools, snapshot, emit: this.#emitter.emit }),
      );
      snapshot = scale.weigh({ context: this.context, tools });
    }
    this.#sentLength = scale.length;
    this.#emitter.emit('usage', snapshot);
    const { head: sentHead, items, repairs, rebindsThinking } = legalFor({ context: this.context, model });
    return {
      head: sentHead,
      items,
      tools,
      tokens: snapshot.used,
      bound: snapshot.bound,
      epoch: this.context.epoch,
      report: { snapshot, budget, opened, repairs, rebindsThinking, touched, ...(compaction && { compaction }) },
    };
  }

  /** What a provider said of the last request: its usage, or why it failed. */
  report(outcome: { readonly usage: ReportedUsage } | { readonly failure: ModelFailure }): Promise<void> {
    return this.#alone(async () => {
      if ('usage' in outcome) await this.#learnUsage(outcome.usage);
      else if (outcome.failure.kind === 'overflow') await this.#learnLimit(outcome.failure);
    });
  }

  async #learnUsage(usage: ReportedUsage): Promise<void> {
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage;
    const scale = this.#scale;
    if (!scale) return;
    scale.report({ input: input + cacheRead + cacheWrite, length: this.#sentLength });
    await this.session.append({
      type: 'usage',
      usage: { input, output, cacheRead, cacheWrite },
      model: scale.model.id,
      details: { items: this.#sentLength },
    });
  }

  /** A limit that an error names lowers ours; one that names none still says that less must be sent. */
  async #learnLimit(failure: Extract<ModelFailure, { kind: 'overflow' }>): Promise<void> {
    this.#mustShrink = true;
    const scale = this.#scale;
    if (!scale) return;
    if (failure.used !== undefined) scale.report({ input: failure.used, length: this.#sentLength });
    const window = failure.limit ?? Math.floor(scale.window * 0.9);
    if (window >= scale.window) return;
    const standing = await this.#stand();
    const model = `${scale.model.id.provider}/${scale.model.id.name}`;
    await this.session.append({ type: 'custom', customType: 'longhaul:limit', data: { model, window } });
    this.#standing = { ...standing, limits: { ...standing.limits, [model]: window } };
    this.#emitter.emit('limit', { window });
  }

  /** Compacts now, because somebody asks for it. */
  compact(input: CompactInput): Promise<CompactionResult> {
    return this.#alone(async () => {
      const { model, tools = [], dryRun = false, ...rest } = input;
      const standing = await this.#stand();
      const scale = this.#scaleFor(model);
      const budget = this.#budget({ model, tools });
      const result = await this.#compactor.compact({
        ...{ scale, tools, budget, trigger: 'manual', isForced: false, dryRun, state: standing.state },
        ...rest,
      });
      if (result.installed) this.#standing = { ...standing, isHeld: false };
      return result;
    });
  }

  /** What `compact` would do. Nothing is written. */
  preview(input: CompactInput): Promise<CompactionResult> {
    return this.compact({ ...input, dryRun: true });
  }

  /** Elides old tool outputs now, because somebody asks for it. */
  prune({ model, tools = [], dryRun = false }: PruneInput): Promise<PruneResult> {
    return this.#alone(async () => {
      await this.#stand();
      const scale = this.#scaleFor(model);
      return await pruneNow({ session: this.session, scale, emit: this.#emitter.emit, tools, dryRun });
    });
  }

  /** Takes the newest action back and holds: nothing is compacted unasked until the window forces it. */
  undo(): Promise<Reversal> {
    return this.#alone(async () => {
      const reversal = await this.session.undo();
      this.#standing = undefined;
      return reversal;
    });
  }

  redo(): Promise<Reversal> {
    return this.#alone(async () => {
      const reversal = await this.session.redo();
      this.#standing = undefined;
      return reversal;
    });
  }

  /** A rule that every compaction carries on, byte for byte. One that cannot be carried is refused. */
  pin(input: PinInput): Promise<PinEntry> {
    return this.#alone(() => pinRule({ session: this.session, count: this.#tools.count, ...input }));
  }

  /** Says what the agent is working in: plan, todos, skills. The newest of each member holds. */
  async state(state: { readonly [name: string]: Json }): Promise<void> {
    await this.#alone(async () => {
      const standing = await this.#stand();
      await this.session.append({ type: 'custom', customType: 'longhaul:state', data: state });
      this.#standing = { ...standing, state: { ...standing.state, ...state } };
    });
  }

  recall(input: Parameters<Session['recall']>[0]): Promise<Recalled> {
    return this.session.recall(input);
  }

  async #say(turn: PrepareInput['turn']): Promise<void> {
    if (!turn || turn.messages.length === 0) return;
    const drafts = turn.messages.map((message, index) => ({
      type: 'message' as const,
      message,
      ...(turn.key !== undefined && { key: `${turn.key}:${index}` }),
    }));
    await this.session.appendBatch(drafts.map((draft) => this.#capped(draft)));
  }

  async #stand(): Promise<Standing> {
    this.#standing ??= await standingOf(this.session);
    return this.#standing;
  }

  #budget({ model, tools }: { readonly model: TargetModel; readonly tools: readonly ToolDefinition[] }): Budget {
    const { threshold } = this.#tools.policy;
    const window = this.#windowOf(model);
    return budgetOf({ window, hasTools: tools.length > 0, ...(threshold !== undefined && { threshold }) });
  }

  #windowOf({ id, info }: TargetModel): number {
    const learned = this.#standing?.limits[`${id.provider}/${id.name}`];
    return Math.min(info.inputLimit ?? info.window, learned ?? info.window);
  }

  #scaleFor(model: TargetModel): Scale {
    const window = this.#windowOf(model);
    const known = this.#scale;
    const isSame =
      known?.model.id.provider === model.id.provider &&
      known.model.id.name === model.id.name &&
      known.model.dialect === model.dialect &&
      known.window === window;
    if (known && isSame) return known;
    const { count } = this.#tools;
    this.#scale = new Scale({ model, window, count, calibration: this.#tools.calibrationFor(model) });
    return this.#scale;
  }

  /** One thing at a time, in the order in which it was asked for. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => undefined);
    return done;
  }
}
