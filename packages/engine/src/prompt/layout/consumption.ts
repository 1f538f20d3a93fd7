import { imageUrl } from '../elements/media.ts';
import type { BaseChatMessage, ToolCall } from '../elements/messages.ts';
import type * as Raw from '../output/raw.ts';
import type { BasePromptElementProps } from '../piece.ts';
import type { Layout } from './layout.ts';
import { isPending, type Maybe, type Sum } from './maybe.ts';
import { callsOf, rawMessage } from './message.ts';
import { type LayoutChild, LayoutNode, LayoutOpaque, LayoutText } from './node.ts';

/**
 * What a message costs without content. In prompt-tsx a tool's message costs nothing while elements render, and props
 * count that do not come out; by our rules whatever will be in a message counts (editor.md 1.7).
 */
export function overheadOf(layout: Layout, node: LayoutNode): Maybe<number> | undefined {
  const { counter, rules } = layout.input;
  if (!(rules.countsAll ? node.kind?.isMessage : node.kind?.isChatMessage)) return undefined;
  if (!rules.countsAll) return overheadAsOriginal(layout, node);
  const { role, props } = node.element as unknown as BaseChatMessage;
  const calls = callsOf(node);
  const isBare = role !== 3 && !props.name && !calls;
  return kept(
    node,
    isBare
      ? counter.hull(role as Raw.ChatRole, 0, undefined)
      : counter.emptied(rawMessage(node, role as Raw.ChatRole, calls, [])),
  );
}

function overheadAsOriginal({ input: { counter } }: Layout, node: LayoutNode): Maybe<number> {
  const role = (node.element as unknown as BaseChatMessage).role as Raw.ChatRole;
  const { name, toolCalls, toolCallId } = node.props as BasePromptElementProps & {
    readonly name?: string;
    readonly toolCalls?: ToolCall[];
    readonly toolCallId?: string;
  };
  if (!toolCalls && !toolCallId) return kept(node, counter.hull(role, 0, name));
  const tokens = counter.message({
    role,
    content: [],
    ...(name && { name }),
    ...(toolCalls && { toolCalls }),
    ...(toolCallId && { toolCallId }),
  } as unknown as Raw.ChatMessage);
  const calls = toolCallId ? undefined : callsOf(node);
  return calls?.length && calls.every(isAsSent) ? kept(node, tokens) : tokens;
}

/** Whether a call has nothing but what comes out. */
function isAsSent(call: ToolCall): boolean {
  return call.keepWith === undefined && Object.keys(call).length === 3;
}

/** The message is not asked for again as the frame around its content. */
function kept(node: LayoutNode, tokens: Maybe<number>): Maybe<number> {
  if (isPending(tokens)) return tokens.then((answer) => (node.overhead = answer));
  node.overhead = tokens;
  return tokens;
}

/** Counts a text, which keeps its count. */
export function addText(layout: Layout, text: LayoutText, sum: Sum): void {
  const tokens = layout.input.counter.text(text.text);
  if (!isPending(tokens)) text.tokens = tokens;
  sum.add(isPending(tokens) ? tokens.then((answer) => (text.tokens = answer)) : tokens);
}

/** What came as JSON counts what it would count if it had been rendered here. */
export function addEmbedded(layout: Layout, child: LayoutChild, sum: Sum): void {
  if (child instanceof LayoutText) addText(layout, child, sum);
  else if (child instanceof LayoutOpaque) sum.add(layout.input.counter.declared(child.part));
  if (!(child instanceof LayoutNode)) return;
  const { kind } = child;
  const overhead = overheadOf(layout, child);
  if (overhead !== undefined) sum.add(overhead);
  if (kind?.isImage || kind?.isDocument) sum.add(mediaTokens(layout, child));
  for (let inner = child.first; inner; inner = inner.next) addEmbedded(layout, inner, sum);
}

export function mediaTokens(layout: Layout, node: LayoutNode): Maybe<number> {
  const { counter } = layout.input;
  const { props } = node.element as unknown as {
    readonly props: BasePromptElementProps & {
      readonly src: string;
      readonly detail?: 'low' | 'high' | 'auto';
      readonly mimeType?: string;
      readonly data: string;
      readonly mediaType: string;
    };
  };
  if (node.kind?.isDocument)
    return counter.part({ type: 4, documentData: { data: props.data, mediaType: props.mediaType } });
  const mediaType = props.mimeType ? { mediaType: props.mimeType } : {};
  return counter.part({ type: 0, imageUrl: { url: imageUrl(props.src), detail: props.detail, ...mediaType } });
}
