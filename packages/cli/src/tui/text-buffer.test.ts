import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PromptEditor, TextBuffer, VimKeys } from './index.ts';

/** A buffer with a text and the cursor at `|`. */
function at(text: string): TextBuffer {
  const buffer = new TextBuffer();
  buffer.set(text.replace('|', ''));
  buffer.moveTo(text.includes('|') ? text.indexOf('|') : text.length);
  return buffer;
}

const shown = ({ text, cursor }: TextBuffer) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('text', () => {
  it('moves and deletes by grapheme, not by code unit', () => {
    const family = '👨‍👩‍👧';
    const buffer = at(`a${family}é`);
    buffer.move({ extent: 'character', direction: -1 });
    buffer.delete({ extent: 'character', direction: -1 });
    expect(shown(buffer)).toBe('a|é');
  });

  it('moves by words and lines', () => {
    const buffer = at('one two.three\nfour|');
    buffer.move({ extent: 'word', direction: -1 });
    expect(shown(buffer)).toBe('one two.three\n|four');
    buffer.move({ extent: 'character', direction: -1 });
    buffer.move({ extent: 'word', direction: -1 });
    expect(shown(buffer)).toBe('one two.|three\nfour');
    buffer.move({ extent: 'line', direction: -1 });
    expect(shown(buffer)).toBe('|one two.three\nfour');
  });

  it('kills, yanks and yanks what was killed before', () => {
    const buffer = at('one two three|');
    buffer.kill({ extent: 'word', direction: -1 });
    buffer.kill({ extent: 'word', direction: -1 });
    expect(buffer.text).toBe('one ');
    buffer.yank();
    expect(buffer.text).toBe('one two three');
    buffer.move({ extent: 'line', direction: -1 });
    buffer.kill({ extent: 'word', direction: 1 });
    buffer.yank();
    buffer.yankPop();
    expect(shown(buffer)).toBe('two three| two three');
  });

  it('undoes word by word and redoes', () => {
    const buffer = new TextBuffer();
    for (const char of 'ab cd') buffer.insert(char);
    buffer.undo();
    expect(buffer.text).toBe('ab');
    buffer.redo();
    expect(buffer.text).toBe('ab cd');
  });

  it('treats the placeholder of a paste as one character', () => {
    const buffer = at('see [paste 1: 214 lines]|');
    buffer.delete({ extent: 'character', direction: -1 });
    expect(buffer.text).toBe('see ');
  });

  it('goes up and down in the same column', () => {
    const buffer = at('abcdef\nxy\nghij|kl');
    expect(buffer.moveRow({ width: 20, direction: -1 })).toBe(true);
    expect(shown(buffer)).toBe('abcdef\nxy|\nghijkl');
    buffer.moveRow({ width: 20, direction: -1 });
    expect(shown(buffer)).toBe('abcd|ef\nxy\nghijkl');
    expect(buffer.moveRow({ width: 20, direction: -1 })).toBe(false);
  });

  it('never puts the cursor inside a character, whatever the keys', () => {
    const operations = ['character', 'word', 'line', 'all'] as const;
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'grapheme', maxLength: 4 }),
            fc.record({
              extent: fc.constantFrom(...operations),
              direction: fc.constantFrom(-1 as const, 1 as const),
              kind: fc.constantFrom('move', 'delete', 'kill', 'undo', 'yank', 'row'),
            }),
          ),
        ),
        (steps) => {
          const buffer = new TextBuffer();
          for (const step of steps) {
            if (typeof step === 'string') buffer.insert(step);
            else if (step.kind === 'move') buffer.move(step);
            else if (step.kind === 'delete') buffer.delete(step);
            else if (step.kind === 'kill') buffer.kill(step);
            else if (step.kind === 'undo') buffer.undo();
            else if (step.kind === 'yank') buffer.yank();
            else buffer.moveRow({ width: 5, direction: step.direction });
            expect(buffer.cursor).toBeGreaterThanOrEqual(0);
            expect(buffer.cursor).toBeLessThanOrEqual(buffer.text.length);
            expect(buffer.text.slice(0, buffer.cursor).isWellFormed() || !buffer.text.isWellFormed()).toBe(true);
            // The rows cover the text.
            expect(
              buffer
                .rows(5)
                .map(({ start, end }) => buffer.text.slice(start, end))
                .join('').length,
            ).toBe(buffer.text.replaceAll('\n', '').length);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('vim keys', () => {
  const type = (text: string, keys: string) => {
    const buffer = at(text);
    const vim = new VimKeys({ buffer });
    vim.press({ key: 'escape', text: '' });
    for (const key of keys) if (!vim.press({ key, text: key }) && !vim.isNormal) buffer.insert(key);
    return shown(buffer);
  };

  it.each([
    ['one two three|', 'bdw', 'one two| '],
    ['one two|', '0$x', 'one t|w'],
    ['one two three|', '0dw', '|two three'],
    ['one two three|', '02dw', '|three'],
    ['a\nb|\nc', 'dd', 'a\n|c'],
    ['a\nb|', 'yyp', 'a\nb\n|b'],
    ['one two|', '0cwnew', 'new| two'],
    ['one two three|', '02cwnew', 'new| three'],
    ['one (two)|', '0f(x', 'one |two)'],
    ['one two|', '0D', '|'],
    ['abc|', '0xp', 'ba|c'],
    ['abc|', 'Ox', 'x|\nabc'],
    ['one|', 'A!', 'one!|'],
    ['one two|', '0dwu', '|one two'],
    ['abc|', '0rZ', '|Zbc'],
    ['a\nbc\nd|', 'ggdG', '|'],
  ])('%s, then %s, is %s', (text, keys, expected) => {
    expect(type(text, keys)).toBe(expected);
  });
});

describe('the input', () => {
  const history = ['first message', 'run the tests', 'fix the test of the parser'];
  const input = (complete: ConstructorParameters<typeof PromptEditor>[0]['complete'] = async () => undefined) =>
    new PromptEditor({
      isVim: false,
      history: () => history,
      pasted: (text) => (text.length > 100 ? `<${text.length}>` : text),
      complete,
      changed: () => undefined,
    });
  const typeInto = (prompt: PromptEditor, text: string) => {
    for (const char of text) prompt.press({ key: char, text: char });
  };

  it('goes through earlier messages and back to the draft', () => {
    const prompt = input();
    typeInto(prompt, 'draft');
    prompt.press({ key: 'up', text: '' });
    expect(prompt.buffer.text).toBe('fix the test of the parser');
    prompt.press({ key: 'up', text: '' });
    expect(prompt.buffer.text).toBe('run the tests');
    prompt.press({ key: 'down', text: '' });
    prompt.press({ key: 'down', text: '' });
    expect(prompt.buffer.text).toBe('draft');
  });

  it('searches earlier messages', () => {
    const prompt = input();
    prompt.searchHistory();
    typeInto(prompt, 'test');
    expect(prompt.buffer.text).toBe('fix the test of the parser');
    prompt.press({ key: 'ctrl+r', text: '' });
    expect(prompt.buffer.text).toBe('run the tests');
    prompt.press({ key: 'escape', text: '' });
    expect(prompt.buffer.text).toBe('');
  });

  it('completes the word at the cursor', async () => {
    const prompt = input(async ({ text, cursor }) => ({
      from: 0,
      to: cursor,
      items: ['/compact', '/context']
        .filter((value) => value.startsWith(text))
        .map((value) => ({ value, label: value })),
    }));
    typeInto(prompt, '/co');
    await Promise.resolve();
    await Promise.resolve();
    expect(prompt.isCompleting).toBe(true);
    prompt.press({ key: 'down', text: '' });
    prompt.press({ key: 'tab', text: '' });
    expect(prompt.buffer.text).toBe('/context ');
  });

  it('completes what was typed, not what the candidates on the screen were for', async () => {
    const answers: (() => void)[] = [];
    const prompt = input(
      ({ text, cursor }) =>
        new Promise((resolve) => {
          const items = ['orchard', 'harbor'].filter((value) => value.includes(text));
          answers.push(() => resolve({ from: 0, to: cursor, items: items.map((value) => ({ value, label: value })) }));
        }),
    );
    const arrive = async () => {
      answers.at(-1)?.();
      await new Promise(setImmediate);
    };
    typeInto(prompt, 'r');
    await arrive();
    expect(prompt.isCompleting).toBe(true);
    typeInto(prompt, 'b');
    prompt.press({ key: 'tab', text: '' });
    expect(prompt.buffer.text).toBe('rb');
    await arrive();
    expect(prompt.buffer.text).toBe('harbor ');
  });

  it('inserts a paste as one', () => {
    const prompt = input();
    prompt.press({ key: undefined, text: 'x'.repeat(1_000_000), isPaste: true });
    expect(prompt.buffer.text).toBe('<1000000>');
    prompt.press({ key: 'ctrl+-', text: '' });
    expect(prompt.buffer.text).toBe('');
  });
});
