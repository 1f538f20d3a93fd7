import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys, type PseudoTerminal } from './pseudo-terminal.ts';
import { command, hostile, type TerminalWorld, terminalWorld } from './world.ts';

let world: TerminalWorld;

beforeAll(async () => {
  world = await terminalWorld();
});

afterAll(async () => await world.close());

const send = (terminal: PseudoTerminal, text: string) => terminal.type(`${text}${keys.enter}`);
const idle = (terminal: PseudoTerminal) =>
  terminal.until((screen) => screen.includes('Ask anything') && !screen.includes('Esc stops'));

/** The program in a shell with job control. */
async function inShell(): Promise<PseudoTerminal> {
  const terminal = world.open({
    program: ['/bin/bash', '--norc', '-i'],
    env: { PS1: 'shell> ', HISTFILE: '/dev/null' },
  });
  await terminal.until('shell>');
  send(terminal, `${command.join(' ')} --store ${world.cwd}/store --name job`);
  await terminal.until('Ask anything');
  return terminal;
}

describe('the terminal', () => {
  it('comes back intact after Ctrl-Z, and is usable after kill -9, after which the session is resumed', async () => {
    const terminal = await inShell();
    send(terminal, 'before the break');
    await terminal.until('● You said: before the break');
    await idle(terminal);
    terminal.type(`draft${keys.ctrl('z')}`);
    await terminal.until(/Stopped[\s\S]*shell> *$/);
    send(terminal, 'echo typed in "the shell"');
    await terminal.until('typed in the shell');
    send(terminal, 'fg');
    await terminal.until('› draft');
    expect(terminal.screen()).toContain('● You said: before the break');
    terminal.type(keys.ctrl('c'));
    await terminal.until('Ctrl-C again');
    terminal.type(keys.pageUp);
    await terminal.until('Enter unfolds');
    execFileSync('/bin/sh', ['-c', 'kill -9 "$(ps -o pid= --ppid "$0" | tail -1)"', String(terminal.pid)]);
    // The shell may have said so on the alternate screen, which is gone.
    await terminal.until(() => terminal.emulator.buffer.active.type === 'normal');
    send(terminal, 'stty -a | grep -o " -*icanon\\| -*echo "; echo usable');
    await terminal.until(/ icanon[\s\S]*usable/);
    send(terminal, `${command.join(' ')} --store ${world.cwd}/store --continue`);
    await terminal.until('● You said: before the break');
    await terminal.until('Ask anything');
    terminal.type(keys.ctrl('d'));
    await terminal.until(/shell> *$/);
  });
});

/** Ends the program by a signal; the terminal is as it was. */
async function endBy({
  terminal,
  signal,
  code,
}: {
  readonly terminal: PseudoTerminal;
  readonly signal: NodeJS.Signals;
  readonly code: number;
}) {
  terminal.kill(signal);
  expect(await terminal.ended).toEqual({ code, signal: 0 });
  expect(terminal.emulator.modes.bracketedPasteMode).toBe(false);
  expect(terminal.written().lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.written().lastIndexOf('\u001b[?25l'));
  expect(terminal.everything()).not.toContain('Ask anything');
}

/** Nothing of the hostile text was written as a control sequence since then. */
function expectHarmless(terminal: PseudoTerminal, since: number): void {
  // Lists use the alternate screen, which is cleared first.
  const written = terminal.written().slice(since).replaceAll('\u001b[?1049h\u001b[2J', '');
  for (const sequence of ['\u001b]0;owned', '\u001b[2J', '\u001b]52', '\u001bP', '\u009b'])
    expect(written).not.toContain(sequence);
  expect(terminal.screen()).not.toContain('\u202e');
}

describe('what a model or a tool writes', () => {
  it('never reaches the terminal as a control sequence; SIGTERM restores the terminal', async () => {
    const terminal = world.open({ args: ['--yes'] });
    await terminal.until('Ask anything');
    const before = terminal.written().length;
    send(
      terminal,
      String.raw`run printf '\033]0;owned\007\033[2J\033[31mred\033[0m\033]52;c;aGk=\007 \033P1;2q~\033\\ end\n'`,
    );
    await terminal.until('✓ bash');
    await terminal.until('The call is done.');
    terminal.type(keys.ctrl('o'));
    await terminal.until('│ red');
    send(terminal, 'hostile');
    await terminal.until('tail of the hostile answer');
    expectHarmless(terminal, before);
    await endBy({ terminal, signal: 'SIGTERM', code: 143 });
  });

  it('nor from todos, sub-agents, questions, lists, titles and names of folders', async () => {
    const cwd = join(world.cwd, 'a folder \u001b]0;owned\u0007\u001b[2J');
    mkdirSync(cwd);
    expect(await world.open({ cwd, args: ['-p', `a title ${hostile}`] }).ended).toEqual({ code: 0, signal: 0 });
    const terminal = world.open({ cwd, columns: 200, rows: 50 });
    await terminal.until(/Ask anything[\s\S]*owned/);
    const before = terminal.written().length;
    send(terminal, 'attack');
    await terminal.until('a task');
    await terminal.until(/Run this command\?\s[\s\S]*\$ echo/);
    terminal.type('n');
    await terminal.until(/Run this command\?\s[\s\S]*\$ touch/);
    terminal.type('n');
    await terminal.until('● The call is done.');
    await idle(terminal);
    expect(terminal.screen()).toContain('a helper');
    for (const [line, shown] of [
      ['/sessions', 'a title'],
      ['/tree all', /@\d+ +tool It was not run/],
      ['/context', 'tool calls'],
    ] as const) {
      send(terminal, line);
      await terminal.until(shown);
      terminal.type(keys.escape);
      await idle(terminal);
    }
    expectHarmless(terminal, before);
    await endBy({ terminal, signal: 'SIGTERM', code: 143 });
  });
});

describe('sizes and colors', () => {
  it('is usable at 60 and 300 columns, without color, and with wide and combining characters; SIGHUP restores it', async () => {
    const terminal = world.open({ columns: 60, rows: 24, env: { NO_COLOR: '1' } });
    await terminal.until('Ask anything');
    const text = '日本語 テスト 👨‍👩‍👧 é עברית 한국어';
    send(terminal, text);
    await terminal.until(/● You said: 日本語/);
    await idle(terminal);
    expect(
      terminal
        .screen()
        .split('\n')
        .every((line) => line.length <= 60),
    ).toBe(true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
    expect(terminal.written()).not.toMatch(/\u001b\[(?:3[0-7]|38|4[0-7]|48|9[0-7])[;m]/);
    terminal.resize({ columns: 300, rows: 50 });
    send(terminal, 'wide');
    await terminal.until('● You said: wide');
    await idle(terminal);
    await endBy({ terminal, signal: 'SIGHUP', code: 129 });
  });
});
