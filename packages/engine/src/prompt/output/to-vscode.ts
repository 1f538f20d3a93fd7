import * as Raw from './raw.ts';
import { textOf } from './to-openai.ts';

/**
 * A message of VS Code's API: structurally a `LanguageModelChatMessage`, so that the types of `vscode` are not needed.
 */
export interface VSCodeChatMessage {
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
export function toVSCodeMessage(message: Raw.ChatMessage): VSCodeChatMessage | undefined {
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
