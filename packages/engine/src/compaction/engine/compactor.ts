import type { Session } from '../../session/index.ts';
import type { Emit } from '../events/event.ts';
import type { Policy } from '../policy/policy.ts';
import { type Candidate, draft, nothing, type Summarising } from './draft.ts';
import { install } from './install.ts';
import type { Order } from './order.ts';
import type { CompactionResult } from './result.ts';

/** Plans compactions and installs those that are worth it. */
export class Compactor {
  readonly #session: Session;
  readonly #by: Summarising;
  readonly #policy: Policy;
  readonly #emit: Emit;

  constructor({
    session,
    by,
    policy,
    emit,
  }: {
    readonly session: Session;
    readonly by: Summarising;
    readonly policy: Policy;
    readonly emit: Emit;
  }) {
    this.#session = session;
    this.#by = by;
    this.#policy = policy;
    this.#emit = emit;
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
    const snapshot = scale.weigh({ context: this.#session.context, tools });
    this.#emit('compactionStart', { trigger, tokens: snapshot.used });
    try {
      const result = await work();
      this.#emit('compactionComplete', { ...result, trigger });
      return result;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#emit('compactionComplete', { ...nothing({ reason: `It was broken off: ${why}`, snapshot }), trigger });
      throw error;
    }
  }
}

function dry({ answer }: { readonly answer: CompactionResult }): CompactionResult {
  return answer.worthwhile ? { ...answer, reason: `It would be done: ${answer.reason}` } : answer;
}
