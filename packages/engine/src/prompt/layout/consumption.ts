import { imageUrl } from '../elements/media.ts';
import type { BaseChatMessage, ToolCall } from '../elements/messages.ts';
import { jsonConsumption } from '../json/consumption.ts';
import type { PromptElementJSON } from '../json/types.ts';
import type * as Raw from '../output/raw.ts';
import type { BasePromptElementProps } from '../piece.ts';
import type { Layout } from './layout.ts';
import { isPending, type Maybe } from './maybe.ts';
import type { LayoutNode } from './node.ts';

/**
 * What a message costs without content. In prompt-tsx a tool's message costs nothing while elements render; by our rules
 * whatever will be in a message counts (editor.md 1.7).
 */
export function overheadOf(layout: Layout, node: LayoutNode): Maybe<number> | undefined {
  const { counter, rules } = layout.input;
  if (!(rules.countsAll ? node.kind?.isMessage : node.kind?.isChatMessage)) return undefined;
  const role = (node.element as unknown as BaseChatMessage).role as Raw.ChatRole;
  const { name, toolCalls, toolCallId } = node.props as BasePromptElementProps & {
    readonly name?: string;
    readonly toolCalls?: ToolCall[];
    readonly toolCallId?: string;
  };
  const isBare = !name && !toolCalls && !toolCallId;
  const tokens = isBare
    ? counter.bare(role)
    : counter.message({
        role,
        content: [],
        ...(name && { name }),
        ...(toolCalls && { toolCalls }),
        ...(toolCallId && { toolCallId }),
      } as unknown as Raw.ChatMessage);
  if (isPending(tokens)) return tokens.then((answer) => (node.overhead = answer));
  node.overhead = tokens;
  return tokens;
}

export function intrinsicTokens(of: {
  readonly name: string;
  readonly props: unknown;
  readonly layout: Layout;
}): Maybe<number> {
  const { counter } = of.layout.input;
  if (of.name === 'br') return counter.text('\n');
  if (of.name === 'opaque') return (of.props as { readonly tokenUsage?: number }).tokenUsage ?? 0;
  if (of.name !== 'elementJSON') return 0;
  return jsonConsumption((of.props as { readonly data: PromptElementJSON }).data.node, counter);
}

export function mediaTokens(layout: Layout, node: LayoutNode): Maybe<number> {
  const { counter } = layout.input;
  const props = node.props as BasePromptElementProps & {
    readonly src: string;
    readonly detail?: 'low' | 'high' | 'auto';
    readonly mimeType?: string;
    readonly data: string;
    readonly mediaType: string;
  };
  if (node.kind?.isDocument)
    return counter.part({ type: 4, documentData: { data: props.data, mediaType: props.mediaType } });
  const mediaType = props.mimeType ? { mediaType: props.mimeType } : {};
  return counter.part({ type: 0, imageUrl: { url: imageUrl(props.src), detail: props.detail, ...mediaType } });
}
