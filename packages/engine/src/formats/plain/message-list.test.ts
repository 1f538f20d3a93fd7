import { describe, expect, test } from 'vitest';
import { dialects } from '../../message/index.ts';
import { answered, said } from '../../session/fixtures/entries.ts';
import { begin } from '../../session/fixtures/sessions.ts';
import { judge } from '../../testing/index.ts';
import { bringIn, takeOut } from '../fixtures/bring-in.ts';
import { everyKind, jsonl } from '../fixtures/pi-file.ts';

const more = {
  anthropic: { model: 'claude-opus-5', max_tokens: 8 },
  'openai-chat': { model: 'gpt-5' },
  'openai-responses': { model: 'gpt-5' },
  gemini: {},
} as const;

describe('what the model is sent, as a request', () => {
  test.each(dialects)('is legal for %s when a person says something next', async (dialect) => {
    const { store, session, live } = await bringIn({ text: jsonl(everyKind()) });
    await live.append(said('Go on.'));
    const body = JSON.parse((await takeOut({ store, session, format: dialect })).text);
    expect(judge({ dialect, body: { ...more[dialect], ...body } })).toEqual({ legal: true });
  });

  test.each(dialects)('comes back from %s as the same conversation, with its head and its tools', async (dialect) => {
    const text = JSON.stringify({
      system: 'Be brief.',
      tools: [{ name: 'ls', description: 'lists', input_schema: { type: 'object', properties: {} } }],
      messages: [
        { role: 'user', content: 'list' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'ls', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.txt' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'One file.' }] },
      ],
    });
    const first = await bringIn({ text });
    const written = await takeOut({ ...first, format: dialect });
    const second = await bringIn({ text: written.text });
    expect(written.codes).toEqual([]);
    expect(second).toMatchObject({ format: dialect, sent: first.sent });
    expect(second.live.header.details).toEqual(first.live.header.details);
  });

  test('says what the provider would not have taken, and what is not for it', async () => {
    const { store, session } = await begin();
    await session.append(said('Hi.'));
    await session.append({
      type: 'message',
      message: {
        role: 'assistant',
        parts: [
          { type: 'thinking', origin: 'model', text: 'Hm.', signature: 'c2ln', wire: { dialect: 'anthropic' } },
          { type: 'tool_call', origin: 'model', id: 'c1', name: 'ls', arguments: '{}' },
        ],
      },
    });
    const { codes, text } = await takeOut({ store, session: session.id, format: 'openai-chat' });
    expect(codes).toEqual(['repaired', 'left-out']);
    expect(text).not.toContain('Hm.');
    expect((await takeOut({ store, session: session.id, format: 'anthropic' })).text).toContain('Hm.');
  });

  test('is what is sent now: not what was compacted away, nor what is on another branch', async () => {
    const { store, session } = await begin();
    const first = await session.append(said('old words'));
    await session.append(answered('a branch'));
    await session.move({ to: first.id });
    await session.compact({ summary: 'in short', firstKeptId: null, tokensBefore: 9, trigger: 'test' });
    const { text } = await takeOut({ store, session: session.id, format: 'gemini' });
    expect(text).toContain('in short');
    expect(text).not.toMatch(/old words|a branch/);
  });

  test('of an empty session is an empty list', async () => {
    const { store, session } = await begin();
    expect(JSON.parse((await takeOut({ store, session: session.id, format: 'anthropic' })).text)).toEqual({
      messages: [],
    });
  });
});
