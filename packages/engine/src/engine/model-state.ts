import type { ModelFailure, TargetModel, Usage } from '../models/index.ts';
import type { EntryId, Session } from '../session/index.ts';
import type { ReportedUsage } from '../tokens/index.ts';
import { calibrateFromLog } from './calibrate-from-log.ts';
import { BudgetExceededError, stillTooLong } from './errors.ts';
import type { Emit } from './events/event.ts';
import { type CacheActivity, cachePrices, isForgotten } from './prune/cache-prices.ts';
import { SessionLedger } from './session-ledger.ts';
import { lastAnsweredRequest, type SentRequest, type SessionState } from './state.ts';
import type { TokenAccounting } from './token-accounting.ts';

/** No model has a smaller window; an error that names one means something else. */
const smallestWindow = 500;

/** What a session knows about its model: how to count for it, the last request, and the provider's response to it. */
export class ModelState {
  readonly overflows = new OverflowTracker();
  readonly #session: Session;
  readonly #accounting: TokenAccounting;
  readonly #emit: Emit;
  #ledger: SessionLedger | undefined;
  #sent: SentRequest | undefined;
  /** The ledger that was restored from the log. */
  #remembered: SessionLedger | undefined;
  /** The models that were calibrated from the log. */
  readonly #calibrated = new Set<string>();
  #reported: { readonly epoch: EntryId | null; readonly tokens: number } | undefined;
  #isReopened: boolean;
  #used: (CacheActivity & { readonly epoch: EntryId | null }) | undefined;

  constructor({
    session,
    accounting,
    emit,
  }: {
    readonly session: Session;
    readonly accounting: TokenAccounting;
    readonly emit: Emit;
  }) {
    this.#session = session;
    this.#isReopened = session.head.last > 0;
    this.#accounting = accounting;
    this.#emit = emit;
  }

  /** Whether this is the first request since the session was opened with entries in it. */
  takeReopened(): boolean {
    const isReopened = this.#isReopened;
    this.#isReopened = false;
    return isReopened;
  }

  get ledger(): SessionLedger | undefined {
    return this.#ledger;
  }

  /** The last request that was sent. */
  get lastRequest(): SentRequest | undefined {
    return this.#sent;
  }

  recordRequest(sent: SentRequest): void {
    this.#sent = sent;
  }

  /** The tokens reported for the newest request of this epoch. Reports of earlier epochs are void (pi #1860). */
  get reported(): number | undefined {
    return this.#reported?.epoch === this.#session.context.epoch ? this.#reported?.tokens : undefined;
  }

  /** What changing sent bytes costs while the provider has them cached. */
  cachePrices(now: number): ReturnType<typeof cachePrices> {
    const [used, model] = [this.#used, this.#ledger?.model];
    if (!used || !model || used.epoch !== this.#session.context.epoch) return undefined;
    return cachePrices({ model, used, now });
  }

  /** Whether the provider may still have the last request cached. */
  isCached(now: number): boolean {
    const [used, model] = [this.#used, this.#ledger?.model];
    return !used || !model || !isForgotten({ model, used, now });
  }

  /** Loads the vocabulary of a model, and calibrates once from usage in the log. */
  async load({ model, state }: { readonly model: TargetModel; readonly state: SessionState }): Promise<void> {
    await this.#accounting.load(model);
    const key = this.#learnedKey(model);
    if (this.#calibrated.has(key)) return;
    this.#calibrated.add(key);
    const { learned } = this.#accounting;
    const [session, ledger] = [this.#session, this.createLedger({ model, state })];
    learned.set(key, await calibrateFromLog({ session, ledger, after: learned.get(key) ?? 0 }));
  }

  #learnedKey(model: TargetModel): string {
    return `${this.#session.id} ${modelKey(model)}`;
  }

  ledgerFor({ model, state }: { readonly model: TargetModel; readonly state: SessionState }): SessionLedger {
    const { dialect } = model;
    const window = this.#windowOf({ model, state });
    const known = this.#ledger;
    const isSameModel = known && modelKey(known.model) === modelKey(model) && known.model.dialect === dialect;
    if (isSameModel && known.window === window) return known;
    this.#ledger = this.createLedger({ model, state });
    return this.#ledger;
  }

  /** Counts what the next count of a ledger needs in a worker, if that is much. */
  async countAhead(ledger: SessionLedger): Promise<void> {
    await this.#accounting.countAhead({ model: ledger.model, messages: ledger.uncounted(this.#session.context) });
  }

  /** A separate ledger for a model; the session keeps its own. */
  createLedger(of: { readonly model: TargetModel; readonly state: SessionState }): SessionLedger {
    const { model } = of;
    const window = this.#windowOf(of);
    return new SessionLedger({ model, window, accounting: this.#accounting.of(model) });
  }

  #windowOf({ model, state }: { readonly model: TargetModel; readonly state: SessionState }): number {
    const { window, inputLimit = window } = model.info;
    const name = modelKey(model);
    return Math.min(inputLimit, state.limits[name] ?? window, this.overflows.sizeFor(name) ?? window);
  }

  /** Restores the last request from the log, after a restart or for a new window. */
  async restoreLastRequest(ledger: SessionLedger): Promise<void> {
    if (this.#remembered === ledger) return;
    this.#remembered = ledger;
    const known = await lastAnsweredRequest({ session: this.#session, model: ledger.model });
    if (!known) return;
    this.#sent ??= known.sent;
    this.#used ??= { ...known.used, epoch: known.sent.epoch };
    ledger.applyUsage({ input: known.input, length: known.sent.length, isLearned: true });
  }

  /** Records the outcome of the last request: its usage, or why it failed. */
  async recordOutcome(
    outcome: { readonly usage: BilledUsage; readonly requestId?: string } | { readonly failure: ModelFailure },
  ): Promise<void> {
    if ('usage' in outcome) await this.#learnUsage(outcome);
    else if (outcome.failure.kind === 'overflow') await this.#learnLimit(outcome.failure);
  }

  async #learnUsage({
    usage: reported,
    requestId,
  }: {
    readonly usage: BilledUsage;
    readonly requestId?: string;
  }): Promise<void> {
    const [ledger, sent] = [this.#ledger, this.#sent];
    const usage = wholeNumbers(reported);
    // The request was made before a restart; its usage is recorded all the same.
    if (!ledger || !sent) return void (await this.#session.append({ type: 'usage', usage }));
    const input = usage.input + usage.cacheRead + usage.cacheWrite;
    const isOfNow = sent.epoch === this.#session.context.epoch;
    const isBelieved = isOfNow && ledger.applyUsage({ input, length: sent.length });
    if (isBelieved) this.#reported = { epoch: sent.epoch, tokens: input };
    const { length, epoch, newest } = sent;
    const counted = isBelieved ? ledger.ownCount(length) : undefined;
    const details = {
      items: length,
      epoch,
      newest,
      window: ledger.model.info.window,
      ...(requestId !== undefined && { requestId }),
      ...(counted && { counted: { ...counted, by: ledger.vocabulary } }),
    };
    const { at, handle } = await this.#session.append({ type: 'usage', usage, model: ledger.model.id, details });
    this.#accounting.learned.set(this.#learnedKey(ledger.model), handle);
    this.#used = { at, isKept: usage.cacheRead + usage.cacheWrite > 0, epoch };
    const learned = this.overflows.clear();
    if (learned !== undefined) await this.#limit({ ledger, window: learned });
  }

  /** A limit that an error names holds from now on; without one, the next request must be smaller. */
  async #learnLimit({ used, limit }: Extract<ModelFailure, { kind: 'overflow' }>): Promise<void> {
    const [ledger, sent] = [this.#ledger, this.#sent];
    if (!ledger || !sent) return;
    if (used !== undefined && sent.epoch === this.#session.context.epoch) {
      ledger.applyUsage({ input: used, length: sent.length });
    }
    const isNamed = limit !== undefined && limit >= smallestWindow && limit < ledger.window;
    if (isNamed) await this.#limit({ ledger, window: limit });
    // In our count, reduced by the excess where the provider names it.
    const share = used !== undefined && limit !== undefined && limit < used ? limit / used : 1;
    const size = Math.floor(sent.tokens * share);
    this.overflows.add({ model: modelKey(ledger.model), size, window: ledger.window, isNamed });
  }

  async #limit({ ledger, window }: { readonly ledger: SessionLedger; readonly window: number }): Promise<void> {
    const model = modelKey(ledger.model);
    await this.#session.append({ type: 'window_limit', model, window });
    this.#emit('limit', { window, model });
  }
}

/** Usage with the parts that have a price of their own. */
export type BilledUsage = ReportedUsage & Pick<Usage, 'cacheWriteLong' | 'providerCompaction'>;

export function modelKey({ id }: TargetModel): string {
  return `${id.provider}/${id.name}`;
}

/** Providers omit numbers, and gateways change them. */
function wholeNumbers({ input, output, cacheRead, cacheWrite, cacheWriteLong, providerCompaction }: BilledUsage) {
  const whole = (value: unknown) => (typeof value === 'number' && value > 0 && value < 1e15 ? Math.round(value) : 0);
  return {
    input: whole(input),
    output: whole(output),
    cacheRead: whole(cacheRead),
    cacheWrite: whole(cacheWrite),
    ...(cacheWriteLong !== undefined && { cacheWriteLong: whole(cacheWriteLong) }),
    ...(providerCompaction && { providerCompaction }),
  };
}

/** After so many refusals in a row a further attempt is not worth its price. */
const most = 3;

/** Below this nothing more can be cut. */
const smallest = 1_000;

/**
 * Consecutive requests that a provider refused as too long. Each is smaller than the one before; after a few it is a
 * visible error, not a loop (cli#4663: 38 of 38 failed, and each was paid).
 */
class OverflowTracker {
  #count = 0;
  #size: number | undefined;
  #window = 0;
  #isNamed = false;
  #model = '';

  /** What the next request to a model has to be smaller than. What one refused says nothing of another (sessions.md 4.3). */
  sizeFor(model: string): number | undefined {
    return model === this.#model ? this.#size : undefined;
  }

  /** Whether the newest request was refused, and none was taken since. */
  get isPending(): boolean {
    return this.#count > 0;
  }

  add({
    model,
    size,
    window,
    isNamed,
  }: {
    readonly model: string;
    readonly size: number;
    /** What it was meant to fit into. */
    readonly window: number;
    /** The error named the limit, so nothing else is to be learned from it. */
    readonly isNamed: boolean;
  }): void {
    if (this.#size === undefined) this.#window = window;
    this.#model = model;
    this.#count += 1;
    this.#size = Math.max(size, smallest);
    this.#isNamed ||= isNamed;
  }

  /**
   * A smaller request was taken, or something new is tried. What it tells of a limit that no error named: but the larger
   * one need not have been refused for its tokens, so not less than half of what was known is taken for true.
   */
  clear(): number | undefined {
    const size = this.#isNamed ? undefined : this.#size;
    const learned = size === undefined ? undefined : Math.max(size, Math.floor(this.#window / 2));
    this.#count = 0;
    this.#size = undefined;
    this.#isNamed = false;
    return learned;
  }

  check(model: string): void {
    if (this.#count > most && model === this.#model) throw stillTooLong({ refusals: this.#count });
  }

  /** What does not fit because of a refusal is not the fault of the part that is too large. */
  explain(error: unknown): never {
    throw this.#count > 0 && error instanceof BudgetExceededError ? stillTooLong({ refusals: this.#count }) : error;
  }
}
