import { createEngine } from 'longhaul/engine';
import { type Dialect, dialects, type Message, type ToolDefinition } from 'longhaul/message';
import { collect, promptTokens } from 'longhaul/models';
import { createMemoryStore, type EntryId } from 'longhaul/session';
import type { LoopbackExchange } from 'longhaul/testing';
import { describe, expect, test } from 'vitest';
import { connect, say, system } from './connect.ts';

const schema = { type: 'object', properties: { path: { type: 'string' } } };
const tools: ToolDefinition[] = ['read', 'grep'].map((name) => ({
  name,
  description: `${name}s.`,
  inputSchema: schema,
}));
const head: Message[] = [system(`You fix clocks. ${'Mind the springs. '.repeat(300)}`)];

interface Round {
  readonly epoch: EntryId | null;
  readonly prompt: number;
  readonly cached: number;
}

/** Rounds of tools through the engine and a real client; with a human message now and then. */
async function play({ dialect, rounds, window }: { dialect: Dialect; rounds: number; window?: number }) {
  // Each request holds all those before it: what is asked of them is read as they come, and none is kept.
  const refused: unknown[] = [];
  const marks: Marks[] = [];
  await using there = await connect({
    dialect,
    keep: 0,
    ...(window !== undefined && { window }),
    onExchange(exchange) {
      if (!exchange.verdict?.legal) refused.push(exchange.verdict);
      if (dialect === 'anthropic') marks.push(marksIn(exchange));
    },
    script: ({ index }) => {
      if (index % 25 === 24) return { text: `Done with part ${index}.` };
      const names = index % 7 === 0 ? ['read', 'grep', 'read'] : ['read'];
      const toolCalls = names.map((name, at) => ({ name, arguments: { path: `src/${index}-${at}.ts` } }));
      return { text: `Looking at ${index}.`, toolCalls };
    },
  });
  const { model } = there;
  const engine = await createEngine({ store: createMemoryStore() });
  const session = await engine.create();
  const options = { maxOutputTokens: 1000, cacheKey: session.id };
  const played: Round[] = [];
  let said: Message[] = [say('Mend the clock.')];
  for (let round = 0; round < rounds; round += 1) {
    const turn = said.length > 0 ? { turn: { messages: said } } : {};
    const prepared = await session.prepare({ model, head, tools, options, ...turn });
    const { message, usage, end } = await collect(model.stream({ ...prepared, options }));
    if (!usage || end.failure) throw new Error(end.failure?.message ?? 'No usage.');
    played.push({ epoch: prepared.epoch, prompt: promptTokens(usage), cached: usage.cacheRead });
    await session.report({ usage });
    await session.append({ type: 'message', message });
    for (const part of message.parts) {
      if (part.type !== 'tool_call') continue;
      const content = [
        { type: 'text', origin: 'tool', text: `${part.id} ${'spring 12 wheel 7 '.repeat(60)}` },
      ] as const;
      const parts = [{ type: 'tool_result', origin: 'tool', callId: part.id, name: part.name, content }] as const;
      await session.append({ type: 'message', message: { role: 'tool', parts } });
    }
    said = end.reason === 'tool_calls' ? [] : [say(`And part ${round}?`)];
  }
  expect(refused).toEqual([]);
  return { played, marks };
}

function share(rounds: readonly Round[]): number {
  const sum = (key: 'prompt' | 'cached') => rounds.reduce((total, round) => total + round[key], 0);
  return sum('cached') / sum('prompt');
}

/** Places of breakpoints in the conversation, counted in blocks, and how many there are in all. */
interface Marks {
  readonly places: readonly number[];
  readonly all: number;
}

function marksIn({ body, text }: LoopbackExchange): Marks {
  const { messages } = body as { messages: { content: string | { cache_control?: object }[] }[] };
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [{}] : content));
  const places = blocks.flatMap((block, at) => ('cache_control' in block ? [at] : []));
  return { places, all: text.match(/"cache_control":/g)?.length ?? 0 };
}

describe.each(dialects)('%s', (dialect) => {
  test('has at least 95 % of a session of 200 rounds in its cache', async () => {
    const { played, marks } = await play({ dialect, rounds: 200 });
    expect(new Set(played.map(({ epoch }) => epoch)).size).toBe(1);
    expect(share(played)).toBeGreaterThan(0.95);
    expect(marks).toHaveLength(dialect === 'anthropic' ? 200 : 0);
    let before: readonly number[] = [];
    for (const { places, all } of marks) {
      expect(all).toBeLessThanOrEqual(4);
      expect(places.at(-1)).toBeGreaterThan(before.at(-1) ?? -1);
      before = places;
    }
  });

  test('has it again after each epoch in a small window', async () => {
    const { played } = await play({ dialect, rounds: 200, window: 24_000 });
    const later = played.filter(({ epoch }, at) => at > 0 && played[at - 1]?.epoch === epoch);
    const epochs = new Set(played.map(({ epoch }) => epoch)).size;
    expect(epochs).toBeGreaterThan(3);
    expect(share(later)).toBeGreaterThan(0.95);
    for (const epoch of new Set(later.map((round) => round.epoch)))
      expect(share(later.filter((round) => round.epoch === epoch))).toBeGreaterThan(0.9);
  });
});
