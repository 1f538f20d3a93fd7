import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call, client, done, human, itemsOf, model, result } from '../../engine/fixtures/items.ts';
import { partTexts } from '../../session/index.ts';
import { runs } from '../../testing/runs.ts';
import type { SourceItem } from '../source-item.ts';
import { extract } from './compose.ts';

const count = (text: string) => text.length;
const textsOf = (items: readonly SourceItem[], options: Partial<Parameters<typeof extract>[0]> = {}) =>
  extract({ items, budget: 400, count, ...options }).lines.map(({ text }) => text);

const listing = (name: string, lines: number) =>
  Array.from({ length: lines }, (_, at) => `  ${name}.push(readValue(${name}Source, "${name}${at}"));`).join('\n');

describe('selection prefers', () => {
  test('exact and rare terms over common ones', () => {
    const items = itemsOf(
      done(
        'bash',
        { command: 'psql' },
        `${'waiting for the server to come up again\n'.repeat(50)}listening on port 54329`,
      ),
    );
    expect(textsOf(items, { budget: 60 })).toEqual(['listening on port 54329']);
  });

  test('a short result over a line of a long listing', () => {
    const items = itemsOf(
      done('read', { path: 'a.ts' }, listing('alpha', 200)),
      done('bash', { command: 'wc -l src/main.ts' }, '1543 src/main.ts'),
    );
    expect(textsOf(items, { budget: 120 })).toContain('1543 src/main.ts');
  });

  test('values in code over statements that only contain names', () => {
    const code = 'this.retryScheduler = retryScheduler;\nthrow new Error("the retry queue is closed");';
    expect(textsOf(itemsOf(done('read', { path: 'a.ts' }, code)), { budget: 70 })).toEqual([
      'throw new Error("the retry queue is closed");',
    ]);
  });

  test('the end of a command output over the rest', () => {
    const output = `${listing('gamma', 60)}\ncommand timed out after 2012 milliseconds`;
    expect(textsOf(itemsOf(done('bash', { command: 'rg x' }, output)), { budget: 60 })).toEqual([
      'command timed out after 2012 milliseconds',
    ]);
  });

  test('source positions in diagnostics, but not line numbers of searches', () => {
    const context = ['grep lint src/a.ts the upper limit of a batch'];
    const found = itemsOf(done('grep', {}, 'src/a.ts:3107:the upper limit of a batch'));
    const diagnosed = itemsOf(done('lint', {}, 'src/a.ts:3107:12: the upper limit of a batch'));
    expect(textsOf(found, { context })).toEqual([]);
    expect(textsOf(diagnosed, { context })).toEqual(['src/a.ts:3107:12: the upper limit of a batch']);
  });

  test('human messages over tool output', () => {
    const words = 'staging cluster uses the eastern region';
    const items = itemsOf(
      done('bash', { command: 'x' }, `${words} one\n${listing('beta', 40)}`),
      human(`${words} two`),
    );
    expect(textsOf(items, { budget: 60 })).toEqual([`${words} two`]);
  });

  test('nothing that is sent anyway', () => {
    const items = itemsOf(model('The token expires after 3600 seconds.'), model('The queue is called billing-retry.'));
    expect(textsOf(items)).toHaveLength(2);
    expect(textsOf(items, { context: ['Earlier: the token expires after 3600 seconds.'] })).toEqual([
      'The queue is called billing-retry.',
    ]);
  });

  test('a line that was read twice only once', () => {
    const line = 'export const gracePeriodMs = 60 * 60 * 1000;';
    const items = itemsOf(done('read', { path: 'a.ts' }, `12\t${line}`), done('read', { path: 'a.ts' }, `14→${line}`));
    expect(textsOf(items).filter((text) => text.includes('gracePeriodMs'))).toHaveLength(1);
  });

  test('a few lines of a series', () => {
    const hashes = Array.from({ length: 60 }, (_, at) => `missing blob ${(0xabc1230 + at * 7919).toString(16)}`);
    const items = itemsOf(done('bash', { command: 'fsck' }, hashes.join('\n')), ...names().map((text) => model(text)));
    const texts = textsOf(items, { budget: 1200 });
    expect(texts.filter((text) => text.startsWith('missing blob')).length).toBeLessThan(15);
    expect(texts.filter((text) => text.startsWith('The ')).length).toBeGreaterThan(10);
  });

  test('early facts as well as late ones', () => {
    const items = itemsOf(
      ...Array.from({ length: 120 }, (_, at) => model(`Module number${at}x exports handler${at}y.`)),
    );
    const handles = extract({ items, budget: 1200, count }).lines.map(({ handle }) => handle);
    expect(handles.some((handle) => handle <= 20)).toBe(true);
    expect(handles.some((handle) => handle > 100)).toBe(true);
  });

  test('the focus of the summary', () => {
    const items = itemsOf(...names().map((text) => model(text)));
    expect(textsOf(items, { budget: 60, focus: 'the port of service17' })[0]).toContain('service17');
  });

  test('the relevant pieces of a long line, with a mark for omissions', () => {
    const noise = 'lorem ipsum dolor sit amet, '.repeat(40);
    const items = itemsOf(model(`${noise}the root cause is retry_limit=7 in queue.yaml. ${noise}`));
    const [text = ''] = textsOf(items, { budget: 300 });
    expect(text).toMatch(/^….*retry_limit=7 in queue\.yaml.*…$/);
  });
});

describe('lines', () => {
  test('have a handle and a section', () => {
    const items = itemsOf(
      human('Use port 8432.'),
      {
        role: 'assistant',
        parts: [
          ...model('Because of the proxy I chose 8433 instead.').parts,
          ...call('c', 'bash', { command: 'make serve-8433' }).parts,
        ],
      },
      result('c', 'line\nError: EADDRINUSE 127.0.0.1:8433', true),
      client('Always run `make lint-9` first.'),
    );
    const { lines } = extract({ items, budget: 1000, count });
    expect(lines.map(({ rank: _, ...line }) => line)).toEqual([
      { handle: 1, lines: { from: 1, to: 1 }, text: 'Use port 8432.', section: 'overview', origin: 'human' },
      {
        handle: 2,
        part: 1,
        lines: { from: 1, to: 1 },
        section: 'problem resolution',
        origin: 'model',
        text: 'Because of the proxy I chose 8433 instead.',
      },
      {
        handle: 2,
        part: 2,
        lines: { from: 1, to: 1 },
        section: 'recent operations',
        origin: 'call',
        text: 'bash {"command":"make serve-8433"}',
      },
      {
        handle: 3,
        lines: { from: 2, to: 2 },
        section: 'problem resolution',
        origin: 'error',
        text: 'Error: EADDRINUSE 127.0.0.1:8433',
      },
      {
        handle: 4,
        lines: { from: 1, to: 1 },
        section: 'technical foundation',
        origin: 'engine',
        text: 'Always run `make lint-9` first.',
      },
    ]);
  });

  const word = fc.constantFrom(
    'port',
    '8080',
    'src/a.ts',
    'because',
    'Error:',
    '\n',
    ' ',
    '…',
    '👍',
    '"',
    '\\n',
    'x'.repeat(300),
  );
  const text = fc.array(word, { maxLength: 80 }).map((words) => words.join(' '));
  const message = fc.oneof(
    text.map(human),
    text.map(model),
    fc.tuple(text, fc.boolean()).map(([output, isError]) => result('c', output, isError)),
    text.map((command) => call('c', 'bash', { command })),
    text.map((patch) => call('c', 'apply_patch', patch)),
  );
  const sessions = fc.array(message, { maxLength: 25 }).map((messages) => itemsOf(...messages));

  test('are found verbatim at their handle', () => {
    fc.assert(
      fc.property(sessions, fc.integer({ min: 0, max: 3000 }), (items, budget) => {
        for (const { handle, part = 1, lines, text } of extract({ items, budget, count }).lines) {
          const whole = partTexts(items[handle - 1]?.message.parts ?? [])[part - 1]?.text ?? '';
          const source = whole
            .split('\n')
            .slice(lines.from - 1, lines.to)
            .join('\n');
          for (const piece of text.split('…')) expect(source).toContain(piece.trim());
        }
      }),
      runs(150),
    );
  });

  test('are within the budget, in the order of the session, and deterministic', () => {
    fc.assert(
      fc.property(sessions, fc.integer({ min: 0, max: 3000 }), (items, budget) => {
        const { lines, tokens } = extract({ items, budget, count });
        expect(tokens).toBeLessThanOrEqual(budget);
        expect(lines.toSorted((a, b) => a.handle - b.handle)).toEqual(lines);
        expect(extract({ items: structuredClone(items), budget, count })).toEqual({ lines, tokens });
      }),
      runs(150),
    );
  });
});

/** Forty sentences that each say one thing. */
function names(): string[] {
  return Array.from({ length: 40 }, (_, at) => `The port of service${at} is ${4000 + at * 13}.`);
}
