import { describe, expect, test } from 'vitest';
import type { ImagePart } from '../../message/index.ts';
import { jpegOf, pngOf } from '../fixtures/images.ts';
import { imageTokens } from './image-tokens.ts';
import { countingRules } from './rules.ts';

const openai = countingRules['openai-chat'].image;

function image(bytes: Uint8Array, detail?: string): ImagePart {
  const data = Buffer.from(bytes).toString('base64');
  const source = { kind: 'base64', mediaType: 'image/png', data } as const;
  return { type: 'image', origin: 'human', source, ...(detail === undefined ? {} : { detail }) };
}

function linked(url: string): ImagePart {
  return { type: 'image', origin: 'human', source: { kind: 'url', url } };
}

describe('imageTokens', () => {
  test.each([
    [1024, 1024, 765],
    [2048, 4096, 1105],
    [512, 512, 765],
    [100, 100, 765],
    [3000, 1000, 1785],
    [10_000, 10, 2125],
  ])('OpenAI: %i x %i costs %i', (width, height, tokens) => {
    expect(imageTokens({ image: image(pngOf({ width, height })), rule: openai })).toBe(tokens);
  });

  test('OpenAI: low detail costs 85 whatever the size', () => {
    expect(imageTokens({ image: image(pngOf({ width: 4096, height: 4096 }), 'low'), rule: openai })).toBe(85);
  });

  test.each([
    [200, 200, 54],
    [1092, 1092, 1590],
    [3000, 2000, 1600],
  ])('Anthropic: %i x %i costs %i', (width, height, tokens) => {
    const rule = countingRules.anthropic.image;
    expect(imageTokens({ image: image(pngOf({ width, height })), rule })).toBe(tokens);
  });

  test.each([
    [384, 384, 258],
    [1000, 700, 516],
    [99_999, 99_999, 4128],
  ])('Gemini: %i x %i costs %i', (width, height, tokens) => {
    expect(imageTokens({ image: image(pngOf({ width, height })), rule: countingRules.gemini.image })).toBe(tokens);
  });

  test('an image of unknown size costs the most an image can', () => {
    for (const { image: rule } of Object.values(countingRules)) {
      for (const unknown of [linked('https://example.com/cat.png'), image(new Uint8Array([1, 2, 3]))]) {
        expect(imageTokens({ image: unknown, rule })).toBe(rule.most);
      }
      const known = imageTokens({ image: image(pngOf({ width: 3000, height: 2900 })), rule });
      expect(known).toBeLessThanOrEqual(rule.most);
    }
  });

  test('reads data URLs, and headers behind much metadata', () => {
    const bytes = jpegOf({ width: 1024, height: 1024, frame: 0xc2, metadata: 300_000 });
    const url = `data:image/jpeg;base64,${Buffer.from(bytes).toString('base64')}`;
    expect(imageTokens({ image: linked(url), rule: openai })).toBe(765);
  });
});
