import type { Session } from '../../session/index.ts';
import { amountsOf, lessOf } from '../events/amounts.ts';
import type { Emit } from '../events/event.ts';
import type { Policy } from '../policy/policy.ts';
import { sumOf } from '../summarise/attempts.ts';
import { type Candidate, draft, nothing, type Summarising } from './draft.ts';
import { install } from './install.ts';
import { nameOf } from './knowledge.ts';
import type { Order } from './order.ts';
import type { CompactionResult } from './result.ts';

/** Plans compactions and installs those that are worth it. */
export class Compactor {
  readonly #session: Session;
  readonly #by: Summarising;
  readonly #policy: Policy;
  readonly #emit: Emit;
  readonly #now: () => number;

  constructor({
    session,
    by,
    policy,
    emit,
    now,
  }: {
    readonly session: Session;
    readonly by: Summarising;
    readonly policy: Policy;
    readonly emit: Emit;
    readonly now: () => number;
  }) {
    this.#session = session;
    this.#by = by;
    this.#policy = policy;
    this.#emit = emit;
    this.#now = now;
  }

  /** Makes one and installs it. Whoever hears of its beginning hears of its end; a dry run is nobody's business. */
  async compact(order: Order): Promise<CompactionResult> {
    if (order.dryRun) return dry(await this.draft(order));
    return await this.told(order, async () => {
      const { candidate, answer } = await this.draft(order);
      order.signal?.throwIfAborted();
      return candidate ? await this.install(candidate) : answer;
    });
  }

  draft(order: Order): ReturnType<typeof draft> {
    return draft({ session: this.#session, by: this.#by, policy: this.#policy, order });
  }

  install(candidate: Candidate): Promise<CompactionResult> {
    return install({ session: this.#session, candidate });
  }

  /** Tells of a compaction: one beginning, one end, however it ends. */
  async told(order: Order, work: () => Promise<CompactionResult>): Promise<CompactionResult> {
    const { scale, tools, trigger } = order;
    const weigh = () => scale.weigh({ context: this.#session.context, tools });
    const amounts = () =>
      amountsOf({ snapshot: weigh(), messages: this.#session.context.items.map(({ message }) => message) });
    const started = this.#now();
    const before = amounts();
    const { tokens, messages, shares } = before;
    const model = nameOf(scale.model);
    this.#emit('compactionStart', { trigger, tokens, messages, shares, model, window: scale.window });
    const complete = (result: CompactionResult, error?: string) => {
      const after = amounts();
      const { attempts = [], ...rest } = result;
      this.#emit('compactionComplete', {
        ...{ ...rest, trigger, success: result.installed, before, after, removed: lessOf({ before, after }) },
        ...{ attempts: attempts.length, ...sumOf(attempts), ms: this.#now() - started },
        ...(error !== undefined && { error }),
      });
    };
    try {
      const result = await work();
      complete(result);
      return result;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      complete(nothing({ reason: `It was broken off: ${why}`, snapshot: weigh() }), why);
      throw error;
    }
  }
}

function dry({ answer }: { readonly answer: CompactionResult }): CompactionResult {
  return answer.worthwhile ? { ...answer, reason: `It would be done: ${answer.reason}` } : answer;
}
