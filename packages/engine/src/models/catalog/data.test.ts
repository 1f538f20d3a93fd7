import { describe, expect, test } from 'vitest';
import anthropic from '../data/anthropic.json' with { type: 'json' };
import google from '../data/google.json' with { type: 'json' };
import openai from '../data/openai.json' with { type: 'json' };
import others from '../data/others.json' with { type: 'json' };
import { builtinProviders } from './builtin.ts';
import { modelInfo } from './info.ts';
import { quirks } from './quirks.ts';
import { modelDataJsonSchema, modelSchemas } from './schema.ts';

const models = builtinProviders.flatMap((from) => from.models.map((model) => ({ from, model })));

test.each(Object.entries({ anthropic, google, openai, others }))('%s.json fits the schema', (_, file) => {
  expect(modelSchemas().data.safeParse(file).error?.issues).toBeUndefined();
});

describe.each(models.map(({ from, model }) => [`${from.provider} ${model.match[0]}`, from, model] as const))(
  '%s',
  (_, from, model) => {
    test('says where its figures come from, and when', () => {
      expect(model.source).toBeTruthy();
      expect(model.asOf).toMatch(/^20\d\d-\d\d-\d\d$/);
    });

    test('is found under each of its names', () => {
      for (const pattern of model.match) {
        const info = modelInfo({ provider: from.provider, name: pattern.replace('*', '') });
        expect(info).toMatchObject({ known: true, window: model.window, source: model.source });
      }
    });

    test('has figures that make sense together', () => {
      const { window = 0, inputLimit = 0, maxOutput = 0, prices } = model;
      expect(window).toBeGreaterThan(0);
      expect(inputLimit).toBeLessThanOrEqual(window);
      expect(maxOutput).toBeLessThanOrEqual(window);
      for (const rates of prices === undefined ? [] : [prices, ...(prices.tiers ?? [])]) {
        expect(rates.output).toBeGreaterThan(0);
        expect(rates.cacheRead ?? 0).toBeLessThanOrEqual(rates.input);
      }
    });
  },
);

test('no name occurs twice for one provider', () => {
  for (const from of builtinProviders) {
    const names = from.models.flatMap((model) => model.match);
    expect(names).toEqual([...new Set(names)]);
  }
});

test('every quirk is some model’s, and is explained in a sentence', () => {
  const used = new Set(
    builtinProviders.flatMap((from) => [...(from.quirks ?? []), ...from.models.flatMap((m) => m.quirks ?? [])]),
  );
  expect([...used].sort()).toEqual(Object.keys(quirks).sort());
  for (const sentence of Object.values(quirks)) expect(sentence).toMatch(/^[A-Z].*\.$/);
});

test('D16: the families that Copilot Chat treats apart', () => {
  const quirksOf = (name: string) => modelInfo({ name }).quirks;
  expect(quirksOf('claude-opus-4-6')).toContain('noToolsLine');
  expect(quirksOf('claude-sonnet-4-6')).not.toContain('noToolsLine');
  expect(quirksOf('claude-sonnet-4-6')).toEqual(
    expect.arrayContaining(['reattachLastThinking', 'stripToolSearchPairs']),
  );
  expect(quirksOf('gemini-2.5-pro')).toContain('stripOrphanedCalls');
  expect(quirksOf('gpt-4.1')).toContain('keepGoingReminder');
  expect(quirksOf('gpt-5')).not.toContain('keepGoingReminder');
});

test('the cache rules of the large providers', () => {
  expect(modelInfo({ name: 'claude-opus-4-6' }).cache).toMatchObject({
    how: 'explicit',
    maxBreakpoints: 4,
    minTokens: 4096,
  });
  expect(modelInfo({ name: 'gpt-5' }).cache).toMatchObject({ how: 'automatic', minTokens: 1024 });
  expect(modelInfo({ name: 'gpt-5.6-sol' }).cache).toMatchObject({ how: 'both', maxBreakpoints: 4 });
  expect(modelInfo({ name: 'gemini-2.5-pro' }).cache).toMatchObject({ how: 'automatic', minTokens: 2048 });
});

test('the schema can be printed for editors', () => {
  expect(modelDataJsonSchema()).toMatchObject({ type: 'object', required: ['providers'], additionalProperties: false });
});
