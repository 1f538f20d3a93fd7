import type { LoopbackRequest } from 'longhaul/testing';
import { isRecord, records } from './request-tools.ts';

/** One message, call or result of a request, as text. */
export interface Said {
  readonly kind: 'human' | 'model' | 'call' | 'result' | 'system';
  readonly text: string;
  /** The name of the tool, for calls and, where the request tells, for results. */
  readonly tool?: string;
}

/** Everything that a request says, in order, in any dialect. */
export function saidIn({ dialect, body }: Pick<LoopbackRequest, 'dialect' | 'body'>): Said[] {
  const names = new Map<string, string>();
  const call = ({
    id,
    name,
    input,
  }: {
    readonly id: unknown;
    readonly name: unknown;
    readonly input: unknown;
  }): Said => {
    names.set(String(id), String(name));
    return { kind: 'call', tool: String(name), text: typeof input === 'string' ? input : JSON.stringify(input) };
  };
  const result = ({ id, text }: { readonly id: unknown; readonly text: string }): Said => {
    const tool = names.get(String(id));
    return { kind: 'result', text, ...(tool !== undefined && { tool }) };
  };
  switch (dialect) {
    case 'anthropic':
      return records(body.messages).flatMap(({ role, content }) =>
        blocksOf(content).map((block): Said => {
          if (block.type === 'tool_use') return call({ ...block, id: block.id, name: block.name, input: block.input });
          if (block.type === 'tool_result') return result({ id: block.tool_use_id, text: textOf(block.content) });
          return { kind: speaker(role), text: textOf(block) };
        }),
      );
    case 'openai-chat':
      return records(body.messages).flatMap(({ role, content, tool_calls: calls, tool_call_id: id }): Said[] => [
        role === 'tool' ? result({ id, text: textOf(content) }) : { kind: speaker(role), text: textOf(content) },
        ...records(calls).map((one) => {
          const made = isRecord(one.function) ? one.function : {};
          return call({ id: one.id, name: made.name, input: made.arguments });
        }),
      ]);
    case 'openai-responses':
      return itemsOf(body.input).map((item): Said => {
        const type = String(item.type ?? 'message');
        if (type.endsWith('_call_output')) return result({ id: item.call_id, text: textOf(item.output) });
        if (type.endsWith('_call'))
          return call({ id: item.call_id, name: item.name, input: item.arguments ?? item.input });
        return { kind: speaker(item.role), text: textOf(item.content) };
      });
    case 'gemini':
      return records(body.contents).flatMap(({ role, parts }) =>
        records(parts).map((part): Said => {
          const { functionCall: called, functionResponse: answered } = part;
          if (isRecord(called)) return call({ id: called.id ?? called.name, name: called.name, input: called.args });
          if (isRecord(answered))
            return { kind: 'result', tool: String(answered.name), text: textsIn(answered.response).join('\n') };
          return { kind: speaker(role), text: textOf(part) };
        }),
      );
  }
}

function itemsOf(input: unknown): Readonly<Record<string, unknown>>[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : records(input);
}

function speaker(role: unknown): Said['kind'] {
  if (role === 'assistant' || role === 'model') return 'model';
  return role === 'system' || role === 'developer' ? 'system' : 'human';
}

function blocksOf(content: unknown): Readonly<Record<string, unknown>>[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : records(content);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  return isRecord(value) ? textOf(value.text ?? value.content ?? '') : '';
}

/** All texts inside a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}
