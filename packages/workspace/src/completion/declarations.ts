import { readStructure } from '../structure/read-structure.ts';
import { type StructureNode, walk } from '../structure/structure.ts';
import { type DensityNode, densest } from './density.ts';

/** A definition in a file. */
export interface Declaration {
  readonly path: string;
  readonly name: string;
  readonly text: string;
  readonly node: StructureNode;
}

const types = new Set(['class', 'interface', 'enum', 'type', 'module']);
const bodied = new Set(['function', 'method', 'constructor']);
const longestSignature = 600;

/** The definitions of a file by name; outer ones first. */
export async function declarationsIn({
  path,
  text,
}: {
  readonly path: string;
  readonly text: string;
}): Promise<Map<string, Declaration>> {
  const { root } = await readStructure({ path, text });
  const found = new Map<string, Declaration>();
  for (const { node, path: above } of walk(root)) {
    const isInside = above.some(({ kind }) => bodied.has(kind) || types.has(kind));
    if (node.name !== undefined && !isInside && !found.has(node.name))
      found.set(node.name, { path, name: node.name, text, node });
  }
  return found;
}

/**
 * A definition without the bodies of its functions, within a number of characters: members whose names are wanted first.
 */
export function declarationText({
  declaration,
  characters,
  wanted,
}: {
  readonly declaration: Declaration;
  readonly characters: number;
  /** Words that occur near the cursor. */
  readonly wanted: ReadonlySet<string>;
}): string {
  const { text, node } = declaration;
  if (!types.has(node.kind)) return signature({ text, node }).slice(0, characters);
  const children = node.children.filter(({ kind }) => kind !== 'comment' && kind !== 'statement');
  const texts: string[] = [];
  let from = node.start;
  for (const child of children) {
    texts.push(gap({ text, from, to: child.start }));
    from = child.end;
  }
  texts.push(gap({ text, from, to: node.end }));
  const members = children.map(
    (child): DensityNode => ({
      texts: [`${signature({ text, node: child })}\n`],
      children: [],
      weight: child.name !== undefined && wanted.has(child.name) ? 1_000 : child.isPrivate ? 10 : 100,
    }),
  );
  return densest({ root: { texts, children: members, weight: 1_000_000 }, characters }).trimStart();
}

/** Between members only what holds them together: the heading and the closing bracket. */
function gap({ text, from, to }: { readonly text: string; readonly from: number; readonly to: number }): string {
  const between = text.slice(from, to);
  if (between.trim() === '') return '';
  return between.length > longestSignature ? `${between.slice(0, longestSignature)}…\n` : between;
}

/** What comes before the body. */
function signature({ text, node }: { readonly text: string; readonly node: StructureNode }): string {
  const whole = text
    .slice(node.start, node.end)
    .replace(/^\s*\n/, '')
    .trimEnd();
  const first = node.children[0];
  const head = bodied.has(node.kind) && first ? text.slice(node.start, first.start).replace(/^\s*\n/, '') : whole;
  const cut = bodied.has(node.kind) ? withoutBody(head) : head;
  return cut.length > longestSignature ? `${cut.slice(0, longestSignature)}…` : cut;
}

/** A heading that ends with `{`, `=>` or both ends with a semicolon instead. */
function withoutBody(head: string): string {
  const trimmed = head.trimEnd();
  const open = trimmed.endsWith('{') ? trimmed.slice(0, -1).trimEnd() : trimmed;
  const cut = open.endsWith('=>') ? open.slice(0, -2).trimEnd() : open;
  return cut === trimmed ? head : `${cut};`;
}
