import { LonghaulError } from '../errors.ts';

/** Matching takes time proportional to both lengths, so the pattern length is limited. */
const maxLength = 1000;

/** A compiled path pattern. */
export interface PathPattern {
  test(path: string): boolean;
}

/**
 * One step of a compiled pattern: `one` consumes a character, `fork` continues at all of its targets; `folders` is a
 * fork whose last target counts only at the start of a path segment.
 */
type Instruction =
  | { readonly op: 'one'; readonly accepts: (char: string) => boolean }
  | { readonly op: 'fork' | 'folders'; readonly to: readonly number[] }
  | { readonly op: 'end' };

type GlobProgram = readonly Instruction[];

/**
 * A path pattern: `*` and `?` match within a folder, `**` across folders, `{a,b}` and `[a-z]` choose. A backslash
 * escapes the next character. Matching is linear in the path for every pattern: no backtracking.
 *
 * @example
 * globPattern({ glob: 'src/**' + '/*.ts' }).test('src/a/b.ts'); // true
 */
export function globPattern({
  glob,
  isCaseless = false,
}: {
  readonly glob: string;
  readonly isCaseless?: boolean;
}): PathPattern {
  const program = compileGlob({ glob, isCaseless });
  return { test: (path) => runGlob({ program, path }).isMatch };
}

/**
 * Compiles a glob to a nondeterministic automaton.
 *
 * @throws LonghaulError `bad-pattern` if the glob is too long.
 */
export function compileGlob({
  glob,
  isCaseless,
}: {
  readonly glob: string;
  readonly isCaseless: boolean;
}): GlobProgram {
  if (glob.length > maxLength) {
    throw new LonghaulError({
      code: 'bad-pattern',
      message: `The pattern has ${glob.length} characters; ${maxLength} are allowed.`,
      hint: 'Use a shorter pattern.',
    });
  }
  const text = [...glob.replace(/(?:\*\*\/)+/g, '**/')];
  const variants = isCaseless ? caseVariants : (char: string) => [char];
  const program: Instruction[] = [];
  /** For each open brace: the start of each alternative, and the jumps from their ends. */
  const braces: { readonly entry: number; readonly starts: number[]; readonly exits: number[] }[] = [];
  const startsAt = (part: string, at: number) => [...part].every((char, index) => text[at + index] === char);
  const one = (accepts: (char: string) => boolean) => program.push({ op: 'one', accepts });
  const repeat = (accepts: (char: string) => boolean) => {
    const at = program.length;
    program.push({ op: 'fork', to: [at + 1, at + 3] }, { op: 'one', accepts }, { op: 'fork', to: [at] });
  };
  const closeBrace = () => {
    const brace = braces.pop();
    if (!brace) return;
    program[brace.entry] = { op: 'fork', to: brace.starts };
    for (const exit of brace.exits) program[exit] = { op: 'fork', to: [program.length] };
  };

  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (startsAt('**/', at)) {
      // Zero or more whole folders.
      const start = program.length;
      program.push({ op: 'folders', to: [start + 1, start + 5] });
      repeat(any);
      one(isSlash);
      at += 2;
    } else if (startsAt('**', at)) {
      repeat(any);
      at += 1;
    } else if (char === '*') repeat(isNotSlash);
    else if (char === '?') one(isNotSlash);
    else if (char === '{') {
      braces.push({ entry: program.length, starts: [program.length + 1], exits: [] });
      program.push({ op: 'fork', to: [] });
    } else if (char === '}' && braces.length > 0) closeBrace();
    else if (char === ',' && braces.length > 0) {
      const brace = braces.at(-1);
      brace?.exits.push(program.length);
      program.push({ op: 'fork', to: [] });
      brace?.starts.push(program.length);
    } else if (char === '[' && text.indexOf(']', at + 2) > 0) {
      const end = text.indexOf(']', at + 2);
      one(classTest({ inner: text.slice(at + 1, end), variants }));
      at = end;
    } else {
      if (char === '\\') at += 1;
      const wanted = char === '\\' ? (text[at] ?? '\\') : char;
      const accepted = new Set(variants(wanted));
      one((each) => each === wanted || variants(each).some((variant) => accepted.has(variant)));
    }
  }
  while (braces.length > 0) closeBrace();
  program.push({ op: 'end' });
  return program;
}

/** Follows all possible positions at once, so each character of the path costs at most one step per instruction. */
export function runGlob({ program, path }: { readonly program: GlobProgram; readonly path: string }): {
  readonly isMatch: boolean;
  readonly steps: number;
} {
  let steps = 0;
  const seen = new Uint32Array(program.length);
  let generation = 0;
  const reach = (starts: readonly number[], isSegmentStart: boolean): number[] => {
    generation += 1;
    const found: number[] = [];
    const queue = [...starts];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      steps += 1;
      if (seen[at] === generation) continue;
      seen[at] = generation;
      const instruction = program[at];
      if (instruction?.op === 'fork' || (instruction?.op === 'folders' && isSegmentStart))
        queue.push(...instruction.to);
      else if (instruction?.op === 'folders') queue.push(...instruction.to.slice(0, -1));
      else found.push(at);
    }
    return found;
  };
  let current = reach([0], true);
  for (const char of path) {
    const next = current.filter((at) => {
      const instruction = program[at];
      return instruction?.op === 'one' && instruction.accepts(char);
    });
    if (next.length === 0) return { isMatch: false, steps };
    current = reach(
      next.map((at) => at + 1),
      char === '/',
    );
  }
  return { isMatch: current.some((at) => program[at]?.op === 'end'), steps };
}

const any = () => true;
const isSlash = (char: string) => char === '/';
const isNotSlash = (char: string) => char !== '/';

/** A character in both cases, through upper case, since some characters exist in only one case. */
function caseVariants(char: string): readonly string[] {
  const upper = char.toUpperCase();
  return [char, upper, upper.toLowerCase()];
}

/** The inside of `[…]`: characters and ranges, negated by `!` or `^`. A folder separator is never among them. */
function classTest({
  inner,
  variants,
}: {
  readonly inner: readonly string[];
  readonly variants: (char: string) => readonly string[];
}): (char: string) => boolean {
  const isNegated = inner[0] === '!' || inner[0] === '^';
  const members = isNegated ? inner.slice(1) : inner;
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const first = members[at] ?? '';
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    const last = isRange ? (members[at + 2] ?? first) : first;
    ranges.push([codeOf(first), codeOf(last)]);
    if (isRange) at += 2;
  }
  const holds = (char: string) => ranges.some(([first, last]) => codeOf(char) >= first && codeOf(char) <= last);
  return (char) => char !== '/' && variants(char).some(holds) !== isNegated;
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? -1;
}
