import { Markdown, type MarkdownTheme, Marked } from '@earendil-works/pi-tui';
import { createHighlighter } from './highlight.ts';
import type { Theme } from './theme.ts';

/** A block of Markdown with its lines at a width. */
interface Section {
  readonly text: string;
  lines?: { readonly width: number; readonly of: readonly string[] };
}

const parser = new Marked();

/** The last section is parsed again with each token; a longer one is cut at a line break. */
const longestSection = 20_000;

/**
 * Markdown that grows. Blocks that are complete are rendered once; only the last block is rendered again when text is
 * added, so that the cost of a token does not depend on the length of the answer.
 *
 * @example
 * const text = new StreamingMarkdown({ theme });
 * text.set('# Plan\n\nFirst, ');
 * text.render(80); // { lines: [...], final: 2 }
 */
export class StreamingMarkdown {
  readonly #theme: MarkdownTheme;
  readonly #done: Section[] = [];
  /** What is in `#done`. */
  #length = 0;
  #text = '';
  #last: Section = { text: '' };

  constructor({ theme }: { readonly theme: Theme }) {
    this.#theme = markdownTheme(theme);
  }

  /** The whole text so far. If it does not continue the last one, everything is rendered again. */
  set(text: string): void {
    if (text === this.#text) return;
    if (!text.startsWith(this.#text)) {
      this.#done.length = 0;
      this.#length = 0;
    }
    this.#text = text;
    const open = text.slice(this.#length);
    const tokens = parser.lexer(open);
    // A block is complete when another follows it; an empty line may still belong to a list.
    const last = tokens.findLastIndex(({ type }) => type !== 'space');
    let done = '';
    for (const { raw } of tokens.slice(0, Math.max(0, last))) done += raw;
    // Tabs and line ends are normalized by the parser: then the lengths differ and nothing is complete yet.
    if (!open.startsWith(done)) done = '';
    const rest = open.slice(done.length);
    if (rest.length > longestSection && !/^\s*(?:```|~~~)/.test(rest))
      done += rest.slice(0, rest.lastIndexOf('\n', longestSection) + 1);
    if (done.trim() !== '') {
      this.#done.push({ text: done });
      this.#length += done.length;
    }
    this.#last = { text: text.slice(this.#length) };
  }

  /** The lines at a width, and how many of them do not change any more when text is added. */
  render(width: number): { readonly lines: readonly string[]; readonly final: number } {
    const lines: string[] = [];
    for (const section of this.#done) lines.push(...this.#rendered({ section, width, isFirst: lines.length === 0 }));
    const final = lines.length;
    if (this.#last.text.trim() !== '')
      lines.push(...this.#rendered({ section: this.#last, width, isFirst: final === 0 }));
    return { lines, final };
  }

  #rendered({
    section,
    width,
    isFirst,
  }: {
    readonly section: Section;
    readonly width: number;
    readonly isFirst: boolean;
  }): readonly string[] {
    if (section.lines?.width === width) return section.lines.of;
    const rendered = new Markdown(section.text.trim(), 0, 0, this.#theme)
      .render(width)
      .map((line) => line.replace(/(?<! ) +$/, ''));
    while (rendered.at(-1) === '') rendered.pop();
    while (rendered[0] === '') rendered.shift();
    const of = isFirst ? rendered : ['', ...rendered];
    section.lines = { width, of };
    return of;
  }
}

function markdownTheme(theme: Theme): MarkdownTheme {
  return {
    heading: theme.heading,
    link: theme.link,
    linkUrl: theme.faint,
    code: theme.code,
    codeBlock: (text) => text,
    // The fences are left out; the language stays.
    codeBlockBorder: (fence) => theme.faint(fence.replace(/^[`~]+/, '')),
    quote: theme.italic,
    quoteBorder: theme.border,
    hr: theme.border,
    listBullet: theme.accent,
    bold: theme.bold,
    italic: theme.italic,
    strikethrough: theme.strike,
    underline: theme.underline,
    highlightCode: (code, language) => code.split('\n').map(createHighlighter({ language, theme })),
  };
}
