import type { Policy } from './policy.ts';

/**
 * Ours: a summary is prepared early, goes in between turns or tasks or when the provider's cache is cold anyway, and never
 * late. No request ever waits for a model.
 */
const longhaul: Policy = {
  name: 'longhaul',
  automatic: true,
  measure: 'limit',
  reserve: { tokens: 16_384, share: 0.15 },
  afterTools: 0.9,
  fitsThreshold: false,
  fits: 'reserve',
  start: { warm: [0.7, 0.7], cold: [0.7, 0.7] },
  warm: 'lifetime',
  mayWait: 0,
  longest: 300_000,
  leastMessages: 4,
  leastRounds: 1,
  applyMinimum: 0.5,
  install: 'boundary',
  early: 0.8,
  late: 1,
  horizon: 20,
  keep: { tokens: 20_000, flexible: true },
  summaryTag: 'summary',
  splitsTurns: false,
  prunes: true,
  mode: 'auto',
  foreground: 'auto',
  backOff: { first: 30_000, most: 600_000 },
  autoContinue: true,
  branchSummaries: true,
};

/** VS Code Copilot Chat (editor.md 2.2, 2.3, 3; features D3, D7, D10). */
const chat: Policy = {
  ...longhaul,
  name: 'chat',
  measure: 'window',
  // Its windows are for the prompt alone; a tenth of what the tools leave is its safety, and it renders into the rest.
  reserve: { tokens: 0, share: 0 },
  fitsThreshold: true,
  fits: 'window',
  start: { warm: [0.78, 0.82], cold: [0.9, 0.9] },
  warm: 'round',
  // It waits for its summary only once the prompt does not fit any more, and then without end.
  mayWait: 300_000,
  leastMessages: 2,
  leastRounds: 1,
  applyMinimum: 0.65,
  install: 'ready',
  early: 0,
  late: 0,
  keep: { rounds: 1 },
  summaryTokens: 8_192,
  // editor.md 3.3.
  summaryTag: 'conversation-summary',
  prunes: false,
  // editor.md 4.2: results above 8 KiB go to disk.
  offloads: 8_192,
  foreground: 'simple',
  backOff: { first: 0, most: 0 },
  autoContinue: false,
  branchSummaries: false,
};

/** Copilot CLI (sessions.md 11; features D4). */
const cli: Policy = {
  ...longhaul,
  name: 'cli',
  measure: 'window',
  // Its truncator aims a little below the limit.
  reserve: { tokens: 16_384, share: 0.02 },
  start: { warm: [0.8, 0.8], cold: [0.8, 0.8] },
  block: 0.95,
  mayWait: 300_000,
  leastMessages: 4,
  leastRounds: 0,
  applyMinimum: 0,
  install: 'ready',
  early: 0,
  late: 0,
  // sessions.md 11.6: no verbatim tail.
  keep: { rounds: 0 },
  summaryTokens: 8_192,
  prunes: false,
  backOff: { first: 0, most: 0 },
  autoContinue: true,
  branchSummaries: false,
};

/** pi has no background summary. */
const { start: _never, ...withoutJob } = longhaul;

/** pi (sessions.md 4-7; features D5). It makes the summary when the threshold is passed, and waits for it. */
const pi: Policy = {
  ...withoutJob,
  name: 'pi',
  // Strictly above window - 16,384, whatever the tools take; small windows have their own reserve here (sessions.md 10.3).
  afterTools: 1,
  fits: 'window',
  compactAt: 1,
  mayWait: 300_000,
  leastMessages: 2,
  leastRounds: 0,
  applyMinimum: 0,
  install: 'ready',
  early: 0,
  late: 0,
  keep: { tokens: 20_000 },
  // sessions.md 6.3: 0.8 of the reserve.
  summaryTokens: 13_107,
  splitsTurns: true,
  // features C3.
  prunes: true,
  pruning: { protect: 40_000, minimum: 20_000 },
  foreground: 'simple',
  mode: 'simple',
  backOff: { first: 0, most: 0 },
  autoContinue: true,
  branchSummaries: false,
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
