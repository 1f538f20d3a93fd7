import { charsOf, type Mask, maskedItems, type SourceItem } from '../../../analysis/index.ts';
import type { Part } from '../../../message/index.ts';
import type { SummaryInput } from '../../summarizer.ts';
import { createBreather } from '../yield-to-event-loop.ts';
import { createBoilerplate } from './boilerplate.ts';
import { editText } from './edits.ts';
import { callsOf, entryOf, type Limits, usualLimits } from './entries.ts';

/** Entries are never made smaller than this: less says nothing. */
const smallest: Limits = { arguments: 40, edit: 120, result: 80, thinking: 0, text: 160, program: 80 };

/** What a summary has to tell, as flat entries. */
export interface FlatRecord {
  /** From 1, all that is usual, to 0, as little as there can be. */
  entries(of: { readonly detail: number }): Promise<string[]>;
}

/**
 * What a summary has to tell, from the earlier summary on, masked before anything is cut: half a key no longer looks like
 * one.
 *
 * @example
 * const entries = await (await recordOf({ input, mask })).entries({ detail: 1 });
 */
export async function recordOf({
  input,
  mask,
}: {
  readonly input: Pick<SummaryInput, 'items' | 'previous'>;
  readonly mask: Mask;
}): Promise<FlatRecord> {
  const items = newItems(input);
  const breathe = createBreather();
  const { nameOf, isAnswered } = callsOf(items);
  const told: SourceItem[] = [];
  const edits = new Set<string>();
  const shorten = createBoilerplate();
  for (const item of items) {
    const parts = item.message.parts.map((part) => edgesOnly(shorten({ part: withDiff(part), handle: item.handle })));
    await breathe(charsOf({ parts }));
    const open = parts.flatMap((part) =>
      part.type === 'tool_call' && !isAnswered(part.id) ? [note(`(no result of ${part.name} is recorded)`)] : [],
    );
    const noted = { ...item, message: { ...item.message, parts: [...parts, ...open] } };
    told.push(...maskedItems({ items: [noted], mask }));
  }
  return {
    async entries({ detail }) {
      const limits = limitsFor(detail);
      const entries: string[] = [];
      for (const item of told) {
        const entry = entryOf({ item, limits, nameOf, isEdit: (id) => edits.has(id) });
        entries.push(entry);
        await breathe(entry.length);
      }
      return entries;
    },
  };

  /** An edit is shown by what it changes: its arguments may hold whole files, cut before they say anything. */
  function withDiff(part: Part): Part {
    const diff = part.type === 'tool_call' && part.origin !== 'engine' ? editText(part) : undefined;
    if (part.type !== 'tool_call' || diff === undefined) return part;
    edits.add(part.id);
    return { ...part, arguments: diff };
  }
}

/** An earlier summary with nothing after it to tell would leave a model with nothing: then all of it is told again. */
export function sincePrevious(input: SummaryInput): SummaryInput {
  if (!input.previous || newItems(input).length > 0) return input;
  const { previous: _, ...rest } = input;
  return rest;
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

/** So much at either end of a text is looked at: the rest is left out anyway, and to mask all of it takes long. */
const edge = { text: 30_000, other: 12_000 };

/** What is cut out here is far from what is cut out later: no key that is shown can have its half in it. */
function edgesOnly(part: Part): Part {
  switch (part.type) {
    case 'text':
      return { ...part, text: withoutMiddle({ text: part.text, length: edge.text }) };
    case 'thinking':
      return { ...part, text: withoutMiddle({ text: part.text, length: edge.other }) };
    case 'tool_call':
      return { ...part, arguments: part.arguments.slice(0, edge.other) };
    case 'tool_result': {
      const content = part.content.map((inner) =>
        inner.type === 'text' ? { ...inner, text: withoutMiddle({ text: inner.text, length: edge.other }) } : inner,
      );
      return { ...part, content };
    }
    default:
      return part;
  }
}

function withoutMiddle({ text, length }: { readonly text: string; readonly length: number }): string {
  if (text.length <= 2 * length) return text;
  return `${text.slice(0, length)}\n[…]\n${text.slice(-length)}`;
}

function note(text: string): Part {
  return { type: 'text', origin: 'model', text };
}

function limitsFor(detail: number): Limits {
  const limit = (name: keyof Limits) =>
    Math.round(smallest[name] + (usualLimits[name] - smallest[name]) * Math.min(1, Math.max(0, detail)));
  return {
    arguments: limit('arguments'),
    edit: limit('edit'),
    result: limit('result'),
    thinking: limit('thinking'),
    text: limit('text'),
    program: limit('program'),
  };
}
