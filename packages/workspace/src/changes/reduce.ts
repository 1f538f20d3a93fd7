import { lineStarts } from '../outline/render.ts';
import { readStructure } from '../structure/read-structure.ts';
import { type StructureNode, walk } from '../structure/structure.ts';
import type { LineSpan } from './hunks.ts';

/** Counts the tokens of a text. */
type CountTokens = (text: string) => number;

/** A document with what changed in it, or what of it is selected. */
export interface ChangeInput {
  readonly path: string;
  readonly text: string;
  /** Changed lines; empty or absent where nothing is marked. */
  readonly hunks?: readonly LineSpan[];
  readonly selection?: LineSpan;
}

/** How much of a document is shown. */
export type ChangeForm = 'whole' | 'definitions' | 'dropped';

export interface ReducedChange {
  readonly path: string;
  readonly text: string;
  readonly form: ChangeForm;
  readonly spans: readonly LineSpan[];
  readonly tokens: number;
}

/** Several documents do not fit even when reduced: the caller splits them (`splitChanges`). */
export class SplitInputError extends Error {
  readonly code = 'split_input';
  readonly tokens: number;
  constructor({ tokens, budget }: { readonly tokens: number; readonly budget: number }) {
    super(
      `The changes have ${tokens} tokens when reduced, ${tokens - budget} more than fit; split them into smaller batches.`,
    );
    this.tokens = tokens;
  }
}

const definitions = new Set([
  'class',
  'interface',
  'enum',
  'type',
  'module',
  'function',
  'method',
  'constructor',
  'field',
  'variable',
]);

/**
 * Changed documents within a number of tokens: whole while they fit; then the largest first are reduced to their hunks,
 * widened to the definitions around them, until all fit. A document without hunks or selection is dropped
 * when its turn comes. Several documents that still do not fit throw `SplitInputError`; a single one is returned anyway.
 *
 * @example
 * const { documents } = await reduceChanges({ inputs: [{ path: 'a.ts', text, hunks: [{ from: 10, to: 12 }] }], tokens: 2_000, count });
 */
export async function reduceChanges(of: {
  readonly inputs: readonly ChangeInput[];
  readonly tokens: number;
  readonly count: CountTokens;
}): Promise<{ readonly documents: readonly ReducedChange[]; readonly tokens: number }> {
  const { inputs, count } = of;
  const documents = inputs.map((input): ReducedChange => {
    const lines = Math.max(1, lineStarts(input.text).length);
    return shown({ input, spans: [{ from: 1, to: lines }], form: 'whole', count });
  });
  let total = documents.reduce((sum, { tokens }) => sum + tokens, 0);
  const largestFirst = documents
    .map((document, index) => ({ index, tokens: document.tokens }))
    .sort((a, b) => b.tokens - a.tokens || a.index - b.index);
  for (const { index } of largestFirst) {
    if (total <= of.tokens) break;
    const [input, before] = [inputs[index], documents[index]];
    if (!input || !before) continue;
    const reduced = await toDefinitions({ input, count });
    if (reduced.tokens >= before.tokens) continue;
    documents[index] = reduced;
    total += reduced.tokens - before.tokens;
  }
  if (total > of.tokens && inputs.length > 1) throw new SplitInputError({ tokens: total, budget: of.tokens });
  return { documents, tokens: total };
}

async function toDefinitions({
  input,
  count,
}: {
  readonly input: ChangeInput;
  readonly count: CountTokens;
}): Promise<ReducedChange> {
  const marked = input.hunks?.length ? input.hunks : input.selection ? [input.selection] : [];
  if (marked.length === 0) return shown({ input, spans: [], form: 'dropped', count });
  const { root } = await readStructure(input);
  const starts = lineStarts(input.text);
  const lineOf = (offset: number) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
  const around = [...walk(root)]
    .filter(({ node }) => definitions.has(node.kind))
    .map(({ node }) => spanOf({ node, text: input.text, lineOf }));
  const spans = marked.map((hunk) => {
    const last = Math.min(hunk.to, starts.length);
    const enclosing = around.filter(({ from, to }) => from <= hunk.from && last <= to);
    return enclosing.reduce<LineSpan>(
      (best, one) => (one.to - one.from < best.to - best.from ? one : best),
      enclosing[0] ?? { from: hunk.from, to: last },
    );
  });
  return shown({ input, spans: merged(spans), form: 'definitions', count });
}

/** The lines of a node without the blank lines before it. */
function spanOf(of: {
  readonly node: StructureNode;
  readonly text: string;
  readonly lineOf: (offset: number) => number;
}): LineSpan {
  const { node, text, lineOf } = of;
  const blank = /^\s*/.exec(text.slice(node.start, node.end))?.[0] ?? '';
  const start = node.start + blank.lastIndexOf('\n') + 1;
  return { from: lineOf(start), to: lineOf(Math.max(start, node.end - 1)) };
}

/** Definitions that overlap or touch are shown once. */
function merged(spans: readonly LineSpan[]): LineSpan[] {
  const result: LineSpan[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = result.at(-1);
    if (last && span.from <= last.to + 1)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else result.push(span);
  }
  return result;
}

function shown(of: {
  readonly input: ChangeInput;
  readonly spans: readonly LineSpan[];
  readonly form: ChangeForm;
  readonly count: CountTokens;
}): ReducedChange {
  const { input, spans, form, count } = of;
  const lines = input.text.split('\n');
  const text = spans
    .map(({ from, to }) =>
      lines
        .slice(from - 1, to)
        .map((line, index) => `/* ${from + index} */ ${line}\n`)
        .join(''),
    )
    .join('/* … */\n');
  return { path: input.path, text, form, spans, tokens: count(text) };
}

const mostBatches = 10;

/**
 * Reduces changes in as many batches as they need: a batch that does not fit is halved. More than ten batches are refused,
 * since that many requests are hardly meant.
 */
export async function splitChanges(of: {
  readonly inputs: readonly ChangeInput[];
  readonly tokens: number;
  readonly count: CountTokens;
}): Promise<readonly { readonly documents: readonly ReducedChange[]; readonly tokens: number }[]> {
  const { tokens, count } = of;
  const queue: (readonly ChangeInput[])[] = [of.inputs];
  const batches: { readonly documents: readonly ReducedChange[]; readonly tokens: number }[] = [];
  for (let inputs = queue.shift(); inputs; inputs = queue.shift()) {
    try {
      batches.push(await reduceChanges({ inputs, tokens, count }));
    } catch (error) {
      if (!(error instanceof SplitInputError)) throw error;
      const middle = Math.ceil(inputs.length / 2);
      queue.unshift(inputs.slice(0, middle), inputs.slice(middle));
    }
    if (batches.length + queue.length > mostBatches) {
      throw new Error(
        `The changes need more than ${mostBatches} batches of ${tokens} tokens. Raise the budget or choose fewer files.`,
      );
    }
  }
  return batches;
}
