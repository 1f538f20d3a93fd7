import { truncateToWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import type { CommandResult, Interactive, InteractiveEvent, TranscriptItem } from '../interactive/index.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../text/printable.ts';
import { ConsentDialog, resultLines } from './dialogs.ts';
import { clipboardImage, droppedImage, imageProtocolOf, type ScreenLine } from './images.ts';
import { type ActionOf, actionFor } from './keymap.ts';
import { type Drawing, type KeyPress, type Overlay, type Room, rule, stacked } from './overlay.ts';
import { modeStyle, noteText, panelLines, statusLines, titleText } from './panels.ts';
import { overlayFor } from './picker.ts';
import { PromptEditor } from './prompt-input.ts';
import { FrameTimer, FullScreen, MainScreen } from './screen.ts';
import { editText, RawTerminal } from './terminal.ts';
import { colorDepthOf, createTheme, type Theme, type ThemeName, themeNameOf } from './theme.ts';
import { TranscriptTail } from './transcript-view.ts';
import { TranscriptViewer } from './transcript-viewer.ts';

/** Keys that count when they are pressed twice must follow each other within this time. */
const twiceMs = 1_500;

/** Items of an earlier run that are drawn at the start. */
const shownAtStart = 40;

type TuiInput = Readonly<{ app: Interactive; io: Io }>;

/**
 * Runs the terminal interface until the user leaves; returns the exit code.
 *
 * @example
 * return await runTui({ app, io });
 */
export async function runTui(input: TuiInput): Promise<number> {
  return await new App(input).run();
}

class App {
  readonly #input: TuiInput;
  readonly #app: Interactive;
  readonly #terminal: RawTerminal;
  readonly #screen: MainScreen;
  readonly #full: FullScreen;
  readonly #prompt: PromptEditor;
  readonly #tail: TranscriptTail;
  #theme: Theme;
  #themeChoice: 'auto' | ThemeName;
  #overlays: Overlay[] = [];
  #consent: ConsentDialog | undefined;
  /** Whether keys go to the question and not to the input. */
  #isAnswering = false;
  #isBackgroundOpen = false;
  #images: Uint8Array[] = [];
  #note = '';
  #lastKey = { key: '', at: 0 };
  readonly #frames = new FrameTimer(() => this.#draw());
  /** Of the terminal, when the conversation was drawn last. */
  #size = { columns: 80, rows: 24 };
  /** The lines of the conversation in the last frame that have not scrolled off. */
  #lines: readonly ScreenLine[] = [];
  /** Until the terminal has answered where its lines are after a change of the size, nothing is drawn. */
  #isResizing = false;
  #isFullShown = false;
  #leave: (code: number) => void = () => undefined;

  constructor(input: TuiInput) {
    this.#input = input;
    this.#app = input.app;
    const { env } = input.io;
    const { terminal, color } = input.app.values;
    this.#themeChoice = terminal.theme;
    const name = terminal.theme === 'auto' ? themeNameOf({ env }) : terminal.theme;
    this.#theme = createTheme({ name, depth: colorDepthOf({ env, choice: color }) });
    this.#tail = new TranscriptTail({ theme: this.#theme, cwd: input.io.cwd, images: imageProtocolOf() });
    this.#terminal = new RawTerminal({
      press: (press) => this.#press(press),
      resize: () => void this.#resize(),
      background: (theme) => this.#themeChoice === 'auto' && this.#setTheme(theme),
      resumed: () => this.#redraw(),
      failed: () => this.#finish(this.#lines),
      end: (signal) => this.#leave(128 + (signal === 'SIGTERM' ? 15 : signal === 'SIGHUP' ? 1 : 2)),
    });
    this.#screen = new MainScreen(this.#terminal);
    this.#full = new FullScreen(this.#terminal);
    this.#prompt = new PromptEditor({
      isVim: terminal.vim,
      history: () => this.#app.history.prompts,
      pasted: (text) => droppedImage(text) ?? this.#app.pastes.add(text.replaceAll(/\r\n?/g, '\n')),
      complete: (typed) => this.#app.complete(typed),
      changed: () => this.#request(),
    });
  }

  async run(): Promise<number> {
    const left = new Promise<number>((resolve) => {
      this.#leave = resolve;
    });
    this.#app.appearance = {
      themes: ['dark', 'light'],
      theme: () => this.#theme.name,
      setTheme: (name) => {
        this.#themeChoice = name === 'light' ? 'light' : 'dark';
        this.#setTheme(this.#themeChoice);
      },
    };
    this.#terminal.start();
    this.#size = { columns: this.#terminal.columns, rows: this.#terminal.rows };
    this.#showStart();
    const stop = this.#app.on((event) => this.#take(event));
    try {
      this.#draw();
      return await left;
    } finally {
      stop();
      this.#frames.stop();
      this.#finish(this.#tail.lines(this.#terminal.columns).lines);
      await this.#terminal.settle();
      this.#terminal.stop();
      await this.#app.close();
    }
  }

  #showStart(): void {
    const { view } = this.#app;
    const theme = this.#theme;
    const name = `${theme.accent(theme.bold('longhaul'))} ${theme.faint(`· ${view.status.model}`)}`;
    const hint = theme.faint('/help lists the commands, Shift-Tab changes the mode, Ctrl-C twice leaves');
    this.#tail.add((width) => [name, ...wrapTextWithAnsi(hint, width)]);
    this.#showItems(view.items);
  }

  #showItems(items: readonly TranscriptItem[]): void {
    const theme = this.#theme;
    const earlier = items.length > shownAtStart || this.#app.view.hasEarlier;
    if (earlier) this.#tail.add(() => ['', theme.faint('  … earlier messages: PageUp')]);
    for (const item of items.slice(-shownAtStart)) this.#tail.put({ item, isNew: true });
  }

  #take(event: InteractiveEvent): void {
    switch (event.type) {
      case 'item':
        this.#tail.put({ item: event.item, isNew: event.change === 'added' });
        break;
      case 'delta': {
        const item = this.#app.view.items.findLast(({ id }) => id === event.id);
        if (item) this.#tail.put({ item, isNew: false });
        break;
      }
      case 'reset': {
        const { session } = this.#app.view;
        const title = this.#theme.faint(` ${session.name ?? session.title ?? 'new session'} `);
        const { border } = this.#theme;
        this.#tail.begin();
        this.#tail.add((width) => ['', rule({ width, style: border, title })]);
        this.#showItems(this.#app.view.items);
        break;
      }
      case 'question':
        if (this.#app.values.terminal.bell) this.#terminal.bell();
        this.#ask();
        break;
      case 'answered':
        this.#ask();
        break;
      case 'finished':
        if (event.reason === 'stopped') this.#tail.add(() => ['', this.#theme.faint('⊘ Stopped')]);
        if (this.#app.values.terminal.bell) this.#terminal.bell();
        break;
      case 'status':
        break;
    }
    this.#terminal.setTitle(titleText({ view: this.#app.view, isWorking: this.#app.isWorking }));
    this.#setTick();
    this.#request();
  }

  /** The oldest open question gets the dialog. */
  #ask(): void {
    const [question] = this.#app.view.questions;
    if (question?.id === this.#consent?.question.id) return;
    if (!question) {
      this.#consent = undefined;
      this.#isAnswering = false;
      return;
    }
    this.#consent = new ConsentDialog({
      question,
      cwd: this.#input.io.cwd,
      answer: (answer) => this.#app.answer({ id: question.id, answer }).finally(() => this.#request()),
    });
    // A message that is being typed is not taken for an answer.
    this.#isAnswering = this.#prompt.buffer.isEmpty;
  }

  /** The spinner moves while something goes on. */
  #setTick(): void {
    const { activity, job } = this.#app.view.status;
    this.#frames.setTicking(activity.kind !== 'idle' || (job?.kind === 'compaction' && job.state === 'running'));
  }

  #request(): void {
    this.#frames.request();
  }

  #draw(): void {
    // A slow connection gets fewer frames, not later ones.
    if (this.#terminal.isBusy || this.#screen.isHeld) {
      this.#request();
      return;
    }
    this.#terminal.refreshSize();
    if (this.#isResizing) return;
    const overlay = this.#overlays.at(-1);
    const isFull = overlay?.isFull === true;
    if (isFull !== this.#isFullShown) this.#switchScreen(isFull);
    // The size may have changed while another screen was shown.
    if (!isFull && !this.#isRightSize()) {
      void this.#resize();
      return;
    }
    const { columns: width, rows } = this.#terminal;
    const room = { width, rows, theme: this.#theme };
    if (overlay?.isFull) {
      this.#full.draw(overlay.draw(room));
      return;
    }
    const { lines, final } = this.#tail.lines(width);
    const { lines: bottom, cursor } = this.#bottom({ room, overlay });
    const off = this.#screen.draw({ lines, final, bottom, ...(cursor && { cursor }) });
    if (off > 0) this.#tail.scrolled(off);
    this.#lines = lines.slice(off);
  }

  #switchScreen(isFull: boolean): void {
    this.#isFullShown = isFull;
    this.#terminal.setFull(isFull);
    if (isFull) this.#full.enter();
    else this.#full.leave();
  }

  /** Leaves these lines on the screen, without what is below the conversation. */
  #finish(lines: readonly ScreenLine[]): void {
    if (this.#isFullShown) this.#switchScreen(false);
    this.#screen.finish({ lines });
  }

  /** What is below the conversation, at most as high as the screen. */
  #bottom({ room, overlay }: Readonly<{ room: Room; overlay: Overlay | undefined }>): Drawing {
    const { width, rows, theme } = room;
    const { view } = this.#app;
    const status = statusLines({
      view,
      room,
      home: this.#input.io.home,
      note: noteText({ note: this.#note, images: this.#images.length, mode: this.#prompt.vimMode, theme }),
    });
    const above = panelLines({ view, now: Date.now(), isOpen: this.#isBackgroundOpen, room });
    const space = Math.max(4, rows - status.length - 3);
    const parts: Drawing[] = [];
    if (this.#consent)
      parts.push(this.#consent.draw({ ...room, rows: space, isFocused: this.#isAnswering && !overlay }));
    if (overlay) parts.push(overlay.draw({ ...room, rows: space }));
    else {
      const mode = modeStyle({ mode: view.status.mode, theme }) ?? theme.border;
      const { lines, cursor } = this.#prompt.draw({ ...room, rows: Math.max(1, Math.floor(space / 2)) });
      const line = rule({ width, style: mode });
      parts.push({ lines: [line, ...lines, line], ...(cursor && { cursor: { ...cursor, row: cursor.row + 1 } }) });
    }
    // The cursor of a question comes before that of the input.
    return stacked({
      parts: [{ lines: above }, ...parts, { lines: status }],
      rows,
      cursor: this.#isAnswering ? 'first' : 'last',
    });
  }

  async #resize(): Promise<void> {
    if (this.#isResizing) return;
    if (this.#isFullShown) {
      this.#full.resize();
      return this.#frames.requestNow();
    }
    this.#isResizing = true;
    // While the terminal answers, its size may change again.
    while (!this.#isRightSize()) {
      const { columns, rows } = this.#terminal;
      const resized = await this.#screen.resize();
      this.#tail.resize({ ...resized, from: this.#size.columns, to: columns });
      this.#size = { columns, rows };
    }
    this.#isResizing = false;
    this.#frames.requestNow();
  }

  /** Whether the lines of the conversation were drawn for the size that the terminal has. */
  #isRightSize(): boolean {
    return this.#size.columns === this.#terminal.columns && this.#size.rows === this.#terminal.rows;
  }

  #redraw(): void {
    this.#isFullShown = false;
    this.#screen.forget();
    this.#frames.requestNow();
  }

  #setTheme(name: ThemeName): void {
    if (name === this.#theme.name) return;
    this.#theme = createTheme({ name, depth: this.#theme.depth });
    this.#tail.setTheme(this.#theme);
    this.#request();
  }

  #press(press: KeyPress): void {
    this.#frames.requestNow();
    this.#note = '';
    const overlay = this.#overlays.at(-1);
    if (overlay) {
      overlay.press(press);
      return;
    }
    if (this.#consent && this.#isAnswering) {
      if (this.#consent.press(press)) return;
      if (press.text !== '') this.#isAnswering = false;
    }
    const isTwice = press.key === this.#lastKey.key && Date.now() - this.#lastKey.at < twiceMs;
    this.#lastKey = { key: press.key ?? '', at: Date.now() };
    if (this.#consent && press.key === 'tab' && !this.#prompt.isCompleting) {
      this.#isAnswering = true;
      return;
    }
    const action = press.isPaste ? undefined : actionFor({ context: 'anywhere', key: press.key });
    const isOwn =
      this.#prompt.isSearching || (this.#prompt.isCompleting && ['enter', 'tab', 'escape'].includes(press.key ?? ''));
    if (isOwn || action === undefined || (action === 'submit' && this.#prompt.buffer.text.endsWith('\\'))) {
      // A key that the completion or the search has not taken.
      if (!this.#prompt.press(press) && action) void this.#perform({ action, isTwice });
      return;
    }
    if (action === 'stop' && this.#prompt.vimMode === 'INSERT' && this.#prompt.press(press)) return;
    if (action === 'queue' && !this.#app.isWorking) return;
    void this.#perform({ action, isTwice });
  }

  async #perform({ action, isTwice }: Readonly<{ action: ActionOf<'anywhere'>; isTwice: boolean }>): Promise<void> {
    switch (action) {
      case 'submit':
        return this.#submit('steer');
      case 'queue':
        return this.#submit('queue');
      case 'newline':
        return this.#prompt.newline();
      case 'stop':
        return await this.#stop({ isTwice });
      case 'mode':
        this.#app.setMode();
        return;
      case 'quit':
        return this.#quit({ isTwice });
      case 'leave':
        if (this.#prompt.buffer.isEmpty) this.#leave(0);
        return;
      case 'suspend':
        return await this.#suspend();
      case 'details':
      case 'thinking':
        this.#tail.folding = { ...this.#tail.folding, [action]: !this.#tail.folding[action] };
        return;
      case 'transcript':
        this.#open(
          new TranscriptViewer({ app: this.#app, close: () => this.#close(), changed: () => this.#request() }),
        );
        return;
      case 'background':
        this.#isBackgroundOpen = !this.#isBackgroundOpen;
        return;
      case 'editor':
        return await this.#edit({
          text: this.#app.pastes.expand(this.#prompt.buffer.text),
          take: (edited) => this.#prompt.set(this.#app.pastes.add(edited)),
        });
      case 'search':
        return this.#prompt.searchHistory();
      case 'image':
        return await this.#pasteImage();
      case 'model':
        return this.#follow(this.#app.runCommand({ name: 'model', text: '' }));
      case 'redraw':
        this.#screen.clear();
        return;
    }
  }

  #submit(how: 'steer' | 'queue'): void {
    const text = this.#prompt.take();
    const images = this.#images;
    this.#images = [];
    if (text.trim() === '' && images.length === 0) return;
    this.#follow(this.#app.submit({ text, images, how }), text.startsWith('/') ? text : '');
  }

  async #stop({ isTwice }: { readonly isTwice: boolean }): Promise<void> {
    const isIdle = !this.#app.isWorking && this.#app.view.status.activity.kind === 'idle';
    if (isIdle && this.#prompt.buffer.isEmpty && isTwice) {
      this.#lastKey = { key: '', at: 0 };
      return this.#follow(this.#app.runCommand({ name: 'rewind', text: '' }));
    }
    const { stopped, text } = await this.#app.stop();
    // What was not sent can be changed and sent again.
    if (text !== '') this.#prompt.set([text, this.#prompt.buffer.text].filter((part) => part !== '').join('\n'));
    if (stopped === 'nothing') this.#note = this.#prompt.buffer.isEmpty ? 'Esc again: rewind' : '';
    this.#request();
  }

  #quit({ isTwice }: { readonly isTwice: boolean }): void {
    if (isTwice) {
      this.#leave(0);
      return;
    }
    if (!this.#prompt.buffer.isEmpty) this.#prompt.set('');
    this.#note = 'Ctrl-C again: leave';
  }

  async #suspend(): Promise<void> {
    this.#finish([]);
    await this.#terminal.settle();
    this.#terminal.suspend();
  }

  /** A text in the editor of the user: by Ctrl-G the message, or what a command lets change. */
  async #edit({ text, take }: { readonly text: string; readonly take: (edited: string) => void }): Promise<void> {
    try {
      await this.#terminal.settle();
      take(await editText({ io: this.#input.io, terminal: this.#terminal, text }));
    } catch (error) {
      this.#note = error instanceof Error ? error.message : String(error);
    }
    this.#request();
  }

  async #pasteImage(): Promise<void> {
    const image = await clipboardImage({ io: this.#input.io }).catch(() => undefined);
    if (image) this.#images = [...this.#images, image];
    else this.#note = 'There is no image on the clipboard';
    this.#request();
  }

  #open(overlay: Overlay): void {
    this.#overlays = [...this.#overlays, overlay];
  }

  #close(): void {
    this.#overlays = this.#overlays.slice(0, -1);
    this.#frames.requestNow();
  }

  /** Shows what a command returns, and what follows from the choices in it. */
  #follow(results: Promise<readonly CommandResult[]>, typed = ''): void {
    void results
      .catch((error: unknown): readonly CommandResult[] => [
        { kind: 'text', format: 'plain', level: 'error', text: error instanceof Error ? error.message : String(error) },
      ])
      .then((shown) => {
        for (const result of shown) this.#show(result, typed);
        this.#request();
      });
  }

  #show(result: CommandResult, typed: string): void {
    const overlay = overlayFor({
      result,
      end: {
        close: () => this.#close(),
        follow: (results) => this.#follow(results),
        changed: () => this.#request(),
      },
    });
    if (overlay) {
      this.#open(overlay);
      return;
    }
    switch (result.kind) {
      case 'text':
      case 'table':
      case 'map': {
        const theme = this.#theme;
        const command = (width: number) =>
          typed === '' ? [] : [theme.faint(truncateToWidth(printable(typed), width, '…'))];
        this.#tail.add((width) => ['', ...command(width), ...resultLines({ result, width, theme })]);
        return;
      }
      case 'edit':
        this.#prompt.set(result.text);
        return;
      case 'editor':
        void this.#edit({ text: result.text, take: (edited) => this.#follow(result.run(edited)) });
        return;
      case 'exit':
        this.#leave(0);
        return;
    }
  }
}
