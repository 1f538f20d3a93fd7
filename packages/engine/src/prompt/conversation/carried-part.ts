import type { Part } from '../../message/index.ts';
import type { PromptPiece } from '../element.ts';
import { h } from '../jsx.ts';
import type * as Raw from '../output/raw.ts';

/** Wrapper of a part without an element of its own, so that it passes through a prompt unchanged. */
interface Carrier {
  readonly type: 'longhaul:part';
  readonly part: Part;
}

/** A part of a message as an opaque value: thinking and provider-specific parts. */
export function carrierOf({ part, tokenUsage }: { readonly part: Part; readonly tokenUsage: number }): PromptPiece {
  const value: Carrier = { type: 'longhaul:part', part };
  return h('opaque', { value, tokenUsage });
}

/** The part in an opaque value; `undefined` for other values. */
export function carriedPart({ value }: Raw.ChatCompletionContentPartOpaque): Part | undefined {
  const isCarrier = typeof value === 'object' && value !== null && (value as Partial<Carrier>).type === 'longhaul:part';
  return isCarrier ? (value as Carrier).part : undefined;
}
