import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type {
  ContentPart,
  Conversation,
  DocumentPart,
  Message,
  OpaquePart,
  Part,
  ThinkingPart,
  ToolCallPart,
  ToolDefinition,
} from '../../message/index.ts';
import { imageTokens } from './image-tokens.ts';
import type { CountingRules } from './rules.ts';
import { add, nothing, type Share, type TokenShares } from './shares.ts';

/** Counts messages, tools and requests, whatever they hold, by any counter of text and a provider's rules. */
export interface MessageCounter {
  message(message: Message): TokenShares;
  tools(tools: readonly ToolDefinition[]): number;
  request(conversation: Conversation): TokenShares;
}

/**
 * Joins a counter of text with the rules of a provider.
 *
 * @example
 * const { count } = await createTokenizer('o200k_base');
 * const counter = createMessageCounter({ count, rules: countingRules['openai-chat'] });
 * counter.message({ role: 'user', parts: [{ type: 'text', text: 'Hello', origin: 'human' }] }).messages; // 5
 */
export function createMessageCounter({
  count,
  rules,
}: {
  readonly count: (text: string) => number;
  readonly rules: CountingRules;
}): MessageCounter {
  /** Definitions are immutable and sent with every request: each is counted once. */
  const knownTools = new WeakMap<ToolDefinition, number>();
  return { message, tools, request };

  function request({ head, messages, tools: offered }: Conversation): TokenShares {
    const sum = [...head, ...messages].map(message).reduce(add, nothing);
    return { ...sum, tools: sum.tools + tools(offered), messages: sum.messages + rules.perRequest };
  }

  function message({ role, parts }: Message): TokenShares {
    const home: Share = role === 'system' ? 'system' : role === 'tool' ? 'toolResults' : 'messages';
    const split = { ...nothing, [home]: rules.perMessage + count(role) };
    for (const part of parts) split[shareOf({ part, home })] += partTokens(part);
    return split;
  }

  /** All keys at every level and all values: the names of nested properties are sent too. */
  function tools(definitions: readonly ToolDefinition[]): number {
    if (definitions.length === 0) return 0;
    const sum = definitions.map(toolTokens).reduce((a, b) => a + b + rules.perTool, rules.anyTools);
    return Math.floor(sum * rules.toolsFactor);
  }

  function toolTokens(definition: ToolDefinition): number {
    const { name, description, inputSchema } = definition;
    const tokens = knownTools.get(definition) ?? jsonTokens({ name, description, parameters: inputSchema });
    knownTools.set(definition, tokens);
    return tokens;
  }

  function partTokens(part: Part): number {
    switch (part.type) {
      case 'text':
        return count(part.text);
      case 'image':
        return imageTokens({ image: part, rule: rules.image });
      case 'document':
        return documentTokens(part);
      case 'thinking':
        return thinkingTokens(part);
      case 'tool_call':
        return callTokens(part);
      case 'tool_result':
        return part.content.reduce((sum, inner) => sum + contentTokens(inner), idTokens(part.callId));
      case 'opaque':
        return opaqueTokens(part);
    }
  }

  function contentTokens(part: ContentPart): number {
    return partTokens(part);
  }

  function documentTokens({ source, name }: DocumentPart): number {
    const title = name === undefined ? 0 : count(name);
    if (source.kind === 'text') return title + count(source.text);
    if (source.kind !== 'base64') return title + rules.unknownDocument;
    return title + Math.ceil(Math.floor((source.data.length * 3) / 4) / rules.documentBytes);
  }

  /** The text may be a summary of the thought or missing; the sealed form holds all of it. */
  function thinkingTokens({ text, signature, encrypted }: ThinkingPart): number {
    const sealed = Math.ceil((encrypted ?? signature ?? '').length * rules.perSealedCharacter);
    return Math.max(text === '' ? 0 : count(text), sealed);
  }

  function callTokens({ id, name, arguments: args }: ToolCallPart): number {
    const written = idTokens(id) + count('function') + count(name) + 1 + count(args);
    return Math.floor(written * rules.callFactor) + rules.perCall;
  }

  function idTokens(id: string): number {
    return rules.ids ? count(id) : 0;
  }

  /** What it declares itself, else its text: it is sent as it is. */
  function opaqueTokens({ value, kind }: OpaquePart): number {
    if (kind === 'compaction' && isObject(value)) return compactionTokens(value);
    const declared = isObject(value) ? value.tokenUsage : undefined;
    return typeof declared === 'number' && declared >= 0 ? Math.ceil(declared) : jsonTokens(value);
  }

  /** Encrypted thinking is about as large as what its provider reads; Anthropic's is text, with a signature that is not counted. */
  function compactionTokens({ content, encrypted_content: sealed }: JsonObject): number {
    if (typeof content === 'string') return count(content);
    return typeof sealed === 'string' ? Math.ceil(sealed.length * rules.perSealedCharacter) : 0;
  }

  function jsonTokens(value: Json | undefined): number {
    if (value === undefined) return 0;
    if (isArray(value)) return value.reduce<number>((sum, item) => sum + jsonTokens(item), 0);
    if (!isObject(value)) return count(String(value));
    return Object.entries(value).reduce(
      (sum, [key, member]) => (member === undefined ? sum : sum + count(key) + jsonTokens(member)),
      0,
    );
  }
}

function shareOf({ part, home }: { readonly part: Part; readonly home: Share }): Share {
  if (part.type === 'image' || part.type === 'document') return 'files';
  return part.type === 'tool_result' ? 'toolResults' : home;
}
