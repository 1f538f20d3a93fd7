import { dirname, join } from 'node:path';
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

/**
 * The instruction files that apply to a folder, from the repository root down to the folder, so that the most specific
 * comes last. The same text under two names is read once. A link that leaves the repository is not followed: it could
 * expose files outside it.
 *
 * @example
 * const { files } = await findInstructions({ cwd: '/repo/packages/app' });
 */
export async function findInstructions({
  cwd,
  files = diskFiles,
  size = defaultSize,
}: {
  readonly cwd: string;
  readonly files?: HeadFiles;
  /** Limit for all files together, in characters. */
  readonly size?: number;
}): Promise<FoundInstructions> {
  const folders = await foldersTo({ cwd, files });
  const root = folders[0] ?? cwd;
  const [found, skipped]: [{ path: string; text: string }[], string[]] = [[], []];
  for (const path of folders.flatMap((folder) => names.map((name) => join(folder, name)))) {
    const real = await files.real(path);
    if (real === undefined) continue;
    if (!isInside({ path: real, folder: root })) {
      skipped.push(`${path} links outside of ${root} and was not read.`);
      continue;
    }
    const text = await files.text(real);
    if (text === undefined) skipped.push(`${path} could not be read, or is too large.`);
    else if (text.trim() !== '' && !found.some((other) => other.text === text)) found.push({ path, text });
  }
  return { files: truncated({ found, size }), skipped };
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
