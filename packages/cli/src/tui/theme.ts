import type { ProcessEnvironment } from '../io/io.ts';

export type ThemeName = 'dark' | 'light';

/** How many colors a terminal has. */
export type ColorDepth = 'none' | '16' | '256' | 'true';

/** Wraps a text in the sequences of a style; styles can be nested. */
export type Style = (text: string) => string;

/** The styles of the interface, by what they mean. */
export interface Theme {
  readonly name: ThemeName;
  readonly depth: ColorDepth;
  readonly accent: Style;
  readonly faint: Style;
  readonly border: Style;
  readonly good: Style;
  readonly bad: Style;
  readonly warn: Style;
  readonly info: Style;
  readonly bold: Style;
  readonly italic: Style;
  readonly underline: Style;
  readonly strike: Style;
  readonly inverse: Style;
  readonly heading: Style;
  readonly link: Style;
  readonly code: Style;
  /** The background of what the user wrote. */
  readonly human: Style;
  /** The chosen row of a list. */
  readonly chosen: Style;
  readonly keyword: Style;
  readonly string: Style;
  readonly number: Style;
  readonly comment: Style;
  readonly definition: Style;
  readonly added: Style;
  readonly removed: Style;
  readonly addedWord: Style;
  readonly removedWord: Style;
  /** One per kind of content in the context map, in a fixed order. */
  readonly kinds: readonly Style[];
}

/** A color: for terminals with many colors, and its number among the 16. */
interface Color {
  readonly rgb: number;
  readonly basic: number;
}

interface Palette {
  readonly accent: Color;
  readonly faint: Color;
  readonly border: Color;
  readonly good: Color;
  readonly bad: Color;
  readonly warn: Color;
  readonly info: Color;
  readonly link: Color;
  readonly code: Color;
  readonly humanBack: Color;
  readonly chosenBack: Color;
  readonly keyword: Color;
  readonly string: Color;
  readonly number: Color;
  readonly comment: Color;
  readonly definition: Color;
  readonly addedBack: Color;
  readonly removedBack: Color;
  readonly addedWordBack: Color;
  readonly removedWordBack: Color;
  readonly kinds: readonly Color[];
}

const color = (rgb: number, basic: number): Color => ({ rgb, basic });

const palettes: Readonly<Record<ThemeName, Palette>> = {
  dark: {
    accent: color(0xe0a458, 3),
    faint: color(0x8a8f98, 8),
    border: color(0x4b5160, 8),
    good: color(0x8ccf7e, 2),
    bad: color(0xe57474, 1),
    warn: color(0xe5c76b, 3),
    info: color(0x67b0e8, 4),
    link: color(0x67b0e8, 4),
    code: color(0x9ccfd8, 6),
    humanBack: color(0x2a2e38, 0),
    chosenBack: color(0x343a47, 0),
    keyword: color(0xc48fe0, 5),
    string: color(0x9fce85, 2),
    number: color(0xe6a86e, 3),
    comment: color(0x767d8a, 8),
    definition: color(0x7db7ea, 4),
    addedBack: color(0x17341f, 2),
    removedBack: color(0x3c1a1e, 1),
    addedWordBack: color(0x2a6b3a, 2),
    removedWordBack: color(0x84323a, 1),
    kinds: [
      color(0x8a8f98, 8),
      color(0x6cbfbf, 6),
      color(0xe5c76b, 3),
      color(0xe0a458, 11),
      color(0x67b0e8, 4),
      color(0xa98fe0, 5),
      color(0x8ccf7e, 2),
      color(0x5f9e6e, 10),
      color(0xd67ba8, 13),
    ],
  },
  light: {
    accent: color(0xa65e00, 3),
    faint: color(0x6b7280, 8),
    border: color(0xb7bcc7, 7),
    good: color(0x2f7d32, 2),
    bad: color(0xb3261e, 1),
    warn: color(0x8a6100, 3),
    info: color(0x1d5fa8, 4),
    link: color(0x1d5fa8, 4),
    code: color(0x0f6b75, 6),
    humanBack: color(0xeceef2, 7),
    chosenBack: color(0xdfe4ee, 7),
    keyword: color(0x8a2da5, 5),
    string: color(0x3a7a2c, 2),
    number: color(0xa3540b, 3),
    comment: color(0x7c828d, 8),
    definition: color(0x1d5fa8, 4),
    addedBack: color(0xdff3e2, 2),
    removedBack: color(0xfbe3e4, 1),
    addedWordBack: color(0xa9e0b3, 2),
    removedWordBack: color(0xf3b3b7, 1),
    kinds: [
      color(0x6b7280, 8),
      color(0x15838f, 6),
      color(0x8a6100, 3),
      color(0xa65e00, 11),
      color(0x1d5fa8, 4),
      color(0x6f42c1, 5),
      color(0x2f7d32, 2),
      color(0x5b9b63, 10),
      color(0xa83279, 13),
    ],
  },
};

/**
 * The styles for a terminal. Without colors, bold, italic, underline and inverse remain: they are no colors.
 *
 * @example
 * const theme = createTheme({ name: 'dark', depth: colorDepthOf({ env, isTerminal: true }) });
 * theme.good('passed');
 */
export function createTheme({ name, depth }: { readonly name: ThemeName; readonly depth: ColorDepth }): Theme {
  const palette = palettes[name];
  const front = (of: Color) => styleOf({ open: sequence({ of, depth, isBack: false }), close: '39' });
  const back = (of: Color) => styleOf({ open: sequence({ of, depth, isBack: true }), close: '49' });
  const few = depth === '16' || depth === 'none';
  const bold = styleOf({ open: '1', close: '22' });
  const inverse = styleOf({ open: '7', close: '27' });
  const underline = styleOf({ open: '4', close: '24' });
  const both =
    (outer: Style, inner: Style): Style =>
    (text) =>
      outer(inner(text));
  return {
    name,
    depth,
    accent: front(palette.accent),
    faint: depth === 'none' ? styleOf({ open: '2', close: '22' }) : front(palette.faint),
    border: depth === 'none' ? styleOf({ open: '2', close: '22' }) : front(palette.border),
    good: front(palette.good),
    bad: front(palette.bad),
    warn: front(palette.warn),
    info: front(palette.info),
    bold,
    italic: styleOf({ open: '3', close: '23' }),
    underline,
    strike: styleOf({ open: '9', close: '29' }),
    inverse,
    heading: both(bold, front(palette.accent)),
    link: both(underline, front(palette.link)),
    code: front(palette.code),
    human: few ? bold : back(palette.humanBack),
    chosen: few ? inverse : both(bold, back(palette.chosenBack)),
    keyword: front(palette.keyword),
    string: front(palette.string),
    number: front(palette.number),
    comment: front(palette.comment),
    definition: front(palette.definition),
    added: few ? front(palette.good) : back(palette.addedBack),
    removed: few ? front(palette.bad) : back(palette.removedBack),
    addedWord: few ? inverse : back(palette.addedWordBack),
    removedWord: few ? inverse : back(palette.removedWordBack),
    kinds: palette.kinds.map(front),
  };
}

/** Nested text may close the same attribute: it is opened again there. */
function styleOf({ open, close }: { readonly open: string; readonly close: string }): Style {
  if (open === '') return (text) => text;
  const [start, end] = [`\u001b[${open}m`, `\u001b[${close}m`];
  return (text) =>
    text === '' ? '' : `${start}${text.includes(end) ? text.replaceAll(end, `${end}${start}`) : text}${end}`;
}

function sequence({
  of: { rgb, basic },
  depth,
  isBack,
}: {
  readonly of: Color;
  readonly depth: ColorDepth;
  readonly isBack: boolean;
}): string {
  if (depth === 'none') return '';
  const base = isBack ? 40 : 30;
  if (depth === '16') return String(basic < 8 ? base + basic : base + 60 + basic - 8);
  const [red, green, blue] = [rgb >> 16, (rgb >> 8) & 255, rgb & 255];
  if (depth === 'true') return `${base + 8};2;${red};${green};${blue}`;
  return `${base + 8};5;${nearest256({ red, green, blue })}`;
}

/** The nearest color of the 6 x 6 x 6 cube or the gray ramp. */
function nearest256({
  red,
  green,
  blue,
}: {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}): number {
  const levels = [0, 95, 135, 175, 215, 255];
  const step = (value: number) =>
    levels.reduce(
      (best, level, at) => (Math.abs(level - value) < Math.abs((levels[best] ?? 0) - value) ? at : best),
      0,
    );
  const [r, g, b] = [step(red), step(green), step(blue)];
  const gray = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const distance = (x: number, y: number, z: number) => (x - red) ** 2 + (y - green) ** 2 + (z - blue) ** 2;
  const level = 8 + gray * 10;
  const cube = distance(levels[r] ?? 0, levels[g] ?? 0, levels[b] ?? 0);
  return distance(level, level, level) < cube ? 232 + gray : 16 + 36 * r + 6 * g + b;
}

/**
 * How many colors the terminal has, by the conventions NO_COLOR, FORCE_COLOR, COLORTERM and TERM.
 *
 * @example
 * colorDepthOf({ env: { TERM: 'xterm-256color' }, choice: 'auto' }); // '256'
 */
export function colorDepthOf({
  env,
  choice,
}: {
  readonly env: ProcessEnvironment;
  readonly choice: 'auto' | 'always' | 'never';
}): ColorDepth {
  if (choice === 'never' || (choice === 'auto' && (env.NO_COLOR || env.FORCE_COLOR === '0'))) return 'none';
  const { TERM: term = '', COLORTERM: colors = '', FORCE_COLOR: forced } = env;
  if (forced === '1') return '16';
  if (forced === '2') return '256';
  if (forced === '3' || /^(?:truecolor|24bit)$/i.test(colors)) return 'true';
  if (/(?:kitty|ghostty|alacritty|wezterm|-direct)/.test(term) || env.WT_SESSION) return 'true';
  return /256/.test(term) ? '256' : '16';
}

/**
 * Light or dark, as far as the environment says; the terminal is asked as well (see `App`).
 *
 * @example
 * themeNameOf({ env: { COLORFGBG: '0;15' } }); // 'light'
 */
export function themeNameOf({ env }: { readonly env: ProcessEnvironment }): ThemeName {
  const back = /;(\d+)$/.exec(env.COLORFGBG ?? '')?.[1];
  return back === '7' || back === '15' ? 'light' : 'dark';
}
