import type { ContentPart, Message, Part } from 'longhaul/message';
import type { Growth } from './growth.ts';

interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly thinkingSignature?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
}

interface PiMessage {
  readonly role: 'user' | 'assistant' | 'toolResult' | 'bashExecution';
  readonly content?: string | readonly Block[];
  readonly usage?: Usage;
  readonly model?: string;
  readonly stopReason?: string;
  readonly toolCallId?: string;
  readonly command?: string;
  readonly output?: string;
}

/** Pairs of consecutive requests in a session of pi, leaving out those around errors, compactions and other models. */
export function readPi(jsonl: string): Growth[] {
  const growths: Growth[] = [];
  let before: { model: string; prompt: number; output: number } | undefined;
  let added: Message[] = [];
  for (const line of jsonl.split('\n')) {
    if (line === '') continue;
    const entry = JSON.parse(line) as { type: string; message?: PiMessage };
    if (entry.type === 'compaction') before = undefined;
    if (!entry.message) continue;
    const { role, usage, model = '', stopReason } = entry.message;
    if (role !== 'assistant') {
      added.push(toMessage(entry.message));
      continue;
    }
    const usable = usage && stopReason !== 'aborted' && stopReason !== 'error';
    const prompt = usable ? usage.input + usage.cacheRead + usage.cacheWrite : 0;
    if (before && before.model === model && prompt > before.prompt) {
      growths.push({ model, added, output: before.output, actual: prompt - before.prompt });
    }
    before = usable && prompt > 0 ? { model, prompt, output: usage.output } : undefined;
    added = [toMessage(entry.message)];
  }
  return growths;
}

function toMessage(message: PiMessage): Message {
  const blocks =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : (message.content ?? []);
  if (message.role === 'assistant') return { role: 'assistant', parts: blocks.map(answered) };
  if (message.role === 'user') return { role: 'user', parts: blocks.map((block) => given(block, 'human')) };
  if (message.role === 'bashExecution') {
    const text = `Ran \`${message.command}\`\n${message.output}`;
    return { role: 'user', parts: [{ type: 'text', text, origin: 'human' }] };
  }
  const content = blocks.map((block) => given(block, 'tool'));
  return { role: 'tool', parts: [{ type: 'tool_result', callId: message.toolCallId ?? '', content, origin: 'tool' }] };
}

function given(block: Block, origin: 'human' | 'tool'): ContentPart {
  if (block.type !== 'image') return { type: 'text', text: block.text ?? '', origin };
  const source = { kind: 'base64', mediaType: block.mimeType ?? '', data: block.data ?? '' } as const;
  return { type: 'image', source, origin };
}

function answered(block: Block): Part {
  const origin = 'model';
  if (block.type === 'thinking') {
    return { type: 'thinking', text: block.thinking ?? '', signature: block.thinkingSignature ?? '', origin };
  }
  if (block.type !== 'toolCall') return { type: 'text', text: block.text ?? '', origin };
  const args = JSON.stringify(block.arguments);
  return { type: 'tool_call', id: block.id ?? '', name: block.name ?? '', arguments: args, origin };
}
