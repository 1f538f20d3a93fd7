import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { call, done, itemsOf, result, type Said } from '../fixtures/items.ts';
import { paysOff } from './cache-prices.ts';
import { capOutputs, capText } from './cap-output.ts';
import { offload } from './offload.ts';
import { planPrune } from './prune.ts';

/** One character is one token. */
const count = (text: string) => text.length;
const textsIn = ({ parts }: Said) =>
  parts
    .flatMap((part) => (part.type === 'tool_result' ? part.content : []))
    .map((part) => (part.type === 'text' ? part.text : ''));

describe('the cap at birth', () => {
  it('leaves what is small as it is', () => {
    const message = result('1', 'x'.repeat(500));
    expect(capOutputs({ message, handle: 7, window: 1000, count })).toBe(message);
  });

  it('keeps 40 % from the beginning and 60 % from the end, cut at lines, with the handle', () => {
    const lines = Array.from({ length: 1000 }, (_, at) => `line ${String(at).padStart(4, '0')}`).join('\n');
    const [text = ''] = textsIn(capOutputs({ message: result('1', lines), handle: 7, window: 4000, count }));
    expect(text.length).toBeLessThanOrEqual(2000);
    expect(text.length).toBeGreaterThan(1700);
    expect(text).toMatch(
      /^line 0000\n[\s\S]*\nline \d{4}\n\[… \d+ characters in \d+ lines left out; recall @7 for all of it …\]\nline \d{4}\n[\s\S]*line 0999$/,
    );
    const [head = '', tail = ''] = text.split(/\[….*…\]\n/);
    expect(tail.length / (head.length + tail.length)).toBeCloseTo(0.6, 1);
  });

  it('editor.md 4.1: is for a result as a whole, not for each of its parts', () => {
    const part = (text: string) => ({ type: 'text', origin: 'tool', text }) as const;
    const message: Said = {
      role: 'tool',
      parts: [
        {
          type: 'tool_result',
          origin: 'tool',
          callId: '1',
          content: [part('a'.repeat(900)), part('b'.repeat(900)), part('c')],
        },
        { type: 'tool_result', origin: 'tool', callId: '2', content: [part('d')] },
      ],
    };
    const texts = textsIn(capOutputs({ message, handle: 7, window: 1000, count }));
    expect(texts.join('').length).toBeLessThanOrEqual(501);
    expect(texts[0]).toContain('recall @7.1');
    expect(texts.slice(2)).toEqual(['c', 'd']);
  });

  it('editor.md 4.1: fits whatever the cap, and never parts a character', () => {
    const pieces = fc.array(fc.constantFrom('a', '\n', '👍', 'word ', '\r\n', '日本'), { maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 0, max: 400 }), (parts, limit) => {
        const text = parts.join('');
        const capped = capText({ text, limit, count, place: '@7' });
        expect(count(capped)).toBeLessThanOrEqual(limit);
        expect(capped.isWellFormed()).toBe(true);
        if (text.length <= limit) expect(capped).toBe(text);
      }),
      runs(300),
    );
  });
});

describe('results kept aside', () => {
  const rows = Array.from({ length: 400 }, (_, id) => ({ id, name: `row ${id}`, tags: id % 2 ? [] : ['x'] }));

  it('are pointed to with size, schema, preview, handle and how to read them', () => {
    const aside = offload({ text: JSON.stringify(rows), name: 'query', handle: '@12.1' });
    expect(aside?.pointer).toMatch(
      /^\[\d+\.\d kB of JSON in 1 line kept aside as @12\.1\. Use recall @12\.1 with page 1, 2, … /,
    );
    expect(aside?.pointer).toContain('Schema: {"type":"array","items":{"type":"object"');
    expect(aside?.pointer).toContain('Beginning:\n[\n  {\n    "id": 0,');
    expect(aside?.pointer).toMatch(/End:\n[\s\S]*\n\]$/);
    expect(aside?.pointer.length).toBeLessThan(2000);
    expect(JSON.parse(aside?.content ?? '')).toEqual(rows);
  });

  it('editor.md 4.2: are measured in bytes, strictly above the threshold', () => {
    const of = (text: string) => offload({ text, name: 'query', handle: '@1' })?.bytes;
    expect(of('x'.repeat(8192))).toBeUndefined();
    expect(of('x'.repeat(8193))).toBe(8193);
    expect(of('語'.repeat(2731))).toBe(8193);
    expect(of('語'.repeat(2730))).toBeUndefined();
  });

  it('are never files that were read, skills, or what recall gave', () => {
    for (const name of ['Read', 'read_file', 'view', 'Skill', 'Task', 'recall']) {
      expect(offload({ text: 'x'.repeat(9000), name, handle: '@1' })).toBeUndefined();
    }
  });

  it('are short however long their lines are, and whatever they hold', () => {
    const one = offload({ text: 'x'.repeat(1_000_000), name: 'fetch', handle: '@1' });
    expect(one?.pointer.length).toBeLessThan(500);
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(offload({ text: deep, name: 'fetch', handle: '@1' })?.pointer.length).toBeLessThan(8000);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 3000, maxLength: 4000 }), (text) => {
        expect(offload({ text: text.repeat(3), name: 'fetch', handle: '@1' })?.pointer.length ?? 0).toBeLessThan(
          10_000,
        );
      }),
      runs(20),
    );
  });
});

describe('the pruning plan', () => {
  const big = (size: number) => 'x'.repeat(size);
  const plan = (said: readonly (Said | readonly Said[])[], options = {}) =>
    planPrune({ items: itemsOf(...said), count, ...options });

  it('sessions.md 8.1: protects the newest 40,000 tokens and the result that crosses that line', () => {
    const said = [done('grep', {}, big(30_000)), done('grep', {}, big(15_000)), done('grep', {}, big(39_999))];
    expect(plan(said).targets.map(({ entry }) => entry.at(-1))).toEqual(['2']);
    expect(plan(said).freed).toBeGreaterThan(29_900);
  });

  it('omp#2119: does nothing for less than 20,000', () => {
    const { targets, why } = plan([done('grep', {}, big(19_000)), done('grep', {}, big(40_000))]);
    expect(targets).toEqual([]);
    expect(why).toMatch(/Only 1\d+ tokens would go, and 20000/);
  });

  it('never takes skills or reads, which still fill the protected part', () => {
    const said = [
      done('grep', {}, big(30_000)),
      done('skill', { skill: 'x' }, big(30_000)),
      done('Read', { file_path: 'a' }, big(40_000)),
    ];
    expect(plan(said).targets.map(({ entry }) => entry.at(-1))).toEqual(['2']);
  });

  it('cc#42542: says in each place what was there and where it is', () => {
    const { targets } = plan([done('grep', {}, big(30_000)), done('grep', {}, big(40_000))]);
    expect(targets).toEqual([
      { entry: expect.any(String), part: 1, notice: '[Output of 30000 tokens elided; recall @2.1 for all of it]' },
    ]);
  });

  it('does not take twice what is elided, but counts it', () => {
    const elided: Said = {
      role: 'tool',
      parts: [
        {
          type: 'tool_result',
          origin: 'tool',
          callId: 'e',
          content: [{ type: 'text', origin: 'engine', text: big(50_000) }],
        },
      ],
    };
    expect(plan([done('grep', {}, big(30_000)), call('e', 'grep', {}), elided]).targets).toHaveLength(1);
    expect(plan([call('e', 'grep', {}), elided, done('grep', {}, big(40_000))]).targets).toEqual([]);
  });

  describe('superseded reads', () => {
    const read = (path: string, size = 30_000, more = {}) => done('Read', { file_path: path, ...more }, big(size));
    const notices = (...said: readonly (Said | readonly Said[])[]) =>
      plan(said, { minimum: 1 }).targets.map(({ notice }) => notice);

    it('go where a later read repeats them, even among the newest', () => {
      expect(notices(read('a'), read('a'))).toEqual(['[a was read again at @4; recall @2.1 for all of it]']);
    });

    it('go where a later edit made them stale, but not among the newest', () => {
      const edit = done('Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, 'ok');
      expect(notices(read('a'), edit, read('b', 40_000))).toEqual([
        '[a was changed at @4, after this was read; recall @2.1 for all of it]',
      ]);
      expect(notices(read('a', 9000), edit)).toEqual([]);
    });

    it('sessions.md 8.3: stay where the later read shows fewer lines, or the later edit failed', () => {
      const failed = done('Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, 'not found', true);
      expect(notices(read('a'), failed, read('b', 40_000))).toEqual([]);
      expect(notices(read('a'), read('a', 9000, { offset: 1, limit: 10 }))).toEqual([]);
      expect(notices(read('a', 9000, { offset: 5, limit: 5 }), read('a', 9000, { offset: 1, limit: 20 }))).toHaveLength(
        1,
      );
      expect(notices(read('a'), done('Read', { file_path: 'a' }, `${big(9000)}\n[Showing lines 1-10 of 900]`))).toEqual(
        [],
      );
    });

    it('are found in shells, too', () => {
      const cat = done('Bash', { command: 'cat src/a.ts' }, big(9000));
      const also = done('Bash', { command: 'cat src/a.ts && make' }, big(9000));
      expect(plan([cat, cat], { minimum: 1 }).targets).toHaveLength(1);
      expect(plan([also, cat], { minimum: 1 }).targets).toEqual([]);
      const head = (lines: number) => done('Bash', { command: `head -n ${lines} src/a.ts` }, big(9000));
      expect(plan([head(50), head(5)], { minimum: 1 }).targets).toEqual([]);
      expect(plan([head(50), cat], { minimum: 1 }).targets).toHaveLength(1);
    });

    it('go before anything else', () => {
      const said = [done('grep', {}, big(30_000)), read('a', 25_000), read('a', 40_000)];
      const { targets } = plan(said, { need: 20_000 });
      expect(targets.map(({ notice }) => notice)).toEqual(['[a was read again at @6; recall @4.1 for all of it]']);
      expect(plan(said, { only: 'superseded' }).targets).toEqual(targets);
    });
  });

  it('stella#4381: does not read 137,000 tokens anew to save 8,000', () => {
    const cache = { read: 0.1, write: 1.25, growth: 400 };
    expect(paysOff({ freed: 8000, rewritten: 137_000, cache })).toBe(false);
    const said = [done('grep', {}, big(25_000)), done('grep', {}, big(137_000))];
    const dear = { ...cache, growth: 2_000 };
    expect(plan(said, { cache: dear })).toMatchObject({ targets: [], why: expect.stringContaining('anew') });
    expect(plan(said)).toMatchObject({ rewritten: expect.any(Number), targets: [expect.anything()] });
  });

  it('frees what it says, and takes no result twice', () => {
    const tool = fc.constantFrom('grep', 'Read', 'Bash', 'skill', 'Edit');
    const said = fc.tuple(tool, fc.constantFrom('a', 'b'), fc.nat(9000), fc.boolean());
    fc.assert(
      fc.property(fc.array(said, { maxLength: 20 }), (all) => {
        const items = itemsOf(
          ...all.map(([name, file, size, isError]) =>
            done(name, { file_path: file, command: `cat ${file}` }, big(size), isError),
          ),
        );
        const { targets, freed } = planPrune({ items, count, protect: 5000, minimum: 1 });
        const names = targets.map(({ entry, part }) => `${entry} ${part}`);
        expect(new Set(names).size).toBe(names.length);
        const sum = targets.reduce((total, { entry, notice }) => {
          const [text = ''] = textsIn(items.find(({ id }) => id === entry)?.message ?? { role: 'tool', parts: [] });
          return total + text.length - notice.length;
        }, 0);
        if (targets.length > 0) expect(sum).toBe(freed);
      }),
      runs(200),
    );
  });
});
