import type { BasePromptElementProps } from '../element.ts';
import * as Raw from '../output/raw.ts';
import { GroupElement } from './group.ts';
import type { KeepWithCtor } from './keep-with.ts';

/** Props of every message. */
export interface ChatMessageProps extends BasePromptElementProps {
  role?: Raw.ChatRole;
  /** Distinguishes speakers with the same role. */
  name?: string;
}

/** A tool call in an assistant message. */
export interface ToolCall {
  id: string;
  function: ToolFunction;
  type: 'function';
  /** From `useKeepWith`, for the result: when that is pruned, so is the call. */
  keepWith?: KeepWithCtor;
}

/** The called tool and its arguments: JSON as the model wrote it. */
export interface ToolFunction {
  arguments: string;
  name: string;
}

/** Props of an assistant message. */
export interface AssistantMessageProps extends ChatMessageProps {
  toolCalls?: ToolCall[];
}

/** Props of a tool message: `toolCallId` names the call. */
export interface ToolMessageProps extends ChatMessageProps {
  toolCallId: string;
}

/**
 * A message with the role as a prop.
 *
 * @example
 * h(BaseChatMessage, { role: Raw.ChatRole.User }, 'Hi');
 */
export class BaseChatMessage<T extends ChatMessageProps = ChatMessageProps> extends GroupElement<T> {
  /** The role of the class; without one the props have it. */
  get role(): Raw.ChatRole | undefined {
    return this.props.role;
  }
}

/**
 * A system message.
 *
 * @example
 * h(SystemMessage, {}, 'Answer briefly.');
 */
export class SystemMessage extends BaseChatMessage {
  override get role(): Raw.ChatRole {
    return Raw.ChatRole.System;
  }
}

/**
 * A user message.
 *
 * @example
 * h(UserMessage, { priority: 100 }, 'Where is the bug?');
 */
export class UserMessage extends BaseChatMessage {
  override get role(): Raw.ChatRole {
    return Raw.ChatRole.User;
  }
}

/**
 * An assistant message, with its tool calls.
 *
 * @example
 * const call: ToolCall = { id: '1', type: 'function', function: { name: 'read', arguments: '{}' } };
 * h(AssistantMessage, { toolCalls: [call] }, 'Let me look.');
 */
export class AssistantMessage extends BaseChatMessage<AssistantMessageProps> {
  override get role(): Raw.ChatRole {
    return Raw.ChatRole.Assistant;
  }
}

/**
 * A tool result.
 *
 * @example
 * h(ToolMessage, { toolCallId: '1' }, '42 lines');
 */
export class ToolMessage extends BaseChatMessage<ToolMessageProps> {
  override get role(): Raw.ChatRole {
    return Raw.ChatRole.Tool;
  }
}

/** A system, user or assistant message. */
export type ChatMessagePromptElement = SystemMessage | UserMessage | AssistantMessage;

/**
 * Whether an element is a system, user or assistant message.
 *
 * @example
 * isChatMessagePromptElement(new UserMessage({})); // true
 */
export function isChatMessagePromptElement(element: unknown): element is ChatMessagePromptElement {
  return element instanceof SystemMessage || element instanceof UserMessage || element instanceof AssistantMessage;
}
