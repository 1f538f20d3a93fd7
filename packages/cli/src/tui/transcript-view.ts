import { wrapTextWithAnsi } from '@earendil-works/pi-tui';
import type { ShellItem, TextItem, ToolItem, TranscriptItem } from '../interactive/index.ts';
import { renderDiff } from './diff.ts';
import { ImageLine, type ImageProtocol, imageLines, type ScreenLine } from './images.ts';
import { StreamingMarkdown } from './markdown.ts';
import { indented, paddedLines, seconds, tokens } from './overlay.ts';
import type { ScreenResize } from './screen.ts';
import type { Theme } from './theme.ts';

/** Lines of an item, and how many of them, from the first on, are final. */
interface RenderedItem {
  readonly lines: readonly ScreenLine[];
  readonly final: number;
}

/** What is unfolded. */
export interface Folding {
  readonly details: boolean;
  readonly thinking: boolean;
}

/** What the drawing of items depends on besides their width. */
interface RendererOptions {
  readonly theme: Theme;
  /** The folder of the agent. */
  readonly cwd: string;
  /** How images of messages are drawn; by default they are only named. */
  readonly images?: ImageProtocol;
}

/** How much of an output is shown. */
const shownLines = { message: 20, folded: 4, unfolded: 60, diff: 12 };

/**
 * Draws items of the conversation and remembers what an item looks like until it changes.
 *
 * @example
 * const renderer = new ItemRenderer({ theme, cwd: '/home/ada/shop' });
 * renderer.render({ item, width: 80, folding: { details: false, thinking: false } });
 */
export class ItemRenderer {
  readonly #theme: Theme;
  readonly #cwd: string;
  readonly #images: ImageProtocol;
  readonly #texts = new Map<string, StreamingMarkdown>();

  constructor({ theme, cwd, images }: RendererOptions) {
    this.#theme = theme;
    this.#cwd = cwd;
    this.#images = images;
  }

  /** Frees what is only needed while the item can change. */
  forget(id: string): void {
    this.#texts.delete(id);
  }

  render({
    item,
    width,
    folding,
    most = shownLines.unfolded,
  }: {
    readonly item: TranscriptItem;
    readonly width: number;
    readonly folding: Folding;
    /** Lines of output when it is unfolded. */
    readonly most?: number;
  }): RenderedItem {
    if (item.kind === 'assistant') return this.#assistant({ item, width });
    const lines = ['', ...this.#lines({ item, width, folding, most })];
    return { lines, final: isFinal(item) ? lines.length : 0 };
  }

  #assistant({ item, width }: { readonly item: TextItem; readonly width: number }): RenderedItem {
    let text = this.#texts.get(item.id);
    if (!text) {
      text = new StreamingMarkdown({ theme: this.#theme });
      this.#texts.set(item.id, text);
    }
    text.set(item.text);
    const { lines, final } = text.render(Math.max(10, width - 2));
    const mark = this.#theme.accent('● ');
    const shown = lines.map((line, at) => (line === '' ? '' : `${at === 0 ? mark : '  '}${line}`));
    if (shown.length === 0) return { lines: [], final: 0 };
    return { lines: ['', ...shown], final: item.isStreaming ? (final === 0 ? 0 : final + 1) : shown.length + 1 };
  }

  #lines({
    item,
    width,
    folding,
    most,
  }: {
    readonly item: TranscriptItem;
    readonly width: number;
    readonly folding: Folding;
    readonly most: number;
  }): ScreenLine[] {
    const theme = this.#theme;
    switch (item.kind) {
      case 'user': {
        const text = indented({ text: item.text, first: `${theme.accent('›')} `, rest: '  ', width: width - 1 });
        const attached = item.attachments.length > 0 ? [theme.faint(`  └ ${item.attachments.join(', ')}`)] : [];
        const shown = clipped({ lines: text, most: folding.details ? most : shownLines.message, theme });
        const drawn = item.images.flatMap((image, at) =>
          imageLines({ image, protocol: this.#images, width, id: imageId(`${item.id} ${at}`) }),
        );
        return [...paddedLines({ lines: [...shown, ...attached], width, style: theme.human }), ...drawn];
      }
      case 'assistant':
      case 'thinking':
        return this.#thinking({ item, width, isOpen: folding.thinking });
      case 'tool':
        return this.#tool({ item, width, isOpen: folding.details, most });
      case 'shell':
        return this.#shell({ item, width, most: folding.details ? most : 20 });
      case 'notice': {
        const style = item.level === 'error' ? theme.bad : item.level === 'warning' ? theme.warn : theme.faint;
        return indented({ text: item.text, first: style('· '), rest: '  ', width }).map((line) => style(line));
      }
      case 'compaction': {
        const after = item.tokensAfter === undefined ? '' : ` → ${tokens(item.tokensAfter)}`;
        const left = item.left === '' ? '' : ` · no longer sent: ${item.left}`;
        const text = `Compacted ${tokens(item.tokensBefore)}${after} tokens${left} · ${theme.bold('/undo')} brings it back`;
        return indented({ text, first: theme.accent('◆ '), rest: '  ', width });
      }
    }
  }

  #thinking({
    item,
    width,
    isOpen,
  }: {
    readonly item: TextItem;
    readonly width: number;
    readonly isOpen: boolean;
  }): string[] {
    const theme = this.#theme;
    const count = item.text.split(/\s+/).length;
    const title = item.isStreaming ? 'Thinking…' : `Thought in ${count} words`;
    if (!isOpen) return [theme.faint(`✻ ${title} · Ctrl-T shows it`)];
    const body = item.text
      .trim()
      .split('\n')
      .flatMap((line) => wrapTextWithAnsi(line, Math.max(1, width - 2)));
    return [theme.faint(`✻ ${title}`), ...body.map((line) => theme.faint(theme.italic(`  ${line}`)))];
  }

  #tool({
    item,
    width,
    isOpen,
    most,
  }: {
    readonly item: ToolItem;
    readonly width: number;
    readonly isOpen: boolean;
    readonly most: number;
  }): string[] {
    const theme = this.#theme;
    const lines = [
      ...indented({
        text: `${this.#callTitle(item)}${theme.faint(facts(item))}`,
        first: `${this.#state(item)} `,
        rest: '    ',
        width,
      }).slice(0, isOpen ? 20 : 2),
    ];
    if (isOpen) {
      for (const [name, value] of Object.entries(item.input)) {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        // What the diff shows is not repeated.
        if (item.diff !== undefined && text.includes('\n')) continue;
        lines.push(
          ...clipped({
            lines: indented({ text, first: theme.faint(`  ${name}: `), rest: '    ', width }),
            most: 12,
            theme,
          }),
        );
      }
    }
    // The question about a call shows what it would change.
    if (item.diff !== undefined && item.state !== 'failed' && item.state !== 'waiting')
      lines.push(...renderDiff({ diff: item.diff, theme, width, most: isOpen ? most : shownLines.diff }));
    for (const line of item.subagent?.lines ?? [])
      lines.push(
        ...indented({
          text: theme.faint(line),
          first: theme.border('  │ '),
          rest: theme.border('  │   '),
          width,
        }).slice(0, 1),
      );
    if (item.output === '' || (item.diff !== undefined && item.state === 'done' && !isOpen)) return lines;
    const isNew = item.state === 'running';
    const height = isOpen ? most : item.state === 'done' ? 0 : shownLines.folded;
    return [
      ...lines,
      ...this.#output({ text: item.output, width, most: height, isEnd: isNew || item.state === 'failed' }),
    ];
  }

  #callTitle(item: ToolItem): string {
    const theme = this.#theme;
    const [, rest = ''] = /^\S+?:? ([\s\S]*)$/.exec(item.summary) ?? [];
    const own = item.subagent ? item.subagent.task : rest;
    // A command is shown unchanged, other paths relative to the folder of the agent.
    const task = item.tool === 'bash' ? own : own.replaceAll(`${this.#cwd}/`, '');
    return `${theme.bold(item.tool)}${task === '' ? '' : ` ${task.split('\n')[0] ?? ''}`}`;
  }

  #state({ state }: ToolItem): string {
    const theme = this.#theme;
    const marks = {
      pending: theme.faint('○'),
      waiting: theme.warn('?'),
      running: theme.info('◐'),
      done: theme.good('✓'),
      failed: theme.bad('✗'),
      interrupted: theme.faint('⊘'),
    };
    return marks[state];
  }

  #shell({ item, width, most }: { readonly item: ShellItem; readonly width: number; readonly most: number }): string[] {
    const theme = this.#theme;
    const end = item.exit === undefined ? theme.faint(' …') : item.exit === 0 ? '' : theme.bad(` exit ${item.exit}`);
    const title = indented({ text: `${theme.bold(item.command)}${end}`, first: theme.warn('! '), rest: '  ', width });
    return [...title, ...(item.output === '' ? [] : this.#output({ text: item.output, width, most, isEnd: true }))];
  }

  #output({
    text,
    width,
    most,
    isEnd,
  }: {
    readonly text: string;
    readonly width: number;
    readonly most: number;
    readonly isEnd: boolean;
  }): string[] {
    const theme = this.#theme;
    if (most <= 0) return [];
    // Only as much is wrapped as can be shown.
    const rows = text.replace(/\n$/, '').split('\n');
    const some = isEnd ? rows.slice(-most) : rows.slice(0, most);
    const lines = some.flatMap((line) =>
      indented({ text: line.slice(0, width * 4), first: theme.border('  │ '), rest: theme.border('  │ '), width }),
    );
    const hidden = rows.length - some.length;
    if (hidden <= 0) return lines;
    const note = theme.faint(`  │ … ${hidden} ${isEnd ? 'earlier' : 'more'} ${hidden === 1 ? 'line' : 'lines'}`);
    return isEnd ? [note, ...lines] : [...lines, note];
  }
}

/** A number for an image in the terminal that stays the same when it is drawn again. */
function imageId(text: string): number {
  let id = 0;
  for (const character of text) id = (id * 31 + (character.codePointAt(0) ?? 0)) % 0x7fff_fffe;
  return id + 1;
}

function clipped({
  lines,
  most,
  theme,
}: {
  readonly lines: readonly string[];
  readonly most: number;
  readonly theme: Theme;
}): readonly string[] {
  return lines.length <= most
    ? lines
    : [...lines.slice(0, most), theme.faint(`    … ${lines.length - most} more lines`)];
}

/** Whether an item can no longer change. */
function isFinal(item: TranscriptItem): boolean {
  if (item.kind === 'thinking' || item.kind === 'assistant') return !item.isStreaming;
  if (item.kind === 'shell') return item.exit !== undefined;
  if (item.kind !== 'tool') return true;
  return item.state === 'done' || item.state === 'failed' || item.state === 'interrupted';
}

/** What is known about a call, behind its title. */
function facts({ ms, exit, state, output, diff, subagent }: ToolItem): string {
  const rows = output === '' ? 0 : output.replace(/\n$/, '').split('\n').length;
  const said = [
    diff === undefined || state === 'failed' ? '' : changes(diff),
    exit === undefined || exit === 0 ? '' : `exit ${exit}`,
    rows > 0 && diff === undefined && state === 'done' && !subagent ? `${rows} ${rows === 1 ? 'line' : 'lines'}` : '',
    ms === undefined || ms < 1_000 ? '' : seconds(ms),
    state === 'waiting' ? 'waits for you' : state === 'interrupted' ? 'no result' : '',
  ].filter((text) => text !== '');
  return said.length === 0 ? '' : ` · ${said.join(' · ')}`;
}

function changes(diff: string): string {
  const count = (sign: string) =>
    diff.split('\n').filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return `+${count('+')} −${count('-')}`;
}

/** A block of the conversation on the screen: an item, or lines that only the interface has. */
interface TailBlock {
  readonly id: string;
  /** Of which conversation it is: one that was left and opened again has the same ids. */
  readonly conversation: number;
  item?: TranscriptItem;
  readonly local?: (width: number) => readonly string[];
  cache?: {
    readonly width: number;
    readonly key: string;
    readonly item: TranscriptItem | undefined;
    readonly rendered: RenderedItem;
  };
}

/**
 * The end of the conversation: the blocks of which something has not scrolled off yet. What has scrolled off is forgotten.
 *
 * @example
 * const tail = new TranscriptTail({ theme, cwd: '/home/ada/shop' });
 * tail.put(item);
 * const { lines, final } = tail.lines(80);
 */
export class TranscriptTail {
  readonly #options: Omit<RendererOptions, 'theme'>;
  #renderer: ItemRenderer;
  #blocks: TailBlock[] = [];
  /** Lines of the first block that have scrolled off, at the width of the last frame. */
  #off = 0;
  /** Lines before the first block: what is left of it at an earlier width, and what is drawn again. */
  #before: readonly ScreenLine[] = [];
  #locals = 0;
  #conversation = 0;
  folding: Folding = { details: false, thinking: false };

  constructor({ theme, ...options }: RendererOptions) {
    this.#options = options;
    this.#renderer = new ItemRenderer({ theme, ...options });
  }

  /** Draws everything again with another theme. */
  setTheme(theme: Theme): void {
    this.#renderer = new ItemRenderer({ theme, ...this.#options });
    for (const block of this.#blocks) delete block.cache;
  }

  /** Adds an item, or replaces it if it is still here. Items that have scrolled off stay as they are. */
  put({ item, isNew }: { readonly item: TranscriptItem; readonly isNew: boolean }): void {
    const conversation = this.#conversation;
    const known = this.#blocks.findLast((block) => block.id === item.id && block.conversation === conversation);
    if (known) known.item = item;
    else if (isNew) this.#blocks.push({ id: item.id, conversation, item });
  }

  /** Adds lines of the interface, such as the answer of a command. */
  add(local: (width: number) => readonly string[]): void {
    this.#locals += 1;
    this.#blocks.push({ id: `local:${this.#locals}`, conversation: this.#conversation, local });
  }

  /** Another conversation, or another place in this one, follows below what is here, which no longer changes. */
  begin(): void {
    this.#conversation += 1;
  }

  lines(width: number): RenderedItem {
    const lines = [...this.#before];
    let final = lines.length;
    let isSettled = true;
    for (const [at, block] of this.#blocks.entries()) {
      const rendered = this.#rendered({ block, width });
      const skipped = at === 0 ? Math.min(this.#off, rendered.lines.length) : 0;
      for (let index = skipped; index < rendered.lines.length; index += 1) lines.push(rendered.lines[index] ?? '');
      if (isSettled) final += Math.max(0, rendered.final - skipped);
      isSettled &&= rendered.final === rendered.lines.length && rendered.final > 0;
    }
    return { lines, final };
  }

  #rendered({ block, width }: { readonly block: TailBlock; readonly width: number }): RenderedItem {
    const { item, local, cache } = block;
    const key = `${this.folding.details} ${this.folding.thinking}`;
    if (cache?.width === width && cache.key === key && cache.item === item) return cache.rendered;
    const own = local?.(width) ?? [];
    const rendered = item
      ? this.#renderer.render({ item, width, folding: this.folding })
      : { lines: own, final: own.length };
    block.cache = { width, key, item, rendered };
    return rendered;
  }

  /** So many lines have scrolled off. */
  scrolled(count: number): void {
    const before = Math.min(count, this.#before.length);
    this.#before = this.#before.slice(before);
    this.#off += count - before;
    for (;;) {
      const [first] = this.#blocks;
      const { lines, final } = first?.cache?.rendered ?? { lines: [], final: 0 };
      if (
        !first ||
        final < lines.length ||
        this.#off < lines.length ||
        (lines.length === 0 && this.#blocks.length === 1)
      )
        return;
      this.#off -= lines.length;
      this.#blocks.shift();
      this.#renderer.forget(first.id);
    }
  }

  /**
   * The size has changed, and the screen has cleared its lines. What is final of the first block, if a part of it has
   * scrolled off, is not rendered again for the new width, where that part would end in the middle of a line.
   */
  resize({ from, to, gone, rest, again }: ScreenResize & { readonly from: number; readonly to: number }): void {
    this.scrolled(gone);
    const [first] = this.#blocks;
    let kept: readonly ScreenLine[] = [];
    if (first && this.#off > 0 && from !== to) {
      const { lines, final } = this.#rendered({ block: first, width: from });
      kept = lines.slice(this.#off, final);
      // The same text is final at both widths. Lines that were not final are drawn again.
      this.#off = this.#rendered({ block: first, width: to }).final;
    }
    this.#before = [...(rest === '' ? [] : [rest]), ...again, ...this.#before, ...kept].flatMap(
      (line): readonly ScreenLine[] => (line instanceof ImageLine ? [line] : wrapTextWithAnsi(line, to)),
    );
  }
}
