import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answered, said } from '../../session/fixtures/entries.ts';
import { operations, perform } from '../../session/fixtures/operations.ts';
import { begin, tools } from '../../session/fixtures/sessions.ts';
import { createSession } from '../../session/live/live-session.ts';
import { createMemoryStore } from '../../session/store/memory.ts';
import { runs } from '../../testing/runs.ts';
import { countingRules, createMessageCounter, estimateTokens, total } from '../../tokens/index.ts';
import { createTrace } from './trace.ts';

const counter = createMessageCounter({ count: estimateTokens, rules: countingRules['openai-chat'] });

async function steps(session: Awaited<ReturnType<typeof begin>>['session']) {
  const trace = createTrace();
  return new Map((await session.read({ after: 0 })).map((entry) => [entry.handle, trace(entry)]));
}

describe('what each entry did to what is sent', () => {
  test('the size at the current position is that of what is sent there', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const session = await createSession({ store: createMemoryStore(), header: { id: 's' }, ...tools() });
        for (const operation of list) await perform({ session, operation });
        const sizes = session.context.items.map(({ message }) => total(counter.message(message)));
        const last = [...(await steps(session)).values()].at(-1);
        expect(last?.context ?? 0).toBe(sizes.reduce((sum, size) => sum + size, 0));
      }),
      runs(60),
    );
  });

  test('a compaction replaced what is not sent any more, in stretches', async () => {
    const { session } = await begin();
    await session.append(said('one'));
    await session.append({ type: 'label', target: (await session.read({ after: 0 }))[0]?.id ?? '', label: 'x' });
    await session.append(answered('two'));
    const kept = await session.append(said('three'));
    await session.compact({ summary: 's', firstKeptId: kept.id, tokensBefore: 9, trigger: 'test' });
    expect((await steps(session)).get(6)?.replaced).toEqual({ count: 2, stretches: [[1, 3]] });
  });

  test('a second compaction did not replace again what the first one had', async () => {
    const { session } = await begin();
    await session.append(said('one'));
    const two = await session.append(said('two'));
    await session.compact({ summary: 's', firstKeptId: two.id, tokensBefore: 9, trigger: 'test' });
    await session.append(said('five'));
    await session.compact({ summary: 't', firstKeptId: null, tokensBefore: 9, trigger: 'test' });
    const traced = await steps(session);
    expect(traced.get(4)?.replaced.stretches).toEqual([[1, 1]]);
    expect(traced.get(7)?.replaced).toEqual({ count: 2, stretches: [[2, 5]] });
  });

  test('a prune replaces the results it elides, and a sibling edit leaves them unchanged', async () => {
    const { session } = await begin();
    const text = await session.append(said('one'));
    const result = await session.append({
      type: 'message',
      message: { role: 'tool', parts: [{ type: 'tool_result', origin: 'tool', callId: 'c', content: [] }] },
    });
    await session.prune({ targets: [{ entry: result.id, notice: 'gone' }] });
    await session.edit({ target: text.id, replacement: null });
    const traced = await steps(session);
    expect(traced.get(4)?.replaced.stretches).toEqual([[2, 2]]);
    expect(traced.get(6)?.replaced.stretches).toEqual([[1, 1]]);
  });
});
