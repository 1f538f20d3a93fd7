import type { Counter } from '../count/counter.ts';
import { TextChunk } from '../elements/text-chunk.ts';
import type { LayoutNode } from '../layout/node.ts';

/** What the texts that layout could cut would have counted whole, with the messages they stand in; 0 if all are blank. */
export async function cutAway(root: LayoutNode, counter: Counter): Promise<number> {
  const messages = new Set<LayoutNode>();
  let tokens = 0;
  for (const node of root.elements()) {
    const text = textIn(node);
    if (!/\S/.test(text)) continue;
    tokens += await counter.text(text);
    const message = messageAround(node);
    if (message) messages.add(message);
  }
  for (const { overhead = 0 } of messages) tokens += overhead;
  return tokens;
}

function textIn({ element, children }: LayoutNode): string {
  if (!((element as unknown) instanceof TextChunk)) return '';
  return children.filter((child) => typeof child === 'string' || typeof child === 'number').join('');
}

function messageAround(node: LayoutNode): LayoutNode | undefined {
  for (let at: LayoutNode | undefined = node; at; at = at.parent) if (at.kind?.isMessage) return at;
  return undefined;
}
