import type { Trigger } from '../types.ts';
import { overridesOf, type Policy } from './policy.ts';
import type { Situation } from './situation.ts';

/**
 * What to do before a request. `start` starts a background summary; `install` installs the one that is ready; `drop`
 * discards it; `wait` waits for the running one; `compact` makes one now, with or without a model.
 */
export type PolicyDecision = { readonly why: string } & (
  | { readonly act: 'nothing' | 'start' | 'install' | 'drop' }
  | { readonly act: 'wait'; readonly atMost: number; readonly trigger: Trigger }
  | { readonly act: 'compact'; readonly asks: boolean; readonly trigger: Trigger; readonly isForced: boolean }
);

const tooShort = 'There are too few messages for a summary.';
const declined = 'The last compaction would have freed too little, and little came since.';

/** So much of what may be sent is near its end. */
const near = 0.9;

/**
 * Decides, without doing anything: a pure function of a policy, a situation and one random number where the policy asks
 * for one.
 *
 * @example
 * decide({ policy: presets.pi, situation, random: Math.random }).act; // 'compact'
 */
export function decide({
  policy,
  situation,
  random,
}: {
  readonly policy: Policy;
  readonly situation: Situation;
  readonly random: () => number;
}): PolicyDecision {
  const { when } = policy;
  const { compactAt, block, warm } = overridesOf(policy);
  const { budget, bound, job } = situation;
  const share = shareOf({ policy, situation });
  const percent = `${Math.round(share * 100)} % is used`;
  // It is the bound that has to fit: where little is confirmed it can be near the limit while little seems to be used.
  const isNear = when.measure === 'limit' && bound > budget.limit * near;
  const isTooShort = situation.messages < when.leastMessages || situation.rounds < when.leastRounds;
  // Whether it fits goes by the bound; all that follows goes by the likely size.
  if (bound > budget.limit || situation.tokens > budget.likely || situation.isRefused) return exceeded();
  if (!when.automatic) return nothing('Automatic compaction is off.');
  if (situation.isSuspended)
    return nothing('A compaction was taken back: nothing happens unasked until the window forces it.');
  if (job.state === 'ready') return ready();
  if (job.state === 'running') return running();
  if (compactAt !== undefined && share > compactAt) return due();
  return early();

  /** The request does not fit. A summary that is ready is installed; waiting is up to the policy. */
  function exceeded(): PolicyDecision {
    // A policy that compacts at the limit has reached its threshold.
    const regularTrigger = compactAt === undefined ? 'budget' : 'threshold';
    const trigger = situation.isRefused ? 'overflow' : situation.isSwitched ? 'model-switch' : regularTrigger;
    const what = situation.isRefused ? 'The provider refused the request as too long' : 'The request would not fit';
    if (job.state === 'ready') return { act: 'install', why: `${what}, and a summary is ready.` };
    const mayWait = when.mayWait > 0 && when.automatic && !situation.hasWaitedInVain;
    if (mayWait && job.state === 'running') {
      return { act: 'wait', atMost: when.mayWait, trigger, why: `${what}, and a summary is being made.` };
    }
    const how = mayWait ? 'one is made now' : 'one is made without a model, which takes no time';
    return { act: 'compact', asks: mayWait, trigger, isForced: true, why: `${what}, and no summary is ready: ${how}.` };
  }

  function ready(): PolicyDecision {
    if (share < when.applyMinimum && !isNear) {
      return { act: 'drop', why: `A summary is ready, but only ${percent}: it is not needed any more.` };
    }
    const { isNow, why } = when.install === 'ready' ? { isNow: true, why: percent } : moment();
    return { act: isNow ? 'install' : 'nothing', why: `A summary is ready, and ${why}.` };
  }

  /** Whether this is the moment for a change of what is sent, and why. */
  function moment(): { readonly isNow: boolean; readonly why: string } {
    const early = when.threshold === undefined ? when.early : Math.max(when.early, 1);
    if (share >= when.late) return { isNow: true, why: `${percent}: it is time` };
    if (share < early) return { isNow: false, why: `only ${percent}: there is time` };
    if (!situation.isCached) return { isNow: true, why: 'the cache is cold anyway' };
    if (situation.boundary === 'round') return { isNow: false, why: 'it waits for the end of the turn or task' };
    if (!pays()) return { isNow: false, why: 'while the cache is warm it would cost more than it saves' };
    return { isNow: true, why: situation.boundary === 'turn' ? 'a turn begins' : 'a task is finished' };
  }

  function pays(): boolean {
    const { price } = situation;
    return price === undefined || price.perRequest * when.horizon >= price.once;
  }

  function running(): PolicyDecision {
    // A summary that was waited for in vain gives way to one that needs no model.
    const isDue = compactAt !== undefined && share > compactAt;
    if (isDue && situation.hasWaitedInVain) return due();
    if (block !== undefined && share >= block && when.mayWait > 0 && !situation.hasWaitedInVain) {
      const why = `A summary is being made, and ${percent}: the request waits for it.`;
      return { act: 'wait', atMost: when.mayWait, trigger: 'background', why };
    }
    return nothing('A background summary is running.');
  }

  function due(): PolicyDecision {
    if (isTooShort) return nothing(tooShort);
    if (situation.isDeclined) return nothing(declined);
    const why = `${percent}: a compaction is due.`;
    const asks = when.mayWait > 0 && !situation.hasWaitedInVain;
    return { act: 'compact', asks, trigger: 'threshold', isForced: false, why };
  }

  function early(): PolicyDecision {
    const begins = started();
    if (begins.act !== 'start' || !situation.isModelFree) return begins;
    const { isNow, why } = when.install === 'ready' ? { isNow: true, why: percent } : moment();
    if (!isNow) return nothing(`A summary needs no model, and ${why}.`);
    return { act: 'compact', asks: false, trigger: 'threshold', isForced: false, why: `A summary is made: ${why}.` };
  }

  function started(): PolicyDecision {
    if (!when.start) return nothing(`${percent}.`);
    const isWarm = warm === 'round' ? situation.roundsInTurn > 0 : situation.isCached;
    const [from, to] = isWarm ? when.start.warm : when.start.cold;
    // Randomness is asked for only where it matters, so that a test that counts it sees what the original does.
    const point = from === to ? from : from + random() * (to - from);
    if (share < point && !isNear) return nothing(`${percent}.`);
    if (isTooShort) return nothing(tooShort);
    if (situation.isDeclined) return nothing(declined);
    if (job.isLate) return nothing('The last summary is late and still running: no other is started.');
    if (job.notBefore !== undefined && situation.now < job.notBefore) {
      return nothing('The last summary failed: the next one waits for a while.');
    }
    return { act: 'start', why: `${percent}: a background summary is started.` };
  }
}

/**
 * How much is used of what the policy measures by. What a provider reported counts where it is more than our own count: a
 * count that is too low must not hide growth (editor.md 2.2).
 *
 * @example
 * shareOf({ policy: presets.cli, situation }); // 0.81
 */
export function shareOf({ policy, situation }: { readonly policy: Policy; readonly situation: Situation }): number {
  const { budget, tokens, reported = 0 } = situation;
  const whole = policy.when.measure === 'window' ? budget.base : budget.threshold;
  return Math.max(tokens, reported) / Math.max(1, whole);
}

function nothing(why: string): PolicyDecision {
  return { act: 'nothing', why };
}
