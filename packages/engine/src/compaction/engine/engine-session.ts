import type { Json, Message, ToolDefinition } from '../../message/index.ts';
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
import { BudgetExceededError } from '../errors.ts';
import { type Budget, budgetOf } from '../plan/budget.ts';
import { capOutputs } from '../tool-output/cap.ts';
import { offloadOutputs } from '../tool-output/offload-outputs.ts';
import { adopt, sameItems } from './adopt.ts';
import { type CompactInput, Compactor, type Summarising } from './compactor.ts';
import { createEmitter, type EngineEvents, type Listener } from './events.ts';
import { guardWindow } from './guard-window.ts';
import { legalFor, thinks } from './legal.ts';
import { type PinInput, pinRule } from './pin.ts';
import { type Decision, decide, type Policy } from './policy.ts';
import type { Prepared, PrepareInput } from './prepared.ts';
import { elideOutputs, type PruneInput, type PruneResult, pruneNow } from './prune.ts';
import { Refusals } from './refusals.ts';
import type { CompactionResult } from './result.ts';
import { Scale, type TargetModel } from './scale.ts';
import { goesOn, isStillThere, recallSent, type Sent, sentNow } from './sent.ts';
import { followStanding, type Standing } from './standing.ts';

/** What all sessions of an engine share. */
export interface EngineTools {
  readonly count: (text: string) => number;
  readonly policy: Policy;
  readonly now: () => number;
  readonly by: Summarising;
  readonly calibrationFor: (model: TargetModel) => Calibration;
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
  readonly #standing: () => Promise<Standing>;
  readonly #refusals = new Refusals();
  #scale: Scale | undefined;
  #line: Promise<unknown> = Promise.resolve();
  #sent: Sent | undefined;
  /** The scale that knows what the log knows. */
  #remembered: Scale | undefined;
  /** Where a compaction was not worth it: it is not tried again until there is more to gain. */
  #declined: { readonly epoch: EntryId | null; readonly tokens: number } | undefined;
  #opening: { readonly epoch: EntryId; readonly thinks: boolean } | undefined;

  constructor({ session, tools }: { readonly session: Session; readonly tools: EngineTools }) {
    this.session = session;
    this.#tools = tools;
    this.#standing = followStanding(session);
    const { by, policy } = tools;
    this.#compactor = new Compactor({ session, by, elides: policy.prunes, emit: this.#emitter.emit });
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
    return this.session.append(this.#asSent(draft));
  }

  /** A result that is too large is cut or kept aside the first time it is sent; all of it stays under its handle. */
  #asSent<D extends Draft>(draft: D): D {
    if (draft.type !== 'message' || draft.sent !== undefined) return draft;
    const { message } = draft;
    const { offloads: above } = this.#tools.policy;
    const { items: said } = this.context;
    const aside = above === undefined ? message : offloadOutputs({ message, handle: ownHandle, above, said });
    const { window = Number.POSITIVE_INFINITY } = this.#scale ?? {};
    const sent = capOutputs({ message: aside, handle: ownHandle, window, count: this.#tools.count });
    return sent === message ? draft : { ...draft, sent };
  }

  /** Makes the next request: appends the turn, opens an epoch where that is due, and says what to send. */
  prepare(input: PrepareInput): Promise<Prepared> {
    return this.#alone(() => this.#prepare(input));
  }

  async #prepare({ model, head, turn, tools = [] }: PrepareInput): Promise<Prepared> {
    const opened: { reason: string; epoch: EntryId }[] = [];
    const note = (reason: string, epoch: EntryId | undefined) => {
      if (epoch === undefined) return;
      opened.push({ reason, epoch });
      this.#emitter.emit('epoch', { reason, epoch });
    };
    await adopt({ session: this.session, standing: await this.#standing(), model, head, tools, note });
    const standing = await this.#standing();
    this.#scaleFor({ model, standing });
    if (await this.#say(turn)) this.#refusals.clear();
    this.#refusals.check(nameOf(model));
    const scale = this.#scaleFor({ model, standing });
    scale.weigh({ context: this.context, tools });
    const { touched } = scale;
    await this.#remember(scale);
    const fit = () => this.#fit({ scale, tools, standing, note }).catch((error) => this.#refusals.explain(error));
    let fitted = await fit();
    // What was confirmed no longer is, once something before it was mended.
    if (await this.#mended({ model, note })) fitted = { ...fitted, ...(await fit()) };
    const { budget, compaction } = fitted;
    const sent = legalFor({ context: this.context, model });
    const snapshot = scale.weigh({ context: this.context, tools });
    const { epoch } = this.context;
    this.#sent = sentNow({ context: this.context, model, items: sent.items, tokens: snapshot.used });
    this.#emitter.emit('usage', snapshot);
    return {
      head: sent.head,
      items: sent.items,
      tools,
      tokens: snapshot.used,
      bound: snapshot.bound,
      epoch,
      report: {
        ...{ snapshot, budget, opened, touched, repairs: sent.repairs },
        rebindsThinking: await this.#rebindsThinking({ model, items: sent.items }),
        ...(compaction && { compaction }),
      },
    };
  }

  /** Recalls what the log knows of the last request: after a restart, and where a new window is weighed for. */
  async #remember(scale: Scale): Promise<void> {
    if (this.#remembered === scale) return;
    this.#remembered = scale;
    const known = await recallSent({ session: this.session, model: scale.model });
    if (!known) return;
    this.#sent ??= known.sent;
    scale.report({ input: known.input, length: known.sent.length });
  }

  /** Makes what is sent fit: elides, compacts, and as a last resort cuts. */
  async #fit(of: {
    readonly scale: Scale;
    readonly tools: readonly ToolDefinition[];
    readonly standing: Standing;
    readonly note: (reason: string, epoch: EntryId | undefined) => void;
  }): Promise<{ readonly budget: Budget; readonly compaction?: CompactionResult }> {
    const { scale, tools, standing, note } = of;
    const { session } = this;
    const { emit } = this.#emitter;
    const { policy } = this.#tools;
    const budget = this.#budget({ scale, tools });
    const weigh = () => scale.weigh({ context: this.context, tools });
    let snapshot = weigh();
    const decision = this.#due({ budget, snapshot, standing });
    if (decision === 'nothing') return { budget };
    if (policy.prunes) {
      // With something to spare, or it would be due again at once.
      const isEnough = ({ used, bound }: Snapshot) => {
        const [tokens, most] = [used + budget.minimum, bound + budget.minimum];
        return decide({ policy, budget, tokens, bound: most, isHeld: standing.isHeld }) === 'nothing';
      };
      const pruned = await elideOutputs({ session, scale, emit, budget, tools, now: this.#tools.now(), isEnough });
      note('prune', pruned);
      if (pruned !== undefined) return { budget };
    }
    const isForced = decision === 'force';
    const trigger = isForced ? 'overflow' : 'threshold';
    const { state } = standing;
    const compaction = await this.#compactor.compact({ scale, tools, budget, trigger, isForced, state });
    if (compaction.installed) note('compaction', this.context.epoch ?? undefined);
    snapshot = weigh();
    this.#declined = compaction.installed ? undefined : { epoch: this.context.epoch, tokens: snapshot.used };
    // What a provider confirmed is void after a cut, so that the bound can be looser than it was: then once more.
    for (let cuts = 0; snapshot.bound > budget.limit; cuts += 1) {
      if (cuts === mostCuts) throw tooLarge({ snapshot, budget });
      note('guard', await guardWindow({ session, scale, budget, tools, snapshot, emit }));
      snapshot = weigh();
    }
    return { budget, compaction };
  }

  #due(of: { readonly budget: Budget; readonly snapshot: Snapshot; readonly standing: Standing }): Decision {
    const { budget, snapshot, standing } = of;
    const { used: tokens, bound } = snapshot;
    const decision = decide({ policy: this.#tools.policy, budget, tokens, bound, isHeld: standing.isHeld });
    const declined = this.#declined;
    const isDeclined = declined?.epoch === this.context.epoch && tokens < (declined?.tokens ?? 0) + budget.minimum;
    return decision === 'relieve' && isDeclined ? 'nothing' : decision;
  }

  /**
   * What mends a list for its provider can reach far back: a result that comes after its stand-in was sent takes its
   * place. What would change bytes that were sent opens an epoch.
   */
  async #mended(of: {
    readonly model: TargetModel;
    readonly note: (reason: string, epoch: EntryId | undefined) => void;
  }): Promise<boolean> {
    const { model, note } = of;
    const { context, session } = this;
    if (!this.#sent || !isStillThere({ sent: this.#sent, context })) return false;
    const isOtherDialect = this.#sent.dialect !== model.dialect;
    if (!isOtherDialect && goesOn({ from: this.#sent, items: legalFor({ context, model }).items })) return false;
    const reason = isOtherDialect ? 'model' : 'repair';
    note(reason, (await session.append(sameItems({ session, reason, model }))).id);
    return true;
  }

  /** Whether thoughts were there when the epoch opened: the same for all its requests. */
  async #rebindsThinking(of: { readonly model: TargetModel; readonly items: readonly Message[] }): Promise<boolean> {
    const { epoch } = this.context;
    if (epoch === null || !thinks(of.items)) return false;
    if (this.#opening?.epoch !== epoch) {
      const { items } = legalFor({ context: await this.session.contextAt({ leaf: epoch }), model: of.model });
      this.#opening = { epoch, thinks: thinks(items) };
    }
    return this.#opening.thinks;
  }

  /** What a provider said of the last request: its usage, or why it failed. */
  report(outcome: { readonly usage: ReportedUsage } | { readonly failure: ModelFailure }): Promise<void> {
    return this.#alone(async () => {
      if ('usage' in outcome) await this.#learnUsage(outcome.usage);
      else if (outcome.failure.kind === 'overflow') await this.#learnLimit(outcome.failure);
    });
  }

  async #learnUsage(reported: ReportedUsage): Promise<void> {
    const [scale, sent] = [this.#scale, this.#sent];
    const usage = wholeNumbers(reported);
    // Of a request that was made before a restart; it was paid for all the same.
    if (!scale || !sent) return void (await this.session.append({ type: 'usage', usage }));
    const input = usage.input + usage.cacheRead + usage.cacheWrite;
    if (sent.epoch === this.context.epoch) scale.report({ input, length: sent.length });
    const { length, epoch, newest } = sent;
    const details = { items: length, epoch, newest };
    await this.session.append({ type: 'usage', usage, model: scale.model.id, details });
    const learned = this.#refusals.clear();
    if (learned !== undefined) await this.#limit({ scale, window: learned });
  }

  /** A limit that an error names holds from now on; one that names none still says that less must be sent. */
  async #learnLimit({ used, limit }: Extract<ModelFailure, { kind: 'overflow' }>): Promise<void> {
    const [scale, sent] = [this.#scale, this.#sent];
    if (!scale || !sent) return;
    if (used !== undefined && sent.epoch === this.context.epoch) scale.report({ input: used, length: sent.length });
    const isNamed = limit !== undefined && limit >= smallestWindow && limit < scale.window;
    if (isNamed) await this.#limit({ scale, window: limit });
    // In our measure; where the provider says by how much it was too large, by so much.
    const share = used !== undefined && limit !== undefined && limit < used ? limit / used : 1;
    const size = Math.floor(sent.tokens * share);
    this.#refusals.add({ model: nameOf(scale.model), size, window: scale.window, isNamed });
  }

  async #limit({ scale, window }: { readonly scale: Scale; readonly window: number }): Promise<void> {
    const data = { model: nameOf(scale.model), window };
    await this.session.append({ type: 'custom', customType: 'longhaul:limit', data });
    this.#emitter.emit('limit', { window });
  }

  /** Compacts now, because somebody asks for it. */
  compact(input: CompactInput): Promise<CompactionResult> {
    return this.#alone(async () => {
      const { model, tools = [], ...rest } = input;
      const standing = await this.#standing();
      const scale = this.#scaleFor({ model, standing });
      const budget = this.#budget({ scale, tools });
      const order = { scale, tools, budget, trigger: 'manual', isForced: false, state: standing.state, ...rest };
      return await this.#compactor.compact(order);
    });
  }

  /** What `compact` would do. Nothing is written. */
  preview(input: CompactInput): Promise<CompactionResult> {
    return this.compact({ ...input, dryRun: true });
  }

  /** Elides old tool outputs now, because somebody asks for it. */
  prune({ model, tools = [], dryRun = false }: PruneInput): Promise<PruneResult> {
    return this.#alone(async () => {
      const scale = this.#scaleFor({ model, standing: await this.#standing() });
      return await pruneNow({ session: this.session, scale, emit: this.#emitter.emit, tools, dryRun });
    });
  }

  /** Takes the newest action back and holds: nothing is compacted unasked until the window forces it. */
  undo(): Promise<Reversal> {
    return this.#alone(() => this.session.undo());
  }

  redo(): Promise<Reversal> {
    return this.#alone(() => this.session.redo());
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
  async #say(turn: PrepareInput['turn']): Promise<boolean> {
    if (!turn || turn.messages.length === 0) return false;
    const { last } = this.session.head;
    const drafts = turn.messages.map((message, index) => ({
      type: 'message' as const,
      message,
      ...(turn.key !== undefined && { key: `${turn.key}:${index}` }),
    }));
    const said = await this.session.appendBatch(drafts.map((draft) => this.#asSent(draft)));
    return said.some(({ handle }) => handle > last);
  }

  #budget({ scale, tools }: { readonly scale: Scale; readonly tools: readonly ToolDefinition[] }): Budget {
    const { threshold } = this.#tools.policy;
    const { window } = scale;
    return budgetOf({ window, hasTools: tools.length > 0, ...(threshold !== undefined && { threshold }) });
  }

  #scaleFor(of: { readonly model: TargetModel; readonly standing: Standing }): Scale {
    const { model, standing } = of;
    const { id, dialect, info } = model;
    const name = nameOf(model);
    const learned = Math.min(standing.limits[name] ?? info.window, this.#refusals.sizeFor(name) ?? info.window);
    const window = Math.min(info.inputLimit ?? info.window, learned);
    const known = this.#scale;
    const isSameModel = known?.model.id.provider === id.provider && known.model.id.name === id.name;
    if (known && isSameModel && known.model.dialect === dialect && known.window === window) return known;
    const calibration = this.#tools.calibrationFor(model);
    this.#scale = new Scale({ model, window, count: this.#tools.count, calibration });
    return this.#scale;
  }

  /** One thing at a time, in the order in which it was asked for. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => undefined);
    return done;
  }
}

function nameOf({ id }: TargetModel): string {
  return `${id.provider}/${id.name}`;
}

/** More cuts than this do not help. */
const mostCuts = 3;

function tooLarge(of: { readonly snapshot: Snapshot; readonly budget: Budget }): BudgetExceededError {
  const { limit } = of.budget;
  return new BudgetExceededError({ part: 'The latest message', excess: of.snapshot.bound - limit, limit });
}

/** Smaller windows are no model's; an error that names one means something else. */
const smallestWindow = 500;

/** Providers leave numbers out, and gateways make others of them. */
function wholeNumbers({ input, output, cacheRead, cacheWrite }: ReportedUsage) {
  const whole = (value: unknown) => (typeof value === 'number' && value > 0 && value < 1e15 ? Math.round(value) : 0);
  return { input: whole(input), output: whole(output), cacheRead: whole(cacheRead), cacheWrite: whole(cacheWrite) };
}
