import type { NodeKind } from './languages.ts';

/**
 * A piece of a document that can be shown or left out: whole lines, from the start of its first line to behind the line
 * break of its last where nothing else is on them. Children lie inside, in order, and do not overlap.
 */
export interface StructureNode {
  readonly kind: NodeKind;
  /** Of a definition. */
  readonly name?: string;
  readonly isExported?: true;
  readonly isPrivate?: true;
  /** Offsets in UTF-16 code units; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly children: readonly StructureNode[];
}

/** A text and the name of its file, which decides the language. */
export interface SourceDocument {
  readonly path: string;
  readonly text: string;
}

/** The structure of a document and where it came from. */
export interface Structure {
  readonly root: StructureNode;
  readonly source: 'syntax' | 'folding';
  readonly language: string;
}

/** A node as it was found, before its range is widened to whole lines. */
export interface FoundNode {
  readonly kind: NodeKind;
  readonly name?: string;
  readonly isExported?: true;
  readonly isPrivate?: true;
  readonly start: number;
  readonly end: number;
  readonly children: FoundNode[];
}

/** What may follow a node on its last line and belongs to it: separators and one comment. */
const rest = /[ \t]*(?:[;,:][ \t]*)?(?:\/\/[^\n]*|\/\*[^\n*]*\*\/[ \t]*|#[^\n]*)?\r?(?:\n|$)/y;

/**
 * Widens the nodes of a document to whole lines. A node that shares its first line with something before it cannot be left
 * out alone: its children move up to its parent.
 */
export function toStructure({
  text,
  found,
}: {
  readonly text: string;
  readonly found: readonly FoundNode[];
}): StructureNode {
  return { kind: 'root', start: 0, end: text.length, children: widen({ text, found, from: 0, to: text.length }) };
}

function widen(of: {
  readonly text: string;
  readonly found: readonly FoundNode[];
  readonly from: number;
  readonly to: number;
}): StructureNode[] {
  const { text, to } = of;
  const nodes: StructureNode[] = [];
  let from = of.from;
  for (const node of of.found) {
    if (node.start < from || node.end > to || node.end <= node.start) continue;
    const start = lineStart({ text, at: node.start, from });
    if (start === undefined) {
      const inner = widen({ text, found: node.children, from: Math.max(from, node.start), to: Math.min(to, node.end) });
      nodes.push(...inner);
      from = inner.at(-1)?.end ?? from;
      continue;
    }
    const end = lineEnd({ text, at: node.end, to });
    const { kind, name, isExported, isPrivate } = node;
    const children = widen({ text, found: node.children, from: node.start, to: end });
    nodes.push({
      kind,
      start,
      end,
      children,
      ...(name !== undefined && { name }),
      ...(isExported && { isExported }),
      ...(isPrivate && { isPrivate }),
    });
    from = end;
  }
  return nodes;
}

/** The start of the line, where only blanks lie before `at`, and of the blank lines before it. */
function lineStart({ text, at, from }: { readonly text: string; readonly at: number; readonly from: number }) {
  let start: number | undefined;
  for (let before = at; ; before -= 1) {
    if (before === 0 || text[before - 1] === '\n') start = before;
    if (before <= from || !isBlank(text[before - 1])) return start;
  }
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}

function lineEnd({ text, at, to }: { readonly text: string; readonly at: number; readonly to: number }): number {
  if (text[at - 1] === '\n') return at;
  rest.lastIndex = at;
  const end = at + (rest.exec(text)?.[0].length ?? 0);
  return end <= to ? end : at;
}

/** Every node below the root with its depth, outermost first. */
export function* walk(
  root: StructureNode,
): Generator<{ readonly node: StructureNode; readonly path: readonly StructureNode[] }> {
  const stack: { node: StructureNode; path: readonly StructureNode[] }[] = [{ node: root, path: [] }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, path } = next;
    if (node !== root) yield next;
    const inner = node === root ? path : [...path, node];
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      const child = node.children[index];
      if (child) stack.push({ node: child, path: inner });
    }
  }
}
