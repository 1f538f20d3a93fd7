import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys, type PseudoTerminal } from './pseudo-terminal.ts';
import { command, isIdle, numbersIn, type TerminalWorld, terminalWorld } from './world.ts';

let world: TerminalWorld;

beforeAll(async () => {
  world = await terminalWorld();
  world.write('crash.cjs', "process.on('SIGUSR2', () => { throw new Error('broken on purpose'); });");
});

afterAll(async () => await world.close());

const send = (terminal: PseudoTerminal, text: string) => terminal.type(`${text}${keys.enter}`);

describe('the terminal is restored', () => {
  it('after a crash, SIGTERM, SIGHUP and SIGKILL, also from the alternate screen', async () => {
    const terminal = world.open({
      program: ['/bin/bash', '--norc', '--noediting', '-i'],
      env: { PS1: 'shell> ', HISTFILE: '/dev/null', NODE_OPTIONS: `--require ${join(world.cwd, 'crash.cjs')}` },
    });
    await terminal.until('shell>');
    send(terminal, 'seq 1001 1060');
    await terminal.until('1060\nshell>');
    const cases = [
      { signal: 'USR2', code: 70 },
      { signal: 'TERM', code: 143 },
      { signal: 'HUP', code: 129 },
      { signal: 'KILL', code: 137 },
    ];
    for (const { signal, code } of cases) {
      send(terminal, `${command.join(' ')} --store ${world.cwd}/store --name ${signal}; echo "code $?"`);
      await terminal.until(isIdle);
      send(terminal, `words before ${signal}`);
      await terminal.until(`● You said: words before ${signal}`);
      await terminal.until(isIdle);
      terminal.type(keys.pageUp);
      await terminal.until('Enter unfolds');
      expect(terminal.emulator.buffer.active.type).toBe('alternate');
      const before = terminal.written().length;
      spawnSync('/bin/sh', ['-c', `kill -${signal} "$(ps -o pid= --ppid "$0" | head -1)"`, String(terminal.pid)]);
      await terminal.until(() => terminal.emulator.buffer.active.type === 'normal');
      const restored = ['\u001b[?25h', '\u001b[?2004l'];
      await terminal.until(() => restored.every((mode) => terminal.written().indexOf(mode, before) > 0));
      // After SIGKILL the shell may say it on the alternate screen, which is left a moment later.
      if (signal !== 'KILL') await terminal.until((screen) => screen.split('\n').includes(`code ${code}`));
      send(terminal, 'stty -a | grep -o "[ -]icanon\\|[ -]echo "; echo usable');
      await terminal.until(/ icanon\n echo\s*\nusable/);
      expect(terminal.emulator.modes.bracketedPasteMode).toBe(false);
      expect(terminal.emulator.modes.wraparoundMode).toBe(true);
      const isHidden = terminal.written().lastIndexOf('\u001b[?25l') > terminal.written().lastIndexOf('\u001b[?25h');
      expect(isHidden).toBe(false);
      const everything = terminal.everything();
      expect(everything).toContain(`● You said: words before ${signal}`);
      if (signal === 'USR2') expect(everything).toContain('Error: broken on purpose');
    }
    // What was there before the program is still there, once.
    expect(
      terminal
        .everything()
        .split('\n')
        .filter((line) => line === '1030'),
    ).toHaveLength(1);
  });
});

describe('tmux', () => {
  const hasTmux = spawnSync('tmux', ['-V']).status === 0;
  it.skipIf(!hasTmux)(
    'draws, follows changes of the size, and leaves each line once in the history of the pane',
    async () => {
      const socket = join(world.cwd, 'tmux.sock');
      const inner = `${command.join(' ')} --store ${world.cwd}/store; echo ended; exec cat`;
      const terminal = world.open({ program: ['tmux'], args: ['-S', socket, '-f', '/dev/null', 'new-session', inner] });
      const tmux = (...args: string[]) => spawnSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' }).stdout;
      try {
        await terminal.until(isIdle);
        send(terminal, 'stream 80');
        for (const [at, size] of [
          { columns: 60, rows: 20 },
          { columns: 110, rows: 30 },
          { columns: 80, rows: 24 },
        ].entries()) {
          await terminal.until((screen) => numbersIn(screen).some((number) => number >= at * 20 + 10));
          terminal.resize(size);
        }
        await terminal.until('The end.');
        await terminal.until(isIdle);
        send(terminal, 'hello');
        await terminal.until('● You said: hello');
        await terminal.until(isIdle);
        const draft = `draft${keys.altEnter}second line`;
        terminal.type(draft);
        await terminal.until(/› draft\n {2}second line/);
        terminal.type(`${keys.ctrl('c')}`);
        await terminal.until('Ctrl-C again: leave');
        terminal.type(keys.ctrl('c'));
        await terminal.until('ended');
        const pane = tmux('capture-pane', '-p', '-S', '-');
        expect(numbersIn(pane)).toEqual(Array.from({ length: 80 }, (_, at) => at + 1));
        for (const left of ['Ask anything', 'Esc stops', 'ask mode', 'draft']) expect(pane).not.toContain(left);
      } finally {
        tmux('kill-server');
      }
    },
  );
});

describe('colors', () => {
  it('light theme, 16 colors, vim keys and no bell, by flags', async () => {
    const terminal = world.open({
      args: ['--terminal-theme', 'light', '--terminal-vim', '--no-terminal-bell'],
      env: { TERM: 'xterm' },
    });
    let bells = 0;
    terminal.emulator.onBell(() => {
      bells += 1;
    });
    await terminal.until(isIdle);
    expect(terminal.screen()).toContain('INSERT');
    terminal.type('one two three');
    await terminal.until('› one two three');
    terminal.type(keys.escape);
    await terminal.until('NORMAL');
    terminal.type('0dw');
    await terminal.until(/› two three *\n/);
    terminal.type('$x');
    await terminal.until(/› two thre *\n/);
    terminal.type('u');
    await terminal.until(/› two three *\n/);
    terminal.type('0cwfour');
    await terminal.until(/› four three *\n/);
    await terminal.until('INSERT');
    terminal.type(keys.enter);
    await terminal.until('● You said: four three');
    await terminal.until(isIdle);
    const written = terminal.written();
    expect(written).toMatch(new RegExp(`${keys.escape}\\[3[0-7]m`));
    expect(written).not.toMatch(new RegExp(`${keys.escape}\\[[34]8[;:]`));
    expect(bells).toBe(0);
    terminal.type(keys.ctrl('d'));
    expect(await terminal.ended).toEqual({ code: 0, signal: 0 });
  });
});
