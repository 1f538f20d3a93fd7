import { LonghaulError } from '../../errors.ts';
import { isArray, isObject } from '../../json.ts';
import type { Json, JsonObject } from '../../message/index.ts';

/** Typed access to the arguments of a call. Invalid ones are reported in a sentence. */
export interface ToolArguments {
  text(name: string): string | undefined;
  needText(name: string): string;
  whole(of: { readonly name: string; readonly least?: number; readonly most?: number }): number | undefined;
  flag(name: string): boolean;
  list(name: string): readonly Json[] | undefined;
}

/**
 * The arguments of a tool call by schema. Unknown arguments are rejected, since the model meant something by them.
 *
 * @example
 * const path = readArguments({ input, tool: 'read', known: ['file_path', 'offset'] }).needText('file_path');
 */
export function readArguments({
  input,
  tool,
  known,
}: {
  readonly input: JsonObject;
  readonly tool: string;
  readonly known: readonly string[];
}): ToolArguments {
  const unknown = Object.keys(input).find((name) => !known.includes(name) && input[name] !== undefined);
  if (unknown !== undefined) throw wrong(`${tool} has no argument ${JSON.stringify(unknown)}`);
  const args: ToolArguments = {
    text(name) {
      const value = given(name);
      if (value === undefined || typeof value === 'string') return value;
      throw wrong(`${name} must be a string`);
    },
    needText(name) {
      const value = args.text(name);
      if (value === undefined) throw wrong(`${tool} needs ${name}`);
      return value;
    },
    whole({ name, least = 1, most = Number.MAX_SAFE_INTEGER }) {
      const value = given(name);
      if (value === undefined) return undefined;
      // Some models write numbers as strings.
      const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isInteger(number) || number < least || number > most)
        throw wrong(`${name} must be a whole number ${bounds({ least, most })}`);
      return number;
    },
    flag(name) {
      const value = given(name);
      if (value === undefined || value === false || value === 'false') return false;
      if (value === true || value === 'true') return true;
      throw wrong(`${name} must be true or false`);
    },
    list(name) {
      const value = given(name);
      if (value === undefined || isArray(value)) return value;
      throw wrong(`${name} must be an array`);
    },
  };
  return args;

  function given(name: string): Json | undefined {
    return input[name] ?? undefined;
  }

  function wrong(message: string): LonghaulError {
    const hint = `${tool} takes ${known.map((name) => `\`${name}\``).join(', ')}.`;
    return new LonghaulError({ code: 'bad-arguments', message: `${message}.`, hint });
  }
}

/** The objects of a list, each read as arguments. */
export function readItems({
  items,
  tool,
  known,
}: {
  readonly items: readonly Json[];
  readonly tool: string;
  readonly known: readonly string[];
}): ToolArguments[] {
  return items.map((input) => {
    if (isObject(input)) return readArguments({ input, tool, known });
    const hint = `Give each item ${known.join(', ')}.`;
    throw new LonghaulError({ code: 'bad-arguments', message: `The list of ${tool} must contain objects.`, hint });
  });
}

function bounds({ least, most }: { readonly least: number; readonly most: number }): string {
  return most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
}
