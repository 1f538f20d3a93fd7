import { type OptionSpec, type ParsedArguments, readArguments } from '../arguments.ts';
import { type Effects, type Judge, type Unclear, unclear } from '../effects.ts';

/** How the operands of a program are used. */
type Operands =
  | 'read'
  | 'write'
  | 'delete'
  | 'text'
  | 'none'
  | 'pattern'
  | ((parsed: ParsedArguments) => Effects | Unclear);

/** A program described by its options and by what it does with its operands. */
interface SimpleSpec extends OptionSpec {
  readonly operands: Operands;
  /** Options whose value is a file that is written. */
  readonly writing?: readonly string[];
}

/** Creates a judge from a description. */
export function simple(spec: SimpleSpec): Judge {
  return (args) => {
    const parsed = readArguments({ args, spec });
    if (typeof parsed === 'string') return unclear(parsed);
    const found = ofOperands({ parsed, operands: spec.operands });
    if ('unclear' in found) return found;
    const written = parsed.options.flatMap(({ name, value }) =>
      value !== undefined && spec.writing?.includes(name) ? [value] : [],
    );
    return written.length > 0 ? { ...found, writes: [...(found.writes ?? []), ...written] } : found;
  };
}

function ofOperands({ parsed, operands }: { readonly parsed: ParsedArguments; readonly operands: Operands }) {
  if (typeof operands === 'function') return operands(parsed);
  const names = parsed.operands;
  switch (operands) {
    case 'read':
      return { reads: names };
    case 'write':
      return { writes: names };
    case 'delete':
      return { deletes: names };
    case 'text':
      return {};
    case 'none':
      return names.length > 0 ? unclear('it takes no arguments') : {};
    case 'pattern': {
      const hasPattern = parsed.options.some(({ name }) =>
        ['-e', '-f', '--regexp', '--files', '--file'].includes(name),
      );
      return { reads: hasPattern ? names : names.slice(1) };
    }
  }
}

/** A program with subcommands, such as `git` and `npm`. */
export function withVerbs({
  global,
  verbs,
  otherwise,
}: {
  readonly global: OptionSpec;
  readonly verbs: Readonly<Record<string, Judge>>;
  readonly otherwise?: (verb: string) => Judge | undefined;
}): Judge {
  return (args) => {
    const parsed = readArguments({ args, spec: { ...global, stopAtOperand: true } });
    if (typeof parsed === 'string') return unclear(parsed);
    const [verb, ...rest] = parsed.operands;
    if (verb === undefined) return args.length > 0 ? {} : unclear('it names no command');
    const judge = Object.hasOwn(verbs, verb) ? verbs[verb] : otherwise?.(verb);
    if (!judge) return unclear(`the effect of ${verb} is unknown`);
    const found = judge(rest);
    return 'unclear' in found ? found : { canonical: [verb, ...rest], ...found };
  };
}
