import { readElement } from '../json/read.ts';
import type { PromptElementJSON } from '../json/types.ts';
import type { ChatDocumentContext } from '../jsx.ts';
import type { BasePromptElementProps } from '../piece.ts';
import { type PromptMetadata, ReferenceMetadata } from '../results/metadata.ts';
import type { PromptReference } from '../results/reference.ts';
import type { UriComponents } from '../results/uri.ts';
import { addEmbedded } from './consumption.ts';
import type { Flat } from './flatten.ts';
import type { Layout } from './layout.ts';
import type { Sum } from './maybe.ts';
import { LayoutBreakpoint, LayoutNode, LayoutOpaque, LayoutText } from './node.ts';

interface Intrinsic {
  readonly layout: Layout;
  readonly node: LayoutNode;
  readonly name: string;
  readonly props: object;
  readonly children: readonly Flat[];
  /** Its place; the next one if unset. */
  readonly childIndex: number | undefined;
  /** Takes what it counts, by our rules. */
  readonly sum: Sum;
}

/** Puts an intrinsic element into a node. */
export function placeIntrinsic(of: Intrinsic): void {
  const place = intrinsics[of.name];
  if (!place) throw new Error(`Unknown intrinsic element ${of.name}!`);
  place(of);
}

const intrinsics: Readonly<Record<string, (of: Intrinsic) => void>> = {
  meta(of) {
    alone(of, 'meta');
    const { value, local } = of.props as { value: PromptMetadata; local?: boolean };
    if (local) of.node.addMetadata(value);
    else of.layout.addMetadata(value);
  },

  br(of) {
    alone(of, 'br');
    const { priority } = of.props as BasePromptElementProps;
    of.node.append(
      new LayoutText({
        childIndex: indexOf(of),
        text: '\n',
        priority,
        metadata: undefined,
        lineBreakBefore: false,
        tokens: undefined,
      }),
    );
    const { counter, rules } = of.layout.input;
    if (rules.countsAll) of.sum.add(counter.text('\n'));
  },

  usedContext(of) {
    alone(of, 'usedContext');
    for (const each of (of.props as { value: readonly ChatDocumentContext[] }).value) of.layout.usedContext.push(each);
  },

  references(of) {
    alone(of, 'reference');
    for (const each of (of.props as { value: readonly PromptReference[] }).value)
      of.node.addMetadata(new ReferenceMetadata(each));
  },

  ignoredFiles(of) {
    alone(of, 'ignoredFiles');
    for (const each of (of.props as { value: readonly UriComponents[] }).value) of.layout.ignoredFiles.push(each);
  },

  elementJSON({ layout, node, props, sum }) {
    const { data, priority } = props as { data: PromptElementJSON; priority?: number };
    const { tracer, rules } = layout.input;
    for (const child of readElement({ json: data, into: node, layout, priority })) {
      if (rules.countsAll) addEmbedded(layout, child, sum);
      // What the elements had when they were rendered is not known here.
      if (tracer?.includeInEpoch && child instanceof LayoutNode)
        for (const { id } of child.elements()) tracer.includeInEpoch({ id, tokenBudget: 0 });
    }
  },

  cacheBreakpoint(of) {
    alone(of, 'cacheBreakpoint');
    if (!of.node.kind?.isMessage) throw new Error('Cache breakpoints may only be direct children of chat messages');
    const { type: cacheType } = of.props as { type?: string };
    of.node.append(new LayoutBreakpoint({ childIndex: indexOf(of), part: { type: 3, cacheType } }));
  },

  opaque(of) {
    const { value, tokenUsage, priority, scope } = of.props as {
      value: unknown;
      tokenUsage?: number;
      priority?: number;
      scope?: number;
    };
    const { counter, rules } = of.layout.input;
    const keepsScope = rules.losslessJSON && scope !== undefined;
    const part = { type: 2, value, tokenUsage, ...(keepsScope && { scope }) } as const;
    of.node.append(new LayoutOpaque({ childIndex: indexOf(of), part, priority }));
    if (rules.countsAll) of.sum.add(counter.declared(part));
  },
};

function indexOf({ childIndex, node }: Intrinsic): number {
  return childIndex ?? node.childCount;
}

function alone({ children }: Intrinsic, name: string): void {
  if (children.length > 0) throw new Error(`<${name} /> must not have children!`);
}
