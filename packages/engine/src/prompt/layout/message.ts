import { AssistantMessage, type BaseChatMessage, type ToolCall, type ToolMessage } from '../elements/messages.ts';
import * as Raw from '../output/raw.ts';
import type { LayoutNode } from './node.ts';

/** The calls of a message; only assistant messages have them. */
export function callsOf({ element }: LayoutNode): readonly ToolCall[] | undefined {
  return (element as unknown) instanceof AssistantMessage
    ? (element as unknown as AssistantMessage).props.toolCalls
    : undefined;
}

/** A message as it is sent, with the fields of its role. */
export function rawMessage(
  node: LayoutNode,
  role: Raw.ChatRole,
  toolCalls: readonly ToolCall[] | undefined,
  content: Raw.ChatCompletionContentPart[],
): Raw.ChatMessage {
  if (role === Raw.ChatRole.Tool) return { role, content, toolCallId: callIdOf(node) as string };
  const { name } = (node.element as unknown as BaseChatMessage).props;
  const message = (name ? { role, content, name } : { role, content }) as Raw.ChatMessage;
  if (message.role === Raw.ChatRole.Assistant && toolCalls?.length) {
    message.toolCalls = toolCalls.map(({ function: called, id, type }) => ({ function: called, id, type }));
  }
  return message;
}

/** Only tool messages have a call id. */
function callIdOf({ kind, element }: LayoutNode): string | undefined {
  return kind?.isTool ? (element as unknown as ToolMessage).props.toolCallId : undefined;
}
