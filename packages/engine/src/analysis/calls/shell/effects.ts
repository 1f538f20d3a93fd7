import type { FileChange } from '../patch.ts';
import { resolvePath } from '../paths.ts';
import { changesOf } from './changes.ts';
import { plainFiles } from './files.ts';
import { lexShell } from './lex.ts';
import { isLook } from './looks.ts';
import { operands, type Program, programOf } from './program.ts';
import { type FileRead, readsOf, shownLines } from './reads.ts';
import { isRunner } from './runners.ts';

/** What a command line does, as far as it says so plainly. */
export interface ShellEffects {
  readonly reads: readonly FileRead[];
  readonly changes: readonly FileChange[];
  /** How many of `changes` stand before the last program that judges (a test, a build): they hold also when it fails. */
  readonly certain: number;
  /** Whether it runs tests, a build or a linter. */
  readonly isRun: boolean;
  /** Whether it only looks at things. */
  readonly isLook: boolean;
  /** Whether what it says went through another program, so that neither its exit code nor its silence is its own. */
  readonly isPiped: boolean;
  readonly isBackground: boolean;
  /** Processes that it ends, as it names them. */
  readonly stops: readonly string[];
}

/** Deep enough for `bash -lc "sudo sh -c '…'"`; a forged line cannot send us further. */
const deepest = 3;

/** What a command line does to files and processes. Words with variables or globs say nothing. */
export function shellEffects({
  line,
  directory,
  isWindows = false,
  depth = 0,
}: {
  readonly line: string;
  readonly directory?: string | undefined;
  readonly isWindows?: boolean;
  readonly depth?: number;
}): ShellEffects {
  const reads: FileRead[] = [];
  const changes: FileChange[] = [];
  const stops: string[] = [];
  let base = directory;
  let certain = 0;
  let isRun = false;
  let isBackground = false;
  let isLooking = true;
  /** Where the reads of the pipe begin that is looked at. */
  let from = 0;
  const commands = isTyped(line) ? [] : lexShell({ line, isWindows });
  for (const command of commands) {
    const program = programOf(command);
    const at = (path: string) => resolvePath({ path, base });
    if (program?.name === 'cd' || program?.name === 'Set-Location') {
      const to = operands(program)[0];
      if (to?.isPlain) base = at(to.text);
      continue;
    }
    const inner = program && depth < deepest ? innerLine(program) : undefined;
    if (inner !== undefined) {
      const nested = shellEffects({ line: inner, directory: base, isWindows, depth: depth + 1 });
      if (nested.isRun) certain = changes.length + nested.certain;
      reads.push(...nested.reads);
      changes.push(...nested.changes);
      stops.push(...nested.stops);
      isRun ||= nested.isRun;
      isBackground ||= nested.isBackground;
      isLooking &&= nested.isLook;
      continue;
    }
    isBackground ||= command.isBackground;
    isLooking &&= program !== undefined && isLook(program);
    if (program && isRunner(program)) {
      isRun = true;
      certain = changes.length;
    }
    for (const change of changesOf({ command, program })) changes.push({ ...change, path: at(change.path) });
    if (!program) continue;
    // What goes on into another program is shown only as far as that one lets it through.
    const passed = command.joined === '|' ? reads.splice(from) : [];
    for (const file of passed) reads.push({ path: file.path, isRaw: false, ...shownLines(program) });
    if (command.joined !== '|') from = reads.length;
    for (const file of readsOf({ program, isPiped: command.joined === '|' }))
      reads.push({ ...file, path: at(file.path) });
    if (/^(?:kill|pkill|killall|taskkill)$/.test(program.name)) stops.push(...plainFiles(operands(program)));
  }
  return {
    reads,
    changes,
    certain,
    isRun,
    isLook: isLooking && commands.length > 0 && changes.length === 0,
    isPiped: commands.at(-1)?.joined === '|',
    isBackground,
    stops,
  };
}

/** SWE-agent's `edit 10:20`, with the new text under it: its words are no commands. */
function isTyped(line: string): boolean {
  return /^\s*edit \d+:\d+\s*\n/.test(line);
}

/** The command line that a shell is given as an argument. */
function innerLine({ name, args }: Program): string | undefined {
  if (!/^(?:ba|z|da)?sh$/.test(name)) return undefined;
  const at = args.findIndex(({ text }) => /^-\w*c$/.test(text));
  return at < 0 ? undefined : args[at + 1]?.text;
}
