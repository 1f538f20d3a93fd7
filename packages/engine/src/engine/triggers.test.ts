import { describe, expect, test } from 'vitest';
import { modelInfo, type TargetModel } from '../models/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { createEngine } from './engine.ts';
import { answer, call, result, say } from './fixtures/messages.ts';
import { slowSummarizer } from './fixtures/slow-summarizer.ts';
import type { PresetName } from './policy/presets.ts';

const window = 120_000;

/** One token of o200k_base each, with the blank before it. */
const words = (amount: number) => ' word'.repeat(amount);

function modelNamed(name: string): TargetModel {
  const { inputLimit: _, ...info } = modelInfo({ name });
  const [dialect = 'openai-chat'] = info.dialects;
  return { id: { provider: info.provider ?? 'test', name }, dialect, info: { ...info, window } };
}

/** Every decision but `nothing`, with the size of the request that it was made for, while a conversation grows. */
async function decisionsOf({
  preset,
  name,
  isWarm,
  counts,
}: {
  readonly preset: PresetName;
  readonly name: string;
  /** In tool rounds of one turn, or in turns. */
  readonly isWarm: boolean;
  /** How many tokens the provider reports for one of our estimate; `undefined`: it reports none. */
  readonly counts: number | undefined;
}) {
  const summarizer = slowSummarizer();
  const clock = { now: () => 0, sleep: async () => undefined };
  const engine = await createEngine({
    store: createMemoryStore(),
    policy: preset,
    summarizer,
    clock,
    random: () => 0.5,
  });
  const session = await engine.create();
  const model = modelNamed(name);
  const found: { readonly act: string; readonly ratio: number }[] = [];
  session.on('decision', ({ decision, ratio }) => {
    if (decision !== 'nothing') found.push({ act: decision, ratio });
  });
  // Most of the window at once, then in small steps.
  const { factor = 1.15 } = model.info.tokenizer;
  const steps = [0.25, 0.25, 0.25, ...Array.from({ length: 70 }, () => 0.004)];
  await session.prepare({ model, turn: { messages: [say('Go.')] } });
  for (const [index, share] of steps.entries()) {
    const text = words(Math.round((share * window) / (factor * (counts ?? 1))));
    const { role, parts } = call(`c${index}`);
    const said = { type: 'text', origin: 'model', text } as const;
    await session.append({ type: 'message', message: { role, parts: isWarm ? [said, ...parts] : parts } });
    await session.append({ type: 'message', message: result(`c${index}`) });
    // A turn of its own has no finished tool round yet.
    const { tokens, report } = await session.prepare({ model, ...(!isWarm && { turn: { messages: [say(text)] } }) });
    if (found.length >= (preset === 'cli' ? 2 : 1)) break;
    const last = report.snapshot.confirmed;
    if (counts !== undefined)
      await session.report({ usage: { input: last + Math.round((tokens - last) * (last === 0 ? counts : 1)) } });
  }
  await session.close();
  return found;
}

const reports = [
  ['without usage', undefined],
  ['with usage', 1],
  ['with a provider that counts a tenth more', 1.1],
] as const;

describe.each(reports)('%s', (_, counts) => {
  test.each(['gpt-4.1', 'claude-sonnet-4-5'])(
    'chat begins at 78 to 82 %% while the cache is warm: %s',
    async (name) => {
      const [first] = await decisionsOf({ preset: 'chat', name, isWarm: true, counts });
      expect(first?.act).toBe('start');
      expect(first?.ratio).toBeGreaterThanOrEqual(0.8);
      expect(first?.ratio).toBeLessThan(0.82);
    },
  );

  test.each(['gpt-4.1', 'claude-sonnet-4-5'])('%s: chat begins at 90 percent where it is cold', async (name) => {
    const [first] = await decisionsOf({ preset: 'chat', name, isWarm: false, counts });
    expect(first?.act).toBe('start');
    expect(first?.ratio).toBeGreaterThanOrEqual(0.9);
    expect(first?.ratio).toBeLessThan(0.915);
  });

  test('cli begins at 80 percent and waits at 95 percent', async () => {
    const [first, second] = await decisionsOf({ preset: 'cli', name: 'gpt-4.1', isWarm: true, counts });
    expect(first?.act).toBe('start');
    expect(first?.ratio).toBeGreaterThanOrEqual(0.8);
    expect(first?.ratio).toBeLessThan(0.815);
    expect(second?.act).toBe('wait');
    expect(second?.ratio).toBeGreaterThanOrEqual(0.95);
    expect(second?.ratio).toBeLessThan(0.965);
  });

  test('pi compacts above the window less 16,384 tokens', async () => {
    const [first] = await decisionsOf({ preset: 'pi', name: 'gpt-4.1', isWarm: true, counts });
    expect(first?.act).toBe('compact');
    // Its shares are of the window less the reserve.
    expect(first?.ratio).toBeGreaterThan(1);
    expect(first?.ratio).toBeLessThan(1.015);
  });
});

test('guarantee 1 comes before a ratio: without usage or a vocabulary the bound has to fit all the same', async () => {
  const [first] = await decisionsOf({ preset: 'chat', name: 'mystery-9', isWarm: false, counts: undefined });
  expect(first?.act).toBe('compact');
  expect(first?.ratio).toBeLessThan(0.78);
});

test('with tools, usage that a provider reported makes the whole budget usable, until a compaction', async () => {
  const engine = await createEngine({ store: createMemoryStore() });
  const session = await engine.create();
  const model = modelNamed('gpt-4.1');
  const tools = [{ name: 'run', description: words(2_000), inputSchema: { type: 'object' } }];
  const request = async () => await session.prepare({ model, tools, turn: { messages: [say(words(20_000))] } });
  const first = await request();
  expect(first.report.budget.threshold).toBeLessThan(first.report.budget.limit - 2_000);
  await session.report({ usage: { input: first.tokens } });
  await session.append({ type: 'message', message: answer(words(20_000)) });
  const second = await request();
  expect(second.report.budget.threshold).toBe(second.report.budget.limit);
  expect(second.report.budget.target).toBe(first.report.budget.target);
  await session.compact({ model, tools });
  const { budget } = await session.size({ model, tools });
  expect(budget.threshold).toBe(first.report.budget.threshold);
  await session.close();
});
