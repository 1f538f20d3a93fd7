import { describe, expect, test } from 'vitest';
import { codecs, type Message } from '../message/index.ts';
import { startLoopback } from '../testing/index.ts';
import type { EngineSession } from './engine-session.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { result, say } from './fixtures/messages.ts';
import { bodyOf } from './fixtures/send.ts';
import type { Prepared } from './types.ts';

const tools = [{ name: 'run', inputSchema: { type: 'object' } }];

interface Round {
  readonly prepared: Prepared;
  readonly isTaken: boolean;
  /** Whether it would have been taken without a word about thoughts that moved. */
  readonly isTakenPlainly: boolean;
}

/** An agent at a provider that binds thoughts to what came before them, with what the provider signed. */
async function rounds(of: {
  readonly window: number;
  readonly thinking: object;
  /** A person who speaks beside the results, every few rounds. */
  readonly steers?: true;
  readonly next?: (session: EngineSession, again: () => Promise<EngineSession>) => Promise<EngineSession>;
}): Promise<Round[]> {
  const provider = await startLoopback({
    bindThinking: true,
    window: of.window,
    count: (text: string) => text.length,
    script: ({ index }) =>
      index % 5 === 4
        ? { thinking: `so ${index}`, text: 'Finished.' }
        : {
            thinking: `I think ${index} `.repeat(5),
            text: 'Let me look.',
            toolCalls: [
              { name: 'run', arguments: { at: index } },
              { name: 'run', arguments: { with: 'w'.repeat(100) } },
            ],
          },
  });
  const { session, again } = await begin();
  let subject = session;
  let turn: { messages: Message[] } = { messages: [say('Begin.')] };
  const all: Round[] = [];
  try {
    for (let index = 0; index < 30; index += 1) {
      const prepared = await subject.prepare({ model: modelOf({ window: of.window }), tools, turn });
      const plainly = await ask({ prepared, drops: false });
      const answered = prepared.report.rebindsThinking ? await ask({ prepared, drops: true }) : plainly;
      all.push({ prepared, isTaken: answered !== undefined, isTakenPlainly: plainly !== undefined });
      if (!answered) break;
      await subject.report({ usage: { input: answered.tokens } });
      await subject.append({ type: 'message', message: answered.message });
      const calls = answered.message.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []));
      for (const id of calls) await subject.append({ type: 'message', message: result(id, 'z'.repeat(500)) });
      turn = { messages: calls.length === 0 || (of.steers && index % 3 === 0) ? [say(`And ${index}?`)] : [] };
      subject = (await of.next?.(subject, again)) ?? subject;
    }
  } finally {
    await provider.close();
  }
  return all;

  async function ask({ prepared, drops }: { readonly prepared: Prepared; readonly drops: boolean }) {
    const binding = drops ? { block_binding: { prefix_mismatch_behavior: 'drop_block' } } : {};
    const thinking = { ...of.thinking, ...binding };
    const response = await fetch(`${provider.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...bodyOf({ prepared, dialect: 'anthropic' }), max_tokens: 2_000, thinking }),
    });
    const { content, usage } = JSON.parse(await response.text());
    const [message] = response.ok ? codecs.anthropic.decode([{ role: 'assistant', content }]) : [];
    const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: write } = usage ?? {};
    return message && { message, tokens: input + read + write };
  }
}

const modes = { adaptive: { type: 'adaptive' }, enabled: { type: 'enabled', budget_tokens: 1_024 } } as const;

describe.each(['adaptive', 'enabled'] as const)('promise 2: thoughts that are %s', (mode) => {
  const thinking = modes[mode];

  test.each([6_000, 12_000, 40_000])('are taken after every compaction, in a window of %i', async (window) => {
    const all = await rounds({ window, thinking });
    expect(all.map(({ isTaken }) => isTaken)).toEqual(Array(30).fill(true));
  });

  test('are accepted with human text next to results, and across restarts', async () => {
    const all = await rounds({ window: 8_000, thinking, steers: true, next: async (_, again) => await again() });
    expect(all.map(({ isTaken }) => isTaken)).toEqual(Array(30).fill(true));
  });
});

describe('what must be dropped is said where it must, and the same for a whole epoch', () => {
  const said = (all: readonly Round[]) => {
    const byEpoch = new Map<unknown, boolean>();
    for (const { prepared, isTakenPlainly } of all) {
      const { rebindsThinking } = prepared.report;
      if (!rebindsThinking) expect(isTakenPlainly).toBe(true);
      expect(byEpoch.get(prepared.epoch) ?? rebindsThinking).toBe(rebindsThinking);
      byEpoch.set(prepared.epoch, rebindsThinking);
    }
    return [...byEpoch.values()];
  };

  test('in the middle of a turn it must', async () => {
    const all = await rounds({ window: 12_000, thinking: modes.adaptive });
    expect(said(all)).toContain(true);
    expect(all.some(({ isTakenPlainly }) => !isTakenPlainly)).toBe(true);
  });

  test('between turns there is nothing to drop', async () => {
    const next = async (session: EngineSession) => {
      const { message } = session.context.items.at(-1) ?? {};
      if (message?.role === 'assistant') await session.compact({ model: modelOf({ window: 12_000 }) });
      return session;
    };
    const all = await rounds({ window: 60_000, thinking: modes.adaptive, next });
    const answers = said(all);
    expect(answers.length).toBeGreaterThan(2);
    expect(answers).not.toContain(true);
  });
});
