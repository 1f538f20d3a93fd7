import { openMemory } from 'longhaul/memory';
import { describe, expect, test } from 'vitest';
import { memoryWords, performMemoryLine } from './edit-board.ts';

function board() {
  const memory = openMemory({ repository: '/project' });
  const say = (line: string, delivered: readonly string[] = []) =>
    performMemoryLine({ memory, line, now: () => 1, delivered });
  const ids = () => memory.list().map(({ id }) => id);
  return { memory, say, ids };
}

describe('/memory', () => {
  test('add, list, vote, dismiss, search, archive and remove', () => {
    const { memory, say, ids } = board();
    expect(say('')[0]).toContain('The board is empty');
    const [added = ''] = say('add Pitfall: Tests need Docker.');
    const [id = ''] = ids();
    expect(added).toBe(`added:   ${id}  pitfall: Tests need Docker.`);
    expect(say('add Use tabs: always.')[0]).toContain('convention: Use tabs: always.');
    expect(say(' list ', [id])).toContain(`* ${id}  pitfall: Tests need Docker.`);
    expect(say('search DOCKER')).toEqual([`  ${id}  pitfall: Tests need Docker.`]);
    expect(say(`vote ${id.slice(0, 5)} up`)[0]).toContain('up: ');
    expect(memory.read().entries.find((entry) => entry.id === id)?.votes).toEqual({ person: 1 });
    expect(say(`dismiss ${id}`)[0]).toContain('dismissed: ');
    expect(memory.read().entries.find((entry) => entry.id === id)?.votes).toEqual({ person: -2 });
    say('add Never use tabs: always.');
    expect(say('archive')[0]).toContain('(superseded)');
    expect(say(`remove ${ids().join(' ')}`)).toHaveLength(2);
    expect(ids()).toHaveLength(1);
  });

  test('what is shown cannot control a terminal', () => {
    const { say } = board();
    say('add Bell \u0007 and \u001b[2J clear.');
    expect(say('list').join('')).not.toMatch(/\p{Cc}/u);
  });

  test.each([
    ['forget x', Object.keys(memoryWords).join(', ')],
    ['add', 'one sentence'],
    [`add ${'x'.repeat(301)}`, 'one sentence'],
    ['remove', '/memory list'],
    ['remove ffff', 'show the ids'],
    ['dismiss', '/memory list'],
    ['vote ffff sideways', 'up, down or none'],
  ])('%s is refused with a hint', (line, hint) => {
    const { say } = board();
    let refusal: unknown;
    try {
      say(line);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ hint: expect.stringContaining(hint) });
  });
});
