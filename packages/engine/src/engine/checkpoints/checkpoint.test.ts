import { describe, expect, test } from 'vitest';
import { begin, modelOf } from '../fixtures/engine.ts';
import { answer, say } from '../fixtures/messages.ts';
import { talk } from '../fixtures/talk.ts';
import { checkpointName, checkpointText, indexText } from './document.ts';
import { fileTitle } from './title.ts';

const model = modelOf({ window: 10_000 });
const wide = modelOf({ window: 100_000 });

async function compacted(times = 1, given: Parameters<typeof begin>[0] = {}) {
  const made = await begin(given);
  for (let at = 0; at < times; at += 1) {
    await made.session.prepare({ model: wide, turn: { messages: [say(`Chapter ${at}: port the lexer. Then rest.`)] } });
    await talk({ session: made.session, turns: 5, from: at * 5, model: wide });
    const { installed, tokensAfter } = await made.session.compact({ model });
    expect(installed).toBe(true);
    expect((await made.session.checkpoints()).at(-1)?.tokensAfter).toBe(tokensAfter);
  }
  return made;
}

const numbers = async (session: Awaited<ReturnType<typeof begin>>['session']) =>
  (await session.checkpoints()).map(({ number, handle }) => `${number}@${handle}`);

describe('checkpoints', () => {
  test('cli#3054: every compaction in force is one, with its number, title, time, sizes, summary and handles', async () => {
    const { session } = await compacted(2);
    const records = await session.session.read({ types: ['compaction'] });
    const list = await session.checkpoints();
    expect(list.map(({ id }) => id)).toEqual(records.map(({ id }) => id));
    for (const [index, checkpoint] of list.entries()) {
      expect(checkpoint).toMatchObject({
        number: index + 1,
        trigger: 'manual',
        strategy: 'stub',
        at: expect.any(Number),
      });
      expect(checkpoint.tokensAfter).toBeLessThan(checkpoint.tokensBefore);
      expect(checkpoint.summary).toContain('answer');
      expect(checkpoint.title).toMatch(/^question \d+$/);
    }
    const [first, second] = list;
    expect(first?.handles?.from).toBeGreaterThan(0);
    expect(second?.handles?.from).toBeGreaterThan(first?.handles?.from ?? 0);
  });

  test('are the same after a restart, and none where nothing was compacted', async () => {
    const { session, again } = await compacted(2);
    expect(await (await again()).checkpoints()).toEqual(await session.checkpoints());
    expect(await (await begin()).session.checkpoints()).toEqual([]);
  });

  test('follow undo, redo, rewind and moves to and fro', async () => {
    const { session } = await compacted(2);
    const [first, second] = await session.checkpoints();
    const both = await numbers(session);
    await session.undo();
    expect(await numbers(session)).toEqual(both.slice(0, 1));
    await session.redo();
    expect(await numbers(session)).toEqual(both);
    const { leaf } = session.session.head;
    await session.session.rewind({ to: (await session.session.path())[0]?.id ?? null });
    expect(await session.checkpoints()).toEqual([]);
    await session.move({ to: first?.id ?? null });
    // At the record itself its epoch is not in force yet.
    expect(await session.checkpoints()).toEqual([]);
    await session.move({ to: leaf });
    expect((await session.checkpoints()).map(({ id }) => id)).toEqual([first?.id, second?.id]);
  });

  test('one that was undone on another branch is still in force on this one', async () => {
    const { session } = await compacted(1);
    const { leaf } = session.session.head;
    await session.undo();
    await session.append({ type: 'message', message: answer('more') });
    expect(await session.checkpoints()).toEqual([]);
    await session.move({ to: leaf });
    expect(await numbers(session)).toHaveLength(1);
  });

  test('have the title of their summarizer, or of a summary as Copilot writes it, as one safe line, masked', async () => {
    const titles: string[] = [];
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    for (const [details, summary] of [
      [{ title: 'Porting\nthe lexer' }, 'S'],
      [{ narrative: { title: `Found ${key}` } }, 'S'],
      [undefined, 'x<checkpoint_title>Auth\u001b[2J rewrite</checkpoint_title>'],
      [{ title: '  ' }, 'S'],
    ] as const) {
      const { session } = await begin();
      await session.append({ type: 'message', message: say('Fix the build. And more.') });
      const compaction = { summary, firstKeptId: null, tokensBefore: 9, trigger: 'import' };
      await session.session.compact({ ...compaction, ...(details && { details }) });
      titles.push(...(await session.checkpoints()).map(({ title }) => title));
    }
    expect(titles).toEqual([
      'Porting',
      expect.stringMatching(/^Found \[secret:[0-9a-f]{6}\]$/),
      'Auth [2J rewrite',
      'Fix the build',
    ]);
  });
});

describe('a file name of a checkpoint', () => {
  test.each([
    ['Fix the build', 'fix-the-build'],
    ['../../etc/passwd', 'etc-passwd'],
    ['CON', 'con'],
    ['a:b*c?"d<e>|f\\g\0h', 'a-b-c-d-e-f-g-h'],
    ['  trailing. ', 'trailing'],
    ['构建修复', '构建修复'],
    ['e\u0301tude', '\u00e9tude'],
    ['🚀🚀', 'checkpoint'],
    ['', 'checkpoint'],
    ['x'.repeat(500), 'x'.repeat(100)],
    ['字'.repeat(500), '字'.repeat(33)],
  ])('of %j is safe on every system', (title, name) => {
    expect(fileTitle(title)).toBe(name);
    expect(checkpointName({ number: 7, title })).toBe(`007-${name}.md`);
    expect(checkpointName({ number: 1234, title })).toBe(`1234-${name}.md`);
  });
});

test('the documents of checkpoints obey no title', async () => {
  const session = { id: 'a --> b' };
  const title = '[x](http://evil) | <b>*#1*';
  const about = { number: 1, id: 'i', handle: 9, title, at: 8.7e15, trigger: 'manual', tokensBefore: 1_234 };
  const checkpoint = { ...about, summary: 'S', handles: null };
  const text = checkpointText({ checkpoint, session });
  expect(text).toContain('# 1. \\[x\\](http://evil) | \\<b\\>\\*\\#1\\*\n');
  expect(text.match(/-->/g)).toHaveLength(1);
  const index = indexText({ checkpoints: [checkpoint], session });
  expect(index).toContain('1 checkpoint.');
  expect(
    index
      .trimEnd()
      .split('\n')
      .at(-1)
      ?.match(/(?<!\\)\|/g),
  ).toHaveLength(6);
});
