import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import * as compat from 'longhaul/prompt/compat';
import { cpuMs } from '../compaction/cpu.ts';
import type { History } from './history.ts';
import { type Implementation, promptOf, type Shape } from './shapes.ts';
import type { BenchTokenizer } from './tokenizers.ts';

interface Result {
  readonly messages: unknown;
  readonly tokenCount: number;
}

interface Renderer {
  memory?: unknown;
  renderRaw(): Promise<Result>;
}

export const ours: Implementation = compat;
const require = createRequire(import.meta.url);
export const theirs: Implementation = require('@vscode/prompt-tsx') as Implementation;

/** How long a measurement lasts at least, in milliseconds of wall time. */
const atLeast = 400;

export interface Case {
  readonly shape: Shape;
  readonly history: History;
  readonly tokenizer: BenchTokenizer;
  readonly budget: number;
}

/** Renders a case by one implementation, as often as it is called. */
export function renderer(
  of: Case & { readonly lib: Implementation; readonly memory?: unknown },
): () => Promise<Result> {
  const { lib, shape, history, tokenizer, budget, memory } = of;
  const Prompt = promptOf({ lib, shape, history });
  const Renderer = lib.PromptRenderer as new (...args: unknown[]) => Renderer;
  return () => {
    const once = new Renderer({ modelMaxPromptTokens: budget }, Prompt, {}, tokenizer);
    if (memory) once.memory = memory;
    return once.renderRaw();
  };
}

/**
 * CPU milliseconds of a render, and what came out. Short ones are repeated until they took a while, so that each pays
 * for its own garbage.
 */
export async function timed(work: () => Promise<Result>): Promise<{ readonly ms: number; readonly result: Result }> {
  let result: Result | undefined;
  let renders = 0;
  const ms = await cpuMs(async () => {
    for (const until = performance.now() + atLeast; renders === 0 || performance.now() < until; renders += 1)
      result = await work();
  });
  return { ms: ms / renders, result: result as Result };
}

/** Both by turns; the medians. What comes out must be the same. */
export async function compare(
  of: Case & { readonly rounds: number; readonly warmUps: number; readonly hasTheirs: boolean },
): Promise<{ readonly theirs: number; readonly ours: number }> {
  const renderTheirs = renderer({ ...of, lib: theirs });
  const renderOurs = renderer({ ...of, lib: ours });
  for (let round = 0; round < of.warmUps; round += 1) await renderOurs();
  const times = { theirs: [] as number[], ours: [] as number[] };
  for (let round = 0; round < of.rounds; round += 1) {
    const theirTurn = of.hasTheirs ? await timed(renderTheirs) : undefined;
    const ourTurn = await timed(renderOurs);
    times.ours.push(ourTurn.ms);
    if (!theirTurn) continue;
    times.theirs.push(theirTurn.ms);
    const { messages, tokenCount } = theirTurn.result;
    const isSame = tokenCount === ourTurn.result.tokenCount && isDeepStrictEqual(messages, ourTurn.result.messages);
    if (!isSame) throw new Error(`${of.shape} at ${of.budget}: the two do not render the same.`);
  }
  return { theirs: median(times.theirs), ours: median(times.ours) };
}

export function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}
