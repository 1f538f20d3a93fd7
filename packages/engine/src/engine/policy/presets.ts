import type { Policy, PresetOverrides, PrunePolicy, SummaryPolicy, TriggerPolicy } from './policy.ts';

/**
 * The default: a summary is prepared early, installed between turns or tasks or when the provider's cache is cold, and
 * never late. No request ever waits for a model.
 */
const longhaul: Policy = {
  name: 'longhaul',
  when: {
    automatic: true,
    measure: 'limit',
    reserve: { tokens: 16_384, share: 0.15 },
    start: { warm: [0.7, 0.7], cold: [0.7, 0.7] },
    mayWait: 0,
    leastMessages: 4,
    leastRounds: 1,
    applyMinimum: 0.5,
    install: 'boundary',
    early: 0.8,
    late: 1,
    horizon: 20,
    autoContinue: true,
  },
  keep: { tokens: 20_000, flexible: true },
  summarize: { mode: 'auto', timeout: 300_000, backOff: { first: 30_000, most: 600_000 }, branches: true },
  prune: { outputs: true },
};

/** What the imitated agents have in common: a finished summary is installed at once, and requests wait for a model. */
const installedWhenReady = { mayWait: 300_000, install: 'ready', early: 0, late: 0 } as const;

/** The imitated agents neither back off after a failure nor summarize abandoned branches. */
const summarizedAtOnce = { ...longhaul.summarize, backOff: { first: 0, most: 0 }, branches: false } as const;

/** VS Code Copilot Chat (editor.md 2.2, 2.3, 3; features D3, D7, D10). */
const chat: Policy = {
  name: 'chat',
  when: {
    ...longhaul.when,
    // It waits for its summary only once the prompt does not fit any more, and then without end.
    ...installedWhenReady,
    measure: 'window',
    // Its windows are for the prompt alone; a tenth of what the tools leave is its safety, and it renders into the rest.
    reserve: { tokens: 0, share: 0 },
    start: { warm: [0.78, 0.82], cold: [0.9, 0.9] },
    leastMessages: 2,
    leastRounds: 1,
    applyMinimum: 0.65,
    autoContinue: false,
  },
  keep: { rounds: 1 },
  summarize: { ...summarizedAtOnce, maxTokens: 8_192 },
  // editor.md 4.2: results above 8 KiB go to disk.
  prune: { outputs: false, offloadAbove: 8_192 },
  imitates: {
    fitsThreshold: true,
    fits: 'window',
    warm: 'round',
    // editor.md 3.3.
    summaryTag: 'conversation-summary',
    foreground: 'simple',
  },
};

/** Copilot CLI (sessions.md 11; features D4). */
const cli: Policy = {
  name: 'cli',
  when: {
    ...longhaul.when,
    ...installedWhenReady,
    measure: 'window',
    // Its truncator aims a little below the limit.
    reserve: { tokens: 16_384, share: 0.02 },
    start: { warm: [0.8, 0.8], cold: [0.8, 0.8] },
    leastMessages: 4,
    leastRounds: 0,
    applyMinimum: 0,
  },
  // sessions.md 11.6: no verbatim tail.
  keep: { rounds: 0 },
  summarize: { ...summarizedAtOnce, maxTokens: 8_192 },
  prune: { outputs: false },
  imitates: { block: 0.95 },
};

/** pi has no background summary. */
const { start: _never, ...withoutJob } = longhaul.when;

/** pi (sessions.md 4-7; features D5). It makes the summary when the threshold is passed, and waits for it. */
const pi: Policy = {
  name: 'pi',
  when: { ...withoutJob, ...installedWhenReady, leastMessages: 2, leastRounds: 0, applyMinimum: 0 },
  keep: { tokens: 20_000 },
  // sessions.md 6.3: 0.8 of the reserve.
  summarize: { ...summarizedAtOnce, mode: 'simple', maxTokens: 13_107 },
  // features C3.
  prune: { outputs: true, limits: { protect: 40_000, minimum: 20_000 } },
  imitates: {
    // Strictly above window - 16,384, whatever the tools take; small windows have their own reserve here (sessions.md 10.3).
    afterTools: 1,
    fits: 'window',
    compactAt: 1,
    splitsTurns: true,
    foreground: 'simple',
  },
};

/**
 * The policies that come with the engine: `longhaul` is the default, the others reproduce the documented behavior of VS
 * Code Copilot Chat, Copilot CLI and pi.
 *
 * @example
 * const engine = await createEngine({ store, policy: presets.pi });
 */
export const presets = { longhaul, chat, cli, pi } as const satisfies Record<string, Policy>;

export type PresetName = keyof typeof presets;

/**
 * A policy of your own: `base` with the given members replaced, group by group. `keep` is replaced as a whole.
 *
 * @example
 * const policy = createPolicy({ base: presets.pi, when: { threshold: 0.7 }, keep: { tokens: 8_000 } });
 */
export function createPolicy({
  base = longhaul,
  name = base.name,
  when,
  keep = base.keep,
  summarize,
  prune,
  imitates,
}: {
  /** Default: `presets.longhaul`. */
  readonly base?: Policy;
  /** Default: the name of `base`. */
  readonly name?: string;
  readonly when?: Partial<TriggerPolicy>;
  readonly keep?: Policy['keep'];
  readonly summarize?: Partial<SummaryPolicy>;
  readonly prune?: Partial<PrunePolicy>;
  readonly imitates?: PresetOverrides;
}): Policy {
  return {
    name,
    when: { ...base.when, ...when },
    keep,
    summarize: { ...base.summarize, ...summarize },
    prune: { ...base.prune, ...prune },
    ...((base.imitates || imitates) && { imitates: { ...base.imitates, ...imitates } }),
  };
}
