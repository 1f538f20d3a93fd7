/** What one run of a class of attacks found. */
export interface HostileResult {
  /** How many cases were run. */
  readonly cases: number;
  /** One line a case that did damage: what was done and what happened. Empty if everything withstood. */
  readonly findings: readonly string[];
  /** Figures worth printing, such as shares. */
  readonly notes?: readonly string[];
}

/** A generator of attacks of one kind. The same seed gives the same cases on every machine. */
export type RunHostile = (options: { readonly seed: number; readonly count: number }) => Promise<HostileResult>;

/** A class of attacks as the runner lists it. */
export interface HostileClass {
  readonly name: string;
  /** What is attacked, in one line, for the report. */
  readonly about: string;
  readonly run: RunHostile;
  /** How many cases `npm run soak -- hostile` runs. */
  readonly soakCount: number;
  /** How many cases `npm test` runs. */
  readonly testCount: number;
  /** How long the soak run may take before it counts as a hang, in milliseconds. Default: an hour. */
  readonly timeoutMs?: number;
}
