import { describe, expect, test } from 'vitest';
import { createMask } from '../../../analysis/secrets/mask.ts';
import { human, itemsOf } from '../../../engine/fixtures/items.ts';
import { BudgetExceededError } from '../../../errors.ts';
import { tokensFor } from '../size.ts';
import { flatPrompt } from './simple.ts';

const mask = createMask({ values: [], salt: '' });
const input = {
  items: itemsOf(human('go')),
  kept: [],
  budget: 900,
  pins: [],
  state: { plan: 'port the parser' },
  context: ['The build is slow.'],
};
const entries = ['<entry>\n  indented\n\n</entry>', '<entry>two</entry>'];
const recordTokens = tokensFor({ text: entries.join('\n'), factor: 1 });
const asked = (room?: number) =>
  flatPrompt({
    input,
    entries,
    form: 'record' as const,
    words: 500,
    forbidsTools: false,
    mask,
    ...(room !== undefined && { within: { room, recordTokens, factor: 1 } }),
  });

describe('the flat prompt', () => {
  test('contains every paragraph as written, and the instructions last', async () => {
    const { system, prompt } = await asked();
    expect(system).not.toBe('');
    expect(prompt).toContain(
      '<conversation>\n<entry>\n  indented\n\n</entry>\n<entry>two</entry>\n</conversation>\n\n<',
    );
    expect(prompt).toMatch(
      /port the parser[\s\S]*\n\n<additional-context>\n- The build is slow\.\n<\/additional-context>\n\nWrite/,
    );
    expect(prompt.endsWith('</summary>')).toBe(true);
  });

  test('drops the context of hooks first, then the working state, never the record', async () => {
    const { system, prompt } = await asked();
    const whole = tokensFor({ text: system + prompt, factor: 1 });
    const left = async (tokens: number) => {
      const { prompt: text } = await asked(whole - tokens);
      return ['two</entry>', 'port the parser', 'build is slow', 'Write the summary'].map((part) =>
        text.includes(part),
      );
    };
    expect(await left(0 - 50)).toEqual([true, true, true, true]);
    expect(await left(5)).toEqual([true, true, false, true]);
    expect(await left(20)).toEqual([true, false, false, true]);
    // The record and the instructions are required.
    await expect(left(30)).rejects.toBeInstanceOf(BudgetExceededError);
    await expect(asked(100)).rejects.toBeInstanceOf(BudgetExceededError);
  });
});
