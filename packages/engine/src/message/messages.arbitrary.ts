import fc from 'fast-check';
import { codecs } from './codecs/index.ts';
import { user } from './create.ts';
import { type ContentPart, dialects, type Message, type Part, type Role } from './message.ts';

/**
 * Neutral lists with everything that goes wrong in real ones: calls without results, results without calls, repeated and
 * malformed ids, results far from their calls, blank texts, reasoning of every provider signed and unsigned, parts in
 * messages where they cannot stand, halves of surrogate pairs, messages that came from any dialect. At least one user
 * says something, since nobody could repair a list in which nobody speaks.
 */
export function brokenMessages(): fc.Arbitrary<Message[]> {
  const spoken: Message = user('go on');
  return fc
    .tuple(fc.array(message(), { maxLength: 12 }), fc.nat(12), fc.constantFrom(undefined, ...dialects))
    .map(([messages, at, dialect]) => {
      const list = messages.toSpliced(at, 0, spoken);
      return dialect ? codecs[dialect].decode(codecs[dialect].encode(list)) : list;
    });
}

const text = fc.constantFrom('ok', 'two\nlines', '', '  ', '👍', 'half \ud83d of a pair', '日本語');
const id = fc.constantFrom('a', 'b', 'c', 'a', 'b', 'functions.bash:0', 'call|fc_1', `long_${'x'.repeat(80)}`);
const name = fc.constantFrom('read', 'bash', 'mcp.fs:read file', '0day');
const json = fc.constantFrom('{}', '{"path":"a.ts"}', '', '[1]', 'not json', '{"s":"\\ud800"}', '{"__proto__":1}');
const wire = fc.constantFrom(undefined, ...dialects).map((dialect) => (dialect ? { wire: { dialect } } : {}));

function content(origin: Part['origin']): fc.Arbitrary<ContentPart> {
  const words = text.map((value): ContentPart => ({ type: 'text', origin, text: value }));
  const image = fc
    .constantFrom('image/png', 'image/svg+xml')
    .map((mediaType): ContentPart => ({ type: 'image', origin, source: { kind: 'base64', mediaType, data: 'aGk=' } }));
  const document = fc.constant<ContentPart>({ type: 'document', origin, source: { kind: 'text', text: 'notes' } });
  return fc.oneof({ weight: 8, arbitrary: words }, image, document);
}

const call = fc.record({ id, name, arguments: json, signature: fc.constantFrom(undefined, 'c2ln') }).map(
  ({ signature, ...part }): Part => ({
    type: 'tool_call',
    origin: 'model',
    ...part,
    ...(signature && { signature }),
  }),
);
const result = fc
  .record({ callId: id, content: fc.array(content('tool'), { maxLength: 2 }), isError: fc.boolean() })
  .map(({ isError, ...part }): Part => ({ type: 'tool_result', origin: 'tool', ...part, ...(isError && { isError }) }));
const stored: fc.Arbitrary<Part> = fc.nat(9).map((number) => ({
  type: 'thinking',
  origin: 'model',
  text: '',
  encrypted: 'gAAA',
  wire: { dialect: 'openai-responses', fields: { id: `rs_${number}` } },
}));
const thinking = fc.oneof(
  stored,
  fc.record({ text, signature: fc.constantFrom(undefined, 'c2ln'), wire }).map(
    ({ signature, wire: bound, ...part }): Part => ({
      type: 'thinking',
      origin: 'model',
      ...part,
      ...(signature && { signature }),
      ...bound,
    }),
  ),
);

const kinds: { readonly [R in Role]: fc.Arbitrary<Part> } = {
  system: content('engine').filter((part) => part.type === 'text'),
  user: fc.oneof({ weight: 4, arbitrary: content('human') }, result),
  assistant: fc.oneof({ weight: 2, arbitrary: content('model') }, { weight: 3, arbitrary: call }, thinking),
  tool: result,
};
const anything = fc.oneof(content('human'), call, result, thinking);

function message(): fc.Arbitrary<Message> {
  return fc.constantFrom<Role[]>('user', 'assistant', 'assistant', 'tool', 'tool', 'system').chain((role) => {
    const part = fc.oneof({ weight: 15, arbitrary: kinds[role] }, { weight: 1, arbitrary: anything });
    return fc
      .tuple(fc.array(part, { maxLength: 3 }), wire)
      .map(([parts, bound]): Message => ({ role, parts, ...(role === 'system' ? bound : {}) }));
  });
}
