import { type Judge, unclear } from '../effects.ts';
import { simple } from './simple.ts';

/** Accepts any arguments. */
const text: Judge = () => ({});
const version = /^(?:--version|-v|-V|version|--help|-h|help)$/;

/** An operand that no shell evaluates. */
const harmlessOperand = /^[^$`[\]()]*$/;

/** Builtins that assign or evaluate in some shells: only other forms are known. */
const plainTest: Judge = (args) =>
  args.every((arg) => harmlessOperand.test(arg)) && !args.some((arg) => /^-[vR]$/.test(arg))
    ? {}
    : unclear('test evaluates such arguments in some shells');

const plainPrintf: Judge = ([format = '-', ...rest]) =>
  !format.startsWith('-') && rest.every((arg) => harmlessOperand.test(arg))
    ? {}
    : unclear('printf evaluates or assigns such arguments in some shells');

/** Programs that print information about the machine, and builtins without effects. */
export const informationCommands: Readonly<Record<string, Judge>> = {
  echo: text,
  true: text,
  false: text,
  ':': text,
  exit: (args) => (/^\d{0,3}$/.test(args.join(' ')) ? {} : unclear('its argument is not a number')),
  printf: plainPrintf,
  test: plainTest,
  pwd: simple({ short: 'LP', operands: 'none' }),
  whoami: simple({ operands: 'none' }),
  id: simple({ short: 'ugGnr', operands: 'text' }),
  groups: simple({ operands: 'text' }),
  uname: simple({ short: 'asnrvmpio', operands: 'none' }),
  hostname: simple({ short: 'fs', operands: 'none' }),
  arch: simple({ operands: 'none' }),
  nproc: simple({ long: 'all', operands: 'none' }),
  uptime: simple({ short: 'ps', operands: 'none' }),
  free: simple({ short: 'hmgk', operands: 'none' }),
  sw_vers: simple({ long: 'productVersion', oneDash: true, operands: 'none' }),
  which: simple({ short: 'as', operands: 'text' }),
  type: simple({ short: 'at', operands: 'text' }),
  date: simple({
    short: 'uRId:r:j',
    long: 'utc iso-8601=? date= rfc-3339=',
    operands: ({ operands }) =>
      operands.every((word) => word.startsWith('+')) ? {} : unclear('it sets the system time'),
  }),
  sleep: (args) =>
    args.every((arg) => /^\d{1,6}(?:\.\d{1,6})?[smhd]?$/.test(arg)) ? {} : unclear('its argument is not a number'),
  seq: (args) => (args.every((arg) => /^-?[\d.]+$/.test(arg)) ? {} : unclear('its arguments are not numbers')),
  printenv: (args) => (args.every((arg) => /^\w+$/.test(arg)) ? {} : unclear('its options are unknown')),
  ps: (args) =>
    /^(?:|aux|-ef|-e|-A|ax|-p \d+)$/.test(args.join(' ')) ? {} : unclear('only its common options are known'),
  pgrep: simple({ short: 'flaxnou:', operands: 'text' }),
  kill: (args) => {
    const [first = '', ...rest] = args;
    const isSignal = /^-(?:[A-Z]+|[1-9]\d?)$/.test(first);
    const ids = isSignal ? rest : args;
    return ids.length > 0 && ids.every((id) => /^(?:[2-9]|[1-9]\d+)$/.test(id))
      ? {}
      : unclear('it does not identify processes by number');
  },
  docker: ([verb = '', ...args]) =>
    version.test(verb) || (/^(?:ps|images|logs)$/.test(verb) && args.every((arg) => /^(?:-a|-q|[\w.-]+)$/.test(arg)))
      ? {}
      : unclear('only docker ps, images and logs are known'),
};
