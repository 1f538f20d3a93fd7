import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { Language, type Node, Parser, type TreeCursor } from 'web-tree-sitter';
import type { LanguageRules, NodeKind } from './languages.ts';
import { type FoundNode, type StructureNode, toStructure } from './structure.ts';

/** Structure below this depth is not looked for: hostile input nests without end. */
const deepestStructure = 24;
const deepestSyntax = 400;

/** A parse that takes longer is given up; the document is folded by indentation then. */
const longestParse = 3_000;

let ready: Promise<void> | undefined;
const parsers = new Map<string, Promise<Parser>>();

async function parserFor({ grammar }: LanguageRules): Promise<Parser> {
  ready ??= wasmOf('web-tree-sitter/web-tree-sitter.wasm').then((wasmBinary) => Parser.init({ wasmBinary }));
  await ready;
  const known = parsers.get(grammar);
  if (known) return await known;
  const made = (async () => {
    const language = await Language.load(await wasmOf(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`));
    const parser = new Parser();
    parser.setLanguage(language);
    return parser;
  })();
  parsers.set(grammar, made);
  return await made;
}

/** A file of a package that the build has compressed, to a twentieth of its size; from source, the file itself. */
async function wasmOf(file: string): Promise<Uint8Array> {
  const [, root, tree] = /^(.*\/)(src|dist)\/[^?#]*$/.exec(import.meta.url) ?? [];
  if (tree !== 'dist') return await readFile(createRequire(import.meta.url).resolve(file));
  const packed = await readFile(new URL(`dist/wasm/${basename(file)}.zst`, root));
  return await promisify(zstdDecompress)(packed);
}

/**
 * The structure of a document by its grammar; `undefined` where parsing takes too long. Broken syntax gives the structure of
 * what can be read.
 */
export async function syntaxStructure({
  text,
  rules,
  now = performance.now.bind(performance),
}: {
  readonly text: string;
  readonly rules: LanguageRules;
  readonly now?: () => number;
}): Promise<StructureNode | undefined> {
  const parser = await parserFor(rules);
  const until = now() + longestParse;
  const tree = parser.parse(text, null, { progressCallback: () => now() > until });
  if (!tree) {
    parser.reset();
    return undefined;
  }
  const cursor = tree.walk();
  try {
    return toStructure({ text, found: collect({ cursor, rules }) });
  } finally {
    cursor.delete();
    tree.delete();
  }
}

/** Walks the whole syntax tree once; a named child of a body becomes a node of the structure. */
function collect({ cursor, rules }: { readonly cursor: TreeCursor; readonly rules: LanguageRules }): FoundNode[] {
  const found: FoundNode[] = [];
  /** One frame per open syntax node: where its members go, and whether they are members of a body. */
  const frames: { readonly into: FoundNode[]; readonly isBody: boolean; readonly depth: number }[] = [];
  let frame = { into: found, isBody: rules.bodies.has(cursor.nodeType), depth: 0 };
  if (!cursor.gotoFirstChild()) return found;
  for (;;) {
    const type = cursor.nodeType;
    let inner = { into: frame.into, isBody: rules.bodies.has(type), depth: frame.depth };
    if (frame.isBody && cursor.nodeIsNamed && frame.depth < deepestStructure) {
      const node = foundNode({ cursor, rules });
      frame.into.push(node);
      inner = { into: node.children, isBody: inner.isBody, depth: frame.depth + 1 };
    }
    if (frames.length < deepestSyntax && cursor.gotoFirstChild()) {
      frames.push(frame);
      frame = inner;
      continue;
    }
    while (!cursor.gotoNextSibling()) {
      const outer = frames.pop();
      if (!outer) return found;
      frame = outer;
      cursor.gotoParent();
    }
  }
}

function foundNode({ cursor, rules }: { readonly cursor: TreeCursor; readonly rules: LanguageRules }): FoundNode {
  const range = { start: cursor.startIndex, end: cursor.endIndex, children: [] };
  const type = cursor.nodeType;
  if (!rules.wrappers.has(type) && rules.kinds.get(type) === undefined) return { kind: 'statement', ...range };
  const node = cursor.currentNode;
  const definition = rules.wrappers.has(type) ? (definitionIn({ node, rules }) ?? node) : node;
  const name = nameOf({ node: definition, rules });
  const kind = kindOf({ node: definition, kind: rules.kinds.get(definition.type) ?? 'statement', name });
  const opening = node.text.slice(0, 80);
  return {
    kind,
    ...range,
    ...(name !== undefined && { name }),
    ...(/^\s*(?:export|pub|public)\b/.test(opening) && { isExported: true as const }),
    ...(/^\s*(?:private\b|#)/.test(opening) && kind !== 'comment' && kind !== 'import' && { isPrivate: true as const }),
  };
}

function definitionIn({ node, rules }: { readonly node: Node; readonly rules: LanguageRules }): Node | undefined {
  for (const child of node.namedChildren) {
    if (rules.wrappers.has(child.type)) return definitionIn({ node: child, rules });
    if (rules.kinds.get(child.type) !== undefined && rules.kinds.get(child.type) !== 'comment') return child;
  }
  return undefined;
}

function kindOf({
  node,
  kind,
  name,
}: {
  readonly node: Node;
  readonly kind: NodeKind;
  readonly name: string | undefined;
}) {
  if (kind === 'method' && name === 'constructor') return 'constructor';
  if (kind === 'function' && node.parent?.parent?.type === 'class_definition') return 'method';
  if (kind !== 'variable') return kind;
  const value = node.namedChildren.at(-1)?.childForFieldName('value')?.type;
  return value === 'arrow_function' || value === 'function_expression' ? 'function' : kind;
}

/** The field `name`, the field that the rules name, or the innermost declarator (C++: `int A::f()`). */
function nameOf({ node, rules }: { readonly node: Node; readonly rules: LanguageRules }): string | undefined {
  const kind = rules.kinds.get(node.type);
  if (kind === 'comment' || kind === 'import') return undefined;
  const named = node.childForFieldName(rules.nameFields?.get(node.type) ?? 'name');
  if (named) return named.text.slice(0, 200);
  let declarator = node.childForFieldName('declarator') ?? (kind === 'variable' ? node.namedChildren.at(0) : null);
  for (let steps = 0; declarator && steps < 10; steps += 1) {
    const inner = declarator.childForFieldName('declarator') ?? declarator.childForFieldName('name');
    if (!inner) break;
    declarator = inner;
  }
  return declarator && /identifier|name|constant/.test(declarator.type) ? declarator.text.slice(0, 200) : undefined;
}
