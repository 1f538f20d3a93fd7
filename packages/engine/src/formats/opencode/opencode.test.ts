import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import type { Entry } from '../../session/entry/entry.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import {
  answered,
  asked,
  clock,
  exported,
  type StoredMessage,
  said,
  talk,
  text,
  tool,
} from '../fixtures/opencode-session.ts';

const read = (messages: readonly StoredMessage[], more: JsonObject = {}) => bringIn({ text: exported(messages, more) });
const messagesOf = (entries: readonly Entry[]) => entries.flatMap((entry) => (entry.type === 'message' ? [entry] : []));
const partsOf = (entries: readonly Entry[]) => messagesOf(entries).flatMap(({ message }) => message.parts);

describe('an export', () => {
  test('is a session with its folder, its title, its model and what it cost', async () => {
    const { entries, sent, format, codes, store, session } = await read(talk);
    expect({ format, codes, sent }).toEqual({ format: 'opencode', codes: ['left-out'], sent: said });
    expect(entries.map(({ type }) => type)).toEqual([
      'message',
      'message',
      'message',
      'usage',
      'message',
      'usage',
      'session_info',
    ]);
    expect(entries[1]).toMatchObject({
      by: { provider: 'anthropic', name: 'claude-sonnet-4-5' },
      at: clock(2),
      details: { opencode: { id: 'a2', finish: 'stop' } },
    });
    expect(entries[2]?.at).toBe(clock(21));
    expect(entries[3]).toMatchObject({
      target: entries[1]?.id,
      usage: { input: 10, output: 25, cacheRead: 80, cacheWrite: 20, reasoning: 5 },
      details: { opencode: { cost: 0.25 } },
    });
    expect(await store.header(session)).toMatchObject({
      cwd: '/repo',
      createdAt: clock(0),
      source: { format: 'opencode', key: 'ses_main' },
      details: { opencode: { version: '1.14.30', slug: 'misty-eagle' } },
    });
    expect((await store.list())[0]?.name).toBe('Reading files');
  });

  test('has no name as long as opencode has made none up', async () => {
    const { entries } = await read(talk, { title: 'New session - 2026-04-13T18:40:00.000Z' });
    expect(entries.map(({ type }) => type)).not.toContain('session_info');
  });

  test('counts reasoning once, where the total has it in the output', async () => {
    const tokens = { total: 130, input: 10, output: 20, reasoning: 5, cache: { read: 80, write: 20 } };
    const reported = answered('a1', [text('Hm.')], { tokens });
    const { entries } = await read([
      { ...reported, parts: reported.parts.filter(({ type }) => type !== 'step-finish') },
    ]);
    expect(entries.find(({ type }) => type === 'usage')).toMatchObject({ usage: { output: 20, reasoning: 5 } });
  });
});

describe('the parts of a message', () => {
  test('a person types, the client adds, attached files are files, and texts are in the words of the client', async () => {
    const { entries } = await read([
      asked(
        'u1',
        text('Look at @a.ts and the picture.'),
        text('Called the Read tool', { synthetic: true }),
        text('shown to nobody', { ignored: true }),
        { type: 'file', mime: 'text/plain', filename: 'a.ts', url: 'file:///repo/a.ts' },
        { type: 'file', mime: 'text/plain', filename: 'b.ts', url: 'data:text/plain;base64,aGk=' },
        { type: 'file', mime: 'image/png', filename: 'p.png', url: 'data:image/png;base64,aGk=' },
        { type: 'file', mime: 'application/pdf', filename: 'p.pdf', url: 'https://example.com/p.pdf' },
        { type: 'agent', name: 'explore' },
      ),
    ]);
    expect(partsOf(entries)).toEqual([
      { type: 'text', origin: 'human', text: 'Look at @a.ts and the picture.' },
      { type: 'text', origin: 'engine', text: 'Called the Read tool' },
      { type: 'image', origin: 'human', source: { kind: 'base64', mediaType: 'image/png', data: 'aGk=' } },
      {
        type: 'document',
        origin: 'human',
        source: { kind: 'url', url: 'https://example.com/p.pdf', mediaType: 'application/pdf' },
        name: 'p.pdf',
      },
    ]);
    expect(entries[0]).toMatchObject({
      details: {
        opencode: {
          agents: [{ type: 'agent', name: 'explore' }],
          files: [
            { filename: 'a.ts', url: 'file:///repo/a.ts' },
            { type: 'file', mime: 'text/plain', filename: 'b.ts' },
          ],
        },
      },
    });
  });

  test('what a tool returned, with its files; what went wrong; what was stopped; what still runs', async () => {
    const attachments = [{ type: 'file', mime: 'image/png', url: 'data:image/png;base64,aGk=' }];
    const { entries } = await read([
      answered('a1', [
        tool('a', 'seen', { attachments }),
        tool('b', '', { status: 'error', error: 'No such file', output: undefined }),
        tool('c', '', { status: 'error', error: 'aborted', metadata: { interrupted: true, output: 'half of it' } }),
        tool('d', '', { status: 'running' }),
        tool('e', '', { status: 'pending', raw: '{"fi' }),
      ]),
      asked('u2', text('Go on.')),
    ]);
    expect(partsOf(entries).filter(({ type }) => type === 'tool_call')).toHaveLength(5);
    expect(partsOf(entries).filter(({ type }) => type === 'tool_result')).toEqual([
      {
        type: 'tool_result',
        origin: 'tool',
        callId: 'a',
        name: 'read',
        content: [
          { type: 'text', origin: 'tool', text: 'seen' },
          { type: 'image', origin: 'tool', source: { kind: 'base64', mediaType: 'image/png', data: 'aGk=' } },
        ],
      },
      expect.objectContaining({
        callId: 'b',
        content: [{ type: 'text', origin: 'tool', text: 'No such file' }],
        isError: true,
      }),
      {
        type: 'tool_result',
        origin: 'tool',
        callId: 'c',
        name: 'read',
        content: [{ type: 'text', origin: 'tool', text: 'half of it' }],
      },
    ]);
  });

  test('the exit code that opencode records next to the output of a command is kept', async () => {
    const { entries } = await read([answered('a1', [tool('c', 'fine', { metadata: { exit: 2, output: 'fine' } })])]);
    expect(partsOf(entries).find(({ type }) => type === 'tool_result')).toMatchObject({ exit: 2 });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['Anthropic', { anthropic: { signature: 'c2ln' } }, { signature: 'c2ln', wire: { dialect: 'anthropic' } }],
    [
      'Anthropic, hidden',
      { anthropic: { redactedData: 'c2ln' } },
      { encrypted: 'c2ln', wire: { dialect: 'anthropic' } },
    ],
    ['Google', { google: { thoughtSignature: 'c2ln' } }, { signature: 'c2ln', wire: { dialect: 'gemini' } }],
    ['Copilot', { copilot: { reasoningOpaque: 'c2ln' } }, {}],
    ['a filter of secrets', { anthropic: { signature: 'REDACTED/c2ln' } }, {}],
    ['nobody known', { openai: { itemId: 'own_1', reasoningEncryptedContent: 'c2ln' } }, {}],
  ])('reasoning is kept with what proves it: %s', async (_, metadata, proof) => {
    const { entries } = await read([answered('a1', [{ type: 'reasoning', text: 'I think.', metadata }, text('So.')])]);
    expect(partsOf(entries)[0]).toEqual({ type: 'thinking', origin: 'model', text: 'I think.', ...proof });
  });

  test('an item of OpenAI’s reasoning is one again, out of the parts of its summary', async () => {
    const metadata = { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'c2ln' } };
    const { entries } = await read([
      answered('a1', [
        { type: 'reasoning', text: 'First.', metadata: { openai: { itemId: 'rs_1' } } },
        { type: 'reasoning', text: 'Then.', metadata },
        text('So.'),
      ]),
    ]);
    expect(partsOf(entries)).toMatchObject([
      {
        type: 'thinking',
        text: 'First.\n\nThen.',
        encrypted: 'c2ln',
        wire: { dialect: 'openai-responses', fields: { id: 'rs_1' } },
      },
      { type: 'text' },
    ]);
  });

  test('a task that a person started, and what came of it', async () => {
    const { sent, entries } = await read([
      asked('u1', { type: 'subtask', prompt: 'Look around.', description: 'look', agent: 'explore', command: 'look' }),
    ]);
    expect(sent).toEqual(['user: The following tool was executed by the user']);
    expect(partsOf(entries)).toMatchObject([{ origin: 'engine' }]);
    expect(entries[0]).toMatchObject({ details: { opencode: { agents: [{ prompt: 'Look around.' }] } } });
  });

  test('file changes are kept with the answer; failed attempts and unknown kinds as notes', async () => {
    const { entries, warnings } = await read([
      answered('a1', [
        text('Done.'),
        { type: 'patch', hash: 'f00', files: ['/repo/a.ts'] },
        { type: 'snapshot', snapshot: 'b2' },
        { type: 'retry', attempt: 1, error: { name: 'APIError' }, time: { created: clock(1) } },
        { type: 'hologram', light: 3 },
      ]),
    ]);
    expect(entries).toMatchObject([
      { type: 'message', details: { opencode: { patches: [{ hash: 'f00', files: ['/repo/a.ts'] }] } } },
      { type: 'usage' },
      { type: 'custom', customType: 'opencode:retry', data: { attempt: 1 } },
      { type: 'unknown', kind: 'opencode:hologram', value: { light: 3 } },
      { type: 'session_info' },
    ]);
    expect(warnings).toMatchObject([{ code: 'left-out', message: expect.stringContaining('marks of steps (3)') }]);
  });

  test('what is for the screen is left out, and counted', async () => {
    const reported = asked('u1', text('Read.'), text('hidden', { ignored: true }));
    const { warnings } = await read([
      { ...reported, info: { ...reported.info, summary: { diffs: [{ file: 'a.ts', before: 'x', after: 'y' }] } } },
      answered('a2', [tool('a', 'one', { metadata: { preview: 'one' } })]),
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'Left out, since the model never saw them: lists of changes (1), texts for the screen (1), marks of steps (2), ' +
        'copies of tool results for the screen (1).',
    ]);
  });

  test('several steps in one message, as older versions have it, are several answers', async () => {
    const one = answered('a1', [text('Reading.'), tool('a', 'one')]);
    const two = answered('a1', [text('Read.')]);
    const { sent, entries } = await read([{ info: one.info, parts: [...one.parts, ...two.parts] }]);
    expect(sent).toEqual(['assistant: Reading. | read {"filePath":"a"}', 'tool: one', 'assistant: Read.']);
    expect(entries.filter(({ type }) => type === 'usage')).toHaveLength(2);
  });

  test('an answer that failed is not sent again; one that a person stopped is', async () => {
    const failed = { error: { name: 'APIError', data: { message: 'overloaded' } } };
    const stopped = { error: { name: 'MessageAbortedError', data: { message: '' } } };
    const { sent, entries } = await read([
      answered('a1', [text('Half an ans')], failed),
      answered('a2', [text('Half a sen')], stopped),
      { ...answered('a3', []), info: { ...answered('a3', []).info, ...stopped }, parts: [{ type: 'step-start' }] },
    ]);
    expect(sent).toEqual(['assistant: Half a sen']);
    expect(entries[0]).toMatchObject({
      type: 'custom',
      customType: 'opencode:error',
      data: { id: 'a1', error: failed.error },
    });
    expect(JSON.stringify(entries[0])).toContain('Half an ans');
  });
});
