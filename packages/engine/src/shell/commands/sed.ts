import { readArguments } from '../arguments.ts';
import { type Judge, unclear } from '../effects.ts';

const spec = {
  short: 'nErsuze:i',
  long: 'quiet silent regexp-extended expression= separate in-place unbuffered null-data posix',
} as const;

/** `sed` with scripts that only print, delete or replace lines: GNU's `e`, `w`, `r` and `W` run programs and touch files. */
export const sed: Judge = (args) => {
  // `-i.bak` has a value only when attached.
  const suffixes = args.filter((arg) => /^-[nErsz]*i./.test(arg) || arg.startsWith('--in-place='));
  if (suffixes.some((arg) => !/^(?:-[nErsz]*i|--in-place=)\.?[\w~]+$/.test(arg) || /^-\w*e/.test(arg)))
    return unclear('its backup suffix is unknown');
  const rest = args.map((arg) => (suffixes.includes(arg) ? '-i' : arg));
  const parsed = readArguments({ args: rest, spec });
  if (typeof parsed === 'string') return unclear(parsed);
  const isInPlace = parsed.options.some(({ name }) => name === '-i' || name === '--in-place');
  const given = parsed.options.flatMap(({ name, value }) =>
    value !== undefined && (name === '-e' || name === '--expression') ? [value] : [],
  );
  // BSD's `-i ''` is a script for GNU, whose next argument is then a file.
  const empty = isInPlace && parsed.operands[0] === '' ? 1 : 0;
  const operands = parsed.operands.slice(empty);
  const scripts = given.length > 0 ? given : operands.slice(0, 1);
  const files = given.length > 0 ? operands : operands.slice(1);
  if (scripts.length === 0 || !scripts.every(isHarmlessScript))
    return unclear('its script is not known to be harmless');
  if (!isInPlace) return { reads: files };
  if (files.length === 0) return unclear('it names no file');
  return { writes: empty > 0 ? [...files, ...operands.slice(0, 1)] : files };
};

const address = /(?:\d+|\$|\/(?:[^/\\[\n]|\\[^\n]|\[\^?\]?[^\]/\\\n]*\])*\/I?)/y;
const plainCommand = /[pdqDPnNhHgGx=lzF]/y;

/**
 * Whether a script of `sed` is a list of commands that touch no files and run nothing.
 *
 * @example
 * isHarmlessScript('10,20p'); // true
 * isHarmlessScript('1e rm x'); // false
 */
function isHarmlessScript(script: string): boolean {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(script)?.[0];
    if (found !== undefined) at = pattern.lastIndex;
    return found;
  };
  while (at < script.length) {
    if (take(/[ \t\n;]+/y) !== undefined) continue;
    if (take(address) !== undefined && take(/[ \t]*,[ \t]*(?:\+\d+|~\d+)?/y)?.endsWith(',') === true) {
      take(/[ \t]*/y);
      if (take(address) === undefined) return false;
    }
    take(/[ \t]*!?[ \t]*/y);
    if (take(plainCommand) === undefined && !takeReplacement()) return false;
    if (at < script.length && take(/[ \t]*(?=[;\n]|$)/y) === undefined) return false;
  }
  return script.trim() !== '';

  /** `s/a/b/g` or `y/a/b/`, without the flags that run or write. */
  function takeReplacement(): boolean {
    const command = take(/[sy]/y);
    const delimiter = script[at];
    if (command === undefined || delimiter === undefined || /[\w\s\\;[]/.test(delimiter)) return false;
    at += 1;
    for (const isPattern of [true, false]) {
      const end = sectionEnd({ script, from: at, delimiter, isPattern });
      if (end === undefined) return false;
      at = end + 1;
    }
    take(command === 's' ? /[gpiIm\d]*/y : /$/y);
    return true;
  }
}

/** Where a section ends, the same in GNU and BSD: a delimiter in brackets is read differently by the two. */
function sectionEnd(of: {
  readonly script: string;
  readonly from: number;
  readonly delimiter: string;
  readonly isPattern: boolean;
}): number | undefined {
  const { script, from, delimiter, isPattern } = of;
  for (let at = from; at < script.length; at += 1) {
    const char = script[at];
    if (char === delimiter) return at;
    if (char === '\n') return undefined;
    if (char === '\\') at += 1;
    else if (char === '[' && isPattern) {
      const [whole] = /^\[\^?\]?[^\]]*\]/.exec(script.slice(at, at + 200)) ?? [];
      if (whole === undefined || whole.includes(delimiter) || /[\\\n]|\[[:.=]/.test(whole.slice(1))) return undefined;
      at += whole.length - 1;
    }
  }
  return undefined;
}
