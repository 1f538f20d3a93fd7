import type { Mask } from '../../../secrets/mask.ts';
import { maskedItems } from '../../../secrets/masked-items.ts';
import type { SourceItem } from '../../../source.ts';
import type { SummaryInput } from '../../summariser.ts';
import { callsOf, entryOf, type Limits, usualLimits } from './entries.ts';

/** Entries are never made smaller than this: less says nothing. */
const smallest: Limits = { arguments: 40, result: 80, thinking: 0, text: 160 };

/**
 * What a summary has to tell as flat entries, from the earlier summary on, masked before anything is cut: half a key no
 * longer looks like one.
 *
 * @example
 * const entries = recordOf({ input, mask });
 */
export async function recordOf({
  input,
  mask,
  detail = 1,
}: {
  readonly input: Pick<SummaryInput, 'items' | 'previous'>;
  readonly mask: Mask;
  /** From 1, all that is usual, to 0, as little as there can be. */
  readonly detail?: number;
}): Promise<string[]> {
  const items = newItems(input);
  const { nameOf, isAnswered } = callsOf(items);
  const limits = limitsFor(detail);
  const entries: string[] = [];
  for (const [index, item] of items.entries()) {
    // The caller's event loop goes on in between.
    if (index % 64 === 63) await new Promise((resolve) => setImmediate(resolve));
    const open = item.message.parts.flatMap((part) =>
      part.type === 'tool_call' && !isAnswered(part.id) ? [`(no result of ${part.name} is recorded)`] : [],
    );
    const [masked = item] = maskedItems({ items: [edgesOnly(item)], mask });
    entries.push(entryOf({ item: withNotes({ item: masked, notes: open }), limits, nameOf }));
  }
  return entries;
}

/** So much at either end of a text is looked at: the rest is left out anyway, and to mask all of it takes long. */
const edge = 30_000;

/** What is cut out here is far from what is cut out later: no key that is shown can have its half in it. */
function edgesOnly(item: SourceItem): SourceItem {
  const parts = item.message.parts.map((part) => {
    if (part.type === 'text' || part.type === 'thinking') return { ...part, text: withoutMiddle(part.text) };
    if (part.type === 'tool_call') return { ...part, arguments: part.arguments.slice(0, edge) };
    if (part.type !== 'tool_result') return part;
    const content = part.content.map((inner) =>
      inner.type === 'text' ? { ...inner, text: withoutMiddle(inner.text) } : inner,
    );
    return { ...part, content };
  });
  return { ...item, message: { ...item.message, parts } };
}

function withoutMiddle(text: string): string {
  if (text.length <= 2 * edge) return text;
  return `${text.slice(0, edge)}\n[…]\n${text.slice(-edge)}`;
}

/** What the earlier summary does not tell. */
export function newItems({
  items,
  previous,
}: {
  readonly items: readonly SourceItem[];
  readonly previous?: SummaryInput['previous'] | undefined;
}): readonly SourceItem[] {
  return previous ? items.filter(({ handle }) => handle > previous.to) : items;
}

function withNotes({ item, notes }: { readonly item: SourceItem; readonly notes: readonly string[] }): SourceItem {
  if (notes.length === 0) return item;
  const parts = notes.map((text) => ({ type: 'text', origin: 'model', text }) as const);
  return { ...item, message: { ...item.message, parts: [...item.message.parts, ...parts] } };
}

function limitsFor(detail: number): Limits {
  const limit = (name: keyof Limits) =>
    Math.round(smallest[name] + (usualLimits[name] - smallest[name]) * Math.min(1, Math.max(0, detail)));
  return { arguments: limit('arguments'), result: limit('result'), thinking: limit('thinking'), text: limit('text') };
}
