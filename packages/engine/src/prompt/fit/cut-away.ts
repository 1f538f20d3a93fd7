import type { Counter } from '../count/counter.ts';
import { partsOf, TextChunk } from '../elements/text-chunk.ts';
import type { TokenLimit } from '../elements/wrappers.ts';
import { flattenAll } from '../layout/flatten.ts';
import type { LayoutNode } from '../layout/node.ts';

/** Texts that were cut to their share: what they and their messages would count whole, and the least they had to fit. */
export interface CutAway {
  readonly tokens: number;
  readonly limit: number;
}

/** What was cut where nothing is left; `undefined` if there was nothing to cut. */
export async function cutAway(root: LayoutNode, budget: number, counter: Counter): Promise<CutAway | undefined> {
  const messages = new Set<LayoutNode>();
  let tokens = 0;
  let limit = budget;
  for (const node of root.elements()) {
    const text = textToCut(node);
    if (!/\S/.test(text)) continue;
    tokens += await counter.text(text);
    for (let at = node.parent; at; at = at.parent) {
      if (at.kind?.isMessage) messages.add(at);
      if (at.kind?.isLimit) limit = Math.min(limit, (at.element as unknown as TokenLimit).props.max);
    }
  }
  for (const { overhead = 0 } of messages) tokens += overhead;
  return tokens > 0 ? { tokens, limit } : undefined;
}

function textToCut({ element, children }: LayoutNode): string {
  const chunk: unknown = element;
  if (!(chunk instanceof TextChunk && (chunk.props.breakOn || chunk.props.breakOnWhitespace))) return '';
  return partsOf(flattenAll(children, true)).text;
}
