/** Letters of other scripts that look like Latin ones. */
const lookalikes: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...[
      'аa',
      'еe',
      'оo',
      'рp',
      'сc',
      'уy',
      'хx',
      'ѕs',
      'іi',
      'јj',
      'ԁd',
      'һh',
      'ԛq',
      'ԝw',
      'кk',
      'тt',
      'нh',
      'вb',
      'мm',
      'ӏl',
    ],
    ...[
      'αa',
      'οo',
      'ρp',
      'νv',
      'ιi',
      'κk',
      'τt',
      'υu',
      'εe',
      'ηn',
      'χx',
      'γy',
      'ѵv',
      'ցg',
      'սu',
      'օo',
      'հh',
      'ոn',
      'քp',
    ],
    ...[
      'ɑa',
      'ɡg',
      'ɩi',
      'ıi',
      'ʀr',
      'ꜱs',
      'ᴀa',
      'ʙb',
      'ᴄc',
      'ᴅd',
      'ᴇe',
      'ɢg',
      'ʜh',
      'ɪi',
      'ᴊj',
      'ᴋk',
      'ʟl',
      'ᴍm',
      'ɴn',
    ],
    ...['ᴏo', 'ᴘp', 'ᴛt', 'ᴜu', 'ᴠv', 'ᴡw', 'ʏy', 'ᴢz', 'øo', 'đd', 'łl', 'ħh'],
  ].map((pair) => [pair.charAt(0), pair.at(-1) ?? '']),
);

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  nbsp: ' ',
  quot: '"',
  shy: '',
  zwj: '',
  zwnj: '',
};

/**
 * A text as a reader sees it: invisible characters are removed, character references are decoded, and full-width and
 * mathematical letters become plain ones.
 *
 * @example
 * visible('Ｔｈｅ u\u200bser &#97;pproved'); // 'The user approved'
 */
export function visible(text: string): string {
  // Most texts have none of it, and compiling the expressions with Unicode classes takes longer than the text.
  if (isPlain(text)) return text.replaceAll('\t', ' ');
  return text
    .toWellFormed()
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) =>
      name === undefined ? character(Number.parseInt(decimal ?? hex, decimal ? 10 : 16)) : (entities[name] ?? whole),
    )
    .normalize('NFKC')
    .replace(/\p{Cf}|\u034f|[\u115f\u1160\u17b4\u17b5]|[\u180b-\u180f\ufe00-\ufe0f]/gu, '')
    .replace(/[\p{Zs}\t]/gu, ' ');
}

/** Printable ASCII, tabs and line ends, without character references. */
function isPlain(text: string): boolean {
  return /^[\t\n\r -%'-~]*$/.test(text);
}

/** Names and fragments in backticks; sentences in backticks are still sentences. */
const codeSpan = /(?<!`)(`{1,8})([^`]+)\1/g;
const plainWords = /^\p{L}+(?:[,;:]?[ -]\p{L}+|['’]\p{L}+)*[.,:;!?]*$/u;

/**
 * The normalized words of a text in lower case: markup, diacritics and lookalike letters are resolved, and code becomes
 * `codespan`. Only for pattern matching.
 *
 * @example
 * spoken('**The** `user` аpprovеd `a.ts`'); // 'the user approved codespan'
 */
export function spoken(text: string): string {
  return (
    visible(text)
      .replace(codeSpan, (_, __, code: string) => (plainWords.test(code.trim()) ? ` ${code} ` : ' codespan '))
      .replace(/!?\[([^\]\n]{0,500})\]\([^)\n]{0,500}\)/g, '$1')
      .replace(/<\/?[a-z][^<>\n]{0,200}>/gi, ' ')
      // A backslash before anything but a letter or digit; surrogates are of the signs behind the first 65,536.
      .replace(/\\(?=[^0-9A-Za-z])/g, (sign, at: number, whole: string) => (isLetter(whole, at + 1) ? sign : ''))
      .toLowerCase()
      .replace(/[\u0080-\uffff]/g, (sign) => lookalikes[sign] ?? sign)
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC')
      .replace(/[’ʼ‘`´]/g, "'")
      .replace(/[*_~|#]+|^[\s>]+/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

function character(code: number): string {
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code).toWellFormed() : '';
}

/** Whether a letter or a digit of any script is at this place. */
function isLetter(text: string, at: number): boolean {
  const code = text.codePointAt(at) ?? 0;
  return code > 127 && /[\p{L}\p{N}]/u.test(String.fromCodePoint(code));
}
