import { describe, expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import type { EngineSession } from './engine-session.ts';
import { byCharacter } from './fixtures/by-character.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, call, result, say, system } from './fixtures/messages.ts';
import { long, talk } from './fixtures/talk.ts';
import type { Policy } from './policy/policy.ts';
import { createPolicy, presets } from './policy/presets.ts';

const model = modelOf({ window: 100_000 });

/** Tool rounds of one turn, each of about 1,300 characters. */
async function work({ session, rounds }: { readonly session: EngineSession; readonly rounds: number }): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const id = `call-${session.session.head.last}`;
    await session.append({ type: 'message', message: call(id) });
    await session.append({ type: 'message', message: result(id, long(`result ${round}`)) });
  }
}

async function compacted({ policy, rounds }: { readonly policy: Policy; readonly rounds: number }) {
  const { session } = await begin({ policy, summarizer: byCharacter });
  await talk({ session, turns: 5, model });
  await session.prepare({ model, turn: { messages: [say('Port it.')] } });
  await work({ session, rounds });
  const prepared = await session.prepare({ model, turn: { messages: [say('What now?')] } });
  const [record] = (await session.session.read({ types: ['compaction'] })).slice(-1);
  const [summary, ...kept] = prepared.items;
  return {
    session,
    prepared,
    record: record?.type === 'compaction' ? record : undefined,
    summary: textOf(summary),
    kept,
  };
}

const textOf = (message: Message | undefined) =>
  (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');

const charsOf = (messages: readonly Message[]) => messages.reduce((sum, one) => sum + JSON.stringify(one).length, 0);

describe('the preset pi', () => {
  test('keeps 20,000 tokens where they fit, and a summary of at most 13,107', async () => {
    const { kept, summary } = await compacted({ policy: presets.pi, rounds: 80 });
    expect(charsOf(kept)).toBeGreaterThan(20_000);
    expect(charsOf(kept)).toBeLessThan(30_000);
    expect(summary.length).toBeLessThan(13_500);
  });

  test('names its trigger threshold, and does not go on by itself where autoContinue is off', async () => {
    const policy = createPolicy({ base: presets.pi, when: { autoContinue: false } });
    const { session } = await begin({ policy, summarizer: byCharacter });
    await talk({ session, turns: 90, model });
    const { report } = await session.prepare({ model });
    const [record] = (await session.session.read({ types: ['compaction'] })).slice(-1);
    expect(record).toMatchObject({ trigger: 'threshold' });
    expect(report.continuation).toBeUndefined();
  });

  test('writes two summaries under a heading where the cut goes through a turn (D9)', async () => {
    const { summary, record } = await compacted({ policy: presets.pi, rounds: 80 });
    const [history = '', turn = ''] = summary.split('\n\n---\n\n**Turn Context (split turn):**\n\n');
    expect(history).toContain('question 1');
    expect(turn).toContain('Port it.');
    expect(turn).not.toContain('question 1');
    expect(record?.summary).toContain('**Turn Context (split turn):**');
  });

  test('elides old outputs from 20,000 tokens on and protects the newest 40,000', async () => {
    const { session } = await begin({ policy: presets.pi, summarizer: byCharacter });
    const wide = modelOf({ window: 200_000 });
    await session.prepare({ model: wide, turn: { messages: [say('Port it.')] } });
    let pruned: readonly unknown[] = [];
    session.on('prune', ({ entries }) => {
      pruned = entries;
    });
    for (let round = 0; round < 170 && pruned.length === 0; round += 1) {
      await work({ session, rounds: 1 });
      await session.prepare({ model: wide });
    }
    expect(pruned.length).toBeGreaterThan(20_000 / 1_300);
    const outputs = session.context.items.filter(
      ({ message }) => message.role === 'tool' && JSON.stringify(message).length > 1_000,
    );
    expect(charsOf(outputs.map(({ message }) => message))).toBeGreaterThan(40_000);
  });

  test('carries the files that an earlier compaction of pi recorded (D15)', async () => {
    const { session } = await begin({ policy: presets.pi, summarizer: byCharacter });
    await talk({ session, turns: 5, model });
    const details = {
      pi: { details: { readFiles: ['src/read-before.ts'], modifiedFiles: ['src/changed-before.ts'] } },
    };
    await session.append({
      type: 'compaction',
      summary: 'Earlier.',
      firstKeptId: null,
      tokensBefore: 100,
      trigger: 'import',
      details,
    });
    await talk({ session, turns: 10, from: 5, model });
    const { summary } = await session.compact({ model });
    expect(summary).toContain('src/changed-before.ts');
    expect(summary).toContain('src/read-before.ts');
  });
});

describe('the preset chat', () => {
  test('keeps its last round whole, and the summary in a conversation-summary tag (D13)', async () => {
    const { kept, summary } = await compacted({ policy: presets.chat, rounds: 80 });
    expect(kept.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
    expect(kept[1]).toEqual(result(callIn(kept[0]), long('result 79')));
    expect(summary).toMatch(/<conversation-summary>\n[\s\S]*\n<\/conversation-summary>$/);
    expect(summary.length).toBeLessThan(8_600);
  });

  test('keeps a last round whole that is larger than the summary', async () => {
    const { session } = await begin({ policy: presets.chat, summarizer: byCharacter });
    await talk({ session, turns: 30, model });
    await session.prepare({ model, turn: { messages: [say('Run it.')] } });
    const round = [call('large'), result('large', long('large').repeat(6).slice(0, 7_900))];
    for (const message of round) await session.append({ type: 'message', message });
    await session.compact({ model });
    expect((await session.prepare({ model })).items.slice(-2)).toEqual(round);
  });
});

describe('the preset cli', () => {
  test('keeps no tail but the unanswered input, and a summary that does not fill half of the window', async () => {
    const { kept, summary } = await compacted({ policy: presets.cli, rounds: 80 });
    expect(kept.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
    expect(kept.slice(1)).toEqual([result(callIn(kept[0]), long('result 79')), say('What now?')]);
    expect(summary.length).toBeLessThan(8_600);
    expect(summary).toContain('Port it.');
  });
});

function callIn(message: Message | undefined): string {
  return message?.parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))[0] ?? '';
}

describe('the room after a compaction', () => {
  test('is a share of what a large head leaves, so that the head does not starve the summary', async () => {
    let room = 0;
    const summarize: typeof byCharacter.summarize = (input) => {
      room = input.budget + charsOf(input.kept);
      return byCharacter.summarize(input);
    };
    const { session } = await begin({ summarizer: { ...byCharacter, summarize } });
    const head = [system('h'.repeat(25_000))];
    await session.prepare({ model, head, turn: { messages: [say('Go.')] } });
    await work({ session, rounds: 80 });
    const { report } = await session.prepare({ model });
    expect(report.compaction?.installed).toBe(true);
    // By its bound the head takes more than half of what may be sent.
    expect(room).toBeGreaterThan(10_000);
    expect(report.budget.target).toBeGreaterThan(25_000 + (report.budget.threshold - 26_000) / 2);
  });
});

describe('a compaction by hand', () => {
  test('works from two messages on, however empty the window is', async () => {
    const { session } = await begin({ summarizer: byCharacter });
    const roomy = modelOf({ window: 1_000_000 });
    await session.prepare({ model: roomy, turn: { messages: [say('Explain all of it.')] } });
    await session.append({ type: 'message', message: answer(long('It works like this:').repeat(3)) });
    const done = await session.compact({ model: roomy });
    expect(done).toMatchObject({ installed: true });
    expect(done.tokensAfter).toBeLessThan(done.tokensBefore);
  });

  test('says that nothing would be gained where a summary is no shorter', async () => {
    const { session } = await begin({ summarizer: byCharacter });
    await session.prepare({ model, turn: { messages: [say('Hi.')] } });
    await session.append({ type: 'message', message: answer('Hello.') });
    expect(await session.compact({ model })).toMatchObject({
      installed: false,
      reason: expect.stringMatching(/^Nothing would be gained/),
    });
  });
});
