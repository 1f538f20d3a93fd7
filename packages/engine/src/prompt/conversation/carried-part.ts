import type { Part } from '../../message/index.ts';
import type { PromptPiece } from '../element.ts';
import { h } from '../jsx.ts';
import type * as Raw from '../output/raw.ts';

/** What a part that prompts know no element for is put into, so that it comes out as it went in. */
interface Carrier {
  readonly type: 'longhaul:part';
  readonly part: Part;
}

/** A part of a message as an opaque value: thinking, and what only its provider understands. */
export function carrierOf({ part, tokenUsage }: { readonly part: Part; readonly tokenUsage: number }): PromptPiece {
  const value: Carrier = { type: 'longhaul:part', part };
  return h('opaque', { value, tokenUsage });
}

/** The part in an opaque value; `undefined` for a value of somebody else's. */
export function carriedPart({ value }: Raw.ChatCompletionContentPartOpaque): Part | undefined {
  const isCarrier = typeof value === 'object' && value !== null && (value as Partial<Carrier>).type === 'longhaul:part';
  return isCarrier ? (value as Carrier).part : undefined;
}
