/** The options a program is known to accept. A command line with unlisted options is not understood. */
export interface OptionSpec {
  /** Letters as for `getopt`: `ab` are flags, `n:` takes a value. */
  readonly short?: string;
  /** Names separated by blanks: `all` is a flag, `lines=` takes a value, `color=?` takes one only after `=`. */
  readonly long?: string;
  /** Whether a number may be given as an option: `head -20`. */
  readonly digits?: true;
  /** Whether long options are written with one dash, as for `go`. */
  readonly oneDash?: true;
  /** Whether everything from the first operand on belongs to that operand. */
  readonly stopAtOperand?: true;
}

/** The parsed arguments of a command. */
export interface ParsedArguments {
  readonly options: readonly { readonly name: string; readonly value: string | undefined }[];
  readonly operands: readonly string[];
}

/**
 * Parses the arguments of a command by the known options of the program. Abbreviated options count as unknown.
 *
 * @example
 * readArguments({ args: ['-n5', 'a'], spec: { short: 'n:' } }); // { options: [{ name: '-n', value: '5' }], operands: ['a'] }
 */
export function readArguments({
  args,
  spec,
}: {
  readonly args: readonly string[];
  readonly spec: OptionSpec;
}): ParsedArguments | string {
  const options: { name: string; value: string | undefined }[] = [];
  const operands: string[] = [];
  const long = longOptions(spec);
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!/^-./.test(arg)) {
      operands.push(...(spec.stopAtOperand ? args.slice(at) : [arg]));
      if (spec.stopAtOperand) break;
      continue;
    }
    if (spec.digits && /^-\d+$/.test(arg)) continue;
    const isLong = arg.startsWith('--') || spec.oneDash === true;
    const taken = isLong ? takeLong({ arg, next: args[at + 1], long }) : takeShort({ arg, next: args[at + 1], spec });
    if (typeof taken === 'string') return taken;
    options.push(...taken.options);
    if (taken.isNextUsed) at += 1;
  }
  return { options, operands };
}

interface TakenOption {
  readonly options: readonly { readonly name: string; readonly value: string | undefined }[];
  readonly isNextUsed: boolean;
}

const parsedLong = new WeakMap<OptionSpec, ReadonlyMap<string, string>>();

function longOptions(spec: OptionSpec): ReadonlyMap<string, string> {
  const known = parsedLong.get(spec);
  if (known) return known;
  const names = (spec.long ?? '').split(/\s+/).filter((name) => name !== '');
  const map = new Map(names.map((name) => [name.replace(/=\??$/, ''), /=\??$/.exec(name)?.[0] ?? '']));
  parsedLong.set(spec, map);
  return map;
}

function takeLong(of: {
  readonly arg: string;
  readonly next: string | undefined;
  readonly long: ReadonlyMap<string, string>;
}): TakenOption | string {
  const { arg, next, long } = of;
  const split = arg.indexOf('=');
  const name = (split < 0 ? arg : arg.slice(0, split)).replace(/^--?/, '');
  const kind = long.get(name);
  if (kind === undefined) return `the option ${arg} is unknown`;
  const value = split < 0 ? undefined : arg.slice(split + 1);
  if (value !== undefined && kind === '') return `the option ${arg} is unknown`;
  if (value !== undefined || kind !== '=') return { options: [{ name: `--${name}`, value }], isNextUsed: false };
  if (next === undefined) return `the option ${arg} has no value`;
  return { options: [{ name: `--${name}`, value: next }], isNextUsed: true };
}

function takeShort(of: {
  readonly arg: string;
  readonly next: string | undefined;
  readonly spec: OptionSpec;
}): TakenOption | string {
  const { arg, next, spec } = of;
  const short = spec.short ?? '';
  const options: { name: string; value: string | undefined }[] = [];
  for (let at = 1; at < arg.length; at += 1) {
    const letter = arg[at] ?? '';
    const index = letter === ':' ? -1 : short.indexOf(letter);
    if (index < 0) return `the option ${arg} is unknown`;
    if (short[index + 1] !== ':') {
      options.push({ name: `-${letter}`, value: undefined });
      continue;
    }
    const attached = arg.slice(at + 1);
    if (attached !== '') return { options: [...options, { name: `-${letter}`, value: attached }], isNextUsed: false };
    if (next === undefined) return `the option ${arg} has no value`;
    return { options: [...options, { name: `-${letter}`, value: next }], isNextUsed: true };
  }
  return { options, isNextUsed: false };
}
