import { describe, expect, test } from 'vitest';
import { type Dialect, type Message, system, user } from '../message/index.ts';
import { modelInfo, type TargetModel } from '../models/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { createTokenizer, type Encoding } from '../tokens/index.ts';
import { createEngine } from './engine.ts';

const prose = 'Der Größenänderungsvorgang schlug fehl: ¿cuántos días más? The scheduler retries переменную дважды. ';
const code =
  'const retry = async (job: Job): Promise<void> => { await queue.push({ ...job, attempt: job.attempt + 1 }); };\n';

const messages: readonly Message[] = Array.from({ length: 24 }, (_, index) =>
  user((index % 2 === 0 ? prose : code).repeat(8 + index)),
);

function modelNamed(name: string, dialect: Dialect = 'openai-chat'): TargetModel {
  return { id: { provider: 'openai', name }, dialect, info: { ...modelInfo({ name }), window: 128_000 } };
}

async function sizeFor(model: TargetModel) {
  const session = await (await createEngine({ store: createMemoryStore() })).create();
  return await session.prepare({ model, turn: { messages } });
}

async function textTokens(encoding: Encoding): Promise<number> {
  const { count } = await createTokenizer(encoding);
  return messages.flatMap(({ parts }) => parts).reduce((sum, part) => sum + ('text' in part ? count(part.text) : 0), 0);
}

describe('a public vocabulary counts, it does not estimate', () => {
  test.each([
    ['gpt-4.1', 'o200k_base'],
    ['gpt-4o-2024-11-20', 'o200k_base'],
    ['openai/gpt-5.4', 'o200k_base'],
    ['o3-mini', 'o200k_base'],
    ['codex-mini-latest', 'o200k_base'],
    ['gpt-4-turbo', 'cl100k_base'],
    ['gpt-3.5-turbo-0125', 'cl100k_base'],
  ] as const)('%s by %s: the bound is within 3 %% of the count and the framing', async (name, encoding) => {
    const text = await textTokens(encoding);
    // Three for each message and its role.
    const framing = 4 * messages.length;
    const { tokens, bound } = await sizeFor(modelNamed(name));
    expect(tokens).toBe(text + framing);
    expect(bound).toBeGreaterThanOrEqual(tokens);
    expect(bound).toBeLessThanOrEqual(text * 1.03 + framing);
  });

  test('the two vocabularies differ on this text, so that the wrong one would be seen', async () => {
    expect(await textTokens('o200k_base')).not.toBe(await textTokens('cl100k_base'));
  });

  test.each(['gpt-4o-distill-qwen-7b', 'gpt-neox-20b', 'gpt-6-sol', 'mystery-9'])(
    'a look-alike or unknown model keeps a wide bound: %s',
    async (name) => {
      const { tokens, bound } = await sizeFor(modelNamed(name));
      expect(bound / tokens).toBeGreaterThan(1.4);
    },
  );
});

test('families with measured usage are bounded by what was measured', async () => {
  const text = await textTokens('o200k_base');
  const { bound } = await sizeFor(modelNamed('claude-sonnet-4-5', 'anthropic'));
  expect(bound / text).toBeGreaterThan(1.25);
  expect(bound / text).toBeLessThan(1.35);
});

test('one report narrows the bound of a model that nothing is known of, also for a prompt that is made anew', async () => {
  const model = modelNamed('mystery-9');
  const session = await (await createEngine({ store: createMemoryStore() })).create();
  const first = await session.prepare({ model, turn: { messages } });
  expect(first.bound / first.tokens).toBeGreaterThan(1.4);
  const actual = Math.round(first.tokens * 1.2);
  await session.report({ usage: { input: 1_000, cacheRead: actual - 3_000, cacheWrite: 2_000 } });
  expect((await session.prepare({ model })).tokens).toBe(actual);
  const { tokens, bound } = await session.preflight({ model });
  expect(Math.abs(tokens / actual - 1)).toBeLessThan(0.03);
  expect(bound / actual).toBeLessThan(1.25);
});

test.each(['gpt-5.4', 'claude-sonnet-4-5', 'claude-fable-5', 'mystery-9'])(
  'a system prompt of 133,000 characters fits into a window of 64,000 tokens: %s',
  async (name) => {
    const model = modelNamed(name, 'openai-chat');
    const instruction =
      'You are an expert programming assistant, working with a user in the editor. Follow instructions carefully. ';
    const text = instruction.repeat(1_600).slice(0, 133_000);
    const head: readonly Message[] = [system(text)];
    const session = await (await createEngine({ store: createMemoryStore() })).create();
    const turn = { messages: messages.slice(0, 1) };
    const { bound, report } = await session.prepare({
      model: { ...model, info: { ...model.info, window: 64_000 } },
      head,
      turn,
    });
    expect(bound).toBeLessThanOrEqual(report.budget.limit);
    expect(report.opened.map(({ reason }) => reason)).not.toContain('guard');
  },
);

describe('a long history', () => {
  test('is counted in a worker with the same result, and only once', async () => {
    const { count, encoding } = await createTokenizer('o200k_base');
    const history = Array.from({ length: 5 }, (_, index) => user(code.repeat(900 + index)));
    const model = { ...modelNamed('gpt-4.1'), info: { ...modelInfo({ name: 'gpt-4.1' }), window: 1_000_000 } };
    const sizeBy = async (tokenizer: { readonly count: (text: string) => number; readonly encoding?: string }) => {
      const counted: number[] = [];
      const seen = (text: string) => {
        counted.push(text.length);
        return count(text);
      };
      const counting = { ...tokenizer, count: seen };
      const session = await (await createEngine({ store: createMemoryStore(), tokenizer: counting })).create();
      const { tokens } = await session.prepare({ model, turn: { messages: history } });
      const after = counted.filter((length) => length > 50_000).length;
      await session.prepare({ model, turn: { messages: [user('And now?')] } });
      return { tokens, isHere: after > 0, again: counted.filter((length) => length > 50_000).length - after };
    };
    const here = await sizeBy({ count });
    expect(here).toMatchObject({ isHere: true, again: 0 });
    expect(await sizeBy({ count, encoding })).toEqual({ tokens: here.tokens, isHere: false, again: 0 });
  });
});
