import type { PromptElement } from '../element.ts';
import { type KeepWithCtor, useKeepWith } from '../elements/keep-with.ts';
import { Document, Image } from '../elements/media.ts';
import { AssistantMessage, BaseChatMessage, type ToolCall, ToolMessage } from '../elements/messages.ts';
import { LogicalWrapper, TokenLimit } from '../elements/wrappers.ts';
import {
  type BasePieceJSON,
  PieceCtorKind,
  type PieceJSON,
  type PromptElementJSON,
  type PromptNodeJSON,
  PromptNodeType,
  type PromptReferenceJSON,
} from '../json-tree.ts';
import { CarriedMetadata } from '../results/carried-metadata.ts';
import { ReferenceMetadata } from '../results/metadata.ts';
import { PromptReference } from '../results/reference.ts';
import type { PromptLayout } from './layout.ts';
import { LayoutBreakpoint, type LayoutChild, LayoutNode, LayoutOpaque, LayoutText } from './node.ts';

interface JsonTreeReader {
  readonly layout: PromptLayout;
  /** Keep-withs of the embedded element; never linked to outside ones. */
  readonly keepWiths: Map<number, KeepWithCtor>;
}

/** Adds an element in JSON form to a node and returns what was added. Unknown node types are skipped. */
export function readElement(of: {
  readonly json: PromptElementJSON;
  readonly into: LayoutNode;
  readonly layout: PromptLayout;
  /** Overrides its own priority, as in a prioritized list. */
  readonly priority: number | undefined;
}): LayoutChild[] {
  const { json, into, layout, priority } = of;
  const reader = { layout, keepWiths: new Map() };
  if (layout.input.rules.losslessJSON) {
    for (const { name, value } of json.metadata ?? []) layout.addMetadata(new CarriedMetadata({ name, value }));
    layout.usedContext.push(...(json.usedContext ?? []));
    layout.ignoredFiles.push(...(json.ignoredFiles ?? []));
    if ('isFragment' in json.node) return fragment(json.node, into, reader);
  }
  const isRanked = layout.input.rules.losslessJSON && priority !== undefined;
  const child = piece(isRanked ? ranked(json.node, priority) : json.node, into.childCount, reader);
  into.append(child);
  return [child];
}

/** An element with another priority, also for its texts. */
function ranked(json: PieceJSON, priority: number): PieceJSON {
  const { priority: own } = json.props as { readonly priority?: number };
  const children = json.children.map((child) => inheriting(child, own, priority));
  return { ...json, props: { ...json.props, priority }, children } as PieceJSON;
}

/** Children with the priority of their parent get the new one. */
function inheriting(
  child: PromptNodeJSON,
  from: number = Number.MAX_SAFE_INTEGER,
  to: number = Number.MAX_SAFE_INTEGER,
): PromptNodeJSON {
  const inherits = 'priority' in child && (child.priority ?? Number.MAX_SAFE_INTEGER) === from;
  return inherits ? { ...child, priority: to } : child;
}

/** Without an element around them, the children are added to the node directly. */
function fragment(json: PieceJSON, into: LayoutNode, reader: JsonTreeReader): LayoutChild[] {
  for (const each of json.references ?? []) into.addMetadata(referenceOf(each));
  addCarried(json, into);
  return json.children.flatMap((each) => {
    const child = childOf(inheriting(each, undefined, into.props?.priority), into.childCount, reader);
    if (!child) return [];
    into.append(child);
    return [child];
  });
}

function addCarried(json: PieceJSON, to: LayoutNode): void {
  for (const { name, value } of json.metadata ?? []) to.addMetadata(new CarriedMetadata({ name, value }));
}

function piece(json: PieceJSON, childIndex: number, reader: JsonTreeReader): LayoutNode {
  const { layout } = reader;
  const node = new LayoutNode({
    parent: undefined,
    childIndex,
    id: layout.newId(),
    ctor: undefined,
    props: {},
    children: [],
  });
  for (const each of json.references ?? []) node.addMetadata(referenceOf(each));
  const element = elementOf(json, reader);
  if (element) become(node, element, json, layout);
  for (const [index, childJSON] of json.children.entries()) {
    const child = childOf(childJSON, index, reader);
    if (child) node.append(child);
  }
  return node;
}

/** Outer limits are registered before inner ones, as in layout: the innermost applies first. */
function become(node: LayoutNode, element: PromptElement<never, never>, json: PieceJSON, layout: PromptLayout): void {
  node.ctor = element.constructor;
  node.element = element;
  node.kind = layout.kinds.of(element);
  if (json.ctor === PieceCtorKind.BaseChatMessage || json.ctor === PieceCtorKind.Other) node.flags = json.flags ?? 0;
  if (!layout.input.rules.losslessJSON) return;
  if (node.kind.isLimit && json.max !== undefined) layout.limits.push({ limit: json.max, id: node.id });
  addCarried(json, node);
}

function childOf(json: PromptNodeJSON, childIndex: number, reader: JsonTreeReader): LayoutChild | undefined {
  switch (json.type) {
    case PromptNodeType.Piece:
      return piece(json, childIndex, reader);
    case PromptNodeType.Text: {
      const { text, priority, lineBreakBefore } = json;
      const metadata = json.references?.map(referenceOf);
      return new LayoutText({
        childIndex,
        text,
        priority,
        metadata,
        lineBreakBefore: lineBreakBefore ?? false,
        tokens: undefined,
      });
    }
    case PromptNodeType.Opaque: {
      const { value, tokenUsage, priority, scope } = json;
      const keepsScope = reader.layout.input.rules.losslessJSON && scope !== undefined;
      const part = { type: 2, value, tokenUsage, ...(keepsScope && { scope }) } as const;
      return new LayoutOpaque({ childIndex, part, priority });
    }
    case PromptNodeType.Breakpoint:
      if (!reader.layout.input.rules.losslessJSON) return undefined;
      return new LayoutBreakpoint({ childIndex, part: { type: 3, cacheType: json.cacheType } });
    default:
      return undefined;
  }
}

function elementOf(json: PieceJSON, reader: JsonTreeReader): PromptElement<never, never> | undefined {
  const props = json.props as never;
  switch (json.ctor) {
    case PieceCtorKind.BaseChatMessage:
      return (reader.layout.input.rules.losslessJSON ? messageOf(json, reader) : new BaseChatMessage(props)) as never;
    case PieceCtorKind.Other:
      return wrapperOf(json, reader) as never;
    case PieceCtorKind.ImageChatMessage:
      return new Image(props) as never;
    case PieceCtorKind.DocumentChatMessage:
      return new Document(props) as never;
    default:
      return undefined;
  }
}

function wrapperOf(json: BasePieceJSON, reader: JsonTreeReader): PromptElement {
  const props = (json.props || {}) as never;
  if (json.keepWithId !== undefined) return new (keepWithOf(json.keepWithId, reader))(props);
  if (json.max !== undefined && reader.layout.input.rules.losslessJSON)
    return new TokenLimit({ ...json.props, max: json.max }) as never;
  return new LogicalWrapper(props);
}

/** Calls and ids are read by the classes that have them (editor.md 1.15). */
function messageOf({ props }: BasePieceJSON, reader: JsonTreeReader): PromptElement {
  if (props.role === 3) return new ToolMessage(props as never) as never;
  if (props.role !== 2 || !props.toolCalls) return new BaseChatMessage(props);
  const toolCalls = (props.toolCalls as (ToolCall & { keepWithId?: number })[]).map(({ keepWithId, ...call }) =>
    keepWithId === undefined ? call : { ...call, keepWith: keepWithOf(keepWithId, reader) },
  );
  return new AssistantMessage({ ...props, toolCalls }) as never;
}

function keepWithOf(id: number, { keepWiths }: JsonTreeReader): KeepWithCtor {
  const known = keepWiths.get(id);
  if (known) return known;
  const made = useKeepWith();
  keepWiths.set(id, made);
  return made;
}

function referenceOf(json: PromptReferenceJSON): ReferenceMetadata {
  return new ReferenceMetadata(PromptReference.fromJSON(json));
}
