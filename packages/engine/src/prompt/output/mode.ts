import { enumeration } from './enumeration.ts';
import type * as OpenAI from './openai.ts';
import type * as Raw from './raw.ts';
import { toOpenAIMessage } from './to-openai.ts';
import { toVSCodeMessage, type VSCodeChatMessage } from './to-vscode.ts';

/**
 * Output formats of messages; also bits, for the scope of opaque parts.
 *
 * @example
 * toMode(OutputMode.OpenAI, raw);
 * OutputMode[2]; // 'OpenAI'
 */
export const OutputMode = enumeration({ Raw: 1, OpenAI: 2, VSCode: 4 });
export type OutputMode = OutputMode.Raw | OutputMode.OpenAI | OutputMode.VSCode;
export declare namespace OutputMode {
  type Raw = 1;
  type OpenAI = 2;
  type VSCode = 4;
}

/** The message type of each format. */
export interface ModeToChatMessageType {
  1: Raw.ChatMessage;
  2: OpenAI.ChatMessage;
  4: VSCodeChatMessage;
}

/**
 * Converts messages to the format of an API, which may not represent all content.
 *
 * @example
 * toMode(OutputMode.OpenAI, { role: Raw.ChatRole.User, content: [{ type: 1, text: 'Hi' }] });
 */
export function toMode<Mode extends OutputMode>(mode: Mode, messages: Raw.ChatMessage): ModeToChatMessageType[Mode];
export function toMode<Mode extends OutputMode>(
  mode: Mode,
  messages: readonly Raw.ChatMessage[],
): ModeToChatMessageType[Mode][];
export function toMode(mode: OutputMode, messages: Raw.ChatMessage | readonly Raw.ChatMessage[]): unknown {
  switch (mode) {
    case OutputMode.Raw:
      return messages;
    case OutputMode.OpenAI:
      return each(messages, toOpenAIMessage);
    case OutputMode.VSCode:
      return each(messages, toVSCodeMessage);
    default:
      throw new Error(`Unknown output mode: ${mode}`);
  }
}

/**
 * Messages of VS Code's language model API; only available there, since it needs the module `vscode`.
 *
 * @example
 * const messages = toVSCode(raw);
 */
export function toVSCode(messages: Raw.ChatMessage): VSCodeChatMessage;
export function toVSCode(messages: readonly Raw.ChatMessage[]): VSCodeChatMessage[];
export function toVSCode(messages: Raw.ChatMessage | readonly Raw.ChatMessage[]): unknown {
  return toMode(OutputMode.VSCode, messages as Raw.ChatMessage);
}

/**
 * Messages of OpenAI's chat completions.
 *
 * @example
 * toOpenAI([{ role: Raw.ChatRole.User, content: [{ type: 1, text: 'Hi' }] }]); // [{ role: 'user', content: 'Hi' }]
 */
export function toOpenAI(messages: Raw.ChatMessage): OpenAI.ChatMessage;
export function toOpenAI(messages: readonly Raw.ChatMessage[]): OpenAI.ChatMessage[];
export function toOpenAI(messages: Raw.ChatMessage | readonly Raw.ChatMessage[]): unknown {
  return toMode(OutputMode.OpenAI, messages as Raw.ChatMessage);
}

function each<To>(
  messages: Raw.ChatMessage | readonly Raw.ChatMessage[],
  convert: (message: Raw.ChatMessage) => To | undefined,
): To | undefined | To[] {
  if (!isList(messages)) return convert(messages);
  return messages.map(convert).filter((message) => message !== undefined);
}

function isList(messages: Raw.ChatMessage | readonly Raw.ChatMessage[]): messages is readonly Raw.ChatMessage[] {
  return Array.isArray(messages);
}
