import { type FileChange, patchChanges } from '../patch.ts';
import { isFile, isInPlace, plainFiles, scriptedFiles } from './files.ts';
import type { SimpleCommand, Word } from './lex.ts';
import { operands, type Program } from './program.ts';

/** The files that one simple command changes, as it names them. */
export function changesOf({
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
