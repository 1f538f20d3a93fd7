import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../json.ts';
import type { Entry } from '../../session/entry/entry.ts';
import { createMemoryStore } from '../../session/store/memory.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import {
  answer,
  call,
  geminiHeader,
  geminiStamp,
  longTalk,
  person,
  ran,
  record,
  response,
} from '../fixtures/gemini-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';
import { isUnfinished } from '../import/compare.ts';

const lines = (records: readonly JsonObject[]) => bringIn({ text: jsonl([geminiHeader, ...records]) });
const document = (messages: readonly JsonObject[], more: JsonObject = {}) =>
  bringIn({ text: JSON.stringify({ ...geminiHeader, ...more, messages }, null, 2) });

/** The texts of all messages with who wrote each. */
const origins = (entries: readonly Entry[]) =>
  entries.flatMap((entry) =>
    entry.type === 'message'
      ? entry.message.parts.flatMap((part) => (part.type === 'text' ? [`${part.origin}: ${part.text}`] : []))
      : [],
  );

const messagesOf = (entries: readonly Entry[]) => entries.flatMap((entry) => (entry.type === 'message' ? [entry] : []));

describe('a document of an older version', () => {
  const talk = [
    record('u1', 'user', 'Where is it?'),
    answer('g2', 'I look.', {
      thoughts: [{ subject: 'Finding it', description: 'It is somewhere.', timestamp: geminiStamp(2) }],
      toolCalls: [call('call_2', 'here')],
    }),
    record('i3', 'info', 'Request cancelled.'),
    answer('g4', 'There.'),
  ];

  test('says who spoke, called and answered, with times and tokens', async () => {
    const { entries, sent, format, store, session } = await document(talk, { summary: 'Finding things' });
    expect(format).toBe('gemini-cli');
    expect(sent).toEqual([
      'user: Where is it?',
      'assistant: thinking | I look. | read_file {"file_path":"call_2"}',
      'tool: here',
      'assistant: There.',
    ]);
    expect(entries.map(({ type, at }) => `${type} ${new Date(at).getUTCSeconds()}`)).toEqual([
      'message 1',
      'message 2',
      'message 30',
      'usage 2',
      'custom 3',
      'session_info 4',
      'message 4',
      'usage 4',
    ]);
    expect(entries[1]).toMatchObject({
      by: { provider: 'google', name: 'gemini-3-flash-preview' },
      message: { parts: [{ type: 'thinking', text: '**Finding it**\n\nIt is somewhere.' }, {}, { id: 'call_2' }] },
    });
    expect(entries[3]).toMatchObject({
      target: entries[1]?.id,
      usage: { input: 20, output: 12, cacheRead: 80, cacheWrite: 0, reasoning: 5 },
    });
    expect((await store.list())[0]?.name).toBe('Finding things');
    expect(await store.header(session)).toMatchObject({
      createdAt: Date.parse(geminiStamp(0)),
      source: { format: 'gemini-cli', key: geminiHeader.sessionId },
      details: { 'gemini-cli': { projectHash: '40fc80fd', kind: 'main' } },
    });
  });

  test('is the same session as its file of lines', async () => {
    const before = await document(talk);
    const after = await bringIn({ text: jsonl([geminiHeader, ...talk, person('u5', 'Thanks.')]), store: before.store });
    expect(after.session).toBe(before.session);
    expect(after.sent).toEqual([...before.sent, 'user: Thanks.']);
    expect(after.codes).toEqual(['left-out']);
  });

  test('in one line is a document still', async () => {
    const { sent } = await bringIn({ text: JSON.stringify({ ...geminiHeader, messages: talk }) });
    expect(sent).toHaveLength(4);
  });

  test('leaves out what is for the screen, and says how much', async () => {
    const { warnings, entries } = await document(talk);
    expect(warnings).toEqual([
      {
        code: 'left-out',
        message: 'Left out, since the model never saw them: copies of tool results for the screen (1).',
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain('for the screen');
    expect(entries.find(({ type }) => type === 'custom')).toMatchObject({
      customType: 'gemini-cli:info',
      data: { content: 'Request cancelled.' },
    });
  });
});

describe('calls and their results', () => {
  const results = async (toolCalls: readonly JsonObject[]) => {
    const { entries } = await document([answer('g1', '', { toolCalls }), person('u2', 'Go on.')]);
    return messagesOf(entries).flatMap(({ message, details }) =>
      message.role === 'tool' ? [{ ...message.parts[0], details }] : [],
    );
  };

  test('a cancelled call tells the model so', async () => {
    const error = { functionResponse: { id: 'a', name: 'read_file', response: { error: 'Cancelled by you.' } } };
    expect(await results([call('a', '', { status: 'cancelled', result: [error] })])).toMatchObject([
      {
        callId: 'a',
        isError: true,
        content: [{ text: 'Cancelled by you.' }],
        details: { 'gemini-cli': { status: 'cancelled' } },
      },
    ]);
  });

  test('a call without a result has none', async () => {
    expect(await results([call('a'), call('b', 'there')])).toMatchObject([{ callId: 'b' }]);
  });

  test.each<[string, Json, readonly JsonObject[]]>([
    ['a plain text', 'done', [{ type: 'text', text: 'done', origin: 'tool' }]],
    ['a single part', response('a', 'done'), [{ type: 'text', text: 'done', origin: 'tool' }]],
    [
      'the answers of all calls of a turn, with a file behind the own one',
      [
        response('z', 'other'),
        response('a', 'done'),
        { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
        response('y', 'third'),
      ],
      [
        { type: 'text', text: 'done' },
        { type: 'image', origin: 'tool' },
      ],
    ],
    [
      'a response of a tool of its own shape',
      [{ functionResponse: { id: 'a', name: 'x', response: { lines: 3 } } }],
      [{ text: '{"lines":3}' }],
    ],
    ['a response that is no object', [{ functionResponse: { id: 'a', name: 'x', response: 3 } }], [{ text: '3' }]],
  ])('the result is %s', async (_, result, content) => {
    expect(await results([call('a', '', { result })])).toMatchObject([{ callId: 'a', content }]);
  });

  test('calls in the content itself are the calls of the record, also without their ids', async () => {
    const content = [
      { text: 'Reading.' },
      { functionCall: { name: 'read_file', args: { file_path: 'b' } }, thoughtSignature: 'c2lnbmVk' },
      { functionCall: { name: 'read_file', args: { file_path: 'unknown' } } },
    ];
    const { entries } = await document([
      record('g1', 'gemini', content, { toolCalls: [call('a', 'one'), call('b', 'two')] }),
      person('u2', 'Go on.'),
    ]);
    expect(messagesOf(entries)[0]?.message.parts).toMatchObject([
      { type: 'text' },
      { id: 'b', signature: 'c2lnbmVk' },
      { id: 'g1:2' },
      { id: 'a' },
    ]);
  });

  test.each(['REDACTED/abc', 'skip_thought_signature_validator'])(
    'the signature %s is not sent back',
    async (signature) => {
      const content = [
        { text: 'I think.', thought: true, thoughtSignature: signature },
        { functionCall: { id: 'a', name: 'read_file', args: {} }, thoughtSignature: signature },
      ];
      const { entries } = await document([record('g1', 'gemini', content), person('u2', 'Go on.')]);
      expect(messagesOf(entries)[0]?.message.parts).toEqual([
        { type: 'thinking', origin: 'model', text: 'I think.' },
        { type: 'tool_call', origin: 'model', id: 'a', name: 'read_file', arguments: '{}' },
      ]);
    },
  );

  test('the second copy that newer versions write of a result is no second result', async () => {
    const { sent, warnings } = await lines([
      ...ran('g1', 'Reading.', [call('a', 'one')]),
      record('u2', 'user', [response('a', 'one'), { text: '<hook_context>Mind the tests.</hook_context>' }]),
      record('u3', 'user', [response('a', 'one')]),
      record('u4', 'user', [response('late', 'came later')]),
    ]);
    expect(sent).toEqual([
      'assistant: Reading. | read_file {"file_path":"a"}',
      'tool: one',
      'user: <hook_context>Mind the tests.</hook_context>',
      'tool: came later',
    ]);
    expect(warnings[0]?.message).toContain('second copies of results (1)');
  });
});

describe('who wrote what', () => {
  test.each<[string, JsonObject, readonly string[]]>([
    ['a person', person('u1', 'Fix it.'), ['human: Fix it.']],
    [
      'a person, then the client, which appends the files',
      record('u1', 'user', [
        { text: 'Explain @a.ts' },
        { text: '\n--- Content from referenced files ---' },
        { text: '\nContent from @a.ts:\n' },
        { text: 'let a = 1' },
        { text: '\n--- End of content ---' },
        { text: 'And mind the style.' },
      ]),
      [
        'human: Explain @a.ts',
        'engine: \n--- Content from referenced files ---',
        'engine: \nContent from @a.ts:\n',
        'engine: let a = 1',
        'engine: \n--- End of content ---',
        'human: And mind the style.',
      ],
    ],
    [
      'both in one text, in old versions',
      record('u1', 'user', 'Explain @a.ts\n--- Content from referenced files ---\nlet a = 1\n--- End of content ---'),
      ['human: Explain @a.ts', 'engine: \n--- Content from referenced files ---\nlet a = 1\n--- End of content ---'],
    ],
    [
      'a person, with what the client made of it',
      record('u1', 'user', [{ text: 'Explain @a.ts with all of a.ts' }], {
        displayContent: [{ text: 'Explain @a.ts' }],
      }),
      ['human: Explain @a.ts', 'engine:  with all of a.ts'],
    ],
    [
      'the client, for a command of a person',
      record('u1', 'user', [{ text: 'You are a reviewer.' }], { displayContent: '/review' }),
      ['engine: You are a reviewer.'],
    ],
    [
      'the client, about the place',
      person('u1', '<session_context>\nLinux\n</session_context>'),
      ['engine: <session_context>\nLinux\n</session_context>'],
    ],
    ['the client, to go on', person('u1', 'System: Please continue.'), ['engine: System: Please continue.']],
    [
      'the client, for the model',
      answer('g1', 'Got it. Thanks for the context!'),
      ['engine: Got it. Thanks for the context!'],
    ],
    ['the model', answer('g1', 'Got it.'), ['model: Got it.']],
  ])('%s', async (_, said, expected) => {
    expect(origins((await document([said])).entries)).toEqual(expected);
  });

  test('files that a tool gave are the tool’s, though the record is one for the screen', async () => {
    const { entries } = await document([
      record('i1', 'info', [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }]),
    ]);
    expect(messagesOf(entries)[0]?.message).toMatchObject({ role: 'user', parts: [{ type: 'image', origin: 'tool' }] });
  });
});

describe('a file of lines', () => {
  test('is the talk as the client has it at its end', async () => {
    const { sent, entries, store, codes } = await bringIn({ text: jsonl(longTalk()) });
    expect(codes).toEqual(['left-out']);
    expect(sent).toEqual([
      'user: <session_context>\nToday is Tuesday.\n</session_context>',
      'user: Read the file.',
      'assistant: Reading. | read_file {"file_path":"call_3"} | read_file {"file_path":"call_4"}',
      'tool: one',
      'tool: two',
      'assistant: thinking | Both are read.',
      'user: Now the right thing.',
      'assistant: read_file {"file_path":"call_11"}',
      'tool: three',
      'assistant: Done.',
    ]);
    expect(entries.filter(({ type }) => type === 'usage')).toHaveLength(5);
    expect(entries.find(({ type }) => type === 'leaf')).toMatchObject({ reason: 'rewind' });
    expect(origins(entries)).toContain('human: Now the wrong thing.');
    expect((await store.list())[0]?.name).toBe('Reading files');
  });

  test('grows: what was brought in of it at any time is the beginning of what it is later', async () => {
    const all = longTalk();
    const whole = await bringIn({ text: jsonl(all) });
    for (let length = 1; length <= all.length; length += 1) {
      const store = createMemoryStore();
      await bringIn({ text: jsonl(all.slice(0, length)), store });
      const { session, sent, codes } = await bringIn({ text: jsonl(all), store });
      expect({ session, sent, codes }).toEqual({ session: whole.session, sent: whole.sent, codes: ['left-out'] });
    }
  });

  test('a title that comes after an answer that is done is no other way', async () => {
    const talk = [geminiHeader, person('u1', 'Go.'), answer('g2', 'I go.', { toolCalls: [call('a', 'done')] })];
    const { store, session } = await bringIn({ text: jsonl(talk) });
    const grown = await bringIn({ text: jsonl([...talk, { $set: { summary: 'Going' } }]), store });
    expect(grown).toMatchObject({ session, added: 1 });
  });

  test('ends with an answer that may get calls still, but only then', async () => {
    const isOpen = async (last: JsonObject) => {
      const { entries } = await lines([person('u1', 'Go.'), last]);
      return messagesOf(entries).filter(isUnfinished).length;
    };
    expect(await isOpen(answer('g2', 'I go.'))).toBe(1);
    expect(await isOpen(answer('g2', 'I go.', { toolCalls: [call('a')] }))).toBe(1);
    expect(await isOpen(answer('g2', 'I go.', { toolCalls: [call('a', 'done')] }))).toBe(0);
  });

  test('keeps what it does not know, and what is about the session', async () => {
    const { entries } = await lines([
      { $set: { directories: ['/more'], lastUpdated: geminiStamp(3) } },
      record('x4', 'thinking_aloud', 'hm'),
      { something: 'else' },
    ]);
    expect(entries).toMatchObject([
      {
        type: 'custom',
        customType: 'gemini-cli:set',
        data: { directories: ['/more'] },
        at: Date.parse(geminiStamp(3)),
      },
      { type: 'unknown', kind: 'gemini-cli:thinking_aloud', value: { content: 'hm' } },
      { type: 'unknown', kind: 'gemini-cli:record', value: { something: 'else' } },
    ]);
  });

  test('without its header is known by its first record, also when it grows', async () => {
    const talk = [person('u1', 'Go.'), answer('g2', 'I go.')];
    const { session, codes, store } = await bringIn({ text: jsonl(talk) });
    expect(codes).toEqual(['half-a-header']);
    const grown = await bringIn({ text: jsonl([...talk, person('u3', 'On.')]), store });
    expect(grown.session).toBe(session);
    expect(grown.sent).toEqual(['user: Go.', 'assistant: I go.', 'user: On.']);
  });

  test('of a sub-agent says where it works', async () => {
    const header = { ...geminiHeader, kind: 'subagent', directories: ['/repo', '/lib'] };
    const { store, session } = await bringIn({ text: jsonl([header, person('u1', 'Go.')]) });
    expect(await store.header(session)).toMatchObject({
      cwd: '/repo',
      details: { 'gemini-cli': { kind: 'subagent' } },
    });
  });
});
