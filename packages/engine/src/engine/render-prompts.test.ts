import { describe, expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import {
  Environment,
  Fragment,
  h,
  Instructions,
  type PromptPiece,
  SystemMessage,
  TextChunk,
  UserMessage,
} from '../prompt/index.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { say, system } from './fixtures/messages.ts';
import { talk } from './fixtures/talk.ts';

const model = modelOf({ window: 10_000 });
const textOf = ({ parts }: Message) => parts.map((part) => ('text' in part ? part.text : part.type)).join('');

/** A head that is another at every moment. */
function clockHead(): { readonly head: (zone: string) => PromptPiece; readonly looked: () => number } {
  let looks = 0;
  function Clock({ zone }: { readonly zone: string }): PromptPiece {
    looks += 1;
    return h(SystemMessage, {}, `It is ${looks} o'clock in ${zone}.`);
  }
  return { head: (zone) => h(Clock, { zone }), looked: () => looks };
}

describe('a prompt as the head', () => {
  test('is rendered once and stays as it was sent, also on another machine, until its props change', async () => {
    const { session, again } = await begin();
    const { head, looked } = clockHead();
    const first = await session.prepare({ model, head: head('Berlin'), turn: { messages: [say('a')] } });
    const second = await session.prepare({ model, head: head('Berlin'), turn: { messages: [say('b')] } });
    const other = await again();
    const third = await other.prepare({ model, head: head('Berlin'), turn: { messages: [say('c')] } });
    expect([first, second, third].map((each) => each.head)).toEqual(
      Array(3).fill([system("It is 1 o'clock in Berlin.")]),
    );
    expect(looked()).toBe(1);
    expect([...second.report.opened, ...third.report.opened]).toEqual([]);
    const moved = await other.prepare({ model, head: head('Rome'), turn: { messages: [say('d')] } });
    expect(moved.head.map(textOf)).toEqual(["It is 2 o'clock in Rome."]);
    expect(moved.report.opened.map(({ reason }) => reason)).toEqual(['head']);
  });

  test('that comes out the same opens no epoch, whatever it is written like', async () => {
    const { session } = await begin();
    await session.prepare({ model, head: [system('Be brief.')], turn: { messages: [say('a')] } });
    const { report } = await session.prepare({ model, head: h(SystemMessage, {}, 'Be ', 'brief.') });
    expect(report.opened).toEqual([]);
  });

  test('says with the system what software says for the user', async () => {
    const { session } = await begin();
    const head = h(Fragment, null, h(Instructions, {}, 'Be brief.'), h(Environment, { facts: { cwd: '/x' } }));
    const prepared = await session.prepare({ model, head, turn: { messages: [say('a')] } });
    expect(prepared.head.map(({ role }) => role)).toEqual(['system', 'system']);
  });

  test('gets half of the window at most, by its priorities', async () => {
    const { session } = await begin();
    const head = h(
      SystemMessage,
      {},
      h(TextChunk, { priority: 2 }, 'keep this'),
      h(TextChunk, { priority: 1 }, 'x'.repeat(6000)),
    );
    const prepared = await session.prepare({ model, head, turn: { messages: [say('a')] } });
    expect(prepared.head.map(textOf)).toEqual(['keep this']);
  });
});

describe('a prompt as the turn', () => {
  test('is rendered into what is left, and frozen: with its key it is not rendered again', async () => {
    const { session, again } = await begin();
    let looks = 0;
    function Question(): PromptPiece {
      looks += 1;
      return h(
        UserMessage,
        {},
        h(TextChunk, { priority: 2 }, `Question ${looks}`),
        h(TextChunk, { priority: 1 }, 'y'.repeat(9_000)),
      );
    }
    const turn = { messages: h(Question, {}), key: 'k' };
    const first = await session.prepare({ model, turn });
    expect(first.items.map(textOf)).toEqual(['Question 1']);
    expect((await session.prepare({ model, turn })).items).toEqual(first.items);
    expect((await (await again()).prepare({ model, turn })).items).toEqual(first.items);
    expect(looks).toBe(1);
  });

  test('features D2: one that does not fit beside the conversation makes room for itself', async () => {
    const { session } = await begin();
    await talk({ session, turns: 12 });
    const long = 'z'.repeat(1_500);
    let renders = 0;
    function Long(): PromptPiece {
      renders += 1;
      return h(UserMessage, {}, long);
    }
    const prepared = await session.prepare({ model, turn: { messages: h(Long, {}) } });
    expect(renders).toBe(2);
    expect(prepared.items.map(textOf).at(-1)).toBe(long);
    expect(prepared.bound).toBeLessThanOrEqual(8_500);
    const compactions = await session.session.read({ types: ['compaction'] });
    expect(compactions.at(-1)).toMatchObject({ trigger: 'budget' });
    expect(prepared.report.compaction?.installed).toBe(true);
  });

  test('that fits no window is reduced like a message', async () => {
    const turns = [h(UserMessage, {}, 'w'.repeat(20_000)), [say('w'.repeat(20_000))]];
    const sent = await Promise.all(
      turns.map(async (messages) => (await (await begin()).session.prepare({ model, turn: { messages } })).items),
    );
    expect(sent[0]?.map(textOf)).toEqual(sent[1]?.map(textOf));
    expect(sent[0]?.map(textOf)).toEqual([
      expect.stringMatching(/^w+\n\[… \d+ characters left out; recall @\d+ .*\]\nw+$/),
    ]);
  });
});
