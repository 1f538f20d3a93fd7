import { Readable } from 'node:stream';
import { questionFor } from '../../agent/consent.ts';
import type { Io } from '../../io/io.ts';
import { errorResult } from '../app/errors.ts';
import type { Interactive } from '../app/interactive.ts';
import type { CommandResult } from '../app/result.ts';
import type { ConsentQuestion, InteractiveEvent } from '../app/view.ts';
import { failureLines, itemLines, resultLines, statusLine } from './render.ts';

/** Items of an earlier run that are printed when a session is opened. */
const shownAtStart = 6;

/**
 * The line mode, for screen readers and terminals that cannot move a cursor: plain lines in the order in which things
 * happen, one question at a time. Ctrl-C stops the agent, twice in a row it leaves; so does Ctrl-D. Returns the exit code.
 *
 * @example
 * return await runPlain({ io, app });
 */
export async function runPlain({ io, app }: { readonly io: Io; readonly app: Interactive }): Promise<number> {
  const screen = new PlainScreen(io);
  const lines = new LineReader(io);
  let hasInterrupted = false;
  let leave: () => void = () => undefined;
  const left = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
  });
  const listen = (): (() => void) =>
    io.onInterrupt((signal) => {
      forget = listen();
      if (signal !== 'SIGINT' || (hasInterrupted && !app.isWorking)) {
        leave();
        return;
      }
      hasInterrupted = true;
      void app.stop().then(({ stopped, text }) => {
        if (stopped === 'nothing' || stopped === 'summary') screen.line('Press Ctrl-C again, or Ctrl-D, to leave.');
        if (text !== '') screen.line(`Not sent: ${text}`);
        screen.prompt();
      });
    });
  let forget = listen();
  const stopListening = app.on((event) => showEvent({ event, screen, app }));
  const ask = async (question: string): Promise<string | undefined> => {
    screen.question(question);
    return await Promise.race([lines.next(), left]);
  };
  try {
    const { view } = app;
    const start = view.items.length === 0 ? 'new session' : `session ${view.session.name ?? view.session.id}`;
    screen.line(`Longhaul, ${start}. ${statusLine(view.status)}`);
    screen.line('Type a prompt, /help for commands, !command for the shell. Ctrl-C stops, Ctrl-D leaves.');
    for (const item of view.items.slice(-shownAtStart)) for (const line of itemLines(item)) screen.line(line);
    for (;;) {
      // Lines of a pipe are taken one after the other.
      if (!io.stdinIsTerminal) await Promise.race([settled(app), left]);
      if (!app.isWorking) screen.prompt();
      const line = await Promise.race([wholeLine({ lines, screen }), left]);
      if (line === undefined) break;
      screen.typed();
      hasInterrupted = false;
      const [question] = app.view.questions;
      if (question) {
        await answer({ app, question, line, screen });
        continue;
      }
      const results = await app.submit({ text: line }).catch((error: unknown) => [errorResult(error)]);
      if (await showResults({ results, screen, ask })) break;
    }
    return 0;
  } finally {
    stopListening();
    forget();
    lines.close();
    await app.close();
    screen.end();
    await screen.written;
    if (app.view.items.some(({ kind }) => kind === 'user')) await io.stderr.write(`session ${app.view.session.id}\n`);
  }
}

/** Resolves when the agent is done or asks something. */
async function settled(app: Interactive): Promise<void> {
  if (app.view.questions.length > 0) return;
  let forget: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    forget = app.on(({ type }) => type === 'question' && resolve());
  });
  await Promise.race([app.idle(), asked]);
  forget();
}

/** A line that ends with a backslash continues on the next one. */
async function wholeLine(of: {
  readonly lines: LineReader;
  readonly screen: PlainScreen;
}): Promise<string | undefined> {
  let text = '';
  for (;;) {
    const line = await of.lines.next();
    if (line === undefined) return text === '' ? undefined : text;
    if (!line.endsWith('\\')) return text + line;
    text += `${line.slice(0, -1)}\n`;
    of.screen.question('. ');
  }
}

/** Shows results one after the other, and asks what they ask; whether to leave. */
async function showResults(of: {
  readonly results: readonly CommandResult[];
  readonly screen: PlainScreen;
  readonly ask: (question: string) => Promise<string | undefined>;
}): Promise<boolean> {
  const { screen, ask } = of;
  const open = [...of.results];
  for (let result = open.shift(); result; result = open.shift()) {
    if (result.kind === 'exit') return true;
    for (const line of resultLines(result)) screen.line(line);
    open.unshift(...(await continued({ result, screen, ask }).catch((error: unknown) => [errorResult(error)])));
    if (result.kind === 'edit') screen.line(`Earlier prompt, to type again: ${result.text}`);
  }
  return false;
}

/** What follows from the user's answer to a result. */
async function continued(of: {
  readonly result: CommandResult;
  readonly screen: PlainScreen;
  readonly ask: (question: string) => Promise<string | undefined>;
}): Promise<readonly CommandResult[]> {
  const { result, screen, ask } = of;
  switch (result.kind) {
    case 'confirm': {
      screen.line(result.title);
      for (const block of result.body) for (const line of resultLines(block)) screen.line(`  ${line}`);
      const choices = result.choices.map(({ key, label }) => `${key} = ${label}`).join(', ');
      const typed = (await ask(`${choices}: `))?.trim().toLowerCase();
      const chosen = result.choices.find(({ key }) => key === typed) ?? result.choices.at(-1);
      return (await chosen?.run()) ?? [];
    }
    case 'editor': {
      screen.line(`${result.title}: type the whole text, then a line with only a dot. A dot alone changes nothing.`);
      const lines: string[] = [];
      for (let line = await ask('> '); line !== undefined && line.trim() !== '.'; line = await ask('> '))
        lines.push(line);
      return await result.run(lines.length === 0 ? result.text : lines.join('\n'));
    }
    case 'picker':
      return await pick({ result, screen, ask });
    case 'tree': {
      const typed =
        (await ask('@12 = move there, fork @12, label @12 NAME, show @12, empty = nothing: '))?.trim() ?? '';
      const [, verb = 'move', handle = '', rest = ''] =
        /^(?:(move|fork|label|show)\s+)?(@?\d+)(?:\s+(\S.*))?$/.exec(typed) ?? [];
      const node = result.nodes.find((each) => each.handle === handle || each.handle === `@${handle}`);
      if (!node) return [];
      if (verb === 'show') return [{ kind: 'text', format: 'plain', text: await result.preview(node.id) }];
      return await (verb === 'fork'
        ? result.fork(node.id)
        : verb === 'label'
          ? result.label(node.id, rest)
          : result.move(node.id));
    }
    default:
      return [];
  }
}

async function pick(of: {
  readonly result: Extract<CommandResult, { kind: 'picker' }>;
  readonly screen: PlainScreen;
  readonly ask: (question: string) => Promise<string | undefined>;
}): Promise<readonly CommandResult[]> {
  const { result, screen, ask } = of;
  screen.line(result.title);
  if (result.items.length === 0) screen.line(`  ${result.empty}`);
  if (result.items.length === 0) return [];
  for (const [index, { id, label, detail = '', disabled }] of result.items.entries()) {
    const mark = id === result.selected ? '*' : ' ';
    screen.line(`${mark} ${index + 1}. ${label}  ${detail}${disabled === undefined ? '' : ` (${disabled})`}`.trimEnd());
  }
  const [first, ...others] = result.actions;
  if (!first) return [];
  const more = others.flatMap(({ key, label }) => (key === undefined ? [] : [`${key} NUMBER = ${label}`]));
  const preview = result.preview ? ['? NUMBER = show'] : [];
  const typed =
    (await ask(`NUMBER = ${first.label}, ${[...more, ...preview, 'empty = nothing'].join(', ')}: `))?.trim() ?? '';
  const [, key, digits = ''] = /^(?:(\S)\s+)?(\d{1,6})$/.exec(typed) ?? [];
  const item = result.items[Number(digits) - 1];
  if (!item) return [];
  if (key === '?') return [{ kind: 'text', format: 'plain', text: (await result.preview?.(item.id)) ?? '' }, result];
  if (item.disabled !== undefined) return [{ kind: 'text', format: 'plain', level: 'error', text: item.disabled }];
  const action = key === undefined ? first : result.actions.find((each) => each.key === key);
  if (!action) return [];
  const text = action.input ? ((await ask(`${action.input.label}: `)) ?? '').trim() : '';
  return await action.run(item.id, text);
}

/** A line is the answer to the question that waits. */
async function answer(of: {
  readonly app: Interactive;
  readonly question: ConsentQuestion;
  readonly line: string;
  readonly screen: PlainScreen;
}): Promise<void> {
  const { app, question, screen } = of;
  const { id } = question;
  const text = of.line.trim();
  const [, word = '', rest = ''] = /^(\S*)\s*([\s\S]*)/.exec(text) ?? [];
  try {
    if (/^(?:y|yes)$/i.test(text)) return await app.answer({ id, answer: { kind: 'yes' } });
    if (/^(?:a|always|f|folder)$/i.test(word)) {
      const scope = /^f/i.test(word) ? 'folder' : 'run';
      return await app.answer({ id, answer: { kind: 'always', scope, ...(rest !== '' && { rule: rest }) } });
    }
    const reason = /^(?:n|no)?$/i.test(text) ? '' : text;
    await app.answer({ id, answer: { kind: 'no', ...(reason !== '' && { reason }) } });
  } catch (error) {
    for (const line of resultLines(errorResult(error))) screen.line(line);
    screen.question(choicesText(question));
  }
}

function choicesText({ rule }: ConsentQuestion): string {
  const always =
    rule === undefined
      ? 'a = always this call'
      : `a = always ${rule}, a RULE = always by another rule, f = always in this folder`;
  return `  Allow it? y = yes, ${always}, n or a reason = no: `;
}

function showEvent({
  event,
  screen,
  app,
}: {
  readonly event: InteractiveEvent;
  readonly screen: PlainScreen;
  readonly app: Interactive;
}): void {
  switch (event.type) {
    case 'item': {
      const { item, change } = event;
      if (item.kind === 'user' || item.kind === 'thinking') return;
      if (item.kind === 'assistant') {
        if (change === 'added') screen.text(item.text);
        if (!item.isStreaming) screen.end();
        return;
      }
      if (item.kind === 'tool') {
        if (change === 'added') screen.line(`> ${item.summary}`);
        else if (item.state === 'failed' && item.handle === undefined)
          for (const line of failureLines(item.output)) screen.line(line);
        return;
      }
      if (item.kind === 'shell' && change === 'added') return;
      const lines = item.kind === 'shell' ? [item.output, `(exit ${item.exit ?? 0})`] : itemLines(item);
      for (const line of lines) screen.line(line);
      return;
    }
    case 'delta':
      if (event.id.startsWith('answer:') && app.view.items.at(-1)?.kind === 'assistant') screen.text(event.text);
      return;
    case 'question': {
      const text = questionFor({ request: event.question.request, isSavable: false });
      screen.question(text.slice(0, text.lastIndexOf('\n') + 1) + choicesText(event.question));
      return;
    }
    case 'finished':
      screen.line(`(${event.reason === 'done' ? '' : `${event.reason}: `}${statusLine(app.view.status)})`);
      screen.prompt();
      return;
    default:
      return;
  }
}

/** Writes lines in order; a line that is begun is ended before the next. */
class PlainScreen {
  readonly #io: Io;
  #isOpen = false;
  #hasPrompt = false;
  written: Promise<void> = Promise.resolve();

  constructor(io: Io) {
    this.#io = io;
  }

  text(text: string): void {
    if (text === '') return;
    this.#dropPrompt();
    this.#isOpen = !text.endsWith('\n');
    this.#write(text);
  }

  line(text: string): void {
    this.end();
    this.#dropPrompt();
    this.#write(`${text}\n`);
  }

  /** Ends the line that is begun, if any. */
  end(): void {
    if (this.#isOpen) this.#write('\n');
    this.#isOpen = false;
  }

  question(text: string): void {
    this.end();
    this.#dropPrompt();
    this.#hasPrompt = true;
    this.#write(text);
  }

  prompt(): void {
    if (!this.#hasPrompt) this.question('> ');
  }

  /** The user ended the line of the prompt. */
  typed(): void {
    this.#hasPrompt = false;
  }

  #dropPrompt(): void {
    if (this.#hasPrompt) this.#write('\n');
    this.#hasPrompt = false;
  }

  #write(text: string): void {
    this.written = this.written.then(() => this.#io.stdout.write(text)).catch(() => undefined);
  }
}

/** The lines of standard input, one at a time. */
class LineReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #rest = '';
  #isOver = false;

  readonly #input: AsyncIterable<Uint8Array>;

  constructor(io: Pick<Io, 'stdin'>) {
    this.#input = io.stdin();
    this.#chunks = this.#input[Symbol.asyncIterator]();
  }

  /** Stops reading: an open terminal would keep the process alive. */
  close(): void {
    if (this.#input instanceof Readable) this.#input.destroy();
  }

  /** The next line; `undefined` at the end of the input. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf('\n');
      if (end >= 0) {
        const line = this.#rest.slice(0, end).replace(/\r$/, '');
        this.#rest = this.#rest.slice(end + 1);
        return line;
      }
      if (this.#isOver) {
        const last = this.#rest;
        this.#rest = '';
        return last === '' ? undefined : last;
      }
      const { value, done } = await this.#chunks.next();
      if (done) this.#isOver = true;
      else this.#rest += this.#decoder.decode(value, { stream: true });
    }
  }
}
