import { type FileChange, patchChanges } from '../patch.ts';
import { resolvePath } from '../paths.ts';
import { isFile, isInPlace, plainFiles, scriptedFiles } from './files.ts';
import { lexShell, type SimpleCommand, type Word } from './lex.ts';
import { operands, type Program, programOf } from './program.ts';
import { type FileRead, readsOf, shownLines } from './reads.ts';

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

/** Programs that only look: whatever they say, nothing was done. */
const lookers = new Set([
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

const gitLooks =
  /^(?:status|log|show|diff|blame|branch|rev-parse|rev-list|ls-files|ls-tree|cat-file|remote|describe|grep|reflog|config|worktree)$/;

/** Whether a program only looks at things. */
function isLook(program: Program): boolean {
  const { name, args } = program;
  if (name === 'sed') return !isInPlace(args);
  if (name !== 'git') return lookers.has(name);
  const words = operands(program).map(({ text }) => text);
  // `git branch`, `git remote` and `git worktree` do something as soon as they are told what.
  const verb = words.find((word) => /^[a-z-]+$/.test(word)) ?? '';
  const isTold = /^(?:branch|remote|worktree)$/.test(verb) && words.at(-1) !== verb && words.at(-1) !== 'list';
  const isSet = verb === 'config' && words.length > words.indexOf(verb) + 2;
  return gitLooks.test(verb) && !isTold && !isSet;
}

/** Programs that judge the code whatever their arguments. */
const judges = new Set([
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

/** Programs that judge only under some of their commands. */
const commands: ReadonlyMap<string, RegExp> = new Map([
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

/** Programs that run scripts of a project; the script's name tells whether it judges. */
const hosts = new Set([
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

const judging = /test|spec|check|lint|build|compile|typecheck|tsc|tsgo|verify|validate|vitest|jest|pytest|mocha|e2e/i;

/** Whether a program runs tests, a type checker, a linter or a build. */
function isRunner({ name, args }: Program): boolean {
  if (judges.has(name)) return true;
  const first = args[0]?.text ?? '';
  const known = commands.get(name);
  if (known?.test(first)) return !first.startsWith('-m') || judging.test(args[1]?.text ?? '');
  return hosts.has(name) && args.slice(0, 4).some(({ text }) => !text.startsWith('-') && judging.test(text));
}

/** The files that one simple command changes, as it names them. */
function changesOf({
  command,
  program,
}: {
  readonly command: SimpleCommand;
  readonly program: Program | undefined;
}): FileChange[] {
  const changes = [...redirected({ command, program }), ...(program ? changed({ program, command }) : [])];
  return changes.filter(({ path }) => !/(?:^|[\\/])\.{0,2}$/.test(path));
}

function redirected({
  command,
  program,
}: {
  readonly command: SimpleCommand;
  readonly program: Program | undefined;
}): FileChange[] {
  const files = command.redirects.filter(({ fd, target }) => fd !== '2' && isFile(target));
  // Only `cat > file <<'END'` writes the here-document itself; other programs make something of it.
  const isCopy = program?.name === 'cat' && program.args.length === 0 && command.heredoc !== undefined;
  return files.map(({ op, target }) =>
    isCopy && op === '>' ? written({ path: target.text, content: command.heredoc ?? '' }) : touched(target.text),
  );
}

function changed({ program, command }: { readonly program: Program; readonly command: SimpleCommand }): FileChange[] {
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
      // A folder is copied: its files are not named.
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

/** `git mv a b`, `git rm a`, `git checkout -- a`, `git restore a`: files come back as they were, which is a change. */
function gitChanges({ args }: { readonly args: readonly Word[] }): FileChange[] {
  const verb = args.findIndex(({ text }) => /^(?:mv|rm|checkout|restore)$/.test(text));
  const rest = args.slice(verb + 1);
  const split = rest.findIndex(({ text }) => text === '--');
  switch (args[verb]?.text) {
    case 'mv':
      return moved(plainFiles(operands({ name: 'mv', args: rest })));
    case 'rm':
      // Taken off the index alone, the file stays.
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

/** Where files land: in the folder that is named last, or under that name. */
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
