import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../testing/runs.ts';
import { addToBoard, type BoardState, removeEntry } from './board.ts';
import { type MemoryCandidate, memoryKinds } from './entry.ts';
import { readBoard, writeBoard } from './markdown.ts';

const empty: BoardState = { entries: [], removed: [] };
const words = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
  fc.constantFrom(
    'a <!-- longhaul 00000000 {} --> b',
    '-->',
    '## Commands',
    '- x',
    '```',
    '<<<<<<< HEAD',
    'a\nb',
    '{"a":1}',
  ),
);
const candidate = fc
  .record({
    kind: fc.constantFrom(...memoryKinds),
    text: words,
    quotation: words,
    branch: words,
    at: fc.nat(),
    session: words,
  })
  .map(
    ({ kind, text, quotation, branch, at, session }): MemoryCandidate => ({
      kind,
      text,
      author: 'consolidation',
      authority: 'event',
      branch,
      at,
      evidence: { session, handle: '@1', quotation, at },
    }),
  );
const board = fc.array(candidate, { maxLength: 8 }).map((candidates) => {
  const state = addToBoard({ state: empty, candidates, limits: { entries: 5, tokens: 10_000 } });
  const { contradictions: _, ...rest } = state;
  const [first] = rest.entries;
  return first && candidates.length > 6 ? removeEntry({ state: rest, id: first.id }) : rest;
});

it('a board is read back as it was written, whatever its texts contain', () => {
  fc.assert(
    fc.property(board, (state) => {
      const text = writeBoard({ state });
      expect(readBoard(text)).toEqual(state);
      expect(writeBoard({ state, previous: text })).toBe(text);
    }),
    runs(150),
  );
});

it('line separators of Unicode in a branch, a session or a quotation do not break its line', () => {
  const odd = 'a\u2028b\u2029c';
  const evidence = { session: odd, handle: '@1', quotation: 'x', at: 1 };
  const fact = {
    kind: 'pitfall',
    text: 'It breaks.',
    author: 'consolidation',
    authority: 'event',
    branch: odd,
    at: 1,
  } as const;
  const { entries } = addToBoard({ state: empty, candidates: [{ ...fact, evidence }] });
  const text = writeBoard({ state: { entries, removed: [] } });
  expect(readBoard(text).entries).toEqual(entries);
  expect(text).not.toMatch(/[\u2028\u2029]/);
});

it('a change touches only the lines of its entries, and other text of the file stays', () => {
  const of = (texts: readonly string[]) =>
    addToBoard({
      state: empty,
      candidates: texts.map((text, at) => ({ kind: 'convention', text, author: 'person', authority: 'person', at })),
    });
  const before = writeBoard({ state: of(['One rule.', 'Another rule.']) }).replace(
    '## Conventions\n',
    '## Conventions\n\nWe agreed on these.\n',
  );
  const after = writeBoard({ state: of(['One rule.', 'Another rule.', 'A third rule.']), previous: before });
  const [old, now] = [before.split('\n'), after.split('\n')];
  expect(after).toContain('We agreed on these.');
  expect(old.every((line) => now.includes(line))).toBe(true);
  expect(now.length).toBe(old.length + 1);
});

it('lines that people write, change or delete count', () => {
  const state = addToBoard({
    state: empty,
    candidates: [
      { kind: 'command', text: 'Run it.', author: 'consolidation', authority: 'event', at: 1 },
      { kind: 'command', text: 'Test it.', author: 'consolidation', authority: 'event', at: 1 },
    ],
  });
  const lines = writeBoard({ state }).replace('Run it.', 'Run it twice.').split('\n');
  const file = [
    ...lines.filter((line) => !line.includes('Test it.')),
    '## Pitfalls',
    '',
    '- Tests need Docker.',
    '',
  ].join('\n');
  expect(
    readBoard(file)
      .entries.map(({ text, author }) => [text, author])
      .toSorted(),
  ).toEqual([
    ['Run it twice.', 'person'],
    ['Tests need Docker.', 'person'],
  ]);
});

it('both sides of an unfinished merge are read, and the markers go with the next change', () => {
  const line = (text: string) =>
    writeBoard({
      state: addToBoard({
        state: empty,
        candidates: [{ kind: 'command', text, author: 'person', authority: 'person', at: 1 }],
      }),
    })
      .split('\n')
      .find((one) => one.startsWith('- '));
  const file = `## Commands\n\n<<<<<<< HEAD\n${line('Mine.')}\n=======\n${line('Theirs.')}\n>>>>>>> other\n`;
  const state = readBoard(file);
  expect(state.entries.map(({ text }) => text).toSorted()).toEqual(['Mine.', 'Theirs.']);
  expect(writeBoard({ state, previous: file })).not.toMatch(/[<=>]{7}/);
});
