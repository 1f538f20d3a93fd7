import type { BasePromptElementProps } from '../element.ts';
import * as Raw from '../output/raw.ts';
import { GroupElement } from './group.ts';
import type { KeepWithCtor } from './keep-with.ts';

/** The props of every message. */
export interface ChatMessageProps extends BasePromptElementProps {
  role?: Raw.ChatRole;
  /** Tells speakers of one role apart. */
  name?: string;
}

/** A call of a tool, in an assistant's message. */
export interface ToolCall {
  id: string;
  function: ToolFunction;
  type: 'function';
  /** What `useKeepWith` made for the result: when that is pruned, the call goes too. */
  keepWith?: KeepWithCtor;
}

/** Which tool is called, and with what: the arguments are JSON, as the model wrote them. */
export interface ToolFunction {
  arguments: string;
  name: string;
}

/** The props of what the model said. */
export interface AssistantMessageProps extends ChatMessageProps {
  toolCalls?: ToolCall[];
}

/** The props of what a tool answered: `toolCallId` names the call. */
export interface ToolMessageProps extends ChatMessageProps {
  toolCallId: string;
}

/**
 * A message of any role, given as a prop.
 *
 * @example
 * h(BaseChatMessage, { role: Raw.ChatRole.User }, 'Hi');
 */
export class BaseChatMessage<T extends ChatMessageProps = ChatMessageProps> extends GroupElement<T> {
  /** The role of a class; without one the props say it. */
  get role(): Raw.ChatRole | undefined {
    return this.props.role;
  }
}

/**
 * What the model is told before anyone speaks.
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
 * What the user says.
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
 * What the model said, and which tools it called.
 *
 * @example
 * const call = { id: '1', type: 'function', function: { name: 'read', arguments: '{}' } };
 * h(AssistantMessage, { toolCalls: [call] }, 'Let me look.');
 */
export class AssistantMessage extends BaseChatMessage<AssistantMessageProps> {
  override get role(): Raw.ChatRole {
    return Raw.ChatRole.Assistant;
  }
}

/**
 * What a tool answered.
 *
 * @example
 * h(ToolMessage, { toolCallId: '1' }, '42 lines');
 */
export class ToolMessage extends BaseChatMessage<ToolMessageProps> {
  override get role(): Raw.ChatRole {
    return Raw.ChatRole.Tool;
  }
}

/** A message of one of the three who speak without being called. */
export type ChatMessagePromptElement = SystemMessage | UserMessage | AssistantMessage;

/**
 * Whether an element is a message of the system, the user or the assistant.
 *
 * @example
 * isChatMessagePromptElement(new UserMessage({})); // true
 */
export function isChatMessagePromptElement(element: unknown): element is ChatMessagePromptElement {
  return element instanceof SystemMessage || element instanceof UserMessage || element instanceof AssistantMessage;
}
