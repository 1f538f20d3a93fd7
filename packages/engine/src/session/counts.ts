import { type Message, type OpaquePart, type Part, type ToolCallPart, user } from '../message/index.ts';
import type { Entry } from './entry/entry.ts';

/** How much entries hold. One definition, for everything that tells people how large a session is. */
export interface EntryCounts {
  readonly entries: number;
  /**
   * Texts that people, models and clients say. What an answer says before and after it thinks or calls is two; parts of
   * one text are one. Calls, results, system prompts and summaries are none.
   */
  readonly messages: number;
  /** Those that models make, those that providers run themselves, and commands that a person ran. */
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly thinking: number;
  /** Also those in results. */
  readonly images: number;
  /** Of everything that is said, system prompts and summaries included. */
  readonly tokens: number;
}

/** Nothing counted yet. */
export const noCounts: EntryCounts = {
  entries: 0,
  messages: 0,
  toolCalls: 0,
  toolResults: 0,
  thinking: 0,
  images: 0,
  tokens: 0,
};

/**
 * What one entry adds to its session.
 *
 * @example
 * const counts = entries.map((entry) => countEntry({ entry, countTokens: () => 0 })).reduce(addCounts, noCounts);
 */
export function countEntry({
  entry,
  countTokens,
}: {
  readonly entry: Entry;
  readonly countTokens: (message: Message) => number;
}): EntryCounts {
  const message = messageIn(entry);
  if (!message) return { ...noCounts, entries: 1 };
  const tokens = countTokens(message);
  if (entry.type === 'compaction' || entry.type === 'branch_summary') return { ...noCounts, entries: 1, tokens };
  const { parts } = message;
  const all = parts.flatMap((part): readonly Part[] =>
    part.type === 'tool_result' ? [part, ...part.content] : [part],
  );
  const amount = (is: (part: Part) => boolean) => all.filter(is).length;
  const isOutput = isOutputOfCommand(message);
  return {
    entries: 1,
    messages: isOutput || message.role === 'system' ? 0 : textsIn(parts),
    toolCalls: amount(isToolCall) + (isOutput && parts.some(({ origin }) => origin === 'human') ? 1 : 0),
    toolResults: amount(isToolResult) + (isOutput ? 1 : 0),
    thinking: amount(({ type }) => type === 'thinking'),
    images: amount(({ type }) => type === 'image'),
    tokens,
  };
}

/**
 * The sum of two counts.
 *
 * @example
 * const counts = addCounts({ ...noCounts, toolCalls: 2 }, { ...noCounts, toolCalls: 1 });
 * counts.toolCalls; // 3
 */
export function addCounts(a: EntryCounts, b: EntryCounts): EntryCounts {
  return {
    entries: a.entries + b.entries,
    messages: a.messages + b.messages,
    toolCalls: a.toolCalls + b.toolCalls,
    toolResults: a.toolResults + b.toolResults,
    thinking: a.thinking + b.thinking,
    images: a.images + b.images,
    tokens: a.tokens + b.tokens,
  };
}

/**
 * Whether a part calls a tool. Of those that a provider runs itself only it knows more than that: `web_search_call` of
 * OpenAI, `server_tool_use` of Anthropic.
 *
 * @example
 * message.parts.filter(isToolCall).length;
 */
export function isToolCall(part: Part): part is ToolCallPart | OpaquePart {
  return part.type === 'tool_call' || (part.type === 'opaque' && /_(call|tool_use)$/.test(part.kind));
}

function isToolResult(part: Part): boolean {
  return part.type === 'tool_result' || (part.type === 'opaque' && /_(output|tool_result)$/.test(part.kind));
}

function messageIn(entry: Entry): Message | undefined {
  switch (entry.type) {
    case 'message':
      return entry.message;
    case 'custom_message':
      return { role: 'user', parts: entry.parts };
    case 'compaction':
    case 'branch_summary':
      return user(entry.summary, { origin: 'engine' });
    default:
      return undefined;
  }
}

/** What a program put out that no model called: a person ran it, or the client did. */
function isOutputOfCommand({ role, parts }: Message): boolean {
  return role === 'user' && parts.some((part) => part.type === 'text' && part.origin === 'tool');
}

/** Number of separate texts. An image in the middle of a text does not split it. */
function textsIn(parts: readonly Part[]): number {
  const said = parts.filter((part) => (part.type === 'text' ? part.text !== '' : !isMedium(part)));
  return said.filter((part, index) => part.type === 'text' && said[index - 1]?.type !== 'text').length;
}

function isMedium({ type }: Part): boolean {
  return type === 'image' || type === 'document';
}
