import { describe, expect, test } from 'vitest';
import { budgetOf } from '../plan/budget.ts';
import { decide, type PolicyDecision } from './decide.ts';
import { overridesOf, type Policy, type TriggerPolicy } from './policy.ts';
import { createPolicy, presets } from './presets.ts';
import type { Situation } from './situation.ts';

const window = 100_000;

/** A conversation of ten rounds, at a share of the window, in the middle of a turn, with a warm cache and nothing else. */
function situationOf({
  policy,
  at,
  toolTokens = 0,
  ...rest
}: { readonly policy: Policy; readonly at: number; readonly toolTokens?: number } & Partial<Situation>): Situation {
  const { threshold, reserve } = policy.when;
  const { afterTools, fitsThreshold, fits } = overridesOf(policy);
  const tokens = Math.round(window * at);
  return {
    budget: budgetOf({ window, threshold, reserve, afterTools, fitsThreshold, fits, toolTokens }),
    tokens,
    bound: tokens,
    messages: 20,
    rounds: 10,
    roundsInTurn: 1,
    isCached: true,
    boundary: 'round',
    job: { state: 'idle' },
    isModelFree: false,
    isSuspended: false,
    isDeclined: false,
    isRefused: false,
    isSwitched: false,
    hasWaitedInVain: false,
    now: 0,
    ...rest,
  };
}

interface Row {
  readonly what: string;
  readonly at: number;
  readonly with?: Partial<Situation> & { readonly toolTokens?: number };
  readonly when?: Partial<TriggerPolicy>;
  readonly random?: number;
  readonly expected: Partial<Extract<PolicyDecision, { act: 'compact' }>> | Partial<PolicyDecision>;
}

const ready = { state: 'ready' } as const;
const running = { state: 'running' } as const;
const failed = { state: 'failed' } as const;

const everywhere: readonly Row[] = [
  {
    what: 'D10: switched off, nothing happens unasked',
    at: 0.84,
    when: { automatic: false },
    expected: { act: 'nothing' },
  },
  {
    what: 'D10: switched off, what does not fit is made to fit without a model',
    at: 1.1,
    when: { automatic: false },
    expected: { act: 'compact', asks: false, isForced: true },
  },
  {
    what: 'design.md: after an undo nothing happens unasked',
    at: 0.84,
    with: { isSuspended: true },
    expected: { act: 'nothing' },
  },
  {
    what: 'design.md: a hold ends where the window forces it',
    at: 1.1,
    with: { isSuspended: true },
    expected: { act: 'compact' },
  },
  {
    what: 'D2: what our count says is too large is a matter of the budget',
    at: 1.1,
    expected: { act: 'compact', isForced: true },
  },
  {
    what: 'D2: a refusal of the provider is an overflow, whatever we counted',
    at: 0.3,
    with: { isRefused: true },
    expected: { act: 'compact', trigger: 'overflow', isForced: true },
  },
  {
    what: 'D6: too large for another model than before',
    at: 1.1,
    with: { isSwitched: true },
    expected: { act: 'compact', trigger: 'model-switch' },
  },
  { what: 'D2: a summary that is ready is taken first', at: 1.1, with: { job: ready }, expected: { act: 'install' } },
  { what: 'an almost empty window is left alone', at: 0.1, expected: { act: 'nothing' } },
];

const rows: Readonly<Record<keyof typeof presets, readonly Row[]>> = {
  chat: [
    {
      what: 'one count: what is likely decides when to begin, however loose the bound is',
      at: 0.77,
      with: { bound: window * 0.99 },
      expected: { act: 'nothing' },
    },
    {
      what: 'guarantee 1: the bound decides what may be sent',
      at: 0.77,
      with: { bound: window * 1.01 },
      expected: { act: 'compact', trigger: 'budget', isForced: true },
    },
    {
      what: 'with tools the likely size stays below what they leave',
      at: 0.93,
      with: { toolTokens: 10_000, bound: window * 0.95 },
      expected: { act: 'compact', trigger: 'budget' },
    },
    {
      what: 'D3, editor.md 2.2: warm, just below the random point',
      at: 0.789,
      random: 0.25,
      expected: { act: 'nothing' },
    },
    { what: 'D3: warm, at the random point', at: 0.79, random: 0.25, expected: { act: 'start' } },
    { what: 'D3: warm, the range begins at 0.78', at: 0.78, random: 0, expected: { act: 'start' } },
    { what: 'D3: warm, the range ends below 0.82', at: 0.82, random: 0.999_999, expected: { act: 'start' } },
    { what: 'D3: cold below 0.90', at: 0.899, with: { roundsInTurn: 0 }, expected: { act: 'nothing' } },
    { what: 'D3: cold at 0.90', at: 0.9, with: { roundsInTurn: 0 }, expected: { act: 'start' } },
    {
      what: 'D3: warm is a finished round in this turn, not the clock',
      at: 0.85,
      with: { isCached: false },
      expected: { act: 'start' },
    },
    {
      what: 'editor.md 2.2: what the server reported counts where it is more',
      at: 0.5,
      with: { reported: 85_000 },
      expected: { act: 'start' },
    },
    {
      what: 'editor.md 2.2: without a round to attach to no job is paid for',
      at: 0.9,
      with: { rounds: 0 },
      expected: { act: 'nothing' },
    },
    { what: 'D3: ready, at the apply minimum', at: 0.65, with: { job: ready }, expected: { act: 'install' } },
    { what: 'D3: ready, below the apply minimum', at: 0.649, with: { job: ready }, expected: { act: 'drop' } },
    {
      what: 'editor.md 2.2: the blocking steps are gone',
      at: 0.97,
      with: { job: running },
      expected: { act: 'nothing' },
    },
    {
      what: 'editor.md 2.1: over budget with a job running, it waits',
      at: 1.1,
      with: { job: running },
      expected: { act: 'wait', trigger: 'budget' },
    },
    {
      what: 'editor.md 2.1: over budget without a job, it asks in the foreground',
      at: 1.1,
      expected: { act: 'compact', asks: true },
    },
    {
      what: 'editor.md 2.2: a foreground attempt that failed is not repeated in the turn',
      at: 1.1,
      with: { hasWaitedInVain: true },
      expected: { act: 'compact', asks: false },
    },
    {
      what: 'editor.md 2.3: a failed job may begin again at once',
      at: 0.85,
      with: { job: failed },
      expected: { act: 'start' },
    },
    {
      what: 'D7: with tools it fits into 0.9 of what they leave',
      at: 0.93,
      with: { toolTokens: 20_000 },
      expected: { act: 'compact', trigger: 'budget' },
    },
    {
      what: 'D7: without tools it fits into all of the window',
      at: 0.93,
      with: { job: running },
      expected: { act: 'nothing' },
    },
    {
      what: 'D7: shares are of the threshold where one is set',
      at: 0.45,
      when: { threshold: 0.5 },
      with: { roundsInTurn: 0 },
      expected: { act: 'start' },
    },
  ],
  cli: [
    {
      what: 'one count: what is likely decides when to begin, however loose the bound is',
      at: 0.79,
      with: { bound: window * 0.97 },
      expected: { act: 'nothing' },
    },
    { what: 'D4, sessions.md 11.4: below 0.80', at: 0.799, expected: { act: 'nothing' } },
    { what: 'D4: at 0.80', at: 0.8, expected: { act: 'start' } },
    { what: 'D4: warm or cold', at: 0.8, with: { isCached: false, roundsInTurn: 0 }, expected: { act: 'start' } },
    { what: 'D4: fewer than 4 messages', at: 0.9, with: { messages: 3 }, expected: { act: 'nothing' } },
    { what: 'D4: 4 messages', at: 0.9, with: { messages: 4, rounds: 0 }, expected: { act: 'start' } },
    {
      what: 'without a model it is made at once',
      at: 0.8,
      with: { isModelFree: true },
      expected: { act: 'compact', asks: false, isForced: false },
    },
    { what: '11.4: running with room goes on', at: 0.949, with: { job: running }, expected: { act: 'nothing' } },
    {
      what: '11.4: running with the buffer exhausted waits',
      at: 0.95,
      with: { job: running },
      expected: { act: 'wait', trigger: 'background' },
    },
    {
      what: '11.4: done is applied, however little is used',
      at: 0.2,
      with: { job: ready },
      expected: { act: 'install' },
    },
    {
      what: '11.4: none, above the threshold, begins and goes on, even above 0.95',
      at: 0.97,
      expected: { act: 'start' },
    },
    {
      what: '11.4: after a 413 the retry waits for a compaction',
      at: 0.5,
      with: { isRefused: true },
      expected: { act: 'compact', asks: true },
    },
    {
      what: '11.4: after a 413 with one running it waits for that',
      at: 0.5,
      with: { isRefused: true, job: running },
      expected: { act: 'wait', trigger: 'overflow' },
    },
  ],
  pi: [
    {
      what: 'sessions.md 4.1: what does not fit has passed the threshold',
      at: 1.1,
      expected: { act: 'compact', trigger: 'threshold', isForced: true },
    },
    {
      what: 'one count: what is likely decides when it is due, however loose the bound is',
      at: 0.85,
      with: { bound: window * 0.99 },
      expected: { act: 'nothing' },
    },
    {
      what: 'what was waited for in vain is made without a model',
      at: 0.86,
      with: { job: running, hasWaitedInVain: true },
      expected: { act: 'compact', asks: false, trigger: 'threshold' },
    },
    { what: 'D5, sessions.md 4.1: at window - reserve', at: 0.85, expected: { act: 'nothing' } },
    {
      what: 'D5: strictly above it',
      at: 0.850_01,
      with: { bound: 85_000 },
      expected: { act: 'compact', asks: true, trigger: 'threshold', isForced: false },
    },
    {
      what: '4.2: between tool rounds as well',
      at: 0.9,
      with: { bound: 80_000, boundary: 'round' },
      expected: { act: 'compact' },
    },
    {
      what: '4.2: and before a new prompt',
      at: 0.9,
      with: { bound: 80_000, boundary: 'turn' },
      expected: { act: 'compact' },
    },
    {
      what: 'pi #1860, 12.2: what freed too little is not tried again at once',
      at: 0.9,
      with: { bound: 80_000, isDeclined: true },
      expected: { act: 'nothing' },
    },
    {
      what: '4.4: an overflow is compacted and tried again',
      at: 0.5,
      with: { isRefused: true },
      expected: { act: 'compact', asks: true, trigger: 'overflow' },
    },
    { what: 'there is no job beside the work', at: 0.84, with: { boundary: 'turn' }, expected: { act: 'nothing' } },
  ],
  longhaul: [
    { what: 'below 0.7 of what may be sent', at: 0.594, expected: { act: 'nothing' } },
    { what: 'at 0.7', at: 0.595, expected: { act: 'start' } },
    { what: 'a cold cache makes no difference', at: 0.594, with: { isCached: false }, expected: { act: 'nothing' } },
    {
      what: 'cli#3216: after a failure it backs off',
      at: 0.7,
      with: { job: { ...failed, notBefore: 1 } },
      expected: { act: 'nothing' },
    },
    {
      what: 'and begins again when the time is over',
      at: 0.7,
      with: { job: { ...failed, notBefore: 0 } },
      expected: { act: 'start' },
    },
    {
      what: 'ready, and there is time',
      at: 0.67,
      with: { job: ready, boundary: 'turn' },
      expected: { act: 'nothing' },
    },
    {
      what: 'cc#10948: ready, in the middle of a turn, it waits',
      at: 0.7,
      with: { job: ready },
      expected: { act: 'nothing' },
    },
    { what: 'ready, between turns', at: 0.7, with: { job: ready, boundary: 'turn' }, expected: { act: 'install' } },
    { what: 'ready, between tasks', at: 0.7, with: { job: ready, boundary: 'task' }, expected: { act: 'install' } },
    {
      what: 'ready, and the cache is cold anyway',
      at: 0.7,
      with: { job: ready, isCached: false },
      expected: { act: 'install' },
    },
    {
      what: 'oc#32515: between turns, but it would cost more than it saves',
      at: 0.7,
      with: { job: ready, boundary: 'turn', price: { once: 70_000, perRequest: 3_000 } },
      expected: { act: 'nothing' },
    },
    {
      what: 'between turns, and it pays off',
      at: 0.7,
      with: { job: ready, boundary: 'turn', price: { once: 60_000, perRequest: 3_000 } },
      expected: { act: 'install' },
    },
    {
      what: 'never late: in the middle of a turn, whatever it costs',
      at: 0.85,
      with: { job: ready, price: { once: 1e9, perRequest: 0 } },
      expected: { act: 'install' },
    },
    {
      what: 'hysteresis: not needed any more',
      at: 0.4,
      with: { job: ready, boundary: 'turn' },
      expected: { act: 'drop' },
    },
    { what: 'promise 8: running, it goes on', at: 0.84, with: { job: running }, expected: { act: 'nothing' } },
    {
      what: 'promise 8: running, and it does not fit: nobody waits',
      at: 1.1,
      with: { job: running },
      expected: { act: 'compact', asks: false },
    },
    {
      what: 'promise 8: refused, and it does not fit: nobody waits',
      at: 0.5,
      with: { isRefused: true, job: running },
      expected: { act: 'compact', asks: false },
    },
    {
      what: 'one that came too late is still being made: no other is begun beside it',
      at: 0.8,
      with: { job: { state: 'idle', isLate: true } },
      expected: { act: 'nothing' },
    },
    {
      what: 'promise 3: what freed too little is not tried again at once',
      at: 0.8,
      with: { isDeclined: true },
      expected: { act: 'nothing' },
    },
  ],
};

for (const [name, own] of Object.entries(rows)) {
  const preset: Policy = presets[name as keyof typeof presets];
  describe(`the preset ${name}`, () => {
    test.each([...everywhere, ...own])('$what', ({ at, with: rest, when = {}, random = 0.5, expected }) => {
      const chosen = createPolicy({ base: preset, when });
      const situation = situationOf({ policy: chosen, at, ...rest });
      expect(decide({ policy: chosen, situation, random: () => random })).toMatchObject(expected);
    });

    test('says why in a sentence', () => {
      for (const { at, with: rest, when = {} } of [...everywhere, ...own]) {
        const chosen = createPolicy({ base: preset, when });
        const situation = situationOf({ policy: chosen, at, ...rest });
        expect(decide({ policy: chosen, situation, random: () => 0.5 }).why).toMatch(/^[A-Z0-9].*\.$/);
      }
    });
  });
}

test('editor.md 2.2: randomness is drawn on the warm branch of chat only', () => {
  let drawn = 0;
  const random = () => {
    drawn += 1;
    return 0.5;
  };
  const counts = [
    { policy: presets.chat, roundsInTurn: 1 },
    { policy: presets.chat, roundsInTurn: 0 },
    { policy: presets.cli, roundsInTurn: 1 },
    { policy: presets.longhaul, roundsInTurn: 1 },
  ].map(({ policy, roundsInTurn }) => {
    drawn = 0;
    decide({ policy, situation: situationOf({ policy, at: 0.3, roundsInTurn }), random });
    return drawn;
  });
  expect(counts).toEqual([1, 0, 0, 0]);
});
