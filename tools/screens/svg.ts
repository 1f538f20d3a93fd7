import type xterm from '@xterm/headless';

type Emulator = InstanceType<typeof xterm.Terminal>;

/** Colors of the 16, for dark and light pictures. */
const palettes = {
  dark: {
    back: '#16181d',
    front: '#d7dae0',
    basic: [
      '#16181d',
      '#e57474',
      '#8ccf7e',
      '#e5c76b',
      '#67b0e8',
      '#c48fe0',
      '#6cbfbf',
      '#d7dae0',
      '#767d8a',
      '#ef8a8a',
      '#a3dd96',
      '#f0d58a',
      '#85c2f0',
      '#d3a8ea',
      '#86d0d0',
      '#ffffff',
    ],
  },
  light: {
    back: '#ffffff',
    front: '#22262e',
    basic: [
      '#22262e',
      '#b3261e',
      '#2f7d32',
      '#8a6100',
      '#1d5fa8',
      '#8a2da5',
      '#0f6b75',
      '#e5e7eb',
      '#6b7280',
      '#c9473f',
      '#479a4a',
      '#a67a10',
      '#3f7fc4',
      '#a24fbb',
      '#2e8791',
      '#f5f5f5',
    ],
  },
};

const cell = { width: 8.4, height: 18, size: 14 };

interface Run {
  text: string;
  readonly column: number;
  columns: number;
  readonly style: string;
  readonly back: string | undefined;
}

/**
 * The visible part of an emulator as an SVG picture: text that can be selected, no fonts to load.
 *
 * @example
 * await writeFile('screen.svg', screenSvg({ emulator, theme: 'dark', title: 'A conversation' }));
 */
export function screenSvg({
  emulator,
  theme,
  title,
}: {
  readonly emulator: Emulator;
  readonly theme: 'dark' | 'light';
  readonly title: string;
}): string {
  const { width, height } = sizeOf(emulator);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    windowSvg({ size: { width, height }, theme, title }),
    `<g ${font(theme)}>`,
    ...screenLines({ emulator, theme }).map((line, row) =>
      line === '' ? '' : `<g transform="translate(0 ${40 + row * cell.height})">${line}</g>`,
    ),
    '</g>',
    '</svg>\n',
  ].join('\n');
}

/** A screen of a recording: its lines, and how long it is shown. */
export interface RecordedScreen {
  readonly lines: readonly string[];
  readonly seconds: number;
}

/**
 * Several screens one after the other, repeated. A line that is on several screens is stored once.
 *
 * @example
 * animationSvg({ screens: [{ lines: screenLines({ emulator, theme: 'dark' }), seconds: 2 }], size: sizeOf(emulator), theme: 'dark', title: 'Demo' });
 */
export function animationSvg({
  screens,
  theme,
  title,
  size,
}: {
  readonly screens: readonly RecordedScreen[];
  readonly theme: 'dark' | 'light';
  readonly title: string;
  readonly size: { readonly width: number; readonly height: number };
}): string {
  const total = screens.reduce((sum, { seconds }) => sum + seconds, 0);
  const ids = new Map<string, string>();
  for (const { lines } of screens)
    for (const line of lines) if (line !== '' && !ids.has(line)) ids.set(line, `l${ids.size}`);
  let at = 0;
  const shown = screens.map(({ lines, seconds }, index) => {
    const [from, to] = [at / total, Math.min(1, (at + seconds) / total)];
    at += seconds;
    const isLast = index === screens.length - 1;
    const times = [0, ...(index === 0 ? [] : [from]), ...(isLast ? [] : [to])];
    const values = [index === 0 ? 'inline' : 'none', ...(index === 0 ? [] : ['inline']), ...(isLast ? [] : ['none'])];
    const uses = lines.map((line, row) =>
      line === '' ? '' : `<use href="#${ids.get(line)}" y="${40 + row * cell.height}"/>`,
    );
    return `<g display="${index === 0 ? 'inline' : 'none'}"><animate attributeName="display" calcMode="discrete" dur="${total.toFixed(2)}s" repeatCount="indefinite" keyTimes="${times.map((time) => time.toFixed(5)).join(';')}" values="${values.join(';')}"/>${uses.join('')}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    windowSvg({ size, theme, title }),
    `<defs>${[...ids].map(([line, id]) => `<g id="${id}">${line}</g>`).join('\n')}</defs>`,
    `<g ${font(theme)}>`,
    ...shown,
    '</g>',
    '</svg>\n',
  ].join('\n');
}

export function sizeOf(emulator: Emulator): { readonly width: number; readonly height: number } {
  return { width: Math.ceil(emulator.cols * cell.width + 32), height: emulator.rows * cell.height + 60 };
}

function windowSvg({
  size: { width, height },
  theme,
  title,
}: {
  readonly size: { readonly width: number; readonly height: number };
  readonly theme: 'dark' | 'light';
  readonly title: string;
}): string {
  const { back, basic } = palettes[theme];
  return [
    `<rect width="${width}" height="${height}" rx="10" fill="${back}" stroke="${basic[8]}" stroke-opacity="0.4"/>`,
    ...['#e0605e', '#e0b45e', '#6fbf6a'].map(
      (color, at) => `<circle cx="${20 + at * 18}" cy="18" r="5.5" fill="${color}"/>`,
    ),
    `<text x="${width / 2}" y="22" text-anchor="middle" font-family="system-ui, sans-serif" font-size="12" fill="${basic[8]}">${escaped(title)}</text>`,
  ].join('\n');
}

function font(theme: 'dark' | 'light'): string {
  return `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${cell.size}" fill="${palettes[theme].front}"`;
}

/** The visible lines, each drawn at the top. */
export function screenLines({
  emulator,
  theme,
}: {
  readonly emulator: Emulator;
  readonly theme: 'dark' | 'light';
}): string[] {
  const palette = palettes[theme];
  const { active } = emulator.buffer;
  return Array.from({ length: emulator.rows }, (_, row) => {
    const parts: string[] = [];
    const line = active.getLine(active.baseY + row);
    for (const { text, column, columns, style, back } of line
      ? runsOf({ line, columns: emulator.cols, palette })
      : []) {
      const x = (16 + column * cell.width).toFixed(1);
      const width = (columns * cell.width).toFixed(1);
      if (back) parts.push(`<rect x="${x}" width="${width}" height="${cell.height}" fill="${back}"/>`);
      if (text.trim() === '') continue;
      parts.push(
        `<text x="${x}" y="13.5" xml:space="preserve" textLength="${width}" lengthAdjust="spacingAndGlyphs"${style}>${escaped(text)}</text>`,
      );
    }
    if (row === active.cursorY)
      parts.push(
        `<rect x="${(16 + active.cursorX * cell.width).toFixed(1)}" width="${cell.width}" height="${cell.height}" fill="${palette.front}" fill-opacity="0.45"/>`,
      );
    return parts.join('');
  });
}

function runsOf({
  line,
  columns,
  palette,
}: {
  readonly line: NonNullable<ReturnType<Emulator['buffer']['active']['getLine']>>;
  readonly columns: number;
  readonly palette: (typeof palettes)['dark'];
}): Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column += 1) {
    const at = line.getCell(column);
    if (!at || at.getWidth() === 0) continue;
    const inverse = at.isInverse() !== 0;
    const front = at.isFgDefault() ? palette.front : colorOf({ value: at.getFgColor(), isRgb: at.isFgRGB(), palette });
    const own = at.isBgDefault() ? undefined : colorOf({ value: at.getBgColor(), isRgb: at.isBgRGB(), palette });
    const [fill, back] = inverse ? [own ?? palette.back, front] : [front, own];
    const style = [
      fill === palette.front ? '' : ` fill="${fill}"`,
      at.isBold() ? ' font-weight="bold"' : '',
      at.isItalic() ? ' font-style="italic"' : '',
      at.isDim() ? ' fill-opacity="0.6"' : '',
      at.isUnderline() ? ' text-decoration="underline"' : at.isStrikethrough() ? ' text-decoration="line-through"' : '',
    ].join('');
    const last = runs.at(-1);
    const text = at.getChars() || ' ';
    // Wide characters are placed one by one: fonts differ in their width.
    const isSame =
      last &&
      last.style === style &&
      last.back === back &&
      last.column + last.columns === column &&
      at.getWidth() === 1 &&
      !/[^ -\u024f]/.test(text + last.text);
    if (isSame) {
      last.text += text;
      last.columns += 1;
    } else runs.push({ text, column, columns: at.getWidth(), style, back });
  }
  return runs;
}

function colorOf({
  value,
  isRgb,
  palette,
}: {
  readonly value: number;
  readonly isRgb: boolean;
  readonly palette: (typeof palettes)['dark'];
}): string {
  const hex = (number: number) => `#${number.toString(16).padStart(6, '0')}`;
  if (isRgb) return hex(value);
  if (value < 16) return palette.basic[value] ?? palette.front;
  if (value >= 232) return hex((8 + (value - 232) * 10) * 0x010101);
  const step = (at: number) => (at === 0 ? 0 : 55 + at * 40);
  const cube = value - 16;
  return hex((step(Math.floor(cube / 36)) << 16) | (step(Math.floor(cube / 6) % 6) << 8) | step(cube % 6));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
