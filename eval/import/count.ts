import type { Message, Part } from 'longhaul/message';
import type { Entry } from 'longhaul/session';
import type { Counts } from './listed.ts';

/** Counts the tokens of a message. */
export type CountTokens = (message: Message) => number;

/** The estimate of the list: a token for every four characters of what is said, called and returned. */
export function estimateTokens({ parts }: Message): number {
  return parts.flatMap(withInner).reduce((sum, part) => sum + lengthOf(part), 0) / 4;
}

/** How much is in a log, by the definitions of the list that it is compared with. */
export function countLog({
  entries,
  countTokens,
}: {
  readonly entries: readonly Entry[];
  readonly countTokens: CountTokens;
}): Counts {
  const messages = entries.flatMap(saidIn);
  const parts = messages.flatMap((message) => message.parts.flatMap(withInner));
  const ofType = (type: Part['type']) => parts.filter((part) => part.type === type).length;
  const outputs = messages.filter(isOutput);
  return {
    messages: messages.filter(isSpeech).length,
    // A command that the user ran is a call and its result.
    toolCalls: parts.filter(isCall).length + outputs.filter(({ parts: said }) => said.some(isHuman)).length,
    toolResults: ofType('tool_result') + outputs.length,
    thinking: ofType('thinking'),
    images: ofType('image'),
    tokens: [...messages, ...entries.flatMap(summaryIn)].reduce((sum, message) => sum + countTokens(message), 0),
  };
}

function saidIn(entry: Entry): Message[] {
  if (entry.type === 'message') return [entry.message];
  return entry.type === 'custom_message' ? [{ role: 'user', parts: entry.parts }] : [];
}

function summaryIn(entry: Entry): Message[] {
  if (entry.type !== 'compaction') return [];
  return [{ role: 'user', parts: [{ type: 'text', origin: 'engine', text: entry.summary }] }];
}

function isSpeech(message: Message): boolean {
  const { role, parts } = message;
  if ((role !== 'user' && role !== 'assistant') || isOutput(message)) return false;
  return parts.some((part) => part.type === 'text' && part.text.trim() !== '');
}

/** What a tool put out that no model called. Output that a client wraps in a tag is listed as the client's text. */
function isOutput({ role, parts }: Message): boolean {
  return (
    role === 'user' && parts.some((part) => part.origin === 'tool' && part.type === 'text' && part.text[0] !== '<')
  );
}

/** Calls of tools that the provider runs itself are known to nobody else. */
function isCall(part: Part): boolean {
  return part.type === 'tool_call' || (part.type === 'opaque' && part.kind.endsWith('_call'));
}

function isHuman({ origin }: Part): boolean {
  return origin === 'human';
}

function withInner(part: Part): readonly Part[] {
  return part.type === 'tool_result' ? [part, ...part.content] : [part];
}

function lengthOf(part: Part): number {
  if (part.type === 'text' || part.type === 'thinking') return part.text.length;
  return part.type === 'tool_call' ? part.name.length + part.arguments.length : 0;
}
