import type { PromptElement } from '../element.ts';
import type { AbstractKeepWith } from '../elements/keep-with.ts';
import type { BaseChatMessage, ToolCall } from '../elements/messages.ts';
import {
  type BasePieceJSON,
  jsonRetainedProps,
  type MetadataJSON,
  PieceCtorKind,
  type PieceJSON,
  type PromptElementJSON,
  type PromptNodeJSON,
  PromptNodeType,
  type PromptReferenceJSON,
} from '../json-tree.ts';
import { CarriedMetadata } from '../results/carried-metadata.ts';
import { type PromptMetadata, ReferenceMetadata } from '../results/metadata.ts';
import type { RenderRules } from '../rules.ts';
import { containerFlags } from './kind.ts';
import type { PromptLayout } from './layout.ts';
import { LayoutBreakpoint, type LayoutChild, LayoutNode, LayoutOpaque } from './node.ts';

interface JsonTreeWriter {
  readonly rules: RenderRules;
  /** By our rules keep-withs are numbered from 0 in each JSON, so that equal elements give equal JSON. */
  readonly keepWiths: Map<number, number>;
}

/** Serializes a layout to JSON. */
export function writeElement({
  root,
  metadata,
  usedContext,
  ignoredFiles,
  input: { rules },
}: PromptLayout): PromptElementJSON {
  const writer = { rules, keepWiths: new Map() };
  if (!rules.losslessJSON) return { node: piece(root, writer) };
  const shared = carried([...metadata]);
  return {
    node: rootPiece(root, metadata, writer),
    ...(shared.length > 0 && { metadata: shared }),
    ...(usedContext.length > 0 && { usedContext }),
    ...(ignoredFiles.length > 0 && { ignoredFiles }),
  };
}

/** The only element, or all children in a fragment. */
function rootPiece(root: LayoutNode, shared: ReadonlySet<PromptMetadata>, writer: JsonTreeWriter): PieceJSON {
  const own = (root.metadata ?? []).filter((each) => !shared.has(each));
  const { first, last } = root;
  if (first instanceof LayoutNode && first === last && own.length === 0) return piece(first, writer);
  const metadata = carried(own);
  return {
    type: PromptNodeType.Piece,
    ctor: PieceCtorKind.Other,
    isFragment: true,
    children: childrenOf(root, writer),
    // For readers without support for fragments.
    props: { passPriority: true },
    flags: containerFlags.passPriority,
    references: referencesOf(own),
    ...(metadata.length > 0 && { metadata }),
  };
}

function piece(node: LayoutNode, writer: JsonTreeWriter): PieceJSON {
  const props = ((node.element as PromptElement | undefined)?.props ?? {}) as Record<string, unknown>;
  const json: BasePieceJSON = {
    type: PromptNodeType.Piece,
    ctor: PieceCtorKind.Other,
    ctorName: node.element?.constructor.name,
    children: childrenOf(node, writer),
    props: pick(props, jsonRetainedProps),
    references: referencesOf(node.metadata ?? []),
  };
  if (node.kind?.isImage)
    return {
      ...json,
      ctor: PieceCtorKind.ImageChatMessage,
      props: { ...json.props, ...pick(props, ['src', 'detail', 'mimeType']) },
    } as PieceJSON;
  if (node.kind?.isDocument)
    return {
      ...json,
      ctor: PieceCtorKind.DocumentChatMessage,
      props: { ...json.props, ...pick(props, ['data', 'mediaType']) },
    } as PieceJSON;
  if (node.kind?.isMessage) {
    json.ctor = PieceCtorKind.BaseChatMessage;
    const { role } = node.element as unknown as BaseChatMessage;
    Object.assign(json.props, role !== undefined && { role }, pick(props, ['name', 'toolCalls', 'toolCallId']));
    if (writer.rules.losslessJSON) Object.assign(json.props, callsOf(props, writer));
  } else if (node.kind?.isKeepWith) {
    json.keepWithId = keepWithId((node.element as unknown as AbstractKeepWith).id, writer);
  }
  if (node.flags !== 0) json.flags = node.flags;
  if (!writer.rules.losslessJSON) return json;
  if (node.kind?.isLimit) json.max = props.max as number;
  const metadata = carried(node.metadata ?? []);
  if (metadata.length > 0) json.metadata = metadata;
  return json;
}

function childrenOf(node: LayoutNode, writer: JsonTreeWriter): PromptNodeJSON[] {
  const children: PromptNodeJSON[] = [];
  for (let child = node.first; child; child = child.next) {
    const json = childJSON(child, writer);
    if (json) children.push(json);
  }
  return children;
}

function childJSON(child: LayoutChild, writer: JsonTreeWriter): PromptNodeJSON | undefined {
  if (child instanceof LayoutNode) return piece(child, writer);
  if (child instanceof LayoutBreakpoint)
    return writer.rules.losslessJSON ? { type: PromptNodeType.Breakpoint, cacheType: child.part.cacheType } : undefined;
  if (child instanceof LayoutOpaque) {
    const { value, tokenUsage, scope } = child.part;
    return { type: PromptNodeType.Opaque, value, tokenUsage, priority: child.priority, ...(scope && { scope }) };
  }
  const { text, priority = Number.MAX_SAFE_INTEGER, metadata, lineBreakBefore } = child;
  return { type: PromptNodeType.Text, priority, text, references: metadata && referencesOf(metadata), lineBreakBefore };
}

/** Calls with the numbers of their keep-withs: a class cannot be serialized. */
function callsOf(props: Record<string, unknown>, writer: JsonTreeWriter): { toolCalls?: unknown } {
  const calls = props.toolCalls as ToolCall[] | undefined;
  if (!calls) return {};
  return {
    toolCalls: calls.map(({ keepWith, ...call }) =>
      keepWith ? { ...call, keepWithId: keepWithId(keepWith.id, writer) } : call,
    ),
  };
}

function keepWithId(id: number, { rules, keepWiths }: JsonTreeWriter): number {
  if (!rules.losslessJSON) return id;
  const known = keepWiths.get(id) ?? keepWiths.size;
  keepWiths.set(id, known);
  return known;
}

function referencesOf(metadata: readonly PromptMetadata[]): PromptReferenceJSON[] {
  return metadata.flatMap((each) => (each instanceof ReferenceMetadata ? [each.reference.toJSON()] : []));
}

function carried(metadata: readonly PromptMetadata[]): MetadataJSON[] {
  return metadata.flatMap((each) => {
    if (each instanceof ReferenceMetadata) return [];
    if (each instanceof CarriedMetadata) return [{ name: each.name, value: each.value }];
    return [{ name: each.toString(), value: each }];
  });
}

function pick(from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(from, key) ? [[key, from[key]]] : [])));
}
