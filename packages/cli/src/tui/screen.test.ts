import { wrapTextWithAnsi } from '@earendil-works/pi-tui';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScreenLine } from './images.ts';
import { MainScreen } from './index.ts';
import type { CursorPosition } from './screen.ts';

/** A terminal of a size, and a screen that draws into it. */
function world({ columns = 20, rows = 6 } = {}) {
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 });
  const size = { columns, rows };
  let pending = Promise.resolve();
  let bytes = 0;
  const questions: ((at: CursorPosition) => void)[] = [];
  emulator.onData((data) => {
    const [, row, column] = /\[(\d+);(\d+)R$/.exec(data) ?? [];
    questions.shift()?.({ row: Number(row) - 1, column: Number(column) - 1 });
  });
  const write = (text: string) => {
    bytes += text.length;
    pending = pending.then(() => new Promise((done) => emulator.write(text, done)));
  };
  const screen = new MainScreen({
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
    reflow: 'drift',
    write,
    ask: (texts) => {
      write(texts.join('\u001b[6n'));
      return Promise.all(texts.slice(1).map(() => new Promise<CursorPosition>((resolve) => questions.push(resolve))));
    },
  });
  const lines = async () => {
    await pending;
    const { active } = emulator.buffer;
    const all = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
    while (all.at(-1) === '') all.pop();
    return all;
  };
  /** The terminal has another size, which the program gets to know by `noticed`. */
  const resize = (to: { readonly columns: number; readonly rows: number }) => {
    pending = pending.then(() => emulator.resize(to.columns, to.rows));
    return { noticed: () => void Object.assign(size, to) };
  };
  const cursor = async () => {
    await pending;
    const { cursorX, cursorY, baseY } = emulator.buffer.active;
    return { row: baseY + cursorY, column: cursorX };
  };
  return { screen, lines, resize, cursor, size, bytes: () => bytes, emulator, settled: () => pending };
}

/** Changes of the size between frames that add lines; late frames are drawn before the program knows the new size. */
const resizes = fc.array(
  fc.record({
    columns: fc.integer({ min: 20, max: 60 }),
    rows: fc.integer({ min: 12, max: 24 }),
    more: fc.nat(6),
    late: fc.nat(3),
  }),
  { minLength: 1, maxLength: 8 },
);

/** Streams lines through changes of the size; returns what the terminal holds at the end, and how many lines there were. */
async function streamed(steps: readonly { columns: number; rows: number; more: number; late: number }[]) {
  const { screen, lines, resize, size } = world({ columns: 40, rows: 16 });
  let [count, rest]: [number, ScreenLine[]] = [0, []];
  const draw = (more: number) => {
    const { columns } = size;
    for (let at = 0; at < more; at += 1) {
      rest.push(`line ${count}. ${'x'.repeat((count * 7) % (columns - 9))}`);
      count += 1;
    }
    const bottom = [
      '-'.repeat(columns),
      '> text',
      '-'.repeat(columns),
      'path',
      'status'.padEnd((count * 5) % (columns + 1)),
    ];
    rest = rest.slice(screen.draw({ lines: rest, final: rest.length, bottom, cursor: { row: 1, column: 6 } }));
  };
  draw(20);
  for (const { more, late, ...to } of steps) {
    const { noticed } = resize(to);
    if (late > 0) draw(late);
    noticed();
    const { gone, rest: left, again } = await screen.resize();
    rest = [...(left === '' ? [] : [left]), ...again, ...rest.slice(gone)].flatMap((line): ScreenLine[] =>
      typeof line === 'string' ? wrapTextWithAnsi(line, to.columns) : [line],
    );
    draw(more);
  }
  return { shown: await lines(), count };
}

const numbersOf = (shown: readonly string[]) =>
  shown.flatMap((line) => /^line (\d+)\./.exec(line)?.[1] ?? []).map(Number);

describe('the main screen', () => {
  it('writes no control sequence of a text, only styles and links', async () => {
    const { screen, lines, emulator, settled } = world({ columns: 60 });
    let title = '';
    emulator.onTitleChange((text) => {
      title = text;
    });
    const link = '\u001b]8;;https://example.com\u0007link\u001b]8;;\u0007';
    screen.draw({
      lines: [`\u001b[1mbold\u001b[22m ${link}`],
      final: 0,
      bottom: ['a\u001b]0;owned\u0007\u001b[2J\u009b2J\tb'],
    });
    await settled();
    expect(title).toBe('');
    expect(await lines()).toEqual(['bold link', 'a]0;owned[2J2Jb']);
  });

  it('keeps every final line once in the scrollback, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            more: fc.nat(9),
            bottom: fc.integer({ min: 1, max: 4 }),
            open: fc.nat(3),
            cursor: fc.option(fc.nat(3)),
          }),
          {
            minLength: 1,
            maxLength: 25,
          },
        ),
        async (steps) => {
          const { screen, lines } = world();
          let all: string[] = [];
          let off = 0;
          let bottom: string[] = [];
          for (const [at, { more, bottom: height, open, cursor }] of steps.entries()) {
            all = [...all, ...Array.from({ length: more }, (_, index) => `line ${all.length + index}`)];
            const changing = Array.from({ length: open }, (_, index) => `open ${at} ${index}`);
            bottom = Array.from({ length: height }, (_, index) => `bottom ${at} ${index}`);
            off += screen.draw({
              lines: [...all.slice(off), ...changing],
              final: all.length - off,
              bottom,
              ...(cursor !== null && { cursor: { row: Math.min(cursor, height - 1), column: cursor } }),
            });
          }
          off += screen.draw({ lines: all.slice(off), final: all.length - off, bottom });
          expect(await lines()).toEqual([...all, ...bottom]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('puts the cursor where the frame says', async () => {
    const { screen, lines, cursor } = world();
    screen.draw({ lines: ['a', 'b'], final: 2, bottom: ['> text', 'status'], cursor: { row: 0, column: 4 } });
    expect(await cursor()).toEqual({ row: 2, column: 4 });
    screen.draw({ lines: ['a', 'b', 'c'], final: 3, bottom: ['> text', 'status'], cursor: { row: 0, column: 5 } });
    expect(await cursor()).toEqual({ row: 3, column: 5 });
    expect(await lines()).toEqual(['a', 'b', 'c', '> text', 'status']);
  });

  it('writes nothing if nothing has changed', async () => {
    const { screen, bytes } = world();
    const frame = { lines: ['a'], final: 1, bottom: ['> '], cursor: { row: 0, column: 2 } };
    screen.draw(frame);
    const before = bytes();
    screen.draw(frame);
    expect(bytes()).toBe(before);
  });

  it('does not let a line off the screen that may still change', async () => {
    const { screen, lines } = world({ rows: 4 });
    const open = Array.from({ length: 10 }, (_, at) => `open ${at}`);
    expect(screen.draw({ lines: open, final: 0, bottom: ['> '] })).toBe(0);
    expect(await lines()).toEqual(['open 7', 'open 8', 'open 9', '> ']);
    const final = Array.from({ length: 10 }, (_, at) => `final ${at}`);
    screen.draw({ lines: final, final: 10, bottom: ['> '] });
    expect(await lines()).toEqual([...final, '> ']);
  });

  it('holds each line once after any changes of the size, and what is below them once', async () => {
    await fc.assert(
      fc.asyncProperty(resizes, async (steps) => {
        const { shown, count } = await streamed(steps.map((step) => ({ ...step, late: 0 })));
        expect(numbersOf(shown)).toEqual(Array.from({ length: count }, (_, at) => at));
        expect(shown.filter((line) => line.includes('> text'))).toHaveLength(1);
        expect(shown.filter((line) => line.startsWith('-'))).toHaveLength(2);
      }),
      { numRuns: 25 },
    );
  });

  it('so also if frames come when the program does not know the new size yet', async () => {
    await fc.assert(
      fc.asyncProperty(resizes, async (steps) => {
        const { shown, count } = await streamed(steps);
        expect(numbersOf(shown)).toEqual(Array.from({ length: count }, (_, at) => at));
        expect(shown.filter((line) => line.includes('> text'))).toHaveLength(1);
        expect(shown.filter((line) => line.startsWith('-'))).toHaveLength(2);
      }),
      { numRuns: 40 },
    );
  });

  it('leaves the conversation and nothing else when it ends', async () => {
    const { screen, lines, cursor } = world({ rows: 4 });
    const text = ['a', 'b', 'c', 'd', 'e'];
    const off = screen.draw({ lines: text, final: 5, bottom: ['> ', 'status'] });
    screen.finish({ lines: text.slice(off) });
    expect(await lines()).toEqual(text);
    expect(await cursor()).toEqual({ row: 5, column: 0 });
  });

  it('costs the same however long the conversation is', () => {
    const cost = (length: number) => {
      const { screen, bytes } = world({ columns: 80, rows: 24 });
      let rest = Array.from({ length }, (_, at) => `line ${at}`);
      rest = rest.slice(screen.draw({ lines: rest, final: length, bottom: ['> ', 'status'] }));
      const before = bytes();
      for (let at = 0; at < 100; at += 1) {
        rest.push(`new ${at}`);
        rest = rest.slice(screen.draw({ lines: rest, final: rest.length, bottom: ['> ', 'status'] }));
      }
      return bytes() - before;
    };
    expect(cost(10_000)).toBe(cost(100));
  });
});
