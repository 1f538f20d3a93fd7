import { basename, join } from 'node:path';
import { diskFiles, type HeadFiles, isInside } from '../files.ts';

/** A Markdown file that customizes the agent. */
export interface CustomFile {
  /** From its path: `review`, or `frontend:review` in a subfolder. */
  readonly name: string;
  /** Real path. */
  readonly file: string;
  /** Whether it belongs to the project, whose files are not trusted. */
  readonly isProject: boolean;
  readonly text: string;
}

/** Where a kind of customization is looked for. */
export interface CustomFolders {
  readonly cwd: string;
  /** Folders of the user, e.g. `~/.claude/agents`. */
  readonly folders?: readonly string[];
  readonly files?: HeadFiles;
  /** Called with one sentence for each file that cannot be used. */
  readonly onSkipped?: (why: string) => void;
}

/** Limits, so that a folder full of files costs little. */
const mostFiles = 200;
const deepest = 4;

/**
 * The Markdown files of a kind (`agents`, `commands`) in `.longhaul` and `.claude` of the project and in folders of the
 * user. The first of several with the same name wins. A file of the project that links outside of it is skipped.
 *
 * @example
 * const files = await findCustomFiles({ kind: 'agents', cwd: '/repo', folders: ['/home/me/.claude/agents'] });
 */
export async function findCustomFiles({
  kind,
  cwd,
  folders = [],
  files = diskFiles,
  onSkipped,
}: CustomFolders & { readonly kind: string }): Promise<readonly CustomFile[]> {
  const root = (await files.real(cwd)) ?? cwd;
  const places = [
    ...['.longhaul', '.claude'].map((folder) => ({ folder: join(root, folder, kind), isProject: true })),
    ...folders.map((folder) => ({ folder, isProject: false })),
  ];
  const found = new Map<string, CustomFile>();
  for (const { folder, isProject } of places) {
    for (const { name, path } of await markdownIn({ folder, files, prefix: '', depth: 0 })) {
      if (found.has(name) || found.size >= mostFiles) continue;
      const file = await files.real(path);
      const text = file === undefined ? undefined : await files.text(file);
      const isLeaving = isProject && file !== undefined && !isInside({ path: file, folder: root });
      if (isLeaving) onSkipped?.(`${path} is not used: it links outside of ${root}.`);
      else if (file === undefined || text === undefined) onSkipped?.(`${path} is not used: it cannot be read.`);
      else found.set(name, { name, file, isProject, text });
    }
  }
  return [...found.values()];
}

async function markdownIn(of: {
  readonly folder: string;
  readonly files: HeadFiles;
  readonly prefix: string;
  readonly depth: number;
}): Promise<{ readonly name: string; readonly path: string }[]> {
  const { folder, files, prefix, depth } = of;
  const found: { name: string; path: string }[] = [];
  for (const entry of await files.names(folder)) {
    const path = join(folder, entry);
    if (/\.md$/i.test(entry)) found.push({ name: prefix + basename(entry).replace(/(?:\.agent)?\.md$/i, ''), path });
    else if (depth < deepest && !entry.includes('.'))
      found.push(...(await markdownIn({ folder: path, files, prefix: `${prefix}${entry}:`, depth: depth + 1 })));
    if (found.length >= mostFiles) break;
  }
  return found;
}

/** Tool names of Claude Code and Copilot, by ours. */
const ours: Readonly<Record<string, readonly string[]>> = {
  multiedit: ['edit'],
  notebookedit: ['edit'],
  bash: ['bash', 'bash_output', 'bash_kill'],
  shell: ['bash', 'bash_output', 'bash_kill'],
  execute: ['bash', 'bash_output', 'bash_kill'],
  glob: ['find'],
  search: ['grep', 'find', 'search_code'],
  todowrite: ['todo'],
  webfetch: ['fetch'],
  agent: ['task'],
};

/**
 * Our tools for the names in a front matter. `*` and names of MCP tools stay as they are.
 *
 * @example
 * toolNames(['Read', 'Glob', 'Bash(git log:*)']); // ['read', 'find', 'bash', 'bash_output', 'bash_kill']
 */
export function toolNames(names: readonly string[]): readonly string[] {
  return [
    ...new Set(
      names.flatMap((written) => {
        const name = (written.split('(', 1)[0] ?? '').trim();
        const known = name.toLowerCase();
        return name.includes('__') ? [name] : (ours[known] ?? [known]);
      }),
    ),
  ];
}
