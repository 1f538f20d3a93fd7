import type { BasePromptElementProps, PromptElement } from '../element.ts';
import { imageUrl } from '../elements/media.ts';
import type { BaseChatMessage } from '../elements/messages.ts';
import { type LeafContent, lineBreaks } from '../layout/content.ts';
import { containerFlags } from '../layout/kind.ts';
import { callsOf } from '../layout/message.ts';
import { LayoutBreakpoint, type LayoutChild, LayoutNode, LayoutOpaque } from '../layout/node.ts';
import { soleText } from './messages.ts';
import { Branch, Leaf, MessageFacts, type TreeNode } from './node.ts';

/** Assigns the keys of a tree. */
export interface KeySource {
  next: number;
  /** Elements by id, for limits and growth. */
  readonly byId: (Branch | undefined)[];
  /** The unused branch of each `IfEmpty`. */
  readonly alternatives: Map<Branch, Branch>;
  /** Whether there are keep-withs. */
  hasKeepWith: boolean;
  /** Whether there is a breakpoint anywhere. */
  hasBreakpoint: boolean;
  /** Whether there is metadata anywhere. */
  hasMetadata: boolean;
}

/** Creates a separate tree to prune; the layout stays unchanged. */
export function materialize(node: LayoutNode, keys: KeySource, parent?: Branch): TreeNode {
  const { kind } = node;
  if (kind?.isImage || kind?.isDocument) return media(node, keys, parent as Branch);
  return kind?.isMessage ? message(node, keys, parent) : container(node, keys, parent);
}

function container(node: LayoutNode, keys: KeySource, parent: Branch | undefined): Branch {
  const props = propsOf(node);
  const priority = props.priority ?? (props.passPriority ? 0 : undefined);
  const branch = new Branch(keys.next++, parent, priority, node, undefined);
  keys.byId[node.id] = branch;
  if (node.kind?.isKeepWith) keys.hasKeepWith = true;
  if (parent && node.metadata) keys.hasMetadata = true;
  if ((node.flags & containerFlags.emptyAlternate) === 0) addChildren(branch, node, keys);
  else addChosen(branch, node, keys);
  return branch;
}

function message(node: LayoutNode, keys: KeySource, parent: Branch | undefined): Branch {
  const element = node.element as unknown as BaseChatMessage;
  const { role, props } = element;
  if (typeof role !== 'number') throw new Error('Invalid ChatMessage!');
  const facts = new MessageFacts(role, callsOf(node), node.overhead);
  const branch = new Branch(keys.next++, parent, props.priority, node, facts);
  keys.byId[node.id] = branch;
  if (node.metadata) keys.hasMetadata = true;
  addChildren(branch, node, keys);
  // Computed now for locality of memory access.
  soleText(branch, facts);
  return branch;
}

function addChildren(branch: Branch, node: LayoutNode, keys: KeySource): void {
  for (let child = node.first; child; child = child.next) branch.append(childOf(child, keys, branch));
}

/** `IfEmpty` has its alternative and its content; one of them is in the tree. */
function addChosen(branch: Branch, node: LayoutNode, keys: KeySource): void {
  const children: TreeNode[] = [];
  for (let child = node.first; child; child = child.next) children.push(childOf(child, keys, branch));
  const [alternative, usual] = children;
  if (children.length !== 2 || !alternative || !usual)
    throw new Error('Invalid number of children for EmptyAlternate flag');
  branch.append(usual.isEmpty ? alternative : usual);
  const other = usual.isEmpty ? usual : alternative;
  other.setAside();
  if (!usual.isEmpty && other instanceof Branch) keys.alternatives.set(branch, other);
}

function childOf(child: LayoutChild, keys: KeySource, parent: Branch): TreeNode {
  if (child instanceof LayoutNode) return materialize(child, keys, parent);
  const key = keys.next++;
  if (child instanceof LayoutBreakpoint) {
    keys.hasBreakpoint = true;
    return new Leaf(key, parent, undefined, partContent(child.part, 0));
  }
  const { priority } = child;
  if (child instanceof LayoutOpaque) return new Leaf(key, parent, priority, partContent(child.part, undefined));
  if (child.metadata && child.metadata.length > 0) keys.hasMetadata = true;
  return new Leaf(key, parent, priority, child);
}

function partContent(other: LeafContent['other'], tokens: number | undefined): LeafContent {
  return { text: undefined, other, metadata: undefined, tokens, lineBreak: lineBreaks.none };
}

function media(node: LayoutNode, keys: KeySource, parent: Branch): Leaf {
  const props = propsOf(node) as BasePromptElementProps & {
    src: string;
    detail?: 'low' | 'high' | 'auto';
    mimeType?: string;
    data: string;
    mediaType: string;
  };
  const key = keys.next++;
  const more = { metadata: node.metadata };
  if (node.metadata) keys.hasMetadata = true;
  if (node.kind?.isDocument) {
    const documentData = { data: props.data, mediaType: props.mediaType };
    return new Leaf(key, parent, props.priority, { ...partContent({ type: 4, documentData }, undefined), ...more });
  }
  const mediaType = props.mimeType ? { mediaType: props.mimeType } : {};
  const image = { url: imageUrl(props.src), detail: props.detail ?? undefined, ...mediaType };
  return new Leaf(key, parent, props.priority, { ...partContent({ type: 0, imageUrl: image }, undefined), ...more });
}

function propsOf(node: LayoutNode): BasePromptElementProps {
  return (node.element as PromptElement | undefined)?.props ?? {};
}
