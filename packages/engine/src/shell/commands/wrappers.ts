import { readArguments } from '../arguments.ts';
import { type Judge, unclear } from '../effects.ts';

/** Variables that change the output of a program, but not what it runs. */
const harmlessVariables = new Set(
  'CI NODE_ENV DEBUG FORCE_COLOR NO_COLOR CLICOLOR TZ LANG LC_ALL TERM COLUMNS LINES RUST_BACKTRACE RUST_LOG CGO_ENABLED GOOS GOARCH PORT HOST VERBOSE LOG_LEVEL PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED'.split(
    ' ',
  ),
);

/** The same command without its wrapper. */
function runs(words: readonly string[]): ReturnType<Judge> {
  const [name] = words;
  return name === undefined || name.startsWith('-') ? unclear('the command it runs is unknown') : { runs: words };
}

const before = ({
  short,
  long,
  skip = 0,
}: {
  readonly short?: string;
  readonly long?: string;
  readonly skip?: number;
}): Judge => {
  const spec = { short: short ?? '', long: long ?? '', stopAtOperand: true } as const;
  return (args) => {
    const parsed = readArguments({ args, spec });
    return typeof parsed === 'string' ? unclear(parsed) : runs(parsed.operands.slice(skip));
  };
};

/** Programs that run another one, in their known forms. */
export const wrappers: Readonly<Record<string, Judge>> = {
  time: before({}),
  nice: (args) => (/^-\d+$/.test(args[0] ?? '') ? runs(args.slice(1)) : before({ short: 'n:' })(args)),
  nohup: before({}),
  timeout: before({ short: 's:k:v', long: 'signal= kill-after= foreground preserve-status', skip: 1 }),
  gtimeout: before({ short: 's:k:v', long: 'signal= kill-after= foreground preserve-status', skip: 1 }),
  stdbuf: before({ short: 'i:o:e:' }),
  setsid: before({ short: 'w', long: 'wait' }),
  command: (args) => (/^-[vV]$/.test(args[0] ?? '') ? {} : before({})(args)),
  builtin: before({}),
  exec: before({}),
  busybox: before({}),
  sudo: rights,
  doas: rights,
  env: (args) => {
    const at = args.findIndex((arg) => !/^\w+=/.test(arg));
    const names = args.slice(0, at < 0 ? args.length : at).map((arg) => arg.slice(0, arg.indexOf('=')));
    if (names.some((name) => !harmlessVariables.has(name))) return unclear('a variable may change what runs');
    if (at < 0) return {};
    return runs(args.slice(at));
  },
};

function rights(args: readonly string[]): ReturnType<Judge> {
  const found = before({})(args);
  return 'unclear' in found ? found : { ...found, danger: 'it acts with the rights of another user' };
}
