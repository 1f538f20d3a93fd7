import { isInPlace, plainFiles, scriptedFiles } from './files.ts';
import { operands, type ShellProgram } from './program.ts';

/** A file that was read. */
export interface FileRead {
  readonly path: string;
  /** Absent if the whole file was shown; `some` if the lines are unknown. */
  readonly lines?: { readonly from: number; readonly to: number } | 'some';
  /** Whether the result is the raw content, so that its hash is the file's. */
  readonly isRaw: boolean;
}

/** The files that one simple command shows. */
export function readsOf({
  program,
  isPiped,
}: {
  readonly program: ShellProgram;
  readonly isPiped: boolean;
}): FileRead[] {
  const { name, args } = program;
  const files = plainFiles(operands(program));
  switch (name) {
    case 'cat':
      return files.map((path) => ({ path, isRaw: files.length === 1 && args.length === 1 }));
    case 'nl':
    case 'less':
    case 'more':
    case 'bat':
    case 'Get-Content':
      return files.slice(0, 1).map((path) => ({ path, isRaw: false }));
    case 'head':
    case 'tail':
      return isPiped ? [] : files.filter((path) => !/^[+-]?\d+$/.test(path)).map(some);
    case 'sed':
      return isInPlace(args) ? [] : scriptedFiles(args).map((path) => ({ path, isRaw: false, ...shownLines(program) }));
    default:
      return [];
  }
}

function some(path: string): FileRead {
  return { path, isRaw: false, lines: 'some' };
}

/** The lines that a program shows: `sed -n '40,80p'` shows lines 40 to 80; unknown for others. */
export function shownLines({ name, args }: ShellProgram): Pick<FileRead, 'lines'> {
  for (const { text } of name === 'sed' ? args : []) {
    const [, from, to = from] = /^(\d{1,9})(?:,(\d{1,9}))?p$/.exec(text) ?? [];
    if (from !== undefined) return { lines: { from: Number(from), to: Number(to) } };
  }
  return { lines: 'some' };
}
