import { enumeration } from './enumeration.ts';
import type * as OpenAI from './openai.ts';
import * as Raw from './raw.ts';
import { textOf, toOpenAIMessage } from './to-openai.ts';

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

/**
 * A message of VS Code's API: structurally a `LanguageModelChatMessage`, so that the types of `vscode` are not needed.
 */
interface VSCodeChatMessage {
  /** 1 is the user, 2 the assistant. */
  role: 1 | 2;
  content: VSCodePart[];
  name: string | undefined;
}

/** A text, a tool call, a tool result, or data such as an image. */
type VSCodePart =
  | { value: string }
  | { callId: string; name: string; input: object }
  | { callId: string; content: unknown[] }
  | { mimeType: string; data: Uint8Array };

/** The parts of the module `vscode` in use. */
interface VSCodeModule {
  readonly LanguageModelChatMessage: {
    User(content: string, name?: string): VSCodeChatMessage;
    Assistant(content: string, name?: string): VSCodeChatMessage;
  };
  readonly LanguageModelTextPart: new (text: string) => VSCodePart;
  readonly LanguageModelToolCallPart: new (id: string, name: string, input: object) => VSCodePart;
  readonly LanguageModelToolResultPart: new (id: string, content: unknown[]) => VSCodePart;
}

/**
 * A message in VS Code's format. That API has no system messages and takes no images; a tool result is a user message.
 * The module `vscode` exists only inside the editor, so it is loaded here on demand.
 */
function toVSCodeMessage(message: Raw.ChatMessage): VSCodeChatMessage | undefined {
  const vscode = editor();
  const text = textOf(message.content);
  switch (message.role) {
    case Raw.ChatRole.Assistant: {
      const spoken = vscode.LanguageModelChatMessage.Assistant(text, message.name);
      if (message.toolCalls) {
        const calls = message.toolCalls.map(
          (call) => new vscode.LanguageModelToolCallPart(call.id, call.function.name, argumentsOf(call)),
        );
        spoken.content = [new vscode.LanguageModelTextPart(text), ...calls];
      }
      return spoken;
    }
    case Raw.ChatRole.User:
      return vscode.LanguageModelChatMessage.User(text, message.name);
    case Raw.ChatRole.Tool: {
      const result = vscode.LanguageModelChatMessage.User('');
      result.content = [
        new vscode.LanguageModelToolResultPart(message.toolCallId, [new vscode.LanguageModelTextPart(text)]),
      ];
      return result;
    }
    default:
      return undefined;
  }
}

function argumentsOf(call: Raw.ChatMessageToolCall): object {
  try {
    return JSON.parse(call.function.arguments);
  } catch {
    throw new Error(`Invalid JSON in tool call arguments for tool call: ${call.id}`);
  }
}

function editor(): VSCodeModule {
  return process.getBuiltinModule('node:module').createRequire(import.meta.url)('vscode') as VSCodeModule;
}
