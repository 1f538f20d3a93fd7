import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { ContentPart } from '../../message/index.ts';
import { diskFiles, type HeadFiles, isInside } from '../files.ts';

/** A file with instructions of the project owner for agents. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
  /** Number of characters cut because the file is too long. */
  readonly omitted: number;
}

/** The files found, and why others were skipped. */
export interface FoundInstructions {
  readonly files: readonly InstructionFile[];
  readonly skipped: readonly string[];
}

/** File names that agents have in common. */
const names: readonly string[] = ['AGENTS.md', 'CLAUDE.md'];

/** Limit for all files together, the same as Codex. Characters. */
const defaultSize = 32_768;

/** Maximum number of parent folders. */
const maxFolders = 64;

/** Maximum depth of imports, the same as Claude Code. */
const maxDepth = 5;

/**
 * The instruction files that apply to a folder: those of the user, then from the repository root down to the folder, so
 * that the most specific comes last. A file is followed by those that it imports with `@path`. The same text under two
 * names is read once. What lies or links outside the repository, or outside the folder of a user's file, is not read: it
 * could expose other files.
 *
 * @example
 * const { files } = await findInstructions({ cwd: '/repo/packages/app' });
 */
export async function findInstructions({
  cwd,
  userFiles = [],
  files = diskFiles,
  size = defaultSize,
}: {
  readonly cwd: string;
  /** Instruction files of the user; missing ones are skipped. */
  readonly userFiles?: readonly string[];
  readonly files?: HeadFiles;
  /** Limit for all files together, in characters. */
  readonly size?: number;
}): Promise<FoundInstructions> {
  const folders = await foldersTo({ cwd, files });
  const root = folders[0] ?? cwd;
  const reader = new InstructionReader(files);
  for (const path of userFiles) {
    // The user may keep the file elsewhere and link to it.
    const real = await files.real(path);
    if (real !== undefined) await reader.read({ path, within: dirname(real), depth: 0 });
  }
  for (const path of folders.flatMap((folder) => names.map((name) => join(folder, name))))
    await reader.read({ path, within: root, depth: 0 });
  return { files: truncated({ found: reader.found, size }), skipped: reader.skipped };
}

/** Folders of other people's code, whose instructions are not meant for this project. */
const foreignFolder = /(?:^|[\\/])(?:node_modules|vendor|third_party|\.git|\.venv|site-packages)(?:[\\/]|$)/;

/**
 * The instruction files of the folders between the working folder and a file, which apply when work moves there. They
 * are not part of the head.
 *
 * @example
 * const texts = await nestedInstructions({ cwd: '/repo', path: '/repo/packages/app/src/a.ts' });
 */
export async function nestedInstructions({
  cwd,
  path,
  files = diskFiles,
}: {
  readonly cwd: string;
  readonly path: string;
  readonly files?: HeadFiles;
}): Promise<FoundInstructions> {
  const root = (await files.real(cwd)) ?? cwd;
  const inner = relative(root, path);
  if (!isInside({ path, folder: root }) || foreignFolder.test(inner)) return { files: [], skipped: [] };
  const steps = dirname(inner)
    .split(sep)
    .filter((step) => step !== '' && step !== '.')
    .slice(0, maxFolders);
  const reader = new InstructionReader(files);
  for (const [index] of steps.entries()) {
    const folder = join(root, ...steps.slice(0, index + 1));
    for (const name of names) await reader.read({ path: join(folder, name), within: root, depth: 0 });
  }
  return { files: truncated({ found: reader.found, size: defaultSize / 2 }), skipped: reader.skipped };
}

/** Reads instruction files and what they import, each once. */
class InstructionReader {
  readonly found: { readonly path: string; readonly text: string }[] = [];
  readonly skipped: string[] = [];
  readonly #files: HeadFiles;
  readonly #seen = new Set<string>();

  constructor(files: HeadFiles) {
    this.#files = files;
  }

  async read(of: {
    readonly path: string;
    /** The folder that the file and its imports must be in. */
    readonly within: string;
    readonly depth: number;
  }): Promise<void> {
    const { path, within, depth } = of;
    const real = await this.#files.real(path);
    if (real === undefined || this.#seen.has(real)) return;
    this.#seen.add(real);
    if (!isInside({ path: real, folder: within })) {
      this.skipped.push(`${path} ${depth > 0 ? 'is' : 'links'} outside of ${within} and was not read.`);
      return;
    }
    const text = await this.#files.text(real);
    if (text === undefined) return void this.skipped.push(`${path} could not be read, or is too large.`);
    if (text.trim() === '' || this.found.some((other) => other.text === text)) return;
    this.found.push({ path, text });
    if (depth >= maxDepth) return;
    for (const name of importsIn(text))
      await this.read({ path: isAbsolute(name) ? name : join(dirname(real), name), within, depth: depth + 1 });
  }
}

/** Imports as in Claude Code: `@docs/style.md` at the start of a word, not in code. */
function importsIn(text: string): string[] {
  const prose = text.replace(/^(?:```|~~~)[^\n]*\n[\s\S]*?^(?:```|~~~)[^\n]*$/gm, '').replace(/`[^`\n]*`/g, '');
  const names = [...prose.matchAll(/(?:^|\s)@([\w./~-]{1,300})/g)].map(([, name = '']) =>
    name.replace(/[.,;:]{1,8}$/, ''),
  );
  return [...new Set(names)].filter((name) => /\.\w+$/.test(name) && !name.startsWith('~')).slice(0, 20);
}

/** From the repository root down to the folder; without a repository only the folder itself. */
async function foldersTo({ cwd, files }: { readonly cwd: string; readonly files: HeadFiles }): Promise<string[]> {
  const start = (await files.real(cwd)) ?? cwd;
  const folders: string[] = [];
  for (let folder = start; folders.length < maxFolders; folder = dirname(folder)) {
    folders.unshift(folder);
    if ((await files.real(join(folder, '.git'))) !== undefined) return folders;
    if (folder === dirname(folder)) break;
  }
  return [start];
}

/** The most specific files are cut last. */
function truncated(of: {
  readonly found: readonly { readonly path: string; readonly text: string }[];
  readonly size: number;
}): InstructionFile[] {
  let left = of.size;
  const kept: InstructionFile[] = [];
  for (const { path, text } of of.found.toReversed()) {
    const cut = text.length <= left ? text : wholeLines(text.slice(0, left));
    left -= cut.length;
    if (cut !== '') kept.unshift({ path, text: cut, omitted: text.length - cut.length });
  }
  return kept;
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf('\n') + 1);
}

/**
 * A file in the frame that marks it as instructions of the owner for pins (the format of Claude Code), byte for byte.
 */
export function framed({ path, text, omitted }: InstructionFile): string {
  const end = text.endsWith('\n') ? '' : '\n';
  const note = omitted > 0 ? `${end}[… ${omitted} characters of this file are left out; read the rest there …]\n` : '';
  return `Contents of ${path} (project instructions):\n${text}${note}`;
}

/** The instruction files in a tool result, from `framed`. */
export function framedPaths(content: readonly ContentPart[]): string[] {
  return content.flatMap((part) => {
    const text = part.type === 'text' && part.origin === 'engine' ? part.text : '';
    return /^Contents of (.+) \(project instructions\):\n/.exec(text)?.[1] ?? [];
  });
}
