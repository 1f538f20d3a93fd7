import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys, type PseudoTerminal } from './pseudo-terminal.ts';
import { numbersIn, type TerminalWorld, terminalWorld } from './world.ts';

let world: TerminalWorld;
let terminal: PseudoTerminal;

beforeAll(async () => {
  world = await terminalWorld();
  terminal = world.open({ env: { EDITOR: `${process.execPath} ${join(world.cwd, 'editor.cjs')}` } });
  await terminal.until('Ask anything');
});

afterAll(async () => await world.close());

const send = (text: string) => terminal.type(`${text}${keys.enter}`);
const idle = () => terminal.until((screen) => screen.includes('Ask anything') && !screen.includes('Esc stops'));

describe('a conversation', () => {
  it('starts without arguments and shows model, folder and mode', () => {
    expect(terminal.screen()).toMatch(/longhaul · anthropic\/claude-sonnet/);
    expect(terminal.screen()).toContain('ask mode');
  });

  it('sends a message and shows the answer as Markdown', async () => {
    send('hello there');
    await terminal.until('● You said: hello there');
    const screen = await idle();
    expect(screen).toContain('› hello there');
    expect(screen).toMatch(/of 1\.0M.*\$0\.0/);
  });

  it('asks before a change, with the words that change, and makes it after y', async () => {
    send('edit');
    const screen = await terminal.until('Allow edit?');
    expect(screen).toMatch(/3 - export const total.*price \* rate;/);
    expect(screen).toMatch(/3 \+ export const total.*price \* rate \* 2;/);
    expect(screen).toContain('The rule: write(src/price.ts)');
    terminal.type('y');
    await terminal.until('✓ edit src/price.ts');
    await terminal.until('The call is done.');
    expect(readFileSync(join(world.cwd, 'src/price.ts'), 'utf8')).toContain('rate * 2');
    await idle();
  });

  it('takes a message while a question is open, and a reason for a no', async () => {
    send('run touch denied');
    await terminal.until('Run this command?');
    terminal.type('While you wait');
    await terminal.until('› While you wait');
    expect(terminal.screen()).toContain('Tab goes to this question');
    terminal.type(keys.tab);
    await terminal.until('r no, because');
    terminal.type('r');
    await terminal.until('Why not:');
    terminal.type(`use mktemp${keys.enter}`);
    await terminal.until('✗ bash touch denied');
    await terminal.until('The call is done.');
    expect(world.lastRequest()).toContain('use mktemp');
    terminal.type(keys.ctrl('u'));
    await idle();
  });

  it('changes the rule before it allows always', async () => {
    send('run echo first');
    await terminal.until('Run this command?');
    terminal.type('e');
    await terminal.until('Always allow:');
    terminal.type(`${keys.ctrl('u')}nonsense(((${keys.enter}`);
    await terminal.until(/rule/i);
    terminal.type(`${keys.ctrl('u')}bash(echo:*)${keys.enter}`);
    await terminal.until('✓ bash echo first');
    await idle();
    send('run echo second');
    await terminal.until('✓ bash echo second');
    await idle();
  });

  it('unfolds the calls on the screen and folds them again', async () => {
    terminal.type(keys.ctrl('o'));
    await terminal.until(/command: echo second[\s\S]*│ second/);
    terminal.type(keys.ctrl('o'));
    await terminal.until((screen) => !screen.includes('command: echo second'));
  });

  it('runs a command of the user', async () => {
    send('!echo from the shell; exit 3');
    await terminal.until(/! echo from the shell; exit 3 exit 3\n {2}│ from the shell/);
    send('after the shell');
    await terminal.until('You said: after the shell');
    expect(world.lastRequest()).toContain('from the shell');
    await idle();
  });

  it('edits several lines with undo, motions and a placeholder for a long paste', async () => {
    terminal.type(`one two${keys.altEnter}three`);
    await terminal.until(/› one two\n {2}three/);
    terminal.type(`${keys.ctrl('w')}${keys.ctrl('w')}`);
    await terminal.until((screen) => /› one\s*\n─/.test(screen));
    terminal.type(keys.ctrl('y'));
    await terminal.until(/› one two\n {2}three/);
    terminal.type('\x1f\x1f\x1f');
    await terminal.until('› one two');
    terminal.type(keys.ctrl('c'));
    await terminal.until('Ctrl-C again: leave');
    const pasted = Array.from({ length: 214 }, (_, at) => `pasted line ${at}`).join('\n');
    terminal.type(`see ${keys.paste(pasted)}`);
    await terminal.until('see [paste 1: 214 lines]');
    terminal.type(keys.enter);
    await terminal.until('You said: see');
    expect(world.lastRequest()).toContain('pasted line 213');
    await idle();
  });

  it('takes a paste of 1 MB', async () => {
    terminal.type(keys.paste('x'.repeat(1024 * 1024)));
    await terminal.until('[paste 2: 1048576 characters]');
    terminal.type(keys.ctrl('c'));
    await idle();
  });

  it('searches earlier messages with Ctrl-R and goes back with the arrow', async () => {
    terminal.type(`${keys.ctrl('r')}hello`);
    await terminal.until(/› hello there\n\s+search: hello/);
    terminal.type(keys.escape);
    await terminal.until('Ask anything');
    terminal.type(keys.up);
    await terminal.until(/› \[paste 3: 214 lines/);
    terminal.type(keys.down);
    await idle();
  });

  it('edits the message in the editor of the user', async () => {
    writeFileSync(
      join(world.cwd, 'editor.cjs'),
      "require('node:fs').appendFileSync(process.argv[2], ' from the editor');",
    );
    terminal.type(`text${keys.ctrl('g')}`);
    await terminal.until('› text from the editor');
    terminal.type(keys.ctrl('c'));
    await idle();
  });

  it('cycles through the modes', async () => {
    for (const mode of ['auto-edit', 'plan', 'read-only', 'ask']) {
      terminal.type(keys.shiftTab);
      await terminal.until(`${mode} mode`);
    }
  });

  it('steers with Enter, queues with Tab, and gives both back when Esc stops the agent', async () => {
    send('slow');
    await terminal.until('slow words slow words');
    send('steer this way');
    await terminal.until('at the next step: steer this way');
    terminal.type(`then do that${keys.tab}`);
    await terminal.until('when it has finished: then do that');
    terminal.type(keys.escape);
    await terminal.until(/› steer this way\n {2}then do that/);
    terminal.type(keys.ctrl('c'));
    await idle();
  });

  it('shows the whole conversation, searches and unfolds in it', async () => {
    terminal.type(keys.pageUp);
    await terminal.until('Enter unfolds');
    terminal.type(`/echo first${keys.enter}`);
    await terminal.until(/▎.*bash echo first/);
    terminal.type(keys.enter);
    await terminal.until(/▎.*command: echo first/);
    terminal.type('g');
    await terminal.until('› hello there');
    terminal.type('q');
    await idle();
  });

  it('follows changes of the size while text streams: each line is there once', async () => {
    send('stream 120');
    const sizes = [
      { columns: 60, rows: 20 },
      { columns: 120, rows: 30 },
      { columns: 72, rows: 16 },
      { columns: 100, rows: 24 },
      { columns: 80, rows: 24 },
    ];
    for (const [at, size] of sizes.entries()) {
      // A frame may hold many lines.
      await terminal.until((screen) => numbersIn(screen).some((number) => number >= at * 20 + 10));
      terminal.resize(size);
    }
    await terminal.until('The end.');
    await idle();
    const lines = terminal.everything().split('\n');
    expect(numbersIn(terminal.everything())).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
    expect(lines.filter((line) => line.includes('Ask anything'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('Esc stops'))).toEqual([]);
  });

  it('leaves with Ctrl-C twice and keeps the conversation in the scrollback', async () => {
    terminal.type(keys.ctrl('c'));
    await terminal.until('Ctrl-C again: leave');
    terminal.type(keys.ctrl('c'));
    expect(await terminal.ended).toEqual({ code: 0, signal: 0 });
    const everything = terminal.everything();
    expect(everything).toContain('● You said: hello there');
    expect(everything).not.toContain('Ask anything');
    expect(terminal.emulator.modes.bracketedPasteMode).toBe(false);
    expect(terminal.emulator.buffer.active.type).toBe('normal');
  });
});
