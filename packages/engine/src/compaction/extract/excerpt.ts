import type { Message } from '../../message/index.ts';
import { partTexts } from '../../session/index.ts';
import { fitAll } from '../shrink/fit.ts';
import type { SourceItem } from '../source.ts';
import { type Composed, compose } from './compose.ts';
import type { Sections } from './document/sections.ts';
import { readItems } from './reading.ts';
import { type Shares, share } from './share.ts';
import type { Weights } from './weights.ts';

/** A session in fewer tokens: a document, and after it what stays verbatim. */
export interface Excerpt {
  readonly document: Composed;
  readonly kept: readonly Message[];
  readonly shares: Shares;
}

/**
 * A session in so many tokens, without a model: how much of its end stays verbatim is decided by what it is worth, and the
 * document takes the rest. Everything stays where everything fits.
 *
 * @example
 * const { document, kept } = excerpt({ items, budget: 23_000, count });
 */
export function excerpt({
  items,
  budget,
  count,
  know = () => [],
  root,
  focus,
  weights,
}: {
  readonly items: readonly SourceItem[];
  readonly budget: number;
  readonly count: (text: string) => number;
  /** What else is known of what the document is about; `human` tokens are meant for people's words. */
  readonly know?: (of: { readonly items: readonly SourceItem[]; readonly human: number }) => readonly Sections[];
  readonly root?: string;
  readonly focus?: string;
  readonly weights?: Weights;
}): Excerpt {
  const weigh = (message: Message) => textsOf(message).reduce((sum, text) => sum + count(text), 0);
  const reading = readItems({ items, focus, weights });
  const shares = share({ reading, budget, count });
  const tail = items.slice(shares.cut).map((item) => ({ ...item, tokens: weigh(item.message) }));
  const kept = fitAll({ items: tail, total: shares.tail, scales: { count, weigh } });
  const messages = kept.map(({ message }) => message);
  const document = compose({
    reading,
    end: shares.cut,
    context: messages.flatMap(textsOf),
    known: know({ items: items.slice(0, shares.cut), human: shares.human }),
    root,
    budget: budget - kept.reduce((sum, { tokens }) => sum + tokens, 0),
    count,
  });
  return { document, kept: messages, shares };
}

function textsOf({ parts }: Message): string[] {
  return partTexts(parts).flatMap(({ text, isProse }) => (isProse ? text : []));
}
