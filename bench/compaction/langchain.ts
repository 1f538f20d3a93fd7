/** `langchain.ts SIZE`: prints the CPU milliseconds that LangChain takes to trim a session to half its tokens. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage, trimMessages } from '@langchain/core/messages';
import type { Message } from 'longhaul/message';
import { createTokenizer } from 'longhaul/tokens';
import { cpuMs } from './cpu.ts';
import { sessionOf } from './messages.ts';

const messages = sessionOf({ size: Number(process.argv[2]) }).flatMap(theirs);
const tokenizer = await createTokenizer('o200k_base');
const tokenCounter = (list: BaseMessage[]) =>
  list.reduce((sum, { content }) => sum + tokenizer.count(String(content)) + 4, 0);
const maxTokens = tokenCounter(messages) / 2;
console.log(await cpuMs(() => trimMessages(messages, { maxTokens, tokenCounter, strategy: 'last' })));

function theirs({ role, parts }: Message): BaseMessage[] {
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
