import type { Part } from '../message/index.ts';
import { argumentsOf, isSent, reminderText } from '../message/internal.ts';
import type { Model, ModelRequest } from '../models/index.ts';

/** A part's `wire` as logs of older versions may have it: with another name for `metadata`. */
type StoredWire = Part['wire'] & { readonly beside?: NonNullable<Part['wire']>['metadata'] };

/** The SDK's provider options for a part: the metadata it delivered with the part, and the cache breakpoint. */
export function providerOptionsOf({
  cache,
  wire,
}: {
  readonly cache?: Part['cache'] | undefined;
  readonly wire?: Part['wire'];
}) {
  const stored: StoredWire | undefined = wire;
  const mark = cache && { cacheControl: { type: 'ephemeral', ...cache } };
  const { metadata = stored?.beside } = stored ?? {};
  return { providerOptions: { ...metadata, anthropic: { ...metadata?.anthropic, ...mark } } };
}

/** Head and items as a prompt of the SDK. */
export function promptOf({
  head,
  items,
  dialect,
}: Pick<ModelRequest, 'head' | 'items'> & Pick<Model, 'dialect'>): object[] {
  const rules = head.flatMap(({ parts }) => parts.filter((part) => part.type === 'text'));
  const calls = items.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool_call'));
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  const messages = items.flatMap(({ role, parts }) => {
    const speaker = role === 'assistant' ? role : 'user';
    const sent = parts.filter((part) => isSent(part, dialect) && part.type !== 'opaque');
    const groups = Object.entries(Object.groupBy(sent, ({ type }) => (type === 'tool_result' ? 'tool' : speaker)));
    const written = (part: Part) => ({ ...contentOf({ part, role, names }), ...providerOptionsOf(part) });
    return groups.map(([role, parts]) => ({ role, content: parts.map(written) }));
  });
  return [...rules.map((part) => ({ role: 'system', content: part.text, ...providerOptionsOf(part) })), ...messages];
}

function contentOf({ part, role, names }: { part: Part; role: string; names: Map<string, string> }): object {
  if (part.type === 'text') return { type: 'text', text: role === 'system' ? reminderText(part.text) : part.text };
  if (part.type === 'thinking') return { type: 'reasoning', text: part.text };
  if (part.type === 'opaque') return { type: 'custom', kind: part.kind };
  if (part.type === 'tool_call')
    return { type: 'tool-call', toolCallId: part.id, toolName: part.name, input: argumentsOf(part) };
  if (part.type === 'tool_result') {
    const { callId: toolCallId, name: toolName = names.get(toolCallId) ?? 'unknown', content, isError } = part;
    const texts = content.flatMap((each) => (each.type === 'text' ? [each.text] : []));
    const isText = isError || texts.length === content.length;
    const value = isText ? texts.join('\n\n') : content.map((each) => contentOf({ part: each, role, names }));
    const output = { type: isError ? 'error-text' : isText ? 'text' : 'content', value };
    return { type: 'tool-result', toolCallId, toolName, output };
  }
  const { source } = part;
  if (source.kind === 'text') return { type: 'text', text: source.text };
  const [mediaType, filename] = part.type === 'image' ? ['image/*'] : ['application/pdf', part.name];
  const byName = (id: string) => ({ type: 'reference', reference: { anthropic: id, openai: id } });
  if (source.kind === 'file') return { type: 'file', mediaType, data: byName(source.id) };
  const data = source.kind === 'url' ? { type: 'url', url: new URL(source.url) } : { type: 'data', data: source.data };
  return { type: 'file', mediaType: source.mediaType ?? mediaType, filename, data };
}
