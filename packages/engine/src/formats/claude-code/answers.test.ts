import { describe, expect, test } from 'vitest';
import { check } from '../../message/index.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { call, claudeFile, text, thinking } from './lines.fixture.ts';

const read = (file: { readonly text: () => string }) => bringIn({ text: file.text() });

describe('an answer that is spread over lines', () => {
  test('is one message, its usage counted once, as the last line tells it', async () => {
    const file = claudeFile();
    file.user('Look around.');
    file.answer('msg_1', thinking('I look.'));
    file.answer('msg_1', text('Looking.'));
    const usage = { input_tokens: 3, output_tokens: 99, service_tier: 'standard' };
    file.answer('msg_1', call('toolu_1', { file_path: 'a.ts' }), { about: { stop_reason: 'tool_use', usage } });
    file.result('toolu_1', 'export {};');
    file.answer('msg_2', text('Nothing there.'), { about: { stop_reason: 'end_turn' } });
    const { sent, entries, live } = await read(file);
    expect(sent).toEqual([
      'user: Look around.',
      'assistant: thinking | Looking. | Read {"file_path":"a.ts"}',
      'tool: export {};',
      'assistant: Nothing there.',
    ]);
    expect(entries.map(({ type }) => type)).toEqual(['message', 'message', 'usage', 'message', 'message', 'usage']);
    const [, answer, usage1, , , usage2] = entries;
    expect(answer).toMatchObject({
      by: { provider: 'anthropic', name: 'claude-opus-4-6' },
      details: { 'claude-code': { id: 'msg_1', requestId: 'req_msg_1', stop_reason: 'tool_use' } },
    });
    expect(usage1).toMatchObject({ usage: { input: 3, output: 99, cacheRead: 0, cacheWrite: 0 }, target: answer?.id });
    expect(usage1).toMatchObject({ details: { 'claude-code': { service_tier: 'standard' } } });
    expect(usage2).toMatchObject({ usage: { input: 3, output: 5, cacheRead: 20, cacheWrite: 7 } });
    const messages = live.context.items.map(({ message }) => message);
    expect(check(messages, 'openai-chat')).toEqual([]);
  });

  test('comes before the results of its calls, wherever they stand among its lines', async () => {
    const file = claudeFile();
    file.user('Read all three.');
    file.answer('msg_1', call('toolu_1'));
    file.answer('msg_1', call('toolu_2'));
    const [, first, second] = file.lines;
    file.result('toolu_2', 'two', { parentUuid: second?.uuid });
    file.state({ type: 'file-history-snapshot', messageId: 'x', snapshot: {} });
    file.answer('msg_1', call('toolu_3'));
    file.result('toolu_1', 'one', { parentUuid: first?.uuid });
    file.result(
      'toolu_3',
      [
        { type: 'text', text: 'three' },
        { type: 'image', source: image },
      ],
      { parentUuid: file.lines[5]?.uuid },
    );
    file.answer('msg_2', text('Read.'), { parentUuid: file.lines[6]?.uuid });
    const { sent, entries } = await read(file);
    expect(sent).toEqual([
      'user: Read all three.',
      'assistant: Read {} | Read {} | Read {}',
      'tool: two',
      'tool: one',
      'tool: three+image',
      'assistant: Read.',
    ]);
    expect(entries.filter(({ type }) => type === 'leaf')).toEqual([]);
    expect(entries.find((entry) => entry.type === 'message' && entry.message.role === 'tool')).toMatchObject({
      message: { parts: [{ callId: 'toolu_2', name: 'Read', origin: 'tool' }] },
    });
  });

  test('waits for what the client says between its calls, and puts it behind their results', async () => {
    const file = claudeFile();
    file.user('Use the skill.');
    file.answer('msg_1', call('toolu_1', { skill: 'review' }, 'Skill'));
    file.result('toolu_1', 'Launching.');
    file.user([text('Review like this.')], { isMeta: true, sourceToolUseID: 'toolu_1' });
    file.attachment({ type: 'hook_additional_context', content: ['Mind the tests.'] });
    file.answer('msg_1', call('toolu_2'));
    file.result('toolu_2', 'two');
    file.answer('msg_2', text('Reviewed.'));
    const { sent } = await read(file);
    expect(sent.slice(1)).toEqual([
      'assistant: Skill {"skill":"review"} | Read {}',
      'tool: Launching.',
      'tool: two',
      'user: Review like this.',
      'user: Mind the tests.',
      'assistant: Reviewed.',
    ]);
  });

  test('has a call once, where a version writes its line again', async () => {
    const file = claudeFile();
    file.user('Go.');
    file.answer('msg_1', call('toolu_1'));
    file.answer('msg_1', call('toolu_1'));
    file.result('toolu_1', 'one');
    expect((await read(file)).sent).toEqual(['user: Go.', 'assistant: Read {}', 'tool: one']);
  });

  test('is split in two where more follows than may be buffered', async () => {
    const file = claudeFile();
    file.user('Go.');
    file.answer('msg_1', call('toolu_1'));
    file.result('toolu_1', 'x'.repeat(33 * 1024 * 1024), { toolUseResult: undefined });
    file.answer('msg_1', call('toolu_2'));
    file.result('toolu_2', 'two');
    const { entries, live } = await bringIn({ text: file.text(), chunk: 1024 * 1024 });
    expect(live.context.items.map(({ message }) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
    expect(entries.filter(({ type }) => type === 'usage')).toHaveLength(1);
  });

  test('stays without a result where a call has none', async () => {
    const file = claudeFile();
    file.user('Go.');
    file.answer('msg_1', call('toolu_1'));
    file.user('Stop that.');
    expect((await read(file)).sent).toEqual(['user: Go.', 'assistant: Read {}', 'user: Stop that.']);
  });
});

describe('what is no answer of a model', () => {
  test('an API error is a note, and what follows has the same parent', async () => {
    const file = claudeFile();
    file.user('Go.');
    file.answer('err_1', text('API Error: 529 overloaded'), { isApiErrorMessage: true, error: 'overloaded' });
    file.user('Again.');
    const { sent, entries } = await read(file);
    expect(sent).toEqual(['user: Go.', 'user: Again.']);
    expect(entries[1]).toMatchObject({
      type: 'custom',
      customType: 'claude-code:api_error',
      data: { text: 'API Error: 529 overloaded', error: 'overloaded' },
    });
  });

  test('what the client says in the model’s place is the client’s', async () => {
    const file = claudeFile();
    file.user('Go.');
    file.answer('x', text('No response requested.'), { about: { model: '<synthetic>', usage: { input_tokens: 0 } } });
    const { entries } = await read(file);
    expect(entries).toHaveLength(2);
    expect(entries[1]).toMatchObject({ message: { role: 'assistant', parts: [{ origin: 'engine' }] } });
    expect(entries[1]).not.toHaveProperty('by');
  });

  test('thinking with a redacted signature is kept and never sent', async () => {
    const file = claudeFile();
    file.user('Go.');
    file.answer('msg_1', thinking('I think.', 'EoREDACTED=='));
    file.answer('msg_1', thinking('And again.'));
    file.answer('msg_1', { type: 'redacted_thinking', data: 'REDACTED' });
    const { entries } = await read(file);
    expect(entries[1]).toMatchObject({
      message: {
        parts: [
          { type: 'thinking', origin: 'model', text: 'I think.' },
          { type: 'thinking', text: 'And again.', signature: 'c2lnbmVk', wire: { dialect: 'anthropic' } },
          { type: 'thinking', origin: 'model', text: '' },
        ],
      },
    });
    const [broken] = entries[1]?.type === 'message' ? entries[1].message.parts : [];
    expect(Object.keys(broken ?? {})).toEqual(['type', 'origin', 'text']);
  });
});

describe('results', () => {
  test('the copy for the screen is left out, and counted; the sub-agent it names is kept', async () => {
    const file = claudeFile();
    file.user('Go.');
    file.answer('msg_1', call('toolu_1', { prompt: 'Search.' }, 'Task'));
    file.result('toolu_1', 'found', { toolUseResult: { agentId: 'a1b2', content: 'secret copy' } });
    const { entries, warnings } = await read(file);
    expect(JSON.stringify(entries)).not.toContain('secret copy');
    expect(warnings.map(({ message }) => message)).toEqual([
      'Left out, since the model never saw them: copies of tool results for the screen (1).',
    ]);
    expect(entries.at(-1)).toMatchObject({ details: { 'claude-code': { agentId: 'a1b2' } } });
  });

  test('a refusal with words: the result first, then what the person said, and the answer is over', async () => {
    const file = claudeFile();
    file.user('Go.');
    file.answer('msg_1', call('toolu_1', { command: 'rm -rf /' }, 'Bash'));
    file.user([
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Rejected.', is_error: true },
      text('Never do that.'),
    ]);
    const { sent, entries } = await read(file);
    expect(sent.slice(2)).toEqual(['tool: Rejected.', 'user: Never do that.']);
    expect(entries.at(-2)).toMatchObject({ message: { parts: [{ isError: true, name: 'Bash' }] } });
    expect(entries.at(-1)).toMatchObject({ message: { parts: [{ origin: 'human' }] } });
    expect(JSON.stringify(entries)).not.toContain('unfinished');
  });
});

const image = { type: 'base64', media_type: 'image/png', data: 'aGk=' };
