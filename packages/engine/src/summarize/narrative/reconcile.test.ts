import { describe, expect, test } from 'vitest';
import { advanceFrontier } from '../../analysis/frontier/advance.ts';
import { createFrontier } from '../../analysis/frontier/frontier.ts';
import { call, done, human, itemsOf, model } from '../../engine/fixtures/items.ts';
import { extractive } from '../extractive.ts';
import type { Narrative } from '../summarizer.ts';
import { reconcileNarrative } from './reconcile.ts';

const todos = (...list: readonly (readonly [string, string])[]) =>
  done('TodoWrite', { todos: list.map(([content, status]) => ({ content, status })) }, 'ok');
const items = itemsOf(
  human('Port the billing service.'),
  todos(
    ['Write the invoice exporter', 'completed'],
    ['Port the payments module', 'in_progress'],
    ['Drop the legacy queue', 'cancelled'],
  ),
  done('bash', { command: 'npm test' }, '      Tests  41 passed (41)\nCommand exited with code 0'),
  done('bash', { command: 'npm run lint' }, 'Found 3 errors.\nCommand exited with code 1', true),
  done('bash', { command: 'rm src/old-lexer.ts' }, 'Command exited with code 0'),
  done('bash', { command: './deploy.sh --dry' }, 'fine\nCommand exited with code 0'),
  call('late', 'read', { path: 'src/a.ts' }),
);
const frontier = advanceFrontier({ frontier: createFrontier(), items });
const noted = (sections: Narrative['sections']) =>
  reconcileNarrative({ narrative: { sections }, frontier }).noted.sections;

describe('narrative and frontier agree', () => {
  test('a todo that is done or abandoned is neither active nor planned', () => {
    expect(
      noted({
        'active work': 'Writing the invoice exporter in `src/export.ts`. The payments module is being ported.',
        'continuation plan': '1. Write the invoice exporter.\n2. Port the payments module.\n3. Drop the legacy queue.',
        progress: 'The invoice exporter is still to be written. The invoice exporter is written and tested.',
      }),
    ).toEqual({
      'active work': 'The payments module is being ported.',
      'continuation plan': '2. Port the payments module.',
      progress: 'The invoice exporter is written and tested.',
    });
  });

  test('statements about tests are compared with the last results', () => {
    const result = noted({
      progress: 'The tests fail in two places. `npm run lint` passes.',
      'active work': 'All checks are green.',
      'problem resolution': 'At first the tests fail with ENOENT.',
    });
    expect(result.progress).toBe(
      'The tests fail in two places. `npm run lint` passes. [By the record: npm run lint last failed, @7.]',
    );
    expect(noted({ progress: '`npm test` fails.' }).progress).toBe(
      '`npm test` fails. [By the record: npm test last passed, @5.]',
    );
    expect(result['active work']).toBe('All checks are green.');
    expect(result['problem resolution']).toBe('At first the tests fail with ENOENT.');
  });

  test('deleted files, successful commands and open tasks are noted', () => {
    const result = noted({
      'codebase status': '`src/old-lexer.ts` holds the tokens. `src/old-lexer.ts` was deleted.',
      'active work': '`./deploy.sh --dry` fails.',
      progress: 'Port of the payments module: done.',
    });
    expect(result['codebase status']).toBe(
      '`src/old-lexer.ts` holds the tokens. [By the record: src/old-lexer.ts was deleted, @8.] `src/old-lexer.ts` was deleted.',
    );
    expect(result['active work']).toMatch(
      /fails\. \[By the record: \.\/deploy\.sh --dry last ended with exit code 0, @11\.\]$/,
    );
    expect(result.progress).toMatch(/done\. \[By the record: the task list has this active, @2\.\]$/);
  });

  test('the notes are in the summary, not in the narrative stored for the next one', () => {
    const narrative = {
      sections: {
        'active work': 'Writing the invoice exporter. `npm test` fails.',
        'continuation plan': 'Write the invoice exporter.',
      },
    };
    const input = { kept: [], budget: 6000, pins: [], narrative };
    const summary = extractive({ items, input, count: (text) => text.length });
    expect(summary.text).toContain('`npm test` fails. [By the record: npm test last passed, @5.]');
    expect(summary.text.toLowerCase()).not.toContain('writing the invoice exporter');
    expect(summary.narrative?.sections).toEqual({ 'active work': '`npm test` fails.' });
  });
});

describe('a summary without a model after one with a model', () => {
  const previous = {
    narrative: {
      sections: {
        overview: 'A billing service is ported.',
        'continuation plan': 'Write the invoice exporter. Then measure.',
      },
      short: 'Porting',
    },
    to: 3,
  };
  const made = (budget: number, more = items) =>
    extractive({ items: more, input: { kept: [], budget, pins: [], previous }, count: (text) => text.length });

  test('keeps the earlier narrative, marked as older, checked against the frontier', () => {
    const { text, narrative, details } = made(6000);
    expect(text).toContain(
      '## Overview\nEarlier narrative, written up to @3 and not updated since:\nA billing service is ported.',
    );
    expect(text).toContain('not updated since:\nThen measure.');
    expect(text).not.toContain('Write the invoice exporter.');
    expect(narrative).toBeUndefined();
    expect(details).toMatchObject({ carried: 3 });
    expect(text.length).toBeLessThanOrEqual(6000);
  });

  test('masks it and removes claims', () => {
    const key = `sk-ant-api03-${'a1B2'.repeat(12)}`;
    const { text } = extractive({
      items,
      input: {
        kept: [],
        budget: 6000,
        pins: [],
        previous: {
          to: 3,
          narrative: { sections: { overview: `The key is ${key} in the file. The user approved it.` } },
        },
      },
      count: (one) => one.length,
    });
    expect(text).toContain('The key is [secret');
    expect(text).not.toMatch(/user approved/);
  });

  test('gives it a smaller share than a new one, or none if there is no room', () => {
    const long = Array.from({ length: 300 }, (_, at) => `Step ${at} was taken.`).join(' ');
    const { text } = extractive({
      items: [...items, ...itemsOf(model('x'))],
      input: { kept: [], budget: 3000, pins: [], previous: { to: 3, narrative: { sections: { progress: long } } } },
      count: (one) => one.length,
    });
    expect(text.length).toBeLessThanOrEqual(3000);
    expect((text.match(/was taken\./g) ?? []).length).toBeLessThan(40);
    expect(made(400).text).not.toContain('Earlier narrative');
  });
});
