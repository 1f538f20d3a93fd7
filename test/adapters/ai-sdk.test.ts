import { createAnthropic } from '@ai-sdk/anthropic';
import { createAnthropic as anthropicV2 } from '@ai-sdk/anthropic-v2';
import { createAnthropic as anthropicV3 } from '@ai-sdk/anthropic-v3';
import { createOpenAI } from '@ai-sdk/openai';
import { expect, it } from 'vitest';
import { createAgent } from '../../examples/ai-sdk/agent.ts';
import { isFull, longRun } from './long-run.ts';

const models = {
  anthropic: (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'k' })('claude-opus-4-6'),
  'anthropic, contract v2': (url: string) => anthropicV2({ baseURL: `${url}/v1`, apiKey: 'k' })('claude-opus-4-6'),
  'anthropic, contract v3': (url: string) => anthropicV3({ baseURL: `${url}/v1`, apiKey: 'k' })('claude-opus-4-6'),
  'openai-chat': (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).chat('gpt-4.1'),
  'openai-responses': (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).responses('gpt-5'),
};

it.each(isFull ? (Object.keys(models) as (keyof typeof models)[]) : (['anthropic'] as const))(
  'works through many tool turns over %s',
  async (dialect) => {
    const figures = await longRun(({ url, ...input }) => createAgent({ model: models[dialect](url), ...input }));
    console.log(`ai-sdk, ${dialect}: ${figures}`);
    expect(figures).toContain('requests');
  },
);
