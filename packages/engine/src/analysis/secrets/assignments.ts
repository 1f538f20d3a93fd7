import type { KeyMatch } from '../../key-shapes/find-vendor-keys.ts';
import { nameStrength } from './secret-names.ts';
import { type Care, isSecretValue } from './secret-values.ts';

/** Every name of a secret contains one of these. */
const noun =
  /pass|pwd|pw\b|secret|token|key|auth|cred|jwt|bearer|_pat\b|signature|\bsig\b|cookie|dsn|mnemonic|seed|sessi?o?n?id|\bsid\b|\bpsk\b|hmac|connection.?string|rootpw/gi;

const longestName = 80;

/** Characters of the line before a name that are examined. */
const longestLine = 240;

/** Maximum values examined in one run without spaces, such as a query string. */
const mostInRun = 12;

/** Separators between a name and its value: `=`, `: `, ` => `, `", "`, `("`, `: string = `, ` is `. */
const separator =
  /(?<close>["'`\]})]{0,3})[ \t]{0,8}(?<sign>:=|=>|==?|::?|,|\(|\|\|=?|\?\?=?|\?=|>|\bor\b(?=\s)|(?:\bis\b|\bwas\b|\bto\b|\bby\b)(?=\s))?(?:[ \t]{0,8}(?:\??:)?[ \t]{0,2}(?:string|String|str|Secret|SecretStr)[ \t]{0,4}=)?(?<gap>\s{0,8}(?:[>|][+-]?\s{1,40})?)/y;

/** A quoted value; the quotes may be escaped quotes of JSON inside a string. */
const quoted = /(?<mark>["'`])(?<value>(?:[^"'`\n\r\\]|\\(?!["'`])|(?!\k<mark>)["'`]){0,1000}?)(?=\k<mark>)/y;

const bare = /[^\s"'`<>]{1,1000}/y;

/**
 * Finds values whose name marks them as secret: variables, members of JSON and YAML, flags, connection strings. The less
 * specific the name and the position, the more the value itself must look like a secret.
 *
 * @example
 * findAssignments('DB_PASSWORD=hunter22'); // [{ start: 12, end: 20 }]
 */
export function findAssignments(text: string): KeyMatch[] {
  const found: KeyMatch[] = [];
  const examined = { end: 0, count: 0 };
  noun.lastIndex = 0;
  for (let hit = noun.exec(text); hit !== null; hit = noun.exec(text)) {
    const name = nameAround({ text, at: hit.index });
    // Every name is examined once, however many nouns it contains.
    noun.lastIndex = Math.max(name.end, hit.index + 1);
    const strength = nameStrength(name.text);
    if (strength === undefined) continue;
    // A run without spaces may contain a name every few characters, each followed by the rest of the run.
    if (name.end < examined.end && examined.count >= mostInRun) continue;
    const { secret, end } = valueAfter({ text, name, isStrong: strength === 'strong' });
    if (name.end >= examined.end) Object.assign(examined, { end, count: 0 });
    examined.count += 1;
    if (secret === undefined) continue;
    found.push(secret);
    noun.lastIndex = Math.max(noun.lastIndex, secret.end);
  }
  return found;
}

interface SecretName extends KeyMatch {
  readonly text: string;
}

function nameAround({ text, at }: { readonly text: string; readonly at: number }): SecretName {
  let left = 0;
  while (left < longestName && left < at && /[\w.-]/.test(text.charAt(at - left - 1))) left += 1;
  const right = /^[\w.-]{0,80}/.exec(text.slice(at, at + longestName))?.[0].replace(/(?<![.-])[.-]+$/, '').length ?? 0;
  const raw = text.slice(at - left, at + right);
  // `\nPASSWORD` in JSON: the letter belongs to the escape sequence.
  const escaped = text.charAt(at - left - 1) === '\\' && /^[nrt]/.test(raw) ? 1 : 0;
  const start = at - left + escaped;
  const name = raw.slice(escaped);
  // `API key`, `access token`: two words of a sentence or a label.
  const before = /^(?:key|token|secret|phrase)$/i.test(name)
    ? /([A-Za-z]{2,20}) $/.exec(text.slice(Math.max(0, start - 24), start))?.[1]
    : undefined;
  return { start, end: at + right, text: before === undefined ? name : `${before} ${name}` };
}

/** The value after a name if it is a secret, and the end of the examined text. */
function valueAfter(of: { readonly text: string; readonly name: SecretName; readonly isStrong: boolean }): {
  readonly secret?: KeyMatch;
  readonly end: number;
} {
  const { text, name, isStrong } = of;
  separator.lastIndex = name.end;
  const between = separator.exec(text);
  const nothing = { end: name.end };
  if (!between?.groups) return nothing;
  const { sign = '', gap = '' } = between.groups;
  const at = name.end + between[0].length;
  quoted.lastIndex = at;
  const inQuotes = quoted.exec(text)?.groups;
  const before = text.slice(Math.max(0, name.start - longestLine), name.start);
  if (inQuotes) {
    if (sign === '' && !/\s$/.test(between[0])) return nothing;
    const value = inQuotes.value ?? '';
    const start = at + (inQuotes.mark ?? '').length;
    const isLine = /^[A-Z][A-Z\d_]*$/.test(name.text) && sign === '=' && isLineStart(lineOf(before));
    const isOption = /(?:^|\s)--?$/.test(before) || /^--?[a-z]/.test(name.text);
    const care = (isLine || isOption) && isStrong ? 'any' : quotedCare({ isStrong, name: name.text, value, sign });
    const end = start + value.length;
    return value.length >= 4 && isSecretValue({ value, care }) ? { secret: { start, end }, end } : { end };
  }
  // A line break after `password:` ends it, unless YAML marks a value on the next line.
  if (/[\n\r]/.test(gap) && !/[|>]/.test(gap)) return nothing;
  bare.lastIndex = at;
  const run = bare.exec(text)?.[0] ?? '';
  const place = placeOf({ before, name: name.text, sign, gap });
  // `requirepass VALUE` is a line of a configuration file; in prose, a name is followed by any word.
  const end = at + run.length;
  if (sign === '' && place === 'other' && !isDirective({ text, name, end })) return nothing;
  const value = cut({ run, place });
  if (/(?:\.\.\.|…)$/.test(run)) return { end };
  const isWhole = (place === 'other' || place === 'option') && /[=:]/.test(sign) && isDirective({ text, name, end });
  const care = bareCare({
    isStrong: isStrong || /(?:TOKEN|PASS|PWD|PW|CREDENTIALS?)$/.test(name.text),
    // `password=swordfish` alone on a line, as in a settings file.
    place: isWhole && sign === '=' && /(?:passw(?:or)?d|secret|pass|pwd)$/i.test(name.text) ? 'line' : place,
  });
  if (value.length < (place === 'line' ? 4 : 6) || !isSecretValue({ value, care })) return { end };
  return { secret: { start: at, end: at + value.length }, end };
}

/** Where an unquoted value is: an environment file, a command option, a URL, or elsewhere. */
type ValuePlace = 'line' | 'option' | 'list' | 'query' | 'other';

function placeOf(of: {
  readonly before: string;
  readonly name: string;
  readonly sign: string;
  readonly gap: string;
}): ValuePlace {
  const { before, name, sign, gap } = of;
  const line = lineOf(before);
  if (sign === '=' && gap === '' && /[?&#]$/.test(before)) return 'query';
  if (
    (sign === '=' ? gap === '' : sign === ':' && name.includes('_')) &&
    /^[A-Z][A-Z\d_]*$/.test(name) &&
    isLineStart(line)
  )
    return 'line';
  if (/(?:^|[\s"'`=])--?$/.test(before) || /^--?[a-z]/.test(name))
    return sign === '' || sign === '=' ? 'option' : 'other';
  if (sign === '=' && /(?:^|[;"'`\s])[\w ]{0,40}$/.test(before) && /=[^;=]{1,200};[\w ]{0,40}$/.test(line))
    return 'list';
  if (sign === '=' && gap === '' && !name.includes('.')) return 'option';
  if (sign === '' && /\b(?:machine|login|default|ENV|ARG|set|setx|config|export|identified)\b/i.test(line))
    return 'option';
  return 'other';
}

/** Whether this is the start of a line, after diff marks, a line number, a grep path, or a keyword that sets variables. */
function isLineStart(line: string): boolean {
  return /^[\s>|+#*$-]{0,40}(?:[^\s:]{1,200}[:-]\d{1,7}[:-]|\d{1,7}[\s:→|]{1,8})?[\s>|+#*$-]{0,40}$|(?:\b(?:export|ENV|ARG|set|env|declare -x|local|readonly|Environment=)|\s-e|--env|--build-arg|[;&(]|\\{1,7}[nr]|-)[ \t="']{0,4}$|^(?:[A-Z_][A-Z\d_]*=\S{0,60} )+$/.test(
    line,
  );
}

/** Whether a name and its value are alone on a line. */
function isDirective({
  text,
  name,
  end,
}: {
  readonly text: string;
  readonly name: SecretName;
  readonly end: number;
}): boolean {
  return (
    isLineStart(lineOf(text.slice(Math.max(0, name.start - longestLine), name.start))) &&
    /^[^\S\n]{0,4}(?:[\r\n]|$)/.test(text.slice(end, end + 6))
  );
}

/** The last line of the text before a name. */
function lineOf(before: string): string {
  return before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1);
}

/** The part of a run that belongs to the value, by the separators of its position. */
function cut({ run, place }: { readonly run: string; readonly place: ValuePlace }): string {
  const escaped = run.search(/\\{1,7}[nrt"']/);
  const whole = escaped > 0 ? run.slice(0, escaped) : run;
  const end =
    place === 'line' || place === 'option'
      ? -1
      : place === 'list'
        ? whole.search(/;/)
        : whole.search(place === 'query' ? /[&#]/ : /[;&,|]/);
  return (end >= 0 ? whole.slice(0, end) : whole).replace(/(?<![,;:.?)\]}>])[,;:.?)\]}>]+$/, '');
}

function quotedCare(of: {
  readonly isStrong: boolean;
  readonly name: string;
  readonly value: string;
  readonly sign: string;
}): Care {
  const { isStrong, name, value, sign } = of;
  if (/passphrase|mnemonic/i.test(name) && value.length >= 12) return 'any';
  if (!isStrong) return 'dense';
  // `("password", "Password of the account")` is more often a label than a password.
  if (sign === ',' || sign === '(' || sign === '>' || sign === '') return 'mixed';
  // Several words are labels or messages; a value with a separator is an identifier.
  if (sign === '=' && /passw(?:or)?d$/i.test(name) && /^[a-z][a-z-]{7,40}$/.test(value)) return 'any';
  return /[\s_:.-]/.test(value) || value.length < 8 || /^[A-Z]/.test(value) || /[a-z][A-Z]/.test(value)
    ? 'mixed'
    : 'any';
}

function bareCare({ isStrong, place }: { readonly isStrong: boolean; readonly place: ValuePlace }): Care {
  if (!isStrong) return place === 'other' ? 'random' : 'dense';
  return place === 'line' ? 'line' : 'mixed';
}
