import { languageOf } from './languages.ts';
import type { SourceDocument, Structure, StructureNode } from './structure.ts';
import { syntaxStructure } from './syntax.ts';

/** Longer documents are folded: a parse holds many times their size in memory. */
const longestParsed = 2_000_000;

/** The structure of a document: by its grammar where one is known and the parse ends in time, else by indentation. */
export async function parseStructure({ path, text }: SourceDocument): Promise<Structure> {
  const rules = languageOf(path);
  const root = rules && text.length <= longestParsed ? await syntaxStructure({ text, rules }) : undefined;
  return root && rules ? { root, source: 'syntax', language: rules.id } : folded({ path, text });
}

/** The structure of a document by its indentation alone. */
export function folded({ path, text }: SourceDocument): Structure {
  return { root: foldStructure({ path, text }), source: 'folding', language: languageOf(path)?.id ?? 'text' };
}

/** Languages in which indentation ends a block, so that no closing line belongs to it. */
const offside = new Set([
  ...['clj', 'cljs', 'coffee', 'fs', 'fsx', 'tex', 'md', 'markdown', 'pug', 'jade', 'py', 'pyi', 'sql', 'yaml', 'yml'],
]);

const tabSize = 4;
const mostRegions = 65_535;

interface Line {
  readonly start: number;
  readonly end: number;
  /** Columns before the first character; `undefined` for a blank line. */
  readonly indent: number | undefined;
  readonly closes: boolean;
}

interface Region {
  readonly from: number;
  readonly to: number;
}

/**
 * The structure of a document by its indentation: a line and the deeper lines below it are a fold; other lines are leaves.
 * Without a grammar nothing better is known.
 *
 * @example
 * foldStructure({ text: 'a:\n  b\n  c\n', path: 'x.yaml' }).children.length; // 1
 */
function foldStructure({ text, path }: { readonly text: string; readonly path: string }): StructureNode {
  const lines = linesOf(text);
  const isOffside = offside.has(/\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '');
  const regions = regionsOf({ lines, isOffside });
  return { kind: 'root', start: 0, end: text.length, children: nest({ lines, regions }) };
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length; ) {
    const at = text.indexOf('\n', start);
    const end = at < 0 ? text.length : at + 1;
    const line = text.slice(start, Math.min(end, start + 1_000));
    const first = /[^ \t\r\n]/.exec(line)?.index;
    const indent = first === undefined ? undefined : columns(line.slice(0, first));
    lines.push({ start, end, indent, closes: /^\s*(?:[)\]}]+[;,]?|<\/[\w:.-]+>)\s*$/.test(line.slice(0, 200)) });
    start = end;
  }
  return lines;
}

function columns(blanks: string): number {
  let count = 0;
  for (const blank of blanks) count = blank === '\t' ? count - (count % tabSize) + tabSize : count + 1;
  return count;
}

/** Bottom-up: a region begins at a line whose next line with text is deeper, and ends before the next that is not. */
function regionsOf({
  lines,
  isOffside,
}: {
  readonly lines: readonly Line[];
  readonly isOffside: boolean;
}): Map<number, Region> {
  const regions = new Map<number, Region>();
  /** Lines below, each less indented than the one before it on the stack. */
  const open: { indent: number; line: number; last: number }[] = [];
  for (let index = lines.length - 1; index >= 0 && regions.size < mostRegions; index -= 1) {
    const line = lines[index];
    if (line?.indent === undefined) continue;
    let last = index;
    while (open.length > 0 && (open.at(-1)?.indent ?? 0) > line.indent) last = Math.max(last, open.pop()?.last ?? last);
    const next = open.at(-1);
    // Siblings of the same depth are passed over, but their last line bounds what is above them.
    if (last > index) {
      const closing = lines[last + 1];
      const isClosed = !isOffside && closing?.closes === true && closing.indent === line.indent;
      regions.set(index, { from: index, to: isClosed ? last + 1 : last });
      last = isClosed ? last + 1 : last;
    }
    if (next && next.indent === line.indent) next.last = Math.max(next.last, last);
    else open.push({ indent: line.indent, line: index, last });
  }
  return regions;
}

function nest({ lines, regions }: { readonly lines: readonly Line[]; readonly regions: ReadonlyMap<number, Region> }) {
  const top: StructureNode[] = [];
  const open: { readonly node: { children: StructureNode[] }; readonly to: number }[] = [];
  lines.forEach(({ start, end }, index) => {
    while (open.length > 0 && (open.at(-1)?.to ?? 0) < index) open.pop();
    const into = open.at(-1)?.node.children ?? top;
    const region = regions.get(index);
    const isInside = region && region.to <= (open.at(-1)?.to ?? lines.length - 1);
    if (!region || !isInside || open.length > 60) {
      // The first and the closing line of a fold are shown whenever the fold is: they are gaps, not children.
      const isClosing = open.at(-1)?.to === index && lines[index]?.closes === true;
      if (!isClosing) into.push({ kind: 'line', start, end, children: [] });
      return;
    }
    const node = { kind: 'fold' as const, start, end: lines[region.to]?.end ?? end, children: [] as StructureNode[] };
    into.push(node);
    open.push({ node, to: region.to });
  });
  return top;
}
