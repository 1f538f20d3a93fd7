import { isArray, isObject, type JsonObject, sameJson, without } from '../../json.ts';
import type { Message, Part, ToolResultPart } from '../../message/index.ts';
import type { CustomMessageEntry, Draft, MessageEntry, UsageEntry } from '../../session/index.ts';
import { writeBlocks } from './content.ts';
import { readMessage } from './message-in.ts';

/** What a message entry becomes in a file of pi: one message or, for several results, several. */
export interface WrittenMessage {
  readonly messages: readonly JsonObject[];
  /** Whether reading the messages again gives the entry. */
  readonly whole: boolean;
}

/**
 * A message entry in pi's words.
 *
 * @example
 * const { messages } = writeMessage({ entry, usage: undefined });
 */
export function writeMessage({
  draft,
  at,
  usage,
}: {
  readonly draft: Draft<MessageEntry>;
  readonly at: number;
  /** The usage note that belongs to it. */
  readonly usage: UsageEntry | undefined;
}): WrittenMessage {
  const messages = messagesOf({ draft, at, usage });
  const [only] = messages;
  const read = messages.length === 1 && only ? readMessage(only) : undefined;
  const whole = read?.draft.type === 'message' && sameJson(bare(read.draft, at), bare(draft, at));
  return { messages, whole };
}

/** A custom message in pi's words, without what every entry of pi has. */
export function writeCustomMessage(entry: Draft<CustomMessageEntry>): JsonObject {
  const pi = piOf(entry.details);
  const { blocks: _, form: __, content: ___, ...rest } = pi;
  return {
    customType: entry.customType,
    content: contentOf({ parts: entry.parts, pi }),
    display: entry.display,
    ...rest,
  };
}

/** What pi said beyond our entry, when it came from there. */
export function piOf(details: unknown): JsonObject {
  return isObject(details) && isObject(details.pi) ? details.pi : {};
}

/** pi's usage object. */
export function writeUsage(entry: Draft<UsageEntry> | undefined): JsonObject {
  const { input, output, cacheRead, cacheWrite } = entry?.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const pi = piOf(entry?.details);
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: free,
    ...pi,
  };
}

function messagesOf({
  draft,
  at,
  usage,
}: {
  readonly draft: Draft<MessageEntry>;
  readonly at: number;
  readonly usage: UsageEntry | undefined;
}): JsonObject[] {
  const { message, by } = draft;
  const pi = piOf(draft.details);
  const { blocks: _, form: __, content: ___, system, ...rest } = pi;
  const time = { timestamp: at };
  if (isObject(system)) return [system];
  if (pi.role === 'bashExecution') return [{ ...rest, output: outputOf(message) }];
  const results = message.parts.filter((part) => part.type === 'tool_result');
  const others = message.parts.filter((part) => part.type !== 'tool_result');
  const returned = results.map((result) => ({ ...resultOf({ result, pi }), ...time, ...rest }));
  if (others.length === 0 && results.length > 0) return returned;
  const content = contentOf({ parts: others, pi });
  if (message.role !== 'assistant') {
    return [...returned, { role: message.role === 'system' ? 'system' : 'user', content, ...time, ...rest }];
  }
  const model = by ?? { provider: 'unknown', name: 'unknown' };
  const calls = message.parts.some((part) => part.type === 'tool_call');
  return [
    {
      role: 'assistant',
      content,
      api: apiOf({ provider: model.provider }),
      provider: model.provider,
      model: model.name,
      usage: writeUsage(usage),
      stopReason: calls ? 'toolUse' : 'stop',
      ...time,
      ...rest,
    },
  ];
}

function resultOf({ result, pi }: { readonly result: ToolResultPart; readonly pi: JsonObject }): JsonObject {
  return {
    role: 'toolResult',
    toolCallId: result.callId,
    toolName: result.name ?? 'unknown',
    content: contentOf({ parts: result.content, pi }),
    isError: result.isError === true,
  };
}

function contentOf({ parts, pi }: { readonly parts: readonly Part[]; readonly pi: JsonObject }): JsonObject['content'] {
  if (pi.content !== undefined) return pi.content;
  if (pi.form === 'null') return null;
  const [first] = parts;
  if (pi.form === 'string' && parts.length === 1 && first?.type === 'text') return first.text;
  const extra = isArray(pi.blocks) ? pi.blocks.map((block) => (isObject(block) ? block : null)) : [];
  return writeBlocks({ parts, extra });
}

function outputOf({ parts }: Message): string {
  const text = parts.find((part) => part.type === 'text' && part.origin === 'tool');
  if (text?.type !== 'text' || !text.text.startsWith('```\n')) return '';
  return text.text.slice(4, -4);
}

/** What pi calls the protocol of a provider; it needs one to replay signatures. */
function apiOf({ provider }: { readonly provider: string }): string {
  if (provider.includes('anthropic')) return 'anthropic-messages';
  if (provider.includes('google') || provider.includes('gemini')) return 'google-generative-ai';
  return provider.includes('openai') ? 'openai-responses' : 'openai-completions';
}

/** A draft without what pi adds to every message by itself. */
function bare(draft: Draft<MessageEntry>, at: number): JsonObject {
  const pi = piOf(draft.details);
  const added = pi.timestamp === at ? ['timestamp', 'api', 'stopReason'] : ['api', 'stopReason'];
  const { details: _, ...rest } = draft;
  return { ...(rest as unknown as JsonObject), pi: without(pi, added) ?? {} };
}
