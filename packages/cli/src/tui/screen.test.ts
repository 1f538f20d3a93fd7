import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MainScreen } from './index.ts';

/** A terminal of a size, and a screen that draws into it. */
function world({ columns = 20, rows = 6 } = {}) {
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 });
  const size = { columns, rows };
  let pending = Promise.resolve();
  let bytes = 0;
  const screen = new MainScreen({
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
    write: (text) => {
      bytes += text.length;
      pending = pending.then(() => new Promise((done) => emulator.write(text, done)));
    },
  });
  const lines = async () => {
    await pending;
    const { active } = emulator.buffer;
    const all = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
    while (all.at(-1) === '') all.pop();
    return all;
  };
  const resize = (to: { readonly columns: number; readonly rows: number }) => {
    pending = pending.then(() => emulator.resize(to.columns, to.rows));
    Object.assign(size, to);
  };
  const cursor = async () => {
    await pending;
    const { cursorX, cursorY, baseY } = emulator.buffer.active;
    return { row: baseY + cursorY, column: cursorX };
  };
  return { screen, lines, resize, cursor, bytes: () => bytes, emulator, settled: () => pending };
}

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
      { numRuns: 60 },
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

  it('draws what was on the screen again after a resize, and only that', async () => {
    const { screen, lines, resize } = world({ columns: 20, rows: 8 });
    let rest = Array.from({ length: 12 }, (_, at) => `line ${at} ${'x'.repeat(at)}`);
    const bottom = ['-'.repeat(20), '> text', 'status'];
    const draw = (below: readonly string[]) => {
      rest = rest.slice(screen.draw({ lines: rest, final: rest.length, bottom: below, cursor: { row: 1, column: 6 } }));
    };
    draw(bottom);
    resize({ columns: 12, rows: 8 });
    rest = rest.slice(screen.resize());
    draw(['-'.repeat(12), '> text', 'status']);
    const shown = await lines();
    expect(shown.filter((line) => line.includes('> text'))).toHaveLength(1);
    expect(shown.filter((line) => line.startsWith('----'))).toHaveLength(1);
    for (let at = 0; at < 12; at += 1) expect(shown.filter((line) => line.startsWith(`line ${at} `)).length).toBe(1);
    resize({ columns: 30, rows: 5 });
    rest = rest.slice(screen.resize());
    draw(['-'.repeat(30), '> text', 'status']);
    expect((await lines()).filter((line) => line.includes('> text'))).toHaveLength(1);
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
