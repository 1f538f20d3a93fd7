import { createPromptTokenizer, h, render, UserMessage } from 'longhaul/prompt';
import { describe, expect, test } from 'vitest';
import { OutlinedFile } from './index.ts';

const text = Array.from(
  { length: 30 },
  (_, at) => `export function f${at}(): number {\n  return ${at} + 1 + 2 + 3 + 4 + 5;\n}\n`,
).join('\n');

const tokenizer = createPromptTokenizer({ count: (part) => Math.ceil(part.length / 4) });

async function rendered({ budget }: { readonly budget: number }) {
  const element = h(UserMessage, {}, h(OutlinedFile, { path: 'src/a.ts', text }));
  const { messages, tokenCount } = await render({ element, budget, tokenizer });
  return { text: JSON.stringify(messages), tokenCount };
}

describe('a source file in a prompt', () => {
  test('is whole where it fits, an outline marked as partial where it does not, and absent where nothing fits', async () => {
    expect((await rendered({ budget: 10_000 })).text).toContain('<file path=\\"src/a.ts\\">');
    const partial = await rendered({ budget: 400 });
    expect(partial.text).toContain('partial=\\"outline\\"');
    expect(partial.text).toContain('export function f0(): number');
    expect(partial.tokenCount).toBeLessThanOrEqual(400);
    expect((await rendered({ budget: 12 })).text).not.toContain('export');
  });
});
