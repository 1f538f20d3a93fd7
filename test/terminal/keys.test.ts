import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KeyContext, keymap } from '../../packages/cli/src/tui/keymap.ts';
import { bytesOf, keys, type PseudoTerminal } from './pseudo-terminal.ts';
import { isIdle, numbersIn, type TerminalWorld, terminalWorld } from './world.ts';

let world: TerminalWorld;
let terminal: PseudoTerminal;

const send = (text: string) => terminal.type(`${text}${keys.enter}`);
const idle = () => terminal.until(isIdle);
/** The text of the input, with its first mark. */
const input = (text: string) => terminal.until((screen) => screen.includes(`› ${text}\n──`));

/** Every key that was pressed where it has a meaning, to compare with the key table. */
const pressed = new Set<string>();
const press = (context: KeyContext, ...names: readonly string[]) => {
  for (const name of names) {
    pressed.add(`${context} ${name}`);
    terminal.type(bytesOf(name));
  }
};

/** The input holds exactly this, with the cursor where `|` is. */
const edited = (marked: string) => {
  const text = marked.replace('|', '');
  return terminal.until(
    (screen) =>
      screen.split('\n').some((line) => line.trimEnd() === `› ${text}`.trimEnd()) &&
      terminal.emulator.buffer.active.cursorX === marked.indexOf('|') + 2,
  );
};

beforeAll(async () => {
  world = await terminalWorld();
  world.write('shot.png', png({ width: 90, height: 36 }));
  world.write('bin/wl-paste', `#!/bin/sh\nexec cat ${join(world.cwd, 'shot.png')}\n`);
  chmodSync(join(world.cwd, 'bin/wl-paste'), 0o755);
  terminal = world.open({
    args: ['--effort', 'high', '--allow', 'bash(echo:*)', '--allow', 'bash(sleep:*)'],
    columns: 90,
    rows: 30,
    env: {
      PATH: `${join(world.cwd, 'bin')}:${process.env.PATH}`,
      KITTY_WINDOW_ID: '1',
      EDITOR: 'sed -i s/draft/edited/',
    },
  });
  await terminal.until('Ask anything');
});

afterAll(async () => await world.close());

describe('keys', () => {
  it('Ctrl-T shows the thinking and folds it again', async () => {
    send('think');
    await terminal.until('Thought in 6 words · Ctrl-T shows it');
    await idle();
    expect(terminal.screen()).not.toContain('First the tests');
    press('anywhere', 'ctrl+t');
    await terminal.until('First the tests, then the code.');
    press('anywhere', 'ctrl+t');
    await terminal.until((screen) => !screen.includes('First the tests'));
  });

  it('shows todos above the input', async () => {
    send('todos');
    const screen = await terminal.until('Todos 1 of 3 done');
    expect(screen).toMatch(/☑ Read the code\n\s+▶ Write the test\n\s+☐ Fix the bug/);
    await terminal.until('The call is done.');
    await idle();
  });

  it('shows a sub-agent as a line with its calls below it', async () => {
    send('task echo from below');
    await terminal.until(/task Look around[\s\S]*│ bash: echo from below/);
    await terminal.until('✓ task');
    await idle();
  });

  it('Ctrl-B shows the output of a background command as it comes, also between runs', async () => {
    send('background echo started; sleep 0.2; echo ready; sleep 30');
    await terminal.until(/⚙ b1 echo started.* · running/);
    await terminal.until('The call is done.');
    await idle();
    press('anywhere', 'ctrl+b');
    await terminal.until(/⚙ b1 [^\n]*\n\s+│ started\n\s+│ ready/);
    press('anywhere', 'ctrl+b');
    await terminal.until((screen) => !screen.includes('│ ready') && screen.includes('Ctrl-B shows the output'));
  });

  it('Ctrl-V attaches the image on the clipboard, which the terminal draws', async () => {
    press('anywhere', 'ctrl+v');
    await terminal.until('1 image attached');
    send('look at this');
    await terminal.until('You said: look at this');
    await idle();
    expect(world.lastRequest()).toContain('"media_type":"image/png"');
    expect(terminal.written()).toMatch(/_Ga=T,f=100,q=2,C=1,c=10,r=2,i=\d+;iVBOR/);
  });

  it('attaches an image by @, and by dropping its file', async () => {
    send('see @shot.png');
    await terminal.until('You said: see @shot.png');
    await idle();
    const dropped = join(world.cwd, 'shot.png');
    terminal.type(keys.paste(dropped));
    await terminal.until(`› @"${dropped}"`);
    terminal.type(keys.enter);
    await terminal.until('You said: **@"');
    await idle();
    expect(world.lastRequest().split('"media_type":"image/png"').length - 1).toBe(3);
    expect(terminal.written().split('_Ga=T,f=100').length - 1).toBeGreaterThanOrEqual(3);
  });

  it('Alt-P and Alt-Up choose a model, Ctrl-G opens the editor, Ctrl-R searches, Ctrl-L draws again', async () => {
    for (const key of ['alt+p', 'alt+up']) {
      press('anywhere', key);
      await terminal.until(/Model[\s\S]*filter:/);
      press('list', 'ctrl+c');
      await idle();
    }
    terminal.type('a draft');
    press('anywhere', 'ctrl+g');
    await input('a edited');
    terminal.type(keys.ctrl('u'));
    await idle();
    press('anywhere', 'ctrl+r');
    terminal.type('echo');
    await terminal.until(/› background echo[^\n]*\n[\s\S]*search: echo/);
    terminal.type(keys.ctrl('r'));
    await terminal.until(/› task echo from below\n\s+search: echo/);
    terminal.type(keys.enter);
    await input('task echo from below');
    press('anywhere', 'ctrl+c');
    await idle();
    terminal.emulator.write('\r\n garbage of another program');
    press('anywhere', 'ctrl+l');
    await terminal.until((screen) => !screen.includes('garbage') && screen.includes('Ask anything'));
  });

  it('edit the input by characters, words and lines', async () => {
    terminal.type('alpha beta gamma');
    await edited('alpha beta gamma|');
    const steps: readonly (readonly [keys: readonly string[], result: string])[] = [
      [['left', 'left', 'right'], 'alpha beta gamm|a'],
      [['alt+left'], 'alpha beta |gamma'],
      [['ctrl+left'], 'alpha |beta gamma'],
      [['alt+b'], '|alpha beta gamma'],
      [['alt+right'], 'alpha| beta gamma'],
      [['ctrl+right'], 'alpha beta| gamma'],
      [['alt+f'], 'alpha beta gamma|'],
      [['home'], '|alpha beta gamma'],
      [['end'], 'alpha beta gamma|'],
      [['ctrl+a'], '|alpha beta gamma'],
      [['ctrl+e'], 'alpha beta gamma|'],
      [['ctrl+home'], '|alpha beta gamma'],
      [['ctrl+end'], 'alpha beta gamma|'],
      [['backspace'], 'alpha beta gamm|'],
      [['ctrl+h'], 'alpha beta gam|'],
      [['home', 'delete'], '|lpha beta gam'],
      [['end', 'ctrl+w'], 'lpha beta |'],
      [['alt+backspace'], 'lpha |'],
      [['ctrl+backspace'], '|'],
      [['ctrl+y'], 'lpha beta gam|'],
      [['home', 'alt+d'], '| beta gam'],
      [['alt+delete'], '| gam'],
      [['ctrl+-'], '| beta gam'],
      [['ctrl+-'], '|lpha beta gam'],
      [['alt+u'], '| beta gam'],
      [['right', 'ctrl+k'], ' |'],
      [['left', 'end', 'ctrl+u'], '|'],
    ];
    for (const [names, result] of steps) {
      press('input', ...names);
      await (result === '|' ? idle() : edited(result));
    }
    press('input', 'ctrl+y');
    await edited(' |');
    press('input', 'alt+y');
    await edited('beta gam|');
    terminal.type(keys.ctrl('c'));
    await idle();
  });

  it('make new lines, move between rows and to earlier messages', async () => {
    terminal.type('one');
    for (const [key, word] of [
      ['shift+enter', 'two'],
      ['alt+enter', 'three'],
      ['ctrl+j', 'four'],
    ] as const) {
      press('anywhere', key);
      terminal.type(word);
    }
    await terminal.until(/› one\n {2}two\n {2}three\n {2}four/);
    press('input', 'up', 'ctrl+p');
    terminal.type('<');
    await terminal.until(/ {2}two<\n/);
    press('input', 'down', 'ctrl+n');
    terminal.type('>');
    await terminal.until(/ {2}four>\n/);
    terminal.type(keys.ctrl('c'));
    await idle();
    press('input', 'ctrl+p');
    await terminal.until((screen) => !isIdle(screen) && /› @"[^\n]+shot\.png"/.test(screen));
    press('input', 'ctrl+n');
    await idle();
  });

  it('answer questions, and go from the input to one', async () => {
    const ask = async (name: string) => {
      send(`run touch ${name}`);
      await terminal.until(new RegExp(`Run this command\\?[\\s\\S]*touch ${name}`));
    };
    await ask('yes');
    press('question', 'y');
    await terminal.until('✓ bash touch yes');
    await idle();
    await ask('no');
    press('question', 'n');
    await terminal.until('✗ bash touch no');
    await idle();
    await ask('why');
    press('question', 'r');
    await terminal.until(/why|reason/i);
    terminal.type(`not now${keys.enter}`);
    await terminal.until('✗ bash touch why');
    await idle();
    expect(world.lastRequest()).toContain('not now');
    await ask('changed');
    press('question', 'e');
    await terminal.until(/Always allow: bash\(touch changed[\s\S]*Esc goes back/);
    terminal.type(keys.escape);
    await terminal.until((screen) => !screen.includes('Esc goes back'));
    terminal.type('hello');
    await terminal.until('› hello');
    press('question', 'tab');
    press('question', 'n');
    await terminal.until('✗ bash touch changed');
    terminal.type(keys.ctrl('c'));
    await idle();
    await ask('always');
    press('question', 'a');
    await terminal.until('✓ bash touch always');
    await idle();
    send('run mkdir made');
    await terminal.until(/Run this command\?[\s\S]*mkdir made/);
    press('question', 'f');
    await terminal.until('✓ bash mkdir made');
    await idle();
  });

  it('send, queue and stop while the agent works, and unfold its calls', async () => {
    terminal.type('slow');
    press('anywhere', 'enter');
    await terminal.until('slow words');
    terminal.type('later');
    press('anywhere', 'tab');
    await terminal.until(/later/);
    press('anywhere', 'escape');
    await terminal.until('› later');
    terminal.type(keys.ctrl('c'));
    await idle();
    press('anywhere', 'ctrl+o');
    await terminal.until('command: mkdir made');
    press('anywhere', 'ctrl+o');
    await terminal.until((screen) => !screen.includes('command: mkdir made'));
  });

  it('Esc stops a call; what follows it scrolls off as before', async () => {
    send('run sleep 30');
    await terminal.until('◐ bash sleep 30');
    terminal.type(keys.escape);
    await terminal.until(/[⊘✗] bash sleep 30/);
    await idle();
    send('stream 40');
    await terminal.until('The end.');
    await idle();
    const everything = terminal.everything();
    expect(numbersIn(everything)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    expect(everything.match(/^. bash sleep 30/gm)).toHaveLength(1);
  });

  it('Shift-Tab changes the mode', async () => {
    for (const mode of ['auto-edit mode', 'plan mode', 'read-only mode', 'ask mode']) {
      press('anywhere', 'shift+tab');
      await terminal.until(mode);
    }
  });

  it('walk through a list', async () => {
    send('/tree all');
    await terminal.until('Enter moves here');
    const row = () => Number(/ (\d+) of \d+/.exec(terminal.screen())?.[1]);
    const at = (number: number) => terminal.until(() => row() === number);
    press('list', 'home');
    await at(1);
    press('list', 'down');
    await at(2);
    press('list', 'ctrl+n');
    await at(3);
    press('list', 'up');
    await at(2);
    press('list', 'ctrl+p');
    await at(1);
    press('list', 'pageDown');
    await terminal.until(() => row() > 3);
    press('list', 'pageUp');
    await at(1);
    press('list', 'end');
    const count = () => / (\d+) of (\d+)/.exec(terminal.screen());
    await terminal.until(() => count()?.[1] === count()?.[2]);
    press('list', 'home');
    await at(1);
    const all = Number(count()?.[2]);
    press('list', 'left');
    await terminal.until(() => Number(count()?.[2]) < all);
    press('list', 'right');
    await terminal.until(() => Number(count()?.[2]) === all);
    press('list', 'escape');
    await idle();
    send('/theme');
    await terminal.until(/❯ dark/);
    press('list', 'enter');
    await idle();
  });

  it('walk through the whole conversation', async () => {
    const open = async () => {
      press('anywhere', 'pageUp');
      await terminal.until('Enter unfolds');
    };
    const marked = (shown: RegExp) => terminal.until((screen) => screen.split('\n').some((line) => shown.test(line)));
    await open();
    press('transcript', 'g');
    await marked(/^▎› think/);
    press('transcript', 'j');
    await marked(/^▎✻/);
    press('transcript', 'down');
    await marked(/^▎● I have thought/);
    press('transcript', 'k', 'up');
    await marked(/^▎› think/);
    const isAtStart = (screen: string) => screen.includes('▎› think');
    for (const [forth, back] of [
      ['pageDown', 'pageUp'],
      ['space', 'b'],
      ['end', 'home'],
      ['G', 'g'],
    ] as const) {
      press('transcript', forth);
      await terminal.until((screen) => !isAtStart(screen));
      press('transcript', back);
      await terminal.until(isAtStart);
    }
    press('transcript', '/');
    terminal.type(`mkdir${keys.enter}`);
    await marked(/^▎✓ bash mkdir made/);
    press('transcript', 'n');
    await marked(/^▎› run mkdir made/);
    press('transcript', 'j');
    await marked(/^▎✓ bash mkdir made/);
    const isOpen = (screen: string) => screen.includes('command: mkdir made');
    for (const [index, key] of ['enter', 'right', 'left', 'enter', 'ctrl+o', 'ctrl+o'].entries()) {
      press('transcript', key);
      await terminal.until((screen) => isOpen(screen) === (index % 2 === 0));
    }
    for (const [index, key] of ['escape', 'q', 'ctrl+c'].entries()) {
      if (index > 0) await open();
      press('transcript', key);
      await idle();
    }
  });

  it('Esc Esc opens rewind', async () => {
    terminal.type(keys.escape);
    await terminal.until('Esc again: rewind');
    terminal.type(keys.escape);
    await terminal.until('Go back to before which prompt?');
    terminal.type(keys.escape);
    await idle();
  });

  it('Ctrl-Z does not end a program that no shell could continue', async () => {
    const before = terminal.written().length;
    press('anywhere', 'ctrl+z');
    await terminal.until(() => terminal.written().slice(before).includes('\u001b[?2004h'));
    terminal.type('still here');
    await input('still here');
    terminal.type(keys.ctrl('c'));
    await idle();
  });

  it('are all pressed here; Ctrl-D leaves', async () => {
    press('anywhere', 'ctrl+d');
    expect(await terminal.ended).toEqual({ code: 0, signal: 0 });
    const all = Object.entries(keymap).flatMap(([context, bindings]) =>
      bindings.flatMap((binding) => binding.keys.map((key) => `${context} ${key}`)),
    );
    expect(all.filter((key) => !pressed.has(key))).toEqual([]);
  });
});

/** A gray picture. */
function png({ width, height }: { readonly width: number; readonly height: number }): Uint8Array {
  const chunk = (type: string, data: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height, 0x80);
  for (let row = 0; row < height; row += 1) rows[row * (width + 1)] = 0;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array()),
  ]);
}
