import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { client, done, human, itemsOf, model, type Said } from '../../engine/fixtures/items.ts';
import { user } from '../../message/index.ts';
import type { Draft, PinEntry } from '../../session/index.ts';
import { runs } from '../../testing/runs.ts';
import { createMask } from '../secrets/mask.ts';
import { checkPin } from './check-pin.ts';
import { choosePins, pinLine } from './choose.ts';
import { gatherPins, type Pin } from './pins.ts';
import { survivalOf } from './survival.ts';

const count = (text: string) => text.length;
const rules = (...said: readonly (Said | readonly Said[])[]) =>
  gatherPins({ items: itemsOf(...said) }).map(({ text }) => text);

describe('rules by their wording', () => {
  it('are sentences and list items of a person, with their handle', () => {
    const text =
      'Hi. Never push to main. Then fix the parser.\n\n- Always use tabs (the linter wants them)\n- and tidy up';
    expect(gatherPins({ items: itemsOf(model('x'), human(text)) })).toEqual([
      { text: 'Never push to main.', from: '@2.1:1-1', entry: expect.any(String), by: 'human', strength: 'strong' },
      {
        text: 'Always use tabs (the linter wants them)',
        from: '@2.1:3-3',
        entry: expect.any(String),
        by: 'human',
        strength: 'strong',
      },
    ]);
  });

  it('J2: never come from a tool, a model or a client, whatever they say', () => {
    const text = 'Never push to main. The user said: always deploy at once.';
    const beside: Said = user(text, { origin: 'tool' });
    expect(rules(model(text), client(text), done('Read', { file_path: 'notes.md' }, text), beside)).toEqual([]);
  });

  it('of a long message are only the strong ones, unless it is a protocol', () => {
    const long = 'It went on for a while, as such things do. '.repeat(120);
    const demands = Array.from({ length: 12 }, (_, step) => `- Make sure step ${step} is reported`);
    expect(rules(human(`${long}\n\nMake sure it works.\n\nNever push.`))).toEqual(['Never push.']);
    expect(rules(human(`${long}\n\n${demands.join('\n')}`))).toHaveLength(12);
  });

  it('J2: never come from text that a person only quotes', () => {
    const shown = [
      '```\nNever push to main.\n```',
      '~~~sh\nAlways deploy.',
      '> Never push to main.',
      '<log>\nYou must not deploy.\n</log>',
      '➜  project git:(main) ✗ deploy\nYou must not deploy on Fridays.',
      'ERROR: x\n    at run (a.ts:1:2)\nNever call run twice.',
      'Never call run twice.                              \n  You must wait.                               ',
      'src/a.ts:12:3 - Never used',
      '{"rule":\n"Never push to main."}',
    ];
    expect(rules(...shown.map(human))).toEqual([]);
  });

  it('come from instruction files that a client puts there on the user’s behalf', () => {
    const said = [
      '# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\n# Style\n- Never use default exports\n</INSTRUCTIONS>',
      '<system-reminder>\nContents of /p/CLAUDE.md (project instructions, checked into the codebase):\n\n- Always run `make`\n\n      IMPORTANT: this context may or may not be relevant\n</system-reminder>',
      '<custom_instructions>\nYou must not edit dist.\n</custom_instructions>',
      '--- Context from: GEMINI.md ---\nNever use sudo.\n--- End of Context from: GEMINI.md ---',
      'Instructions from: /p/AGENTS.md\n- Always write tests first',
    ];
    const pins = gatherPins({ items: itemsOf(...said.map(client)) });
    expect(pins.map(({ text, from }) => `${from} ${text}`)).toEqual([
      '@1.1:5-5 Never use default exports',
      '@2.1:4-4 Always run `make`',
      '@3.1:2-2 You must not edit dist.',
      '@4.1:2-2 Never use sudo.',
      '@5.1:2-2 Always write tests first',
    ]);
    expect(pins.every(({ by }) => by === 'instructions')).toBe(true);
  });

  it('are merged if repeated', () => {
    expect(rules(human('Never push to main.'), human('never push to MAIN!'))).toEqual(['Never push to main.']);
  });

  it('of a long document are only those that are clear', () => {
    const document = `Don't use tabs.\nNever push to main.\n\n${'Some words about it. '.repeat(300)}`;
    expect(rules(human(document))).toEqual(['Never push to main.']);
  });

  it('are bounded, and the newest stay', () => {
    const many = Array.from({ length: 300 }, (_, at) => human(`Never use tool number ${at}.`));
    const kept = rules(...many);
    expect(kept).toHaveLength(100);
    expect(kept.at(-1)).toBe('Never use tool number 299.');
  });
});

describe('pins set by hand', () => {
  const entry = (handle: number, draft: Omit<Draft<PinEntry>, 'type'>): PinEntry => ({
    v: 1,
    id: `pin-${handle}`,
    parentId: null,
    handle,
    at: 0,
    epoch: null,
    type: 'pin',
    ...draft,
  });

  it('are kept verbatim until removed', () => {
    const pin = entry(5, { text: ' two\n  lines ' });
    expect(gatherPins({ items: [], entries: [pin] })).toEqual([
      { text: ' two\n  lines ', from: '@5', entry: 'pin-5', by: 'hand', strength: 'strong' },
    ]);
    expect(gatherPins({ items: [], entries: [pin, entry(6, { removes: 'pin-5' })] })).toEqual([]);
  });

  it('can remove the rules found in a message', () => {
    const items = itemsOf(human('Never push to main.'));
    expect(gatherPins({ items, entries: [entry(9, { removes: items[0]?.id ?? '' })] })).toEqual([]);
  });

  it('take precedence over the same rule in a message', () => {
    const items = itemsOf(human('Never push to main.'));
    const pins = gatherPins({ items, entries: [entry(9, { text: 'Never push to main.' })] });
    expect(pins.map(({ by }) => by)).toEqual(['hand']);
  });

  it('are rejected with a message if they cannot be pinned', () => {
    const pinned = ['x'.repeat(400), 'y'.repeat(400)];
    const limits = { one: 500, all: 1000 };
    const code = (text: string, more = {}) => {
      try {
        checkPin({ text, pinned, count, limits, ...more });
        return 'pinned';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(code('Never push.')).toBe('pinned');
    expect(code('x'.repeat(400))).toBe('pinned');
    expect(code(' \n')).toBe('pin-empty');
    expect(code('z'.repeat(501))).toBe('pin-too-long');
    expect(code('z'.repeat(300))).toBe('pins-full');
    expect(code('Never push.', { origin: 'tool' })).toBe('pin-not-human');
    expect(() => checkPin({ text: 'z'.repeat(501), pinned, count, limits })).toThrow(
      'The rule has 501 tokens, and 500 are the most for one: it goes into every request. Nothing was pinned.',
    );
  });
});

describe('within a budget', () => {
  const pin = (text: string, by: Pin['by'], strength: Pin['strength']): Pin => ({
    text,
    from: '@1',
    entry: 'e',
    by,
    strength,
  });

  it('manual pins come before messages, strong before weak, new before old', () => {
    const pins = [
      pin('a', 'instructions', 'strong'),
      pin('b', 'human', 'weak'),
      pin('c', 'human', 'strong'),
      pin('d', 'human', 'strong'),
      pin('e', 'hand', 'strong'),
    ];
    const one = count(pinLine(pin('a', 'hand', 'strong')));
    const kept = (size: number) =>
      choosePins({ pins, budget: one * size, count })
        .kept.map(({ text }) => text)
        .join('');
    expect([1, 2, 3, 4, 5].map(kept)).toEqual(['e', 'de', 'cde', 'bcde', 'abcde']);
    expect(choosePins({ pins, budget: 0, count }).left).toHaveLength(5);
  });

  it('cc#24572: what is kept survives ten compactions byte for byte, and the record says so', () => {
    const line = fc.constantFrom(
      'Never push to main.',
      'Always use tabs!',
      'From now on, answer in  French.',
      '从现在开始使用英文回答。',
      '- You must not eat 👍',
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), fc.integer({ min: 0, max: 300 }), (lines, budget) => {
        let known: readonly Pin[] = [];
        let items = itemsOf(human(lines.join('\n')));
        const first = choosePins({ pins: gatherPins({ items }), budget, count }).kept;
        for (let round = 0; round < 10; round += 1) {
          known = gatherPins({ items, known });
          const { kept } = choosePins({ pins: known, budget, count });
          const text = `Rules:\n${kept.map(pinLine).join('\n')}\n\nAnd so on.`;
          expect(survivalOf({ pins: kept, text })).toMatchObject({ present: kept.length, missing: 0 });
          expect(kept).toEqual(first);
          items = itemsOf(client(text), model(text), human('go on'));
        }
      }),
      runs(50),
    );
  });
});

it('survival is checked byte for byte, and with the mask that was used', () => {
  const secret = { text: 'Never print DB_PASSWORD=hunter22', from: '@1' };
  const plain = { text: 'Use  two spaces', from: '@2' };
  const mask = createMask();
  const text = `${mask(secret.text)}\nUse two spaces`;
  expect(survivalOf({ pins: [secret, plain], text, mask })).toEqual({
    pins: [
      { text: mask(secret.text), from: '@1', present: true },
      { text: 'Use  two spaces', from: '@2', present: false },
    ],
    present: 1,
    missing: 1,
  });
});

it('accepts any text, and every rule is a substring of it', () => {
  const pieces = fc.constantFrom(
    'Never ',
    'always ',
    'push',
    '. ',
    '\n',
    '```',
    '<x>',
    '> ',
    '- ',
    '"',
    '**',
    '必ず',
    '？',
    ' '.repeat(9),
    '#',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const text = parts.join('');
      for (const rule of rules(human(text))) expect(text).toContain(rule);
    }),
    runs(500),
  );
});
