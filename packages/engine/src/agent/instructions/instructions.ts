import { dirname, join } from 'node:path';
import { diskFiles, type Files, isInside } from '../files.ts';

/** A file in which the owner of a project tells agents what to do. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
  /** How many characters were left out, where it is too long. */
  readonly omitted: number;
}

/** What was found, and what was left out and why. */
export interface FoundInstructions {
  readonly files: readonly InstructionFile[];
  readonly skipped: readonly string[];
}

/** By the names under which agents know them. */
const names: readonly string[] = ['AGENTS.md', 'CLAUDE.md'];

/** Of all files together; Codex takes as much. Characters. */
const usualSize = 32_768;

/** So many folders up at most. */
const mostFolders = 64;

/**
 * The instruction files that hold in a folder: those of the repository first, those of the folder last, since the nearest
 * says it most exactly. The same text under two names is read once. A link that leads out of the repository is not
 * followed: whoever wrote it may want to have something read that is none of theirs.
 *
 * @example
 * const { files } = await findInstructions({ cwd: '/repo/packages/app' });
 */
export async function findInstructions({
  cwd,
  files = diskFiles,
  size = usualSize,
}: {
  readonly cwd: string;
  readonly files?: Files;
  /** Characters of all files together. */
  readonly size?: number;
}): Promise<FoundInstructions> {
  const folders = await foldersTo({ cwd, files });
  const root = folders[0] ?? cwd;
  const [found, skipped]: [{ path: string; text: string }[], string[]] = [[], []];
  for (const path of folders.flatMap((folder) => names.map((name) => join(folder, name)))) {
    const real = await files.real(path);
    if (real === undefined) continue;
    if (!isInside({ path: real, folder: root })) {
      skipped.push(`${path} leads out of ${root} and was not read.`);
      continue;
    }
    const text = await files.text(real);
    if (text === undefined) skipped.push(`${path} could not be read, or is too large.`);
    else if (text.trim() !== '' && !found.some((other) => other.text === text)) found.push({ path, text });
  }
  return { files: bounded({ found, size }), skipped };
}

/** From the repository down to the folder; without a repository only the folder itself. */
async function foldersTo({ cwd, files }: { readonly cwd: string; readonly files: Files }): Promise<string[]> {
  const start = (await files.real(cwd)) ?? cwd;
  const folders: string[] = [];
  for (let folder = start; folders.length < mostFolders; folder = dirname(folder)) {
    folders.unshift(folder);
    if ((await files.real(join(folder, '.git'))) !== undefined) return folders;
    if (folder === dirname(folder)) break;
  }
  return [start];
}

/** The nearest files are cut last. */
function bounded(of: {
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
 * A file in the frame by which the pins of a conversation know it for the owner's words (as Claude Code writes it), byte
 * for byte.
 */
export function framed({ path, text, omitted }: InstructionFile): string {
  const end = text.endsWith('\n') ? '' : '\n';
  const note = omitted > 0 ? `${end}[… ${omitted} characters of this file are left out; read the rest there …]\n` : '';
  return `Contents of ${path} (project instructions):\n${text}${note}`;
}
