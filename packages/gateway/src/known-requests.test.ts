import fc from 'fast-check';
import type { Dialect } from 'longhaul/message';
import { expect, it } from 'vitest';
import { readClientRequest } from './client-request.ts';
import { KnownRequests } from './known-requests.ts';

const read = ({ body, dialect, known }: { body: object; dialect: Dialect; known: KnownRequests }) => {
  const bytes = Buffer.from(JSON.stringify(body));
  const route = { dialect, action: 'generate', model: 'model' } as const;
  const request = readClientRequest({ bytes, route, known, itemById: () => undefined, isStream: false });
  if (!request) throw new Error('The request was not read.');
  const { chain, head, tools, items, headItems } = request;
  return { chain, head, tools, items, headItems, messages: request.messagesFrom(0) };
};

const text = fc.constantFrom('', 'a', 'b"]}', 'c\\', 'é\n{');
const turn = fc.record({ role: fc.constantFrom('user', 'assistant'), content: text });
/** What a client does to its history between two requests. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), items: fc.array(turn, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constant('cut' as const), length: fc.nat(8) }),
  fc.record({ kind: fc.constant('edit' as const), at: fc.nat(8), item: turn }),
  fc.record({ kind: fc.constant('head' as const), system: text, tools: fc.array(text, { maxLength: 2 }) }),
);

it.each(['anthropic', 'openai-chat'] as const)('reads the same with and without earlier requests: %s', (dialect) => {
  fc.assert(
    fc.property(
      fc.array(turn, { minLength: 1, maxLength: 6 }),
      fc.array(change, { maxLength: 12 }),
      (first, changes) => {
        const known = new KnownRequests();
        let [messages, system, tools] = [first, 'system', [] as string[]];
        for (const each of changes) {
          if (each.kind === 'append') messages = [...messages, ...each.items];
          else if (each.kind === 'cut') messages = messages.slice(0, Math.max(1, messages.length - each.length));
          else if (each.kind === 'edit') messages = messages.with(each.at % messages.length, each.item);
          else [system, tools] = [each.system, each.tools];
          const isChat = dialect === 'openai-chat';
          const named = tools.map((name) => (isChat ? { type: 'function', function: { name } } : { name }));
          const leading = isChat && system !== '' ? [{ role: 'system', content: system }] : [];
          const body = { ...(!isChat && { system }), messages: [...leading, ...messages], tools: named };
          expect(read({ body, dialect, known })).toEqual(read({ body, dialect, known: new KnownRequests() }));
        }
      },
    ),
    { numRuns: 60 },
  );
});
