import fc from 'fast-check';
import { expect, it } from 'vitest';
import { call, client, done, itemsOf, result, type Said } from '../../engine/fixtures/items.ts';
import { runs } from '../../testing/runs.ts';
import { generateSession } from '../../testing/session/generate.ts';
import { advanceFrontier } from './advance.ts';
import { bounds, createFrontier, type Frontier, type FrontierTask } from './frontier.ts';

const names = fc.constantFrom('a', 'b', 'run the tests', 'run all the tests', 'write the docs', 'A!');
const status = fc.constantFrom('pending', 'in_progress', 'completed', 'cancelled', 'failed');
const items = fc.array(fc.record({ content: names, status }), { maxLength: 4 });
const boxes = items.map((all) =>
  all.map((one) => `- [${one.status === 'completed' ? 'x' : ' '}] ${one.content}`).join('\n'),
);

/** Events that may change what a list says, and events that must not. */
const event: fc.Arbitrary<{ readonly said: readonly Said[]; readonly reopens: readonly string[] }> = fc.oneof(
  items.map((todos) => ({ said: done('TodoWrite', { todos }, 'ok'), reopens: opened(todos) })),
  items.map((todos) => ({ said: done('TodoWrite', { todos }, 'no', true), reopens: [] })),
  items.map((todos) => ({ said: [call('never', 'TodoWrite', { todos })], reopens: [] })),
  boxes.map((text) => ({ said: [client(`<todos>\n${text}\n</todos>`)], reopens: [] })),
  boxes.map((text) => ({ said: done('TaskList', {}, text), reopens: [] })),
  boxes.map((content) => ({ said: done('Read', { file_path: 'plan.md' }, content), reopens: [] })),
  fc.constant({ said: [result('unknown', '- [ ] a')], reopens: [] }),
);

function opened(todos: readonly { readonly content: string; readonly status: string }[]): string[] {
  return todos.filter((one) => one.status === 'pending' || one.status === 'in_progress').map((one) => key(one.content));
}

const key = (text: string) => text.toLowerCase().replace(/[^a-z ]/g, '');
const isFinished = ({ status: one }: FrontierTask) => one !== 'open' && one !== 'active';

it('promise: a finished task is reopened only by an event about it', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      let frontier: Frontier = createFrontier();
      for (const { said, reopens } of events) {
        const finished = frontier.tasks.filter(isFinished).map(({ text }) => key(text));
        frontier = advanceFrontier({ frontier, items: itemsOf(said) });
        const back = frontier.tasks.filter((task) => !isFinished(task)).map(({ text }) => key(text));
        for (const text of finished) if (back.includes(text)) expect(reopens).toContain(text);
      }
    }),
    runs(500),
  );
});

it('the result does not depend on batching, and survives serialization', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 1, max: 9 }), (seed, stretch) => {
      const session = itemsOf(generateSession({ seed, turns: 2 }), done('TodoWrite', { todos: ['x'] }, 'ok'));
      const whole = advanceFrontier({ frontier: createFrontier(), items: session });
      let frontier: Frontier = createFrontier();
      for (let at = 0; at < session.length; at += stretch) {
        const stored = JSON.parse(JSON.stringify(frontier)) as Frontier;
        frontier = advanceFrontier({ frontier: stored, items: session.slice(at, at + stretch) });
      }
      expect(frontier).toEqual(whole);
    }),
    runs(40),
  );
});

it('accepts any arguments and results, and stays bounded', () => {
  const tool = fc.constantFrom(
    'TodoWrite',
    'Bash',
    'Edit',
    'apply_patch',
    'sql',
    'todo',
    'TaskUpdate',
    'read',
    'Task',
    'view',
  );
  const names = fc.constantFrom(
    'command',
    'todos',
    'path',
    'query',
    'edits',
    'input',
    'taskId',
    'content',
    'view_range',
  );
  const args = fc.oneof(fc.string(), fc.dictionary(names, fc.jsonValue()));
  const said = fc.tuple(tool, args, fc.string(), fc.boolean()).map((all) => done(...all));
  fc.assert(
    fc.property(fc.array(said, { maxLength: 30 }), (all) => {
      const frontier = advanceFrontier({ frontier: createFrontier(), items: itemsOf(...all) });
      expect(frontier.tasks.length).toBeLessThanOrEqual(bounds.tasks);
      expect(JSON.parse(JSON.stringify(frontier))).toEqual(frontier);
    }),
    runs(200),
  );
});
