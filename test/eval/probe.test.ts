import { describe, expect, test } from 'vitest';
import { isAnswered, isHard, type Probe } from '../../eval/compact/fidelity/probe.ts';

function probe(of: Partial<Probe>): Probe {
  return {
    id: 'p-01',
    category: 'recall',
    question: 'Which port does the staging database listen on?',
    match: 'contains',
    accept: ['listening on 54329'],
    tokens_to_cut: 30_000,
    mentions_in_last_20k_before_cut: 0,
    ...of,
  };
}

describe('an answer', () => {
  test('is any of the accepted strings, whatever their case', () => {
    expect(isAnswered({ probe: probe({}), text: 'Now Listening on 54329.' })).toBe(true);
    expect(isAnswered({ probe: probe({ accept: ['nothing', 'on 54329'] }), text: 'listening on 54329' })).toBe(true);
    expect(isAnswered({ probe: probe({}), text: 'listening' })).toBe(false);
  });

  test('of all_of is every one of them, with alternatives', () => {
    const all = probe({ match: 'all_of', accept: ['migration|migrated', 'checkpoints/v1'] });
    expect(isAnswered({ probe: all, text: 'we migrated to checkpoints/v1' })).toBe(true);
    expect(isAnswered({ probe: all, text: 'we moved to checkpoints/v1' })).toBe(false);
    expect(isAnswered({ probe: all, text: 'a migration' })).toBe(false);
  });

  test('for a judge has all keywords', () => {
    const judged = probe({ match: 'judge', accept: ['deletion', 'renaming'] });
    expect(isAnswered({ probe: judged, text: 'deletion, then renaming' })).toBe(true);
    expect(isAnswered({ probe: judged, text: 'deletion' })).toBe(false);
  });

  test.each([
    ['54329', 'port 54329, then', true],
    ['54329', 'port v54329', true],
    ['54329', 'port 154329', false],
    ['54329', 'port 543290', false],
    ['54329', 'port 54329.5', false],
    ['54329', 'port 1,54329', false],
    ['54329 ports', '154329 ports', false],
    ['ports 54329', 'ports 543291', false],
  ])('that begins or ends with a digit is a whole number: %j in %j', (accept, text, expected) => {
    const near = `${text} of the staging database`;
    expect(isAnswered({ probe: probe({ accept: [accept] }), text: near })).toBe(expected);
  });

  test('of six characters or fewer is near two content words of the question', () => {
    const short = probe({ accept: ['885'] });
    expect(isAnswered({ probe: short, text: 'the staging database: 885' })).toBe(true);
    expect(isAnswered({ probe: short, text: 'the staging area: 885' })).toBe(false);
    // Function words are no content words.
    expect(isAnswered({ probe: short, text: 'which does that: 885' })).toBe(false);
    expect(isAnswered({ probe: short, text: `staging database${' '.repeat(260)}885` })).toBe(false);
    expect(isAnswered({ probe: short, text: `885${' '.repeat(230)}staging${' '.repeat(300)}` })).toBe(false);
    expect(isAnswered({ probe: short, text: '885 first, 885 in the staging database' })).toBe(true);
    expect(isAnswered({ probe: probe({ accept: ['8851234'] }), text: '8851234' })).toBe(true);
  });
});

test('hard is far from the cut and not said again near it', () => {
  expect(isHard(probe({}))).toBe(true);
  expect(isHard(probe({ tokens_to_cut: 20_000 }))).toBe(false);
  expect(isHard(probe({ mentions_in_last_20k_before_cut: 1 }))).toBe(false);
});
