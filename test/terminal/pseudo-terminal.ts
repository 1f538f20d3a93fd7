import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

export interface TerminalOptions {
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
  /** The program and its first arguments. */
  readonly program: readonly [string, ...string[]];
}

/** How a program in a terminal ended. */
interface TerminalExit {
  readonly code: number;
  /** The number of the signal that ended it; 0 without one. */
  readonly signal: number;
}

/** A program in a pseudo-terminal, with an emulator that shows what a person would see. */
export interface PseudoTerminal {
  readonly pid: number;
  /** Sends bytes as typed; `keys` has names for those that are no characters. */
  readonly type: (text: string) => void;
  /** The visible lines without trailing blanks. */
  readonly screen: () => string;
  /** All lines, with those that have scrolled off. */
  readonly everything: () => string;
  /** Resolves when the predicate is true of the screen; rejects, with the screen, if the program ends before that. */
  readonly until: (shown: string | RegExp | ((screen: string) => boolean)) => Promise<string>;
  readonly resize: (size: { readonly columns: number; readonly rows: number }) => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Ends the program, if it has not ended, and frees the emulator. */
  readonly close: () => void;
  readonly ended: Promise<TerminalExit>;
  /** Everything the program has written, undecoded. */
  readonly written: () => string;
  /** Bytes written so far, and frames among them. */
  readonly bytes: () => number;
  readonly frames: () => number;
  readonly emulator: InstanceType<typeof xterm.Terminal>;
}

/** What a terminal sends for a key. */
export const keys = {
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  shiftTab: '\x1b[Z',
  backspace: '\x7f',
  delete: '\x1b[3~',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageUp: '\x1b[5~',
  pageDown: '\x1b[6~',
  altEnter: '\x1b\r',
  ctrl: (letter: string) => String.fromCharCode(letter.toUpperCase().charCodeAt(0) - 64),
  paste: (text: string) => `\x1b[200~${text}\x1b[201~`,
};

/**
 * What a terminal sends for a key of the key table.
 *
 * @example
 * bytesOf('ctrl+left'); // '\\x1b[1;5D'
 */
export function bytesOf(key: string): string {
  const [name = '', ...modifiers] = key.split('+').reverse();
  const has = (modifier: string) => modifiers.includes(modifier);
  const modifier = 1 + (has('shift') ? 1 : 0) + (has('alt') ? 2 : 0) + (has('ctrl') ? 4 : 0);
  const letters: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' };
  const numbers: Readonly<Record<string, number>> = { delete: 3, pageUp: 5, pageDown: 6 };
  const codes: Readonly<Record<string, number>> = { enter: 13, tab: 9, backspace: 127, escape: 27, space: 32 };
  const [letter, number, code] = [letters[name], numbers[name], codes[name]];
  if (letter !== undefined) return modifier === 1 ? `\x1b[${letter}` : `\x1b[1;${modifier}${letter}`;
  if (number !== undefined) return modifier === 1 ? `\x1b[${number}~` : `\x1b[${number};${modifier}~`;
  if (key === 'shift+tab') return '\x1b[Z';
  if (key === 'ctrl+-') return '\x1f';
  if (code !== undefined && (has('ctrl') || has('shift'))) return `\x1b[${code};${modifier}u`;
  const plain = code === undefined ? name : String.fromCharCode(code);
  if (has('ctrl')) return keys.ctrl(plain);
  return has('alt') ? `\x1b${plain}` : plain;
}

/** What a program writes around a frame that a terminal shows at once. */
const frameMarks = { begin: '\x1b[?2026h', end: '\x1b[?2026l' };

/** After this time a wait is given up, so that a failure shows the screen instead of a timeout of the test. */
const patienceMs = Number(process.env.TERMINAL_PATIENCE ?? 40_000);

/**
 * Starts a program in a pseudo-terminal; the caller closes it.
 *
 * @example
 * const terminal = startTerminal({ program: ['/bin/sh', '-i'], cwd: '/', env: {} });
 * await terminal.until('$');
 */
export function startTerminal({
  args = [],
  cwd,
  env,
  columns = 80,
  rows = 24,
  program,
}: TerminalOptions): PseudoTerminal {
  const emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 100_000 });
  const [file, ...first] = program;
  const pty: IPty = spawn(file, [...first, ...args], {
    cols: columns,
    rows,
    cwd,
    // This is TERM.
    name: env.TERM ?? 'xterm-256color',
    env: { LANG: 'C.UTF-8', ...env },
  });
  const waiting = new Set<() => void>();
  const changed = () => {
    for (const check of waiting) check();
  };
  // Pieces, since a search in one long string would copy it for each of them.
  const pieces: string[] = [];
  let [bytes, frames, tail, isWhole] = [0, 0, '', true];
  let exit: TerminalExit | undefined;
  pty.onData((data) => {
    pieces.push(data);
    bytes += data.length;
    // A frame is looked at when it is whole, as a terminal shows it. Its marks may be split.
    const text = tail + data;
    const [opened, closed] = [text.lastIndexOf(frameMarks.begin), text.lastIndexOf(frameMarks.end)];
    if (opened !== closed) isWhole = closed > opened;
    frames += text.split(frameMarks.end).length - 1;
    tail = text.slice(Math.max(closed + frameMarks.end.length, text.length - frameMarks.end.length + 1));
    const isShown = isWhole;
    emulator.write(data, () => {
      if (isShown) changed();
    });
  });
  // Answers of a terminal to questions of the program, such as the position of the cursor.
  emulator.onData((data) => {
    if (!exit) pty.write(data);
  });
  const ended = new Promise<TerminalExit>((resolve) => {
    pty.onExit(({ exitCode, signal = 0 }) => {
      exit = { code: exitCode, signal };
      // What was written before the exit is shown first.
      emulator.write('', () => {
        changed();
        resolve({ code: exitCode, signal });
      });
    });
  });
  const lines = ({ from }: { readonly from: number }) => {
    const { active } = emulator.buffer;
    const shown: string[] = [];
    for (let row = from; row < active.length; row += 1) shown.push(active.getLine(row)?.translateToString(true) ?? '');
    return shown.join('\n').trimEnd();
  };
  const screen = () => lines({ from: emulator.buffer.active.baseY });
  return {
    pid: pty.pid,
    type: (text) => pty.write(text),
    screen,
    everything: () => lines({ from: 0 }),
    until: (shown) =>
      new Promise((resolve, reject) => {
        const isShown = predicateOf(shown);
        const stop = () => {
          waiting.delete(check);
          clearTimeout(timer);
        };
        const check = () => {
          const now = screen();
          if (isShown(now)) {
            stop();
            resolve(now);
          } else if (exit) {
            stop();
            reject(new Error(`The program ended (${JSON.stringify(exit)}) before ${shown} was shown:\n${now}`));
          }
        };
        const timer = setTimeout(() => {
          stop();
          reject(new Error(`${shown} was not shown:\n${screen()}`));
        }, patienceMs);
        waiting.add(check);
        check();
      }),
    resize: (size) => {
      pty.resize(size.columns, size.rows);
      emulator.resize(size.columns, size.rows);
    },
    kill: (signal) => process.kill(pty.pid, signal),
    close: () => {
      if (!exit) pty.kill('SIGKILL');
      emulator.dispose();
    },
    ended,
    written: () => pieces.join(''),
    bytes: () => bytes,
    frames: () => frames,
    emulator,
  };
}

function predicateOf(shown: string | RegExp | ((screen: string) => boolean)): (screen: string) => boolean {
  if (typeof shown === 'function') return shown;
  return typeof shown === 'string' ? (screen) => screen.includes(shown) : (screen) => shown.test(screen);
}
