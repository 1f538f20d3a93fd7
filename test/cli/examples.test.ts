import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPromptTokenizer, type Raw } from 'longhaul/prompt';
import { createTokenizer } from 'longhaul/tokens';
import { describe, expect, test } from 'vitest';
import { longhaul } from './longhaul.ts';

const cwd = join(import.meta.dirname, '../..');
const examples = readdirSync(join(cwd, 'examples/prompts')).filter((name) => name.endsWith('.tsx'));
const textOf = ({ content }: Raw.ChatMessage) => content.map((part) => (part.type === 1 ? part.text : '')).join('');

async function rendered(name: string, ...more: readonly string[]) {
  const args = ['prompt', 'render', `examples/prompts/${name}`, '--json', ...more];
  const { code, stdout, stderr } = await longhaul({ args, cwd });
  expect(stderr).toBe('');
  const value = JSON.parse(stdout);
  return { code, value, messages: (value.messages ?? []) as Raw.ChatMessage[] };
}

test.each(examples)('%s renders as it says itself, and fits', async (name) => {
  const [, budget = ''] =
    /render examples\/prompts\/\S+ --budget (\d+)/.exec(readFileSync(join(cwd, 'examples/prompts', name), 'utf8')) ??
    [];
  const { code, value, messages } = await rendered(name, '--budget', budget);
  expect(code).toBe(0);
  expect(value.tokens).toBeLessThanOrEqual(Number(budget));
  expect(value.fingerprints).toHaveLength(messages.length);
  // Another count of what came out.
  const { count } = await createTokenizer('o200k_base');
  const tokenizer = createPromptTokenizer({ count });
  const counts = await Promise.all(messages.map((message) => tokenizer.countMessageTokens(message)));
  expect(counts.reduce((sum, tokens) => sum + tokens, 0)).toBe(value.tokens);
});

describe('with less room', () => {
  test('question.tsx loses its least likely files, and never the question', async () => {
    const { messages } = await rendered('question.tsx', '--budget', '120');
    const text = messages.map(textOf).join('\n');
    expect(text).toContain('Why does the login test fail on Mondays?');
    expect(text).not.toContain('src/session/clock.ts');
  });

  test('agent.tsx says that it is time to compact, or gives its breakpoints up', async () => {
    const { code, value } = await rendered('agent.tsx', '--budget', '250');
    expect({ code, ...value.error }).toMatchObject({
      code: 'nothing-fits',
      hint: expect.stringContaining('Compact'),
    });
    const dropped = await rendered('agent.tsx', '--budget', '250', '--breakpoints', 'drop-breakpoint');
    expect(dropped.code).toBe(0);
    expect(dropped.messages.map(textOf).join('\n')).toContain('Now do the same for the tests.');
  });

  test('classic.tsx loses what was said elsewhere', async () => {
    const { messages } = await rendered('classic.tsx', '--budget', '30');
    const texts = messages.map(textOf);
    expect([texts[0], texts.at(-1)]).toEqual(['Answer in one sentence.', 'How do I leave vim?']);
    expect(texts.join('')).not.toContain('Turn the machine off.');
  });
});

test('other props make another prompt', async () => {
  const { messages } = await rendered('classic.tsx', '--budget', '200', '--props', '{"query":"And emacs?"}');
  expect(textOf(messages.at(-1) as Raw.ChatMessage)).toMatch(/^And emacs\?/);
});
