import { describe, expect, it } from 'vitest';
import { connect } from './fixtures/clients.ts';

const spoken = { thinking: 'The file must be read first.', text: 'I will read it.' };
const messages = [{ role: 'user' as const, content: 'hi' }];

describe('Anthropic thinking', () => {
  const ask = { model: 'claude-opus-5', max_tokens: 4096, messages };
  const said = [{ type: 'text', text: spoken.text }];
  const thought = [{ type: 'thinking', thinking: spoken.thinking }, ...said];

  it.each([
    [{ type: 'enabled' as const, budget_tokens: 1024 }, thought],
    [{ type: 'adaptive' as const }, thought],
    [{ type: 'disabled' as const }, said],
    [undefined, said],
  ])('with %o', async (thinking, content) => {
    await using at = await connect({ script: [spoken, spoken] });
    const body = { ...ask, ...(thinking ? { thinking } : {}) };
    const whole = await at.anthropic.messages.create(body);
    expect(whole.content).toMatchObject(content);
    expect(whole.content).toHaveLength(content.length);
    expect((whole.usage.output_tokens_details?.thinking_tokens ?? 0) > 0).toBe(content === thought);
    const streamed = await at.anthropic.messages.stream(body).finalMessage();
    expect(streamed.content).toHaveLength(content.length);
  });
});

describe('Gemini thoughts', () => {
  it.each([
    [{ thinkingConfig: { includeThoughts: true } }, [true, undefined]],
    [{ thinkingConfig: { includeThoughts: false } }, [undefined]],
    [{}, [undefined]],
  ])('with %o', async (config, shown) => {
    await using at = await connect({ script: [spoken] });
    const response = await at.gemini.models.generateContent({ model: 'gemini-3-pro', config, contents: 'hi' });
    const parts = response.candidates?.[0]?.content?.parts ?? [];
    expect(parts.map(({ thought }) => thought)).toEqual(shown);
    expect(parts.at(-1)?.thoughtSignature).toBeTypeOf('string');
    expect(response.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
  });
});

describe('Responses reasoning', () => {
  const summary = [{ type: 'summary_text', text: spoken.thinking }];
  const include = ['reasoning.encrypted_content' as const];

  it.each([
    [{}, [], 'undefined'],
    [{ reasoning: { effort: 'low' as const } }, [], 'undefined'],
    [{ reasoning: { summary: 'auto' as const } }, summary, 'undefined'],
    [{ include }, [], 'string'],
    [{ include, reasoning: { summary: 'auto' as const } }, summary, 'string'],
  ])('with %o', async (more, expected, sealed) => {
    await using at = await connect({ script: [spoken] });
    const { output } = await at.openai.responses.create({ model: 'gpt-5.6', input: 'hi', ...more });
    expect(output[0]).toMatchObject({ type: 'reasoning', summary: expected });
    expect(output[0]?.type === 'reasoning' && typeof output[0].encrypted_content).toBe(sealed);
  });
});
