import { LonghaulError } from 'longhaul';
import { asLonghaulError } from '../errors/family.ts';
import type { Io } from '../io/io.ts';
import type { Counting } from './counting.ts';
import { startProgress } from './progress.ts';
import { readTarget } from './read-target.ts';
import type { Refusal, Target } from './targets.ts';

interface Counted {
  readonly name: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly bound: number;
}

export interface Outcome {
  readonly counted: readonly Counted[];
  readonly refusals: readonly Refusal[];
  /** Files found in folders that are no text. */
  readonly passedOver: number;
}

/** So many are read and counted at a time: reading one while another is counted. */
const together = 8;

/** Counts all targets; one that cannot be counted does not keep the others from it. */
export async function countTargets({
  io,
  targets,
  counting,
  limit,
  isQuiet,
}: {
  readonly io: Io;
  readonly targets: readonly Target[];
  readonly counting: Counting;
  readonly limit: number;
  readonly isQuiet: boolean;
}): Promise<Outcome> {
  const results: (Counted | Refusal | 'passed over')[] = [];
  // Reading and counting take about as long as each other for a bar's purposes.
  const total = targets.reduce((sum, { bytes }) => sum + 2 * bytes, 0);
  const progress = startProgress({ output: isQuiet ? { ...io.stderr, isTerminal: false } : io.stderr, total });
  const waiting = targets.entries();
  try {
    await Promise.all(Array.from({ length: together }, work));
  } finally {
    await progress.end();
  }
  return {
    counted: results.filter((result) => typeof result === 'object' && 'tokens' in result),
    refusals: results.filter((result) => typeof result === 'object' && 'error' in result),
    passedOver: results.filter((result) => result === 'passed over').length,
  };

  async function work(): Promise<void> {
    for (const [index, target] of waiting) results[index] = await countOne(target);
  }

  async function countOne(target: Target): Promise<Counted | Refusal | 'passed over'> {
    const { name } = target;
    try {
      const { text, bytes } = await readTarget({ io, target, limit, advance: progress.add });
      const { tokens, bound } = await counting.count(text);
      progress.add(bytes);
      return { name, bytes, tokens, bound };
    } catch (thrown) {
      const error = LonghaulError.is(thrown) ? thrown : asLonghaulError(thrown);
      if (error.code === 'internal') throw thrown;
      const isNoText = error.code === 'file-binary' || error.code === 'not-utf8';
      return target.found && isNoText ? 'passed over' : { name, error };
    }
  }
}
