import { describe, expect, it } from 'vitest';
import { dialects, type JsonObject, type Message } from '../../../message/index.ts';
import { judge } from '../../../testing/judge/index.ts';
import { modelInfo } from '../../catalog/info.ts';
import type { ModelOptions, Thinking, ToolChoice } from '../../model.ts';
import { requestBody } from '../create.ts';
import { names, say, system, tools } from '../fixtures/connect.ts';
import { parseModelName } from '../name.ts';
import { anthropicHeaders } from './anthropic.ts';

function bodyFor(name: string, options: ModelOptions = {}, offered = tools): JsonObject {
  const { provider, model } = parseModelName(name);
  const info = modelInfo({ provider: provider === 'openai-chat' ? 'openai' : provider, name: model });
  const dialect = provider === 'openai-chat' ? 'openai-chat' : (info.dialects[0] ?? 'openai-chat');
  const request = { head: [system('Be brief.')], items: [say('Hi')], tools: offered, options };
  return requestBody({ dialect, model, info, request });
}

const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const thoughts: readonly (Thinking | undefined)[] = [
  ...[undefined, 'off' as const],
  ...efforts.map((effort) => ({ effort })),
  ...[100, 1024, 5000, 64_000].map((budgetTokens) => ({ budgetTokens })),
];
const choices: readonly (ToolChoice | undefined)[] = [undefined, 'auto', 'none', 'required', { name: 'read' }];

describe('every option, on models of every kind', () => {
  const some = [
    ...Object.values(names),
    ...['anthropic/claude-sonnet-4-5', 'anthropic/claude-opus-5', 'anthropic/claude-fable-5-1', 'anthropic/claude-new'],
    ...['openai/gpt-4.1', 'openai-chat/o3', 'openai/gpt-new', 'google/gemini-2.5-pro', 'google/gemini-new'],
  ];

  it.each(some)('%s gets a body that its provider takes', (name) => {
    for (const thinking of thoughts)
      for (const toolChoice of choices)
        for (const offered of [tools, []])
          for (const maxOutputTokens of [undefined, 1, 2000]) {
            const options: ModelOptions = {
              temperature: 0.3,
              stop: ['a', 'b', 'c', 'd', 'e', 'f'],
              metadata: { user_id: 'u', turn: 3 },
              ...(thinking !== undefined && { thinking }),
              ...(toolChoice !== undefined && { toolChoice }),
              ...(maxOutputTokens !== undefined && { maxOutputTokens }),
            };
            const body = bodyFor(name, options, offered);
            const dialect = dialects.find((each) => names[each].split('/')[0] === name.split('/')[0]) ?? 'anthropic';
            const spoken = name === 'openai/gpt-4.1' ? 'openai-responses' : dialect;
            expect(judge({ dialect: spoken, body: JSON.parse(JSON.stringify(body)) })).toEqual({ legal: true });
          }
  });
});

describe('anthropic', () => {
  it('a model that decides itself gets an effort, a budget becomes one', () => {
    expect(bodyFor('anthropic/claude-opus-5', { thinking: { effort: 'max' } })).toMatchObject({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'max' },
    });
    expect(bodyFor('anthropic/claude-opus-5', { thinking: { budgetTokens: 9000 } })).toMatchObject({
      output_config: { effort: 'medium' },
    });
  });

  it('a model with a thinking budget gets one that leaves room for the answer', () => {
    const { thinking, max_tokens } = bodyFor('anthropic/claude-sonnet-4-5', { thinking: { effort: 'high' } });
    expect(thinking).toEqual({ type: 'enabled', budget_tokens: 24_000 });
    expect(max_tokens).toBe(24_000 + 16_384);
    const small = bodyFor('anthropic/claude-sonnet-4-5', { thinking: { effort: 'high' }, maxOutputTokens: 3000 });
    expect(small).toMatchObject({ thinking: { budget_tokens: 2999 }, max_tokens: 3000 });
  });

  it.each(['claude-fable-5-1', 'claude-opus-5-5', 'claude-sonnet-5-5'])(
    '%s, which always thinks, is not told to stop but to do its least, and is not made to call',
    (name) => {
      const body = bodyFor(`anthropic/${name}`, { thinking: 'off', toolChoice: 'required' });
      expect(body).not.toHaveProperty('thinking');
      expect(body).toMatchObject({ output_config: { effort: 'low' }, tool_choice: { type: 'auto' } });
    },
  );

  it('an effort that a model does not take becomes the next lower one', () => {
    const effortOf = (name: string, effort: string) =>
      bodyFor(`anthropic/${name}`, { thinking: { effort } }).output_config;
    expect(effortOf('claude-opus-4-6', 'xhigh')).toEqual({ effort: 'high' });
    expect(effortOf('claude-opus-5', 'xhigh')).toEqual({ effort: 'xhigh' });
    expect(effortOf('claude-opus-5', 'minimal')).toEqual({ effort: 'low' });
    expect(effortOf('claude-new', 'minimal')).toEqual({ effort: 'low' });
  });

  it('a model that can disable thinking is asked to', () => {
    expect(bodyFor('anthropic/claude-opus-5', { thinking: 'off' }).thinking).toEqual({ type: 'disabled' });
  });

  it('thoughts after a changed beginning may be dropped, where they are bound at all', () => {
    const asked = (name: string, options: ModelOptions = {}) => bodyFor(name, { ...options, rebindsThinking: true });
    const block_binding = { prefix_mismatch_behavior: 'drop_block' };
    const bound = 'anthropic/claude-opus-5-5';
    expect(asked(bound, { thinking: { effort: 'low' } }).thinking).toMatchObject({ type: 'adaptive', block_binding });
    expect(asked(bound).thinking).toEqual({ type: 'adaptive', block_binding });
    expect(asked('anthropic/claude-fable-5-1', { thinking: 'off' }).thinking).toEqual({
      type: 'adaptive',
      block_binding,
    });
    expect(asked('anthropic/claude-opus-5')).not.toHaveProperty('thinking');
    expect(anthropicHeaders({ body: asked(bound), model: 'm' })).toEqual({
      'anthropic-beta': 'thinking-binding-controls-2026-08-01',
    });
    expect(anthropicHeaders({ body: asked('anthropic/claude-opus-5'), model: 'm' })).toEqual({});
  });

  it('thoughts after a changed beginning are taken out where thinking is off', () => {
    const thought = {
      type: 'thinking',
      origin: 'model',
      text: 'Hm.',
      signature: 's',
      wire: { dialect: 'anthropic' },
    } as const;
    const said = { type: 'text', origin: 'model', text: 'Yes.' } as const;
    const items: Message[] = [say('Hi'), { role: 'assistant', parts: [thought, said] }, say('And?')];
    const info = modelInfo({ provider: 'anthropic', name: 'claude-haiku-5-5' });
    const of = (options: ModelOptions) =>
      JSON.stringify(
        requestBody({ dialect: 'anthropic', model: 'm', info, request: { head: [], items, tools, options } }),
      );
    expect(of({ thinking: 'off', rebindsThinking: true })).not.toContain('Hm.');
    expect(of({ thinking: 'off' })).toContain('Hm.');
    expect(of({ rebindsThinking: true })).toContain('Hm.');
  });

  it('a name that asks for the long window is sent without its mark, and with the beta', () => {
    const body = bodyFor('anthropic/claude-sonnet-4-5[1m]');
    expect(body.model).toBe('claude-sonnet-4-5');
    expect(anthropicHeaders({ body, model: 'claude-sonnet-4-5[1m]' })).toEqual({
      'anthropic-beta': 'context-1m-2025-08-07',
    });
  });

  it('a forced tool is not forced while it thinks', () => {
    const options = { toolChoice: 'required', thinking: { effort: 'low' } } as const;
    expect(bodyFor('anthropic/claude-opus-5', options).tool_choice).toEqual({ type: 'auto' });
    expect(bodyFor('anthropic/claude-opus-5', { toolChoice: 'required' }).tool_choice).toEqual({ type: 'any' });
  });
});

describe('openai', () => {
  it('nothing is stored, and reasoning comes sealed where there is any', () => {
    expect(bodyFor('openai/gpt-5')).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(bodyFor('openai/gpt-4.1')).not.toHaveProperty('include');
  });

  it('thinking is turned off where that is possible, else it is the least there is', () => {
    const off = (name: string) => bodyFor(name, { thinking: 'off' });
    expect(off('openai/gpt-5.4').reasoning).toEqual({ effort: 'none' });
    expect(off('openai/gpt-5').reasoning).toEqual({ effort: 'minimal' });
    expect(off('openai-chat/o3').reasoning_effort).toBe('low');
    expect(off('openai/gpt-4.1')).not.toHaveProperty('reasoning');
    // Nobody knows what it takes.
    expect(off('openai/gpt-new')).not.toHaveProperty('reasoning');
  });

  it('an effort that a model does not take becomes the next lower one', () => {
    const effortOf = (name: string, effort: string) => bodyFor(name, { thinking: { effort } }).reasoning;
    expect(effortOf('openai/gpt-5', 'max')).toEqual({ effort: 'high', summary: 'auto' });
    expect(effortOf('openai/gpt-5.1', 'minimal')).toEqual({ effort: 'low', summary: 'auto' });
    expect(effortOf('openai/gpt-5-pro', 'low')).toEqual({ effort: 'high', summary: 'auto' });
    expect(effortOf('openai/gpt-new', 'max')).toEqual({ effort: 'max', summary: 'auto' });
  });

  it('tools go without reasoning where Chat Completions refuses both together', () => {
    const asked = { thinking: { effort: 'high' } } as const;
    expect(bodyFor('openai-chat/gpt-5.6-sol', asked).reasoning_effort).toBe('none');
    expect(bodyFor('openai-chat/gpt-5.6-sol').reasoning_effort).toBe('none');
    expect(bodyFor('openai-chat/gpt-5.6-sol', asked, []).reasoning_effort).toBe('high');
    expect(bodyFor('openai-chat/gpt-5.4', asked).reasoning_effort).toBe('high');
  });

  it('the limit has the name that the server knows', () => {
    const request = { head: [], items: [say('Hi')], tools: [], options: { maxOutputTokens: 100 } };
    const of = (provider: string) =>
      requestBody({ dialect: 'openai-chat', model: 'm', info: modelInfo({ provider, name: 'm' }), request });
    expect(of('ollama')).toMatchObject({ max_tokens: 100 });
    expect(of('openai')).toMatchObject({ max_completion_tokens: 100 });
  });

  it('a temperature goes where it is taken', () => {
    expect(bodyFor('openai/gpt-5', { temperature: 0.3 })).not.toHaveProperty('temperature');
    expect(bodyFor('openai-chat/gpt-4.1', { temperature: 0.3 })).toMatchObject({ temperature: 0.3 });
  });
});

describe('openrouter', () => {
  it('Claude is asked to keep a cache', () => {
    const of = (model: string) => {
      const info = modelInfo({ provider: 'openrouter', name: model });
      const request = { head: [], items: [say('Hi')], tools, options: {} };
      return requestBody({ dialect: 'openai-chat', model, info, request });
    };
    expect(of('anthropic/claude-opus-5')).toMatchObject({ cache_control: { type: 'ephemeral' } });
    expect(of('openai/gpt-5')).not.toHaveProperty('cache_control');
  });
});

describe('gemini', () => {
  it('a level for adaptive models, a budget for the others', () => {
    const config = (name: string, thinking: Thinking) => bodyFor(name, { thinking }).generationConfig;
    expect(config('google/gemini-3.8-flash', { effort: 'max' })).toMatchObject({
      thinkingConfig: { includeThoughts: true, thinkingLevel: 'high' },
    });
    expect(config('google/gemini-2.5-pro', { effort: 'low' })).toMatchObject({
      thinkingConfig: { thinkingBudget: 4096 },
    });
  });

  it('budgets and levels stay within what the model takes', () => {
    const config = (name: string, thinking: Thinking) => bodyFor(name, { thinking }).generationConfig;
    expect(config('google/gemini-2.5-flash', { effort: 'max' })).toMatchObject({
      thinkingConfig: { thinkingBudget: 24_576 },
    });
    expect(config('google/gemini-2.5-flash', 'off')).toMatchObject({ thinkingConfig: { thinkingBudget: 0 } });
    // "Budget 0 is invalid. This model only works in thinking mode."
    expect(config('google/gemini-2.5-pro', 'off')).toMatchObject({ thinkingConfig: { thinkingBudget: 128 } });
    expect(config('google/gemini-3.1-pro', 'off')).toMatchObject({ thinkingConfig: { thinkingLevel: 'low' } });
    expect(config('google/gemini-3.5-flash', 'off')).toMatchObject({ thinkingConfig: { thinkingLevel: 'minimal' } });
  });
});
