import type { EndReason } from './model.ts';
import { promptTokens, type Usage } from './usage.ts';

/**
 * Whether an answer that looks good says by its usage that the prompt did not fit. z.ai accepts more than the window
 * and answers; Xiaomi's MiMo cuts the prompt to the window and has no room left to answer. Ollama cuts silently and
 * cannot be caught this way.
 *
 * @example
 * silentOverflow({ usage: { input: 130_000, output: 9, cacheRead: 0, cacheWrite: 0 }, endReason: 'stop', window: 128_000 }); // true
 */
export function silentOverflow({
  usage,
  endReason,
  window,
}: {
  readonly usage: Usage | undefined;
  readonly endReason: EndReason;
  readonly window: number;
}): boolean {
  if (usage === undefined) return false;
  const prompt = promptTokens(usage);
  if (endReason === 'stop' || endReason === 'tool_calls') return prompt > window;
  return endReason === 'length' && usage.output === 0 && prompt >= window * 0.99;
}
