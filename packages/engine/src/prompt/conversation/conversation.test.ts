import { describe, expect, test } from 'vitest';
import { assistant, type Message } from '../../message/index.ts';
import { createTokenizer } from '../../tokens/index.ts';
import { ConversationHistory } from '../agent/conversation-history.ts';
import { Environment } from '../agent/environment.ts';
import { SystemMessage, UserMessage } from '../elements/messages.ts';
import { Fragment, h } from '../jsx.ts';
import type * as Raw from '../output/raw.ts';
import { render } from '../render.ts';
import { commonPrefix, fingerprints } from './fingerprint.ts';
import { createPromptTokenizer } from './prompt-tokenizer.ts';
import { toMessages } from './to-messages.ts';

const letters = createPromptTokenizer({ count: (text) => text.length });

const said: Message[] = [
  { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'List it.' }] },
  {
    role: 'assistant',
    parts: [
      { type: 'thinking', origin: 'model', text: 'Hm.', signature: 'sig' },
      { type: 'text', origin: 'model', text: 'I look.' },
      { type: 'tool_call', origin: 'model', id: 'c1', name: 'ls', arguments: '{}' },
    ],
  },
  {
    role: 'tool',
    parts: [
      { type: 'tool_result', origin: 'tool', callId: 'c1', content: [{ type: 'text', origin: 'tool', text: 'a' }] },
    ],
  },
  assistant('One file.'),
];

describe('messages of a session', () => {
  test('round-trip unchanged', async () => {
    const { messages } = await render({
      element: h(ConversationHistory, { messages: said }),
      budget: 100_000,
      tokenizer: letters,
    });
    expect(toMessages(messages)).toEqual(said);
  });

  test('with breakpoints have marks, those of results on the result', () => {
    const raw: Raw.ChatMessage[] = [
      {
        role: 1,
        content: [
          { type: 1, text: 'a' },
          { type: 3, cacheType: 'ephemeral' },
        ],
      },
      {
        role: 3,
        toolCallId: '1',
        content: [
          { type: 1, text: 'b' },
          { type: 3, cacheType: '1h' },
        ],
      },
      { role: 1, content: [{ type: 3 }] },
    ];
    const [user, tool, empty] = toMessages(raw);
    expect(user?.parts).toEqual([{ type: 'text', origin: 'human', text: 'a', cache: {} }]);
    expect(tool?.parts[0]).toMatchObject({ type: 'tool_result', cache: { ttl: '1h' } });
    expect(empty?.parts).toEqual([]);
  });

  test('that the user did not write have no authority', async () => {
    const element = h(Fragment, null, h(Environment, { facts: { cwd: '/x' } }), h(UserMessage, {}, 'Go.'));
    const { messages } = await render({ element, budget: 1000, tokenizer: letters });
    expect(toMessages(messages).map(({ parts }) => parts.map(({ origin }) => origin))).toEqual([['engine'], ['human']]);
  });

  test('keep their images and documents', () => {
    const raw: Raw.ChatMessage[] = [
      {
        role: 1,
        content: [
          { type: 0, imageUrl: { url: 'data:image/png;base64,iVBOR', detail: 'low' } },
          { type: 0, imageUrl: { url: 'https://example.com/a.png' } },
          { type: 4, documentData: { data: 'JVBER', mediaType: 'application/pdf' } },
        ],
      },
    ];
    expect(toMessages(raw)[0]?.parts).toEqual([
      {
        type: 'image',
        origin: 'human',
        detail: 'low',
        source: { kind: 'base64', mediaType: 'image/png', data: 'iVBOR' },
      },
      { type: 'image', origin: 'human', source: { kind: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', origin: 'human', source: { kind: 'base64', mediaType: 'application/pdf', data: 'JVBER' } },
    ]);
  });
});

describe('a prompt tokenizer', () => {
  test('is additive as declared: a message is its frame and its text', async () => {
    const { count } = await createTokenizer('o200k_base');
    const tokenizer = createPromptTokenizer({ count });
    for (const text of ['', 'hello', 'a long text. '.repeat(20)]) {
      for (const role of [0, 1, 2] as const) {
        const whole = tokenizer.countMessageTokens({ role, content: [{ type: 1, text }] });
        const frame = tokenizer.countMessageTokens({ role, content: [] });
        expect(whole).toBe((frame as number) + (tokenizer.tokenLength({ type: 1, text }) as number));
      }
    }
  });

  test('counts images, documents and calls', () => {
    const call = { id: '1', type: 'function' as const, function: { name: 'ls', arguments: '{"path":"/"}' } };
    const bare = letters.countMessageTokens({ role: 2, content: [] }) as number;
    expect(letters.countMessageTokens({ role: 2, content: [], toolCalls: [call] })).toBeGreaterThan(bare + 20);
    expect(letters.tokenLength({ type: 0, imageUrl: { url: 'https://example.com/a.png', detail: 'low' } })).toBe(85);
    expect(
      letters.tokenLength({ type: 4, documentData: { data: 'x'.repeat(800), mediaType: 'application/pdf' } }),
    ).toBe(75);
    expect(letters.tokenLength({ type: 3 })).toBe(0);
    expect(letters.tokenLength({ type: 2, value: {}, tokenUsage: 7 })).toBe(7);
  });
});

describe('fingerprints', () => {
  const one: Raw.ChatMessage = { role: 0, content: [{ type: 1, text: 'system' }] };
  const two: Raw.ChatMessage = { role: 1, content: [{ type: 1, text: 'question' }] };
  const other: Raw.ChatMessage = { role: 1, content: [{ type: 1, text: 'another' }] };

  test('differ from the first difference of two renders on', () => {
    expect(commonPrefix({ before: [one, two], after: [one, other] })).toBe(1);
    expect(commonPrefix({ before: [one], after: [one, two] })).toBe(1);
    expect(commonPrefix({ before: [one, two], after: [one] })).toBe(1);
    expect(commonPrefix({ before: [two], after: [one] })).toBe(0);
    expect(fingerprints([one, two])[1]).not.toBe(fingerprints([two])[0]);
  });

  test('ignore breakpoints, which move', () => {
    const marked: Raw.ChatMessage = { ...one, content: [...one.content, { type: 3 }] };
    expect(fingerprints([marked])).toEqual(fingerprints([one]));
  });

  test('include calls, names and ids', () => {
    const call = { id: '1', type: 'function' as const, function: { name: 'ls', arguments: '{}' } };
    const all = [
      { role: 2, content: [] },
      { role: 2, content: [], toolCalls: [call] },
      { role: 2, content: [], name: 'x' },
      { role: 3, content: [], toolCallId: 'x' },
    ] as Raw.ChatMessage[];
    expect(new Set(all.map((message) => fingerprints([message])[0])).size).toBe(4);
  });
});

test('the system message always comes first', async () => {
  const element = h(
    Fragment,
    null,
    h(SystemMessage, {}, 'Be brief.'),
    h(ConversationHistory, { messages: said, priority: 1 }),
  );
  const { messages } = await render({ element, budget: 40, tokenizer: letters });
  expect(messages[0]?.role).toBe(0);
});
