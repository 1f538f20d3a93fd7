import { codecs, type JsonObject, type Message } from 'longhaul/message';
import { promptTokens, readUsage } from 'longhaul/models';
import type { Growth } from './growth.ts';

interface Line {
  readonly type: string;
  readonly subtype?: string;
  readonly isSidechain?: boolean;
  readonly isApiErrorMessage?: boolean;
  readonly message?: {
    readonly id?: string;
    readonly model?: string;
    readonly role: string;
    readonly content: unknown;
    readonly usage?: unknown;
  };
}

interface Answer {
  readonly id: string;
  readonly model: string;
  readonly prompt: number;
  readonly output: number;
  readonly content: unknown[];
}

/** Pairs of consecutive requests in a session of Claude Code, whose answers stand in several lines with one id each. */
export function readClaudeCode(jsonl: string): Growth[] {
  const growths: Growth[] = [];
  let before: Answer | undefined;
  let others: Message[] = [];
  for (const text of jsonl.split('\n')) {
    if (text === '') continue;
    const line = JSON.parse(text) as Line;
    if (line.subtype === 'compact_boundary') before = undefined;
    const { message } = line;
    if (!message || line.isSidechain || line.isApiErrorMessage || message.model === '<synthetic>') continue;
    if (line.type === 'user') others.push(...decode({ role: 'user', content: message.content }));
    const usage = readUsage({ dialect: 'anthropic', value: message.usage });
    if (line.type !== 'assistant' || !usage) continue;
    const content = Array.isArray(message.content) ? message.content : [];
    if (before && before.id === message.id) {
      before.content.push(...content);
      continue;
    }
    const answer = {
      id: message.id ?? '',
      model: message.model ?? '',
      prompt: promptTokens(usage),
      output: usage.output,
      content,
    };
    if (before && before.model === answer.model && answer.prompt > before.prompt) {
      const added = [...decode({ role: 'assistant', content: before.content }), ...others];
      growths.push({ model: answer.model, added, output: before.output, actual: answer.prompt - before.prompt });
    }
    before = answer;
    others = [];
  }
  return growths;
}

function decode(item: { readonly role: string; readonly content: unknown }): readonly Message[] {
  return codecs.anthropic.decode([item as JsonObject]);
}
