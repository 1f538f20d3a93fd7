import { type FileChange, patchChanges } from '../patch.ts';
import { resolvePath } from '../paths.ts';
import { isFile, isInPlace, plainFiles, scriptedFiles } from './files.ts';
import { lexShell, type SimpleCommand, type Word } from './lex.ts';
import { operands, programOf, type ShellProgram } from './program.ts';
import { type FileRead, readsOf, shownLines } from './reads.ts';

/** The effects of a command line, as far as they are explicit. */
export interface ShellEffects {
  readonly reads: readonly FileRead[];
  readonly changes: readonly FileChange[];
  /** How many of `changes` precede the last test or build: they took effect even if it fails. */
  readonly certain: number;
  /** Whether it runs tests, a build or a linter. */
  readonly isRun: boolean;
  /** Whether it only reads. */
  readonly isLook: boolean;
  /** Whether its output is piped, so that the exit code is another program's. */
  readonly isPiped: boolean;
  readonly isBackground: boolean;
  /** Processes that it ends, by pid or name. */
  readonly stops: readonly string[];
}

/** Maximum nesting, enough for `bash -lc "sudo sh -c '…'"`; bounds hostile input. */
const maxDepth = 3;

/** What a command line does to files and processes. Words with variables or globs are ignored. */
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
  /** The index of the first read of the current pipeline. */
  let from = 0;
  const commands = isEditCommand(line) ? [] : lexShell({ line, isWindows });
  for (const command of commands) {
    const program = programOf(command);
    const at = (path: string) => resolvePath({ path, base });
    if (program?.name === 'cd' || program?.name === 'Set-Location') {
      const to = operands(program)[0];
      if (to?.isPlain) base = at(to.text);
      continue;
    }
    const inner = program && depth < maxDepth ? innerLine(program) : undefined;
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
    // Piped output is shown only as far as the next program passes it on.
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

/** SWE-agent's `edit 10:20` with the new text below, which is not a command line. */
function isEditCommand(line: string): boolean {
  return /^\s*edit \d+:\d+\s*\n/.test(line);
}

/** The command line that a shell is given as an argument. */
function innerLine({ name, args }: ShellProgram): string | undefined {
  if (!/^(?:ba|z|da)?sh$/.test(name)) return undefined;
  const at = args.findIndex(({ text }) => /^-\w*c$/.test(text));
  return at < 0 ? undefined : args[at + 1]?.text;
}

/** Programs that only read. */
const readers = new Set([
  ...[
    'ls',
    'cat',
    'head',
    'tail',
    'nl',
    'less',
    'more',
    'bat',
    'wc',
    'file',
    'stat',
    'tree',
    'du',
    'df',
    'sort',
    'uniq',
  ],
  ...[
    'grep',
    'egrep',
    'fgrep',
    'rg',
    'ag',
    'find',
    'fd',
    'which',
    'type',
    'echo',
    'printf',
    'pwd',
    'cd',
    'true',
    'date',
  ],
  ...[
    'jq',
    'cut',
    'awk',
    'tr',
    'column',
    'diff',
    'cmp',
    'md5',
    'md5sum',
    'shasum',
    'sha256sum',
    'basename',
    'dirname',
    'xxd',
    'hexdump',
    'od',
    'strings',
    'ps',
    'pgrep',
    'whoami',
    'uname',
  ],
  ...['Get-Content', 'Get-ChildItem', 'Get-Item', 'Select-String', 'Select-Object', 'Where-Object', 'Format-Table'],
]);

const gitReads =
  /^(?:status|log|show|diff|blame|branch|rev-parse|rev-list|ls-files|ls-tree|cat-file|remote|describe|grep|reflog|config|worktree)$/;

/** Whether a program only reads. */
function isLook(program: ShellProgram): boolean {
  const { name, args } = program;
  if (name === 'sed') return !isInPlace(args);
  if (name !== 'git') return readers.has(name);
  const words = operands(program).map(({ text }) => text);
  // With an operand, `git branch`, `git remote` and `git worktree` change something.
  const verb = words.find((word) => /^[a-z-]+$/.test(word)) ?? '';
  const hasOperand = /^(?:branch|remote|worktree)$/.test(verb) && words.at(-1) !== verb && words.at(-1) !== 'list';
  const isSet = verb === 'config' && words.length > words.indexOf(verb) + 2;
  return gitReads.test(verb) && !hasOperand && !isSet;
}

/** Test runners, builds and linters, with any arguments. */
const runners = new Set([
  'vitest',
  'jest',
  'pytest',
  'py.test',
  'mocha',
  'ava',
  'tap',
  'playwright',
  'cypress',
  'tsc',
  'tsgo',
  'eslint',
  'biome',
  'oxlint',
  'ultracite',
  'golangci-lint',
  'ruff',
  'mypy',
  'pyright',
  'flake8',
  'pylint',
  'tox',
  'nox',
  'rspec',
  'rubocop',
  'phpunit',
  'phpstan',
  'ctest',
  'make',
  'ninja',
  'gradle',
  'gradlew',
  'mvn',
  'mvnw',
  'xcodebuild',
  'shellcheck',
  'clippy-driver',
  'Invoke-Pester',
]);

/** Programs that test or build only with some of their subcommands. */
const runnerSubcommands: ReadonlyMap<string, RegExp> = new Map([
  ['go', /^(?:test|build|vet)$/],
  ['cargo', /^(?:test|build|check|clippy|nextest|run)$/],
  ['dotnet', /^(?:test|build)$/],
  ['swift', /^(?:test|build)$/],
  ['deno', /^(?:test|check|lint|task)$/],
  ['bun', /^(?:test|run|x)$/],
  ['node', /^--test$/],
  ['cmake', /^--build$/],
  ['bazel', /^(?:test|build)$/],
  ['zig', /^(?:test|build)$/],
  ['mix', /^(?:test|compile|credo)$/],
  ['python', /^-m$/],
  ['python3', /^-m$/],
]);

/** Script runners; the script's name decides whether it is a test or a build. */
const scriptRunners = new Set([
  'npm',
  'pnpm',
  'yarn',
  'npx',
  'bunx',
  'mise',
  'just',
  'task',
  'turbo',
  'nx',
  'lerna',
  'uv',
  'poetry',
  'rake',
]);

const checkName = /test|spec|check|lint|build|compile|typecheck|tsc|tsgo|verify|validate|vitest|jest|pytest|mocha|e2e/i;

/** Whether a program runs tests, a type checker, a linter or a build. */
function isRunner({ name, args }: ShellProgram): boolean {
  if (runners.has(name)) return true;
  const first = args[0]?.text ?? '';
  const known = runnerSubcommands.get(name);
  if (known?.test(first)) return !first.startsWith('-m') || checkName.test(args[1]?.text ?? '');
  return scriptRunners.has(name) && args.slice(0, 4).some(({ text }) => !text.startsWith('-') && checkName.test(text));
}

/** The files that one simple command changes, as it names them. */
function changesOf({
  command,
  program,
}: {
  readonly command: SimpleCommand;
  readonly program: ShellProgram | undefined;
}): FileChange[] {
  const changes = [...redirected({ command, program }), ...(program ? changed({ program, command }) : [])];
  return changes.filter(({ path }) => !/(?:^|[\\/])\.{0,2}$/.test(path));
}

function redirected({
  command,
  program,
}: {
  readonly command: SimpleCommand;
  readonly program: ShellProgram | undefined;
}): FileChange[] {
  const files = command.redirects.filter(({ fd, target }) => fd !== '2' && isFile(target));
  // Only `cat > file <<'END'` writes the here-document verbatim; other programs transform it.
  const isCopy = program?.name === 'cat' && program.args.length === 0 && command.heredoc !== undefined;
  return files.map(({ op, target }) =>
    isCopy && op === '>' ? written({ path: target.text, content: command.heredoc ?? '' }) : touched(target.text),
  );
}

function changed({
  program,
  command,
}: {
  readonly program: ShellProgram;
  readonly command: SimpleCommand;
}): FileChange[] {
  const { name, args } = program;
  const files = plainFiles(operands(program));
  switch (name) {
    case 'apply_patch':
    case 'applypatch':
      return patchChanges(command.heredoc ?? args[0]?.text ?? '');
    case 'tee':
    case 'touch':
    case 'truncate':
      return files.map(touched);
    case 'rm':
    case 'unlink':
    case 'Remove-Item':
      return files.map(deleted);
    case 'cp':
    case 'Copy-Item':
      // A copied directory does not name its files.
      return args.some(({ text }) => /^-\w*[rRa]/.test(text)) ? [] : placed(files).map(touched);
    case 'mv':
    case 'Move-Item':
      return moved(files);
    case 'Set-Content':
    case 'Add-Content':
    case 'Out-File':
    case 'New-Item':
      return files.slice(0, 1).map(touched);
    case 'sed':
    case 'perl':
      return isInPlace(args) ? scriptedFiles(args).map(touched) : [];
    case 'git':
      return gitChanges({ args });
    default:
      return [];
  }
}

/** `git mv a b`, `git rm a`, `git checkout -- a`, `git restore a`; restoring a file is a change. */
function gitChanges({ args }: { readonly args: readonly Word[] }): FileChange[] {
  const verb = args.findIndex(({ text }) => /^(?:mv|rm|checkout|restore)$/.test(text));
  const rest = args.slice(verb + 1);
  const split = rest.findIndex(({ text }) => text === '--');
  switch (args[verb]?.text) {
    case 'mv':
      return moved(plainFiles(operands({ name: 'mv', args: rest })));
    case 'rm':
      // With `--cached`, the file stays on disk.
      return rest.some(({ text }) => text === '--cached')
        ? []
        : plainFiles(operands({ name: 'rm', args: rest })).map(deleted);
    case 'restore':
      return rest.some(({ text }) => text === '--staged')
        ? []
        : plainFiles(operands({ name: 'git', args: rest })).map(touched);
    case 'checkout':
      return split < 0 ? [] : plainFiles(rest.slice(split + 1)).map(touched);
    default:
      return [];
  }
}

function moved(files: readonly string[]): FileChange[] {
  return [...files.slice(0, -1).map(deleted), ...placed(files).map(touched)];
}

/** The target paths: in the directory named last, or that name itself. */
function placed(files: readonly string[]): string[] {
  const to = files.at(-1);
  const from = files.slice(0, -1);
  if (to === undefined || from.length === 0) return [];
  const isFolder = from.length > 1 || /[\\/]$/.test(to) || to === '.' || to === '..';
  return isFolder ? from.map((path) => `${to.replace(/[\\/]$/, '')}/${path.split(/[\\/]/).at(-1)}`) : [to];
}

function written({ path, content }: { readonly path: string; readonly content: string }): FileChange {
  return { path, op: 'write', added: content, removed: '' };
}

function touched(path: string): FileChange {
  return { path, op: 'edit', added: '', removed: '' };
}

function deleted(path: string): FileChange {
  return { path, op: 'delete', added: '', removed: '' };
}
