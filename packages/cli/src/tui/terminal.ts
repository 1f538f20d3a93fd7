import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import {
  decodeKittyPrintable,
  isKeyRelease,
  ProcessTerminal,
  parseKey,
  parseOsc11BackgroundColor,
} from '@earendil-works/pi-tui';
import type { Io } from '../io/io.ts';
import type { KeyPress } from './overlay.ts';
import type { CursorPosition, Reflow, ScreenOutput } from './screen.ts';
import type { ThemeName } from './theme.ts';

/** What makes a terminal usable again: wrapping, cursor, paste and keyboard modes, colors, synchronized output. */
const restoring = '\u001b[?2026l\u001b[?7h\u001b[?25h\u001b[?2004l\u001b[<u\u001b[>4;0m\u001b[0m';

/** Leaves the alternate screen. */
const leaving = '\u001b[?1049l';

/** More output than this waits for a slow connection: frames are skipped until it is sent. */
const mostPending = 256 * 1024;

/** A terminal that has not answered a question after this time does not know it. Milliseconds. */
const answerMs = 500;

/** After so many questions without an answer no more are asked. */
const mostUnanswered = 3;

/** What a terminal reports. */
export interface TerminalListener {
  readonly press: (press: KeyPress) => void;
  readonly resize: () => void;
  /** The terminal has said whether its background is light. */
  readonly background: (theme: ThemeName) => void;
  /** The program was suspended and continues, or another program has used the terminal. */
  readonly resumed: () => void;
  /** The program ends by an error, which is printed below what is left on the screen. */
  readonly failed: () => void;
  /** The program is asked to end. */
  readonly end: (signal: NodeJS.Signals) => void;
}

/**
 * The terminal of this process in raw mode. It is restored however the process ends: at the end, on a crash and on signals by
 * this class; after `kill -9` by a small shell that waits for the end of this process.
 *
 * @example
 * const terminal = new RawTerminal({ press, resize, background, resumed, failed, end });
 * terminal.start();
 */
export class RawTerminal implements ScreenOutput {
  readonly #listener: TerminalListener;
  #terminal = new ProcessTerminal();
  #guard: ReturnType<typeof startGuard> | undefined;
  #suspended: NodeJS.Timeout | undefined;
  #isStarted = false;
  #isFull = false;
  /** Open questions, oldest first. */
  readonly #questions: ((answer: CursorPosition) => void)[] = [];
  #lastAnswer: Promise<unknown> = Promise.resolve();
  #unanswered = 0;
  #isXtermJs = false;
  readonly #onExit = () => this.#restore();
  readonly #onError = (error: unknown) => {
    try {
      this.#listener.failed();
    } finally {
      this.stop();
    }
    console.error(error);
    process.exit(70);
  };
  readonly #onSignal = (signal: NodeJS.Signals) => this.#listener.end(signal);
  readonly #onContinue = () => {
    clearInterval(this.#suspended);
    if (!this.#isStarted) this.#begin();
    this.#listener.resumed();
  };

  constructor(listener: TerminalListener) {
    this.#listener = listener;
  }

  get columns(): number {
    return Math.max(20, this.#terminal.columns);
  }

  get rows(): number {
    return Math.max(6, this.#terminal.rows);
  }

  /** Virtual consoles, xterm and rxvt cut lines at their new width; all others wrap them anew. */
  get reflow(): Reflow {
    const { TERM = '', XTERM_VERSION } = process.env;
    if (XTERM_VERSION !== undefined || /^(?:linux|rxvt|dumb)/.test(TERM)) return 'cut';
    return this.#isXtermJs ? 'drift' : 'wrap';
  }

  /** Reports a change of the size now that the system has not reported yet. */
  refreshSize(): void {
    // Not documented, but what the stream itself does on SIGWINCH, which may come too late for a frame.
    (process.stdout as { _refreshSize?: () => void })._refreshSize?.();
  }

  /** Whether output waits to be sent. */
  get isBusy(): boolean {
    return process.stdout.writableLength > mostPending;
  }

  write(text: string): void {
    if (this.#isStarted) this.#terminal.write(text);
  }

  async ask(texts: readonly string[]): Promise<readonly CursorPosition[] | undefined> {
    if (!this.#isStarted || this.#unanswered >= mostUnanswered) {
      this.write(texts.join(''));
      return undefined;
    }
    const answered = new Promise<readonly CursorPosition[] | undefined>((resolve) => {
      const answers: CursorPosition[] = [];
      // A late answer still belongs to its question: only the order of the answers says which is whose.
      const timer = setTimeout(() => {
        this.#unanswered += 1;
        resolve(undefined);
      }, answerMs);
      for (let open = texts.length - 1; open > 0; open -= 1)
        this.#questions.push((answer) => {
          this.#unanswered = 0;
          if (answers.push(answer) < texts.length - 1) return;
          clearTimeout(timer);
          resolve(answers);
        });
    });
    this.#lastAnswer = answered;
    this.write(texts.join('\u001b[6n'));
    return await answered;
  }

  /** Waits for answers that are on their way: another program would take them for keys. */
  async settle(): Promise<void> {
    await this.#lastAnswer;
  }

  start(): void {
    this.#guard = startGuard();
    limitYoungGeneration();
    process.on('exit', this.#onExit);
    process.on('uncaughtException', this.#onError);
    process.on('unhandledRejection', this.#onError);
    process.on('SIGCONT', this.#onContinue);
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, this.#onSignal);
    this.#begin();
    // The background, and the kind of the terminal. Terminals that do not know a question do not answer.
    this.write('\u001b]11;?\u0007\u001b[>c');
  }

  /** Gives the terminal back for good. */
  stop(): void {
    process.off('exit', this.#onExit);
    process.off('uncaughtException', this.#onError);
    process.off('unhandledRejection', this.#onError);
    process.off('SIGCONT', this.#onContinue);
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.off(signal, this.#onSignal);
    this.release();
    this.#guard?.end();
    this.#guard = undefined;
  }

  /** Gives the terminal to another program until `resume`. */
  release(): void {
    if (!this.#isStarted) return;
    this.write(`${this.#isFull ? leaving : ''}\u001b]0;\u0007${restoring}`);
    this.#isStarted = false;
    this.#terminal.stop();
  }

  resume(): void {
    this.#begin();
    this.#listener.resumed();
  }

  /** Ctrl-Z: stops this program and those that were started with it; the shell continues them. */
  suspend(): void {
    if (process.platform === 'win32') return;
    this.release();
    // With the input released, nothing else may keep the process from ending before it is continued.
    clearInterval(this.#suspended);
    this.#suspended = setInterval(() => undefined, 60_000);
    process.kill(0, 'SIGTSTP');
    // Without a shell that could continue it, a program is not stopped.
    setTimeout(() => {
      if (!this.#isStarted) this.#onContinue();
    }, 100);
  }

  /** The alternate screen is left before the terminal is given back. */
  setFull(isFull: boolean): void {
    this.#isFull = isFull;
    this.#guard?.setFull(isFull);
  }

  setTitle(title: string): void {
    this.write(`\u001b]0;${title.replace(/\p{Cc}/gu, '')}\u0007`);
  }

  bell(): void {
    this.write('\u0007');
  }

  #begin(): void {
    this.#isStarted = true;
    this.#questions.length = 0;
    this.#terminal = new ProcessTerminal();
    this.#terminal.start(
      (data) => this.#take(data),
      () => this.#listener.resize(),
    );
  }

  #take(data: string): void {
    if (data.startsWith('\u001b[200~')) {
      this.#listener.press({ key: undefined, text: data.slice(6, -6), isPaste: true });
      return;
    }
    if (data.startsWith('\u001b]11;')) {
      const color = parseOsc11BackgroundColor(data);
      if (color)
        this.#listener.background(0.299 * color.r + 0.587 * color.g + 0.114 * color.b > 128 ? 'light' : 'dark');
      return;
    }
    const [, row, column] = this.#questions.length > 0 ? (positionReport.exec(data) ?? []) : [];
    if (row !== undefined) {
      this.#questions.shift()?.({ row: Number(row) - 1, column: Number(column) - 1 });
      return;
    }
    if (data.startsWith('\u001b[>') && data.endsWith('c')) {
      // All versions of xterm.js, which many editors and web pages use, answer so.
      this.#isXtermJs = data === '\u001b[>0;276;0c';
      return;
    }
    if (isKeyRelease(data)) return;
    const text = decodeKittyPrintable(data) ?? (/^[^\p{Cc}]+$/u.test(data) ? data : '');
    const key = keyOf({ data, text });
    if (key !== undefined || text !== '') this.#listener.press({ key, text });
  }

  /** At the exit of the process nothing asynchronous happens any more. */
  #restore(): void {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    try {
      process.stdin.setRawMode(false);
      writeSync(1, `${this.#isFull ? leaving : ''}${restoring}`);
    } catch {
      // The terminal is gone.
    }
    this.#guard?.end();
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const positionReport = /^\u001b\[(\d+);(\d+)R$/;

/** The name of a key. A line feed is Ctrl-J, which the library takes for Enter: in raw mode Enter is a carriage return. */
function keyOf({ data, text }: { readonly data: string; readonly text: string }): string | undefined {
  if (data === '\n') return 'ctrl+j';
  if (text === ' ') return 'space';
  return text === '' ? parseKey(data) : text;
}

/** Where V8's space for new objects stops growing. Bytes. */
const youngBytes = 16 * 1024 * 1024;

/**
 * A conversation of days lets V8's space for new objects grow to its limit of 64 MB, which it never gives back, though little
 * of it is in use. The limit can only be set when a process starts, but whether the space grows is decided each time.
 */
function limitYoungGeneration(): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young && young.space_size < youngBytes) return;
    clearInterval(timer);
    setFlagsFromString('--semi-space-growth-factor=1');
  }, 1_000);
  timer.unref();
}

/** Waits for the end of its input. If the last line is not `end`, this process was killed. */
const guardScript = `state=; while IFS= read -r line; do state=$line; done
[ "$state" = end ] && exit 0
[ "$state" = full ] && printf '\\033[?1049l' >&3
printf '\\033[?2026l\\033[?7h\\033[?25h\\033[?2004l\\033[<u\\033[>4;0m\\033[0m\\r\\n' >&3
stty sane <&3`;

/**
 * Starts a shell that restores the terminal if this process is killed. It has a session of its own, so that neither Ctrl-C
 * nor a signal to the group of this process reaches it.
 */
function startGuard(): { readonly setFull: (isFull: boolean) => void; readonly end: () => void } | undefined {
  if (process.platform === 'win32') return undefined;
  const child = spawn('/bin/sh', ['-c', guardScript], {
    stdio: ['pipe', 'ignore', 'ignore', 1],
    detached: true,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  });
  child.on('error', () => undefined);
  child.unref();
  child.stdin?.on('error', () => undefined);
  // The pipe alone must not keep this process running.
  if (child.stdin && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return {
    setFull: (isFull) => void child.stdin?.write(isFull ? 'full\n' : 'main\n'),
    end: () => void child.stdin?.end('end\n'),
  };
}

/**
 * Lets the user edit a text in `$VISUAL` or `$EDITOR`; the terminal belongs to the editor until it ends.
 *
 * @example
 * const text = await editText({ io, terminal, text: 'draft' });
 */
export async function editText({
  io,
  terminal,
  text,
}: {
  readonly io: Io;
  readonly terminal: Pick<RawTerminal, 'release' | 'resume'>;
  readonly text: string;
}): Promise<string> {
  const isWindows = io.platform === 'win32';
  const editor = io.env.VISUAL || io.env.EDITOR || (isWindows ? 'notepad' : 'vi');
  const folder = await io.temporaryFolder();
  const path = `${folder.path}/message.md`;
  try {
    await io.files.create({ path, text, mode: 0o600 });
    terminal.release();
    // The variable may hold arguments: `code --wait`.
    const { code } = await io
      .runClient({
        command: isWindows ? 'cmd' : '/bin/sh',
        args: isWindows ? ['/c', `${editor} "${path}"`] : ['-c', `${editor} "$0"`, path],
        env: io.env,
        cwd: io.cwd,
      })
      .finally(() => terminal.resume());
    if (code !== 0) throw new Error(`${editor} ended with exit code ${code}; the message is unchanged`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of io.files.read(path)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8').replace(/\n$/, '');
  } finally {
    await folder.remove();
  }
}
