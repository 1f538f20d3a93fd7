/** Seeded text of many kinds, for tests, benches and soaks: the same seed gives the same text everywhere. */
export type TextKind = 'code' | 'markdown' | 'json' | 'log' | 'cjk' | 'base64' | 'scripts' | 'traps';

export const textKinds: readonly TextKind[] = ['code', 'markdown', 'json', 'log', 'cjk', 'base64', 'scripts', 'traps'];

export interface Random {
  /** At least 0, below 1. */
  next(): number;
  below(limit: number): number;
  pick<T>(list: ArrayLike<T>): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { next, below, pick: <T>(list: ArrayLike<T>) => list[below(list.length)] as T };
}

const words =
  'the of request return value context window token function const error user file path message while import null async await render compaction summary ledger budget overflow number string index parse JSONDecoder HTTPServer getUserById MAX_RETRIES unbelievably internationalisation we’re don’t it’s isn\u0027t they\u0027ll'.split(
    ' ',
  );
const cjk =
  '我们 需要 准确 计算 每个 消息 所 使用 的 令牌 数量 上下文 窗口 大小 取决于 模型 和 请求 因此 如果 超过 限制 就 会 返回 错误 用户 可以 设置 参数 以便 更好 地 管理 会话 历史 これ は 日本語 の 文章 です ひらがな と カタカナ トークン を 数える 必要 が あります 한국어 문장 도 있습니다 그리고 컨텍스트 크기 를 계산 합니다 數據 處理 繁體 中文 測試 龘 靐 齉'.split(
    ' ',
  );
const scripts = [
  'Привет',
  'мир',
  'Здравствуйте',
  'مرحبا',
  'بالعالم',
  'שלום',
  'नमस्ते',
  'दुनिया',
  'สวัสดี',
  'Γειά',
  'İstanbul',
  'ǅungla',
  'Việt',
  'naïve',
  'e\u0301te\u0301',
  'ﬁn',
  'ʰʷ',
  '１２３',
  'Ⅷ',
];

/** Every one of these has made some tokenizer answer wrongly. */
export const traps: readonly string[] = [
  ...['\ufeff', '\ufeffabc', 'a\u0085b', '\u0085\u0085x', '\u180e', '\ud800', '\udc00x', 'a\ud83d', '<|endoftext|>'],
  ...['<|endofprompt|>', '<|fim_prefix|>', 'İ', "'ſ", "x'ſy", "'S", "'LL", "'Re", "'vE", '👨\u200d👩\u200d👧\u200d👦'],
  ...[
    '🏳️\u200d🌈',
    '\0',
    '\r\n',
    '\r',
    '\n\n',
    ' \n',
    '\t',
    '\u00a0',
    '\u3000',
    '\u2028',
    '\u200b',
    '//',
    '/\n/',
    '.\n',
  ],
  ...['\u0301', '\u0301A', '\u0301a', 'A\u0301', '中A', '中a', 'ABCd', 'ABC', 'aB', 'ǅ', 'ʰA', '٣', '½', '1234', ' 5'],
  ...['  ', '   ', '!', '!!', "'", ' "', '…', '—', 'a', 'Z', 'é', 'ß', 'ﬀ', '\u{1f600}', '\u{20000}', '\u{10ffff}'],
];

const makers: Record<TextKind, (random: Random) => string> = {
  code: (r) =>
    `${' '.repeat(r.below(5) * 2)}const ${r.pick(words)}${r.below(99)} = ${r.pick(words)}(${r.pick(words)}.${r.pick(words)}, { ${r.pick(words)}: ${r.next()} });${r.next() < 0.2 ? ' // ' : ''}\n${r.next() < 0.1 ? '\n\n' : ''}`,
  markdown: (r) =>
    `${r.pick(['# ', '- ', '* **', '> ', '1. ', ''])}${line(r, 12)}${r.pick(['', '**', '.\n\n', '`x()`'])}\n`,
  json: (r) =>
    `{"${r.pick(words)}":${r.below(1e6)},"${r.pick(words)}":["${line(r, 3)}",null,{"id":"${hex(r, 12)}"}]},\n`,
  log: (r) =>
    `2026-0${r.below(9) + 1}-1${r.below(10)}T0${r.below(10)}:${r.below(60)}:00.${r.below(999)}Z ${r.pick(['INFO', 'WARN', 'ERROR'])} [worker-${r.below(64)}] ${line(r, 6)} id=${hex(r, 16)} took ${r.below(9999)}ms\n`,
  cjk: (r) => `${repeated(r, 10, () => r.pick(cjk))}${r.pick(['。', '，', '、', '！\n', 'API', ' 42 '])}`,
  base64: (r) =>
    `${repeated(r, 76, () => r.pick('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'))}${r.next() < 0.5 ? '\n' : ''}`,
  scripts: (r) => `${r.pick(scripts)}${r.pick([' ', ', ', '\n', '. ', ''])}`,
  traps: (r) => r.pick(traps),
};

function line(random: Random, most: number): string {
  return Array.from({ length: 1 + random.below(most) }, () => random.pick(words)).join(' ');
}

function hex(random: Random, length: number): string {
  return Array.from({ length }, () => random.pick('0123456789abcdef')).join('');
}

function repeated(random: Random, most: number, one: () => string): string {
  return Array.from({ length: 1 + random.below(most) }, one).join('');
}

/** About `length` characters of one kind. */
export function makeText({ seed, kind, length }: { seed: number; kind: TextKind; length: number }): string {
  const random = createRandom(seed);
  const parts: string[] = [];
  for (let size = 0; size < length; ) {
    const part = makers[kind](random);
    parts.push(part);
    size += part.length;
  }
  return parts.join('');
}

/** A short text of a few traps and words with nothing between them. */
export function makeTrap(random: Random): string {
  return repeated(random, 8, () => (random.next() < 0.7 ? random.pick(traps) : random.pick([...words, ...scripts])));
}
