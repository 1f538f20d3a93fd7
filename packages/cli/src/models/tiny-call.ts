import { cost, type Model, type ModelFailure, type Usage } from 'longhaul/models';

/** The result of a call. */
export interface Called {
  readonly model: Model;
  /** Milliseconds to the first token, if there was one, and to the end. */
  readonly first: number | undefined;
  readonly all: number;
  readonly text: string;
  readonly usage: Usage | undefined;
  /** Dollars, if the price is known. */
  readonly cost: number | undefined;
  readonly failure: ModelFailure | undefined;
}

/** Enough for a model that thinks first. */
const longest = 256;

/** Asks a model for one word. */
export async function tinyCall({
  model,
  signal,
  now,
}: {
  readonly model: Model;
  readonly signal: AbortSignal;
  readonly now: () => number;
}): Promise<Called> {
  const start = now();
  let first: number | undefined;
  let text = '';
  let usage: Usage | undefined;
  let failure: ModelFailure | undefined;
  const ask = { type: 'text', origin: 'human', text: 'Answer with the single word: ready' } as const;
  const items = [{ role: 'user', parts: [ask] }] as const;
  const options = { maxOutputTokens: longest, purpose: 'check' };
  for await (const event of model.stream({ head: [], items, tools: [], options, signal })) {
    if (event.type === 'text' || event.type === 'thinking') first ??= now() - start;
    if (event.type === 'text') text += event.delta;
    if (event.type === 'usage') usage = event.usage;
    if (event.type === 'end') failure = event.failure;
  }
  signal.throwIfAborted();
  const price = usage && cost({ usage, info: model.info });
  return { model, first, all: now() - start, text, usage, cost: price, failure };
}
