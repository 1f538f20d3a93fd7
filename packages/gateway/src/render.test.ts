import type { Json, JsonObject, Message } from 'longhaul/message';
import { codecs } from 'longhaul/message';
import { judge } from 'longhaul/testing';
import { describe, expect, it } from 'vitest';
import { readClientRequest } from './client-request.ts';
import type { ClientConversation } from './conversation/conversation.ts';
import { KnownRequests } from './known-requests.ts';
import { renderBody } from './render.ts';

const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] };
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'I read it.', annotations: [] }],
};
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{}' };
const stored = new Map([reasoning, said, call].map((item): [string, JsonObject] => [item.id, item]));
const asked = { role: 'user', content: 'Read the file.' };
const result = { type: 'function_call_output', call_id: 'call_1', output: 'The file.' };
const reference = ({ id }: { readonly id: string }) => ({ type: 'item_reference', id });

/** Renders a request of a conversation of which the first items were compacted away. */
function rendered({ input, compacted }: { readonly input: readonly Json[]; readonly compacted: number }) {
  const bytes = Buffer.from(JSON.stringify({ model: 'gpt-5', input }));
  const route = { dialect: 'openai-responses', action: 'generate' } as const;
  const itemById = (id: string) => stored.get(id);
  const request = readClientRequest({ bytes, route, known: new KnownRequests(), itemById, isStream: false });
  if (!request) throw new Error('The request was not read.');
  const entries = input.map((_, at) => `entry-${at}`);
  const kept = request.messagesFrom(compacted).map((message, at) => ({
    message,
    entry: entries[compacted + at],
    isMade: false,
  }));
  const summary: Message = { role: 'user', parts: [{ type: 'text', origin: 'engine', text: 'The summary.' }] };
  const conversation = {
    isUntouched: false,
    lastShrink: 'entry-9',
    context: { items: [{ message: summary, entry: null, isMade: true }, ...kept] },
    isVerbatim: () => true,
  } as unknown as ClientConversation;
  const parts = { request, conversation, entries: entries as never, dropsThinking: false, namesRecall: true };
  const body = JSON.parse(String(renderBody(parts))) as { readonly input: readonly JsonObject[] };
  const options = {
    knownItems: new Set(stored.keys()),
    requiredReasoning: new Map([said, call].map(({ id }) => [id, reasoning.id])),
  };
  return { items: body.input, verdict: judge({ dialect: 'openai-responses', body, options }) };
}

describe.each([
  { how: 'by reference', echo: [reference(reasoning), reference(said), reference(call)] },
  { how: 'with their ids', echo: [reasoning, said, call] },
])('stored items that a client sends back $how', ({ echo }) => {
  const input = [asked, ...echo, result];

  it('are sent as they came where their reasoning is', () => {
    const { items, verdict } = rendered({ input, compacted: 1 });
    expect(verdict).toEqual({ legal: true });
    expect(items.slice(1)).toEqual(input.slice(1));
  });

  it('are sent without their ids after their reasoning was compacted away', () => {
    const { items, verdict } = rendered({ input, compacted: 2 });
    expect(verdict).toEqual({ legal: true });
    expect(items.slice(1)).toEqual([{ ...said, id: undefined }, { ...call, id: undefined }, result]);
    expect(codecs['openai-responses'].decode(items)).toHaveLength(4);
  });
});
