import { yieldToEventLoop } from '../../time.ts';
import { nextCut } from '../bpe/windows.ts';
import type { Tokenizer } from '../tokenizer.ts';

/** About a millisecond of counting. */
const stepChars = 32_768;

/** Counts in steps that can be stopped between; each step ends where the text may be cut, so the sum is exact. */
export function* countSteps(tokenizer: Tokenizer, text: string): Generator<void, number> {
  let total = 0;
  for (let from = 0; from < text.length; ) {
    const to = text.length - from <= stepChars ? text.length : nextCut(text, from + stepChars);
    total += tokenizer.count(from === 0 && to === text.length ? text : text.slice(from, to));
    from = to;
    if (from < text.length) yield;
  }
  return total;
}

/** Counts in this thread, letting others run between steps. */
export async function countPolitely(request: {
  readonly tokenizer: Tokenizer;
  readonly text: string;
  readonly signal?: AbortSignal | undefined;
}): Promise<number> {
  const steps = countSteps(request.tokenizer, request.text);
  for (;;) {
    request.signal?.throwIfAborted();
    const step = steps.next();
    if (step.done) return step.value;
    await yieldToEventLoop();
  }
}
