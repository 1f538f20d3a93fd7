import { AIMessage, type BaseMessage, HumanMessage, ToolMessage, trimMessages } from '@langchain/core/messages';
import { guardCut } from 'longhaul/compaction';
import type { Message } from 'longhaul/message';
import { countingRules, createLedger, createMessageCounter, createTokenizer, total } from 'longhaul/tokens';
import { cpuMs } from './cpu.ts';

/** CPU milliseconds to trim a list to half its tokens: LangChain's way and ours, both with the same tokenizer. */
export async function trimTimes({ messages }: { readonly messages: readonly Message[] }) {
  const { count } = await createTokenizer('o200k_base');
  const counter = createMessageCounter({ count, rules: countingRules['openai-chat'] });
  const half = messages.reduce((sum, message) => sum + total(counter.message(message)), 0) / 2;
  const theirs = messages.flatMap(langChainMessage);
  const tokenCounter = (list: BaseMessage[]) =>
    list.reduce(
      (sum, { content }) => sum + count(typeof content === 'string' ? content : JSON.stringify(content)) + 4,
      0,
    );
  // What a session that is open pays: everything was counted when it was said.
  const ledger = createLedger({ window: 1_000_000, counter });
  for (const message of messages) ledger.append({ message });
  const ours = await cpuMs(() => {
    const items = messages.map((message) => ({ message, tokens: total(counter.message(message)) }));
    guardCut({ items, headCount: 0, limit: half });
  });
  const langchain = await cpuMs(() => trimMessages(theirs, { maxTokens: half, tokenCounter, strategy: 'last' }));
  return { ours, langchain };
}

function langChainMessage({ role, parts }: Message): BaseMessage[] {
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
  if (role === 'user') return [new HumanMessage(text)];
  if (role === 'assistant') {
    const calls = parts.flatMap((part) =>
      part.type === 'tool_call' ? [{ id: part.id, name: part.name, args: { input: part.arguments } }] : [],
    );
    return [new AIMessage({ content: text, tool_calls: calls })];
  }
  return parts.flatMap((part) => {
    if (part.type !== 'tool_result') return [];
    const content = part.content.map((inner) => (inner.type === 'text' ? inner.text : '')).join('');
    return [new ToolMessage({ content, tool_call_id: part.callId })];
  });
}
