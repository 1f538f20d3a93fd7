import { describe, expect, it } from 'vitest';
import type { Json } from '../json.ts';
import { codecs } from './codecs/index.ts';
import type { Dialect } from './message.ts';
import { semanticKey } from './semantic-key.ts';

const key = (dialect: Dialect, items: Json[]) => semanticKey(codecs[dialect].decode(items));

describe('the semantic key survives a client that rebuilds its history', () => {
  it('Copilot: reasoning and refusal dropped, arguments written anew, private fields added', () => {
    const call = (args: string) => ({ id: 'c1', type: 'function', function: { name: 'ls', arguments: args } });
    const before = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: null,
        refusal: null,
        reasoning_content: 'hm',
        tool_calls: [call('{"a": 1, "b": 2}')],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ];
    const after = [
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'assistant', content: '', tool_calls: [call('{"b":2,"a":1}')] },
      { role: 'tool', tool_call_id: 'c1', content: 'ok', __copilotMessageSource: 'x' },
    ];
    expect(key('openai-chat', after)).toEqual(key('openai-chat', before));
  });

  it('Gemini CLI: every response twice, every signature replaced', () => {
    const call = (thoughtSignature: string) => ({
      role: 'model',
      parts: [{ functionCall: { id: 'c', name: 'ls', args: {} }, thoughtSignature }],
    });
    const answer = { functionResponse: { id: 'c', name: 'ls', response: { output: 'x' } } };
    const before = [call('real'), { role: 'user', parts: [answer] }];
    const after = [call('skip_thought_signature_validator'), { role: 'user', parts: [answer, answer] }];
    expect(key('gemini', after)).toEqual(key('gemini', before));
  });

  it('qwen: a reminder block disappears from the first user message', () => {
    const reminder = { type: 'text', text: '<system-reminder>today is Sunday</system-reminder>' };
    const words = { type: 'text', text: 'go' };
    expect(key('openai-chat', [{ role: 'user', content: [reminder, words] }])).toEqual(
      key('openai-chat', [{ role: 'user', content: [words] }]),
    );
  });

  it('Copilot over Responses: reasoning items gone, item ids gone', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'ls', arguments: '{}' };
    expect(
      key('openai-responses', [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { ...call, id: 'fc_1' },
      ]),
    ).toEqual(key('openai-responses', [{ ...call, arguments: '{ }' }]));
  });

  it('an id that a model uses again gets both its answers', () => {
    const round = (content: string) => [
      { role: 'assistant', tool_calls: [{ id: 'f:0', type: 'function', function: { name: 'ls', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'f:0', content },
    ];
    expect(key('openai-chat', [...round('a'), ...round('b')])).not.toEqual(
      key('openai-chat', [...round('a'), ...round('c')]),
    );
  });

  it('calls without an id are known by their order, however a client cuts the contents', () => {
    const call = { functionCall: { name: 'ls', args: {} } };
    const whole = [{ role: 'model', parts: [{ text: 'Looking.' }, call] }];
    const cut = [
      { role: 'model', parts: [{ text: 'Looking.' }] },
      { role: 'model', parts: [call] },
    ];
    expect(key('gemini', cut)).toEqual(key('gemini', whole));
  });

  it('still tells apart what differs in meaning', () => {
    const said = (text: string) => key('anthropic', [{ role: 'user', content: text }]);
    expect(said('yes')).not.toEqual(said('no'));
    expect(key('anthropic', [{ role: 'assistant', content: 'yes' }])).not.toEqual(said('yes'));
  });

  it('is the same for one conversation in any dialect', () => {
    const messages = codecs.anthropic.decode([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'ls', input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] },
    ]);
    for (const dialect of ['openai-chat', 'openai-responses', 'gemini'] as const) {
      expect(key(dialect, codecs[dialect].encode(messages))).toEqual(semanticKey(messages));
    }
  });
});
