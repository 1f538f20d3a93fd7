/** Elements whose content is not text of the page. */
const skipped = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'head',
  'iframe',
  'object',
  'canvas',
  'select',
]);

/** Elements whose content has no markup: it ends at their closing tag only. */
const raw = new Set(['script', 'style', 'noscript', 'template', 'iframe', 'textarea', 'title', 'xmp']);

/** Elements that begin and end a line. */
const blocks = new Set(
  'address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol option p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  copy: '©',
  reg: '®',
  trade: '™',
  times: '×',
  middot: '·',
  bull: '•',
  rarr: '→',
  larr: '←',
  le: '≤',
  ge: '≥',
  ne: '≠',
  deg: '°',
  euro: '€',
  pound: '£',
  sect: '§',
  para: '¶',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
};

/**
 * The readable text of an HTML page, roughly as Markdown: headings, list items, links with absolute addresses, code. One
 * pass over the text, whatever it contains.
 *
 * @example
 * htmlText({ html: '<h1>Title</h1><p>See <a href="/a">this</a>.', base: 'https://example.com/' });
 * // '# Title\n\nSee [this](https://example.com/a).'
 */
export function htmlText({ html, base }: { readonly html: string; readonly base: string }): string {
  const out = new TextLines();
  const lower = html.toLowerCase();
  const links: (string | undefined)[] = [];
  let at = 0;
  let skip: { readonly name: string; depth: number } | undefined;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const end = open < 0 ? html.length : open;
    if (end > at && !skip) out.text(decoded(html.slice(at, end)));
    if (open < 0) break;
    if (html.startsWith('<!--', open)) {
      const close = html.indexOf('-->', open + 4);
      at = close < 0 ? html.length : close + 3;
      continue;
    }
    const tag = /^<(\/?)([a-z][a-z0-9-]{0,40})/.exec(lower.slice(open, open + 45));
    if (!tag) {
      const isMarkup = /^<[!?/]/.test(html.slice(open, open + 2));
      const close = isMarkup ? html.indexOf('>', open) : open;
      if (!isMarkup && !skip) out.text('<');
      at = close < 0 ? html.length : close + 1;
      continue;
    }
    const [whole, slash, name = ''] = tag;
    const close = endOfTag({ html, from: open + whole.length });
    const attributes = html.slice(open + whole.length, close);
    at = close + 1;
    const isEnd = slash === '/';
    if (!isEnd && raw.has(name) && !attributes.endsWith('/')) {
      const last = lower.indexOf(`</${name}`, at);
      if (!skip && (name === 'textarea' || name === 'xmp')) out.text(html.slice(at, last < 0 ? html.length : last));
      at = last < 0 ? html.length : endOfTag({ html, from: last + name.length + 2 }) + 1;
      continue;
    }
    if (skip) {
      if (name === skip.name) skip.depth += isEnd ? -1 : 1;
      if (skip.depth === 0) skip = undefined;
      continue;
    }
    if (!isEnd && skipped.has(name) && !attributes.endsWith('/')) skip = { name, depth: 1 };
    else if (name === 'a') {
      if (!isEnd) {
        links.push(address({ attributes, base }));
        out.mark('[');
      } else if (links.length > 0) out.link(links.pop());
    } else if (name === 'img' && !isEnd) {
      const alt = attribute({ attributes, name: 'alt' });
      if (alt !== undefined && alt !== '') out.text(`[image: ${alt}]`);
    } else if (name === 'pre') out.preformatted(!isEnd);
    else if (name === 'code' && !out.isPreformatted) out.mark('`');
    else if (blocks.has(name)) out.block({ name, isEnd });
  }
  return out.done();
}

/** Where a tag ends: at the first `>` outside of quotes. */
function endOfTag({ html, from }: { readonly html: string; readonly from: number }): number {
  let quote = '';
  for (let at = from; at < html.length; at += 1) {
    const character = html[at] ?? '';
    if (quote === '') {
      if (character === '>') return at;
      if ((character === '"' || character === "'") && html[at - 1] === '=') quote = character;
    } else if (character === quote) quote = '';
  }
  // A quotation mark that is never closed must not swallow the page.
  const close = html.indexOf('>', from);
  return close < 0 ? html.length : close;
}

function attribute({ attributes, name }: { readonly attributes: string; readonly name: string }): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s?=\\s?(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    attributes.slice(0, 5_000),
  );
  const value = found?.[1] ?? found?.[2] ?? found?.[3];
  return value === undefined ? undefined : decoded(value).trim();
}

/** The absolute address of a link; `undefined` if it leads nowhere. */
function address({ attributes, base }: { readonly attributes: string; readonly base: string }): string | undefined {
  const href = attribute({ attributes, name: 'href' });
  if (href === undefined || href.startsWith('#') || !URL.canParse(href, base)) return undefined;
  const { protocol, href: whole } = new URL(href, base);
  return protocol === 'http:' || protocol === 'https:' ? whole : undefined;
}

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

/** Without the separator after the last cell of a row. */
function withoutTrailingCells(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '|')) end -= 1;
  return line.slice(0, end);
}

/** Collects text, with spaces and empty lines collapsed as a browser does. */
class TextLines {
  readonly #lines: string[] = [];
  #line = '';
  #prefix = '';
  #depth = 0;

  get isPreformatted(): boolean {
    return this.#depth > 0;
  }

  text(text: string): void {
    if (this.#depth > 0) {
      const [first = '', ...rest] = text.split(/\r?\n/);
      this.#line += first;
      for (const line of rest) {
        this.#lines.push(this.#line);
        this.#line = line;
      }
      return;
    }
    const collapsed = text.replace(/\s+/g, ' ');
    this.#line += this.#line === '' || this.#line.endsWith(' ') ? collapsed.trimStart() : collapsed;
  }

  /** Text that is not collapsed. */
  mark(text: string): void {
    this.#line += text;
  }

  /** Ends a link; one without text or address leaves its text only. */
  link(href: string | undefined): void {
    const start = this.#line.lastIndexOf('[');
    if (start < 0) return;
    const label = this.#line.slice(start + 1);
    const isUseful = href !== undefined && label.trim() !== '';
    this.#line = this.#line.slice(0, start) + (isUseful ? `[${label.trim()}](${href})` : label);
  }

  preformatted(isStart: boolean): void {
    this.#end();
    if (isStart && this.#depth === 0) this.#lines.push('', '```');
    if (!isStart && this.#depth === 1) this.#lines.push('```', '');
    this.#depth = Math.max(0, this.#depth + (isStart ? 1 : -1));
  }

  block({ name, isEnd }: { readonly name: string; readonly isEnd: boolean }): void {
    if (this.#depth > 0) return;
    if (name === 'td' || name === 'th') {
      if (isEnd) this.#line += ' | ';
      return;
    }
    this.#end();
    const heading = /^h([1-6])$/.exec(name)?.[1];
    if (name === 'p' || heading !== undefined || name === 'ul' || name === 'ol' || name === 'table')
      this.#lines.push('');
    if (isEnd) return;
    if (heading !== undefined) this.#prefix = `${'#'.repeat(Number(heading))} `;
    else if (name === 'li') this.#prefix = '- ';
  }

  #end(): void {
    const line = this.#depth > 0 ? this.#line : withoutTrailingCells(this.#line);
    if (line.trim() !== '') {
      this.#lines.push(this.#prefix + line);
      this.#prefix = '';
    }
    this.#line = '';
  }

  done(): string {
    this.#end();
    if (this.#depth > 0) this.#lines.push('```');
    return this.#lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }
}
