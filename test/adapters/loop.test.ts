import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { createAgent as onAnthropic } from '../../examples/loop/anthropic.ts';
import { createAgent as onGemini } from '../../examples/loop/gemini.ts';
import { createAgent as onChat } from '../../examples/loop/openai-chat.ts';
import { createAgent as onResponses } from '../../examples/loop/openai-responses.ts';
import { type ExampleAgent, type ExampleInput, isFull, longRun } from './long-run.ts';

const openai = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k', maxRetries: 0 });
const starts: Record<string, (input: ExampleInput) => ExampleAgent> = {
  anthropic: ({ url, ...input }) =>
    onAnthropic({ client: new Anthropic({ baseURL: url, apiKey: 'k', maxRetries: 0 }), ...input }),
  'openai-chat': ({ url, ...input }) => onChat({ client: openai(url), ...input }),
  'openai-responses': ({ url, ...input }) => onResponses({ client: openai(url), ...input }),
  gemini: ({ url, ...input }) =>
    onGemini({ client: new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } }), ...input }),
};

describe.each(Object.keys(starts))('a loop on the SDK of %s', (name) => {
  it.skipIf(!isFull && name !== 'gemini')('works through many tool turns', async () => {
    const start = starts[name];
    const figures = start && (await longRun(start));
    console.log(`loop, ${name}: ${figures}`);
    expect(figures).toContain('requests');
  });

  it('is on its page, as it is', () => {
    const root = join(import.meta.dirname, '../..');
    const page = readFileSync(join(root, 'docs/adapters/loop.md'), 'utf8');
    expect(page).toContain(readFileSync(join(root, `examples/loop/${name}.ts`), 'utf8'));
  });
});
