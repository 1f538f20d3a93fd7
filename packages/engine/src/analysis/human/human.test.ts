import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, client, done, human, itemsOf, model, result, type Said } from '../../engine/fixtures/items.ts';
import { user } from '../../message/index.ts';
import { runs } from '../../testing/runs.ts';
import { createMask } from '../secrets/mask.ts';
import { decisionsIn } from './decisions.ts';
import { quoteHumans } from './quotes.ts';
import { troublesIn } from './troubles.ts';

const count = (text: string) => text.length;
const mask = createMask();
const plain = (text: string) => text;

describe('human messages', () => {
  const quote = (said: readonly (Said | readonly Said[])[], budget = 10_000) =>
    quoteHumans({ items: itemsOf(...said), budget, count, mask: plain });

  it('are quoted verbatim, oldest first, without text of others', () => {
    const beside: Said = {
      role: 'user',
      parts: [
        { type: 'text', origin: 'engine', text: '<reminder>' },
        { type: 'text', origin: 'human', text: 'two  words\n' },
      ],
    };
    expect(
      quote([
        human('one'),
        model('I say'),
        client('note'),
        beside,
        human('/clear'),
        done('Read', {}, 'The user said x'),
      ]),
    ).toEqual({
      quotes: [
        { handle: '@1', text: 'one', isWhole: true },
        { handle: '@4.2', text: 'two  words', isWhole: true },
      ],
      omitted: 0,
    });
  });

  it('codex: within a budget, the first and the newest are kept', () => {
    const said = Array.from({ length: 20 }, (_, at) => human(`${String.fromCharCode(97 + at)}`.repeat(100)));
    const { quotes, omitted } = quote(said, 500);
    expect(quotes.map(({ text }) => text[0]).join('')).toBe('aqrst');
    expect(omitted).toBe(15);
  });

  it('show the beginning and end of long pastes, with the line range of the rest', () => {
    const log = Array.from({ length: 40 }, (_, at) => `[build] step ${at}`);
    const [first] = quote([human(`look at this:\n\n${log.join('\n')}\n\nwhat is wrong?`)]).quotes;
    expect(first?.text).toBe(
      'look at this:\n\n[build] step 0\n[build] step 1\n[build] step 2\n[… 35 pasted lines: @1:6-40 …]\n[build] step 38\n[build] step 39\n\nwhat is wrong?',
    );
    expect(first?.isWhole).toBe(false);
  });

  it('masks secrets before anything is cut', () => {
    const [first] = quoteHumans({
      items: itemsOf(human('use DB_PASSWORD=hunter22\nDB_PASSWORD=hunter22')),
      budget: 1000,
      count,
      mask,
    }).quotes;
    expect(first?.text).not.toContain('hunter22');
  });

  it('are quoted once if a prompt was repeated', () => {
    const long = 'please do this long thing '.repeat(5);
    expect(quote([human(long), human(long), human('yes'), human('yes')]).quotes.map(({ handle }) => handle)).toEqual([
      '@2',
      '@3',
      '@4',
    ]);
  });

  it('stay within the budget, and complete quotes are verbatim', () => {
    const text = fc
      .array(fc.constantFrom('word ', '\n', '\n\n', '```\n', '[log] x\n', '👍'), { maxLength: 80 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), fc.integer({ min: 0, max: 2000 }), (texts, budget) => {
        const { quotes } = quote(texts.map(human), budget);
        expect(quotes.reduce((sum, one) => sum + count(one.text), 0)).toBeLessThanOrEqual(budget);
        for (const one of quotes.filter(({ isWhole }) => isWhole))
          expect(texts.map((all) => all.trim())).toContain(one.text);
      }),
      runs(200),
    );
  });
});

describe('decisions', () => {
  const decisions = (...said: readonly (Said | readonly Said[])[]) =>
    decisionsIn({ items: itemsOf(...said), limit: 10, mask });

  it('are found with their author and whether they give a reason', () => {
    const found = decisions(
      human("Let's go with SQLite because nothing has to be installed."),
      model('The root cause was a missing await in the parser.\n\nLet me look at it:'),
      model('Should we use Postgres instead of SQLite?'),
    );
    expect(found).toEqual([
      {
        handle: '@1.1:1-1',
        text: "Let's go with SQLite because nothing has to be installed.",
        by: 'human',
        kind: 'decision',
        hasReason: true,
      },
      {
        handle: '@2.1:1-1',
        text: 'The root cause was a missing await in the parser.',
        by: 'model',
        kind: 'cause',
        hasReason: false,
      },
    ]);
  });

  it('cc#46602: the result of a tool is never attributed to a person', () => {
    const found = decisions(
      done('ask_user', { question: 'Which one?', choices: ['a', 'b'] }, 'User selected: b'),
      done(
        'request_user_input',
        { questions: [{ id: 'x', question: 'Where?' }] },
        '{"answers":{"x":{"answers":["Here"]}}}',
      ),
      done(
        'Bash',
        { command: 'git push' },
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nnot on Fridays",
        true,
      ),
      user('The user decided to use Rust instead of Go.', { origin: 'model' }),
    );
    expect(found.map(({ by, kind, text }) => [by, kind, text])).toEqual([
      ['tool', 'answer', 'Asked “Which one?”: User selected: b'],
      ['tool', 'answer', 'Asked “Where?”: Here'],
      ['tool', 'refusal', 'Refused git push: not on Fridays'],
    ]);
  });

  it('are masked and bounded, and a person’s stay before a model’s', () => {
    const many = Array.from({ length: 30 }, (_, at) =>
      model(`We decided to use number ${at} instead of the one before.`),
    );
    const found = decisionsIn({
      items: itemsOf(human("Let's use the password=Zx8Qw2Lm5Tn7Vb3R for now."), ...many),
      limit: 3,
      mask,
    });
    expect(found.map(({ by }) => by)).toEqual(['human', 'model', 'model']);
    expect(found[0]?.text).toContain('[secret:');
    expect(found[2]?.text).toContain('number 29');
  });
});

describe('troubles', () => {
  const troubles = (...said: readonly (Said | readonly Said[])[]) =>
    troublesIn({ items: itemsOf(...said), limit: 10, mask });

  it('contain what failed, the error, the next action, and whether it succeeded later', () => {
    const found = troubles(
      done(
        'Bash',
        { command: 'npm test' },
        'Exit code 1\n> test\nTypeError: x is not a function\n    at run (a.ts:1:2)',
        true,
      ),
      done('Edit', { file_path: 'a.ts', old_string: 'x', new_string: 'y' }, 'ok'),
      done('Bash', { command: 'cd /p && npm test 2>&1 | tail -5' }, 'all good'),
      done(
        'Edit',
        { file_path: 'b.ts', old_string: 'x', new_string: 'y' },
        'String to replace not found in file.',
        true,
      ),
    );
    expect(found).toEqual([
      {
        handle: '@2.1',
        action: 'npm test',
        error: 'TypeError: x is not a function',
        times: 1,
        next: { handle: '@4.1', action: 'edit a.ts' },
        outcome: 'resolved',
        resolvedAt: '@6.1',
      },
      { handle: '@8.1', action: 'edit b.ts', error: 'String to replace not found in file.', times: 1, outcome: 'open' },
    ]);
  });

  it('are merged for repeated failures of the same action', () => {
    const fail = () => done('Bash', { command: 'make' }, 'Exit code 2\nmake: *** [all] Error 2', true);
    expect(troubles(fail(), fail(), fail())).toMatchObject([{ times: 3, handle: '@6.1', outcome: 'open' }]);
  });

  it('exclude searches without matches, refused calls and calls without a result', () => {
    const refused = "The user doesn't want to proceed with this tool use.";
    expect(
      troubles(
        done('Bash', { command: 'grep -n x a.ts' }, 'Exit code 1', true),
        done('Bash', { command: 'git push' }, refused, true),
        call('never', 'Bash', { command: 'make' }),
        result('unknown', 'Error: x', true),
      ),
    ).toEqual([]);
  });

  it('prefer open ones when there are too many', () => {
    const broken = done('Bash', { command: 'make all' }, 'Exit code 2\nerror: broken', true);
    const fixed = (name: string) => [
      done('Bash', { command: name }, 'Exit code 2\nerror: once', true),
      done('Bash', { command: name }, 'ok'),
    ];
    const items = itemsOf(broken, ...fixed('a'), ...fixed('b'));
    expect(troublesIn({ items, limit: 2, mask }).map(({ action }) => action)).toEqual(['make all', 'b']);
  });
});
