import { dirname, join } from 'node:path';
import type { CommandLine, LineCommand } from '../../shell/index.ts';
import { isWithin } from '../workspace/workspace.ts';
import { isGuardedFile, isSecretFile } from './secret-files.ts';

/** Where a command line runs. */
export interface CommandLocation {
  /** The working folder. */
  readonly cwd: string;
  /** The real path of the workspace. */
  readonly root: string;
  /** The real paths of further folders that count as part of it. */
  readonly folders: readonly string[];
  /** Resolves all links of a path; the path itself if it does not exist. */
  readonly follow: (path: string) => string;
}

/** A line that names more files needs approval without further checks. */
const mostPaths = 2000;
/** Further reasons would not change the decision. */
const mostDangers = 5;
/** The maximum of the operating system. */
const longestPath = 4096;
const unreachablePath = '/dev/null/too-long';
const device = /^\/dev\/(?:null|stdin|stdout|stderr|tty)$/;

/**
 * Why an understood command line still needs approval, one reason per command: it writes or deletes outside the
 * workspace, discards work, reads a file with secrets, or changes what runs later.
 */
export function findDangers({
  line,
  place: { cwd, root, folders, follow },
}: {
  readonly line: CommandLine;
  readonly place: CommandLocation;
}): readonly string[] {
  const dangers = new Set<string>();
  const known = new Map<string, string>();
  let paths = 0;
  const where = (base: string, text: string) => {
    paths += 1;
    const key = `${base}\0${text}`;
    const found = known.get(key) ?? physicalPath({ base, text, follow });
    known.set(key, found);
    return found;
  };
  for (const command of line.commands) {
    for (const steps of command.folders) {
      const base = steps.reduce(where, cwd);
      const found = ofCommand({ command, base, root, folders, where });
      if (found !== undefined) dangers.add(`it ${found}`);
      if (paths > mostPaths) return [...dangers, 'it names too many files'];
      if (dangers.size === mostDangers) return [...dangers];
    }
  }
  return [...dangers];
}

function ofCommand(of: {
  readonly command: LineCommand;
  readonly base: string;
  readonly root: string;
  readonly folders: readonly string[];
  readonly where: (base: string, text: string) => string;
}): string | undefined {
  const { command, base, root, folders, where } = of;
  const { effects, redirects, words } = command;
  const changed = (path: string, text: string): string | undefined => {
    if (device.test(text)) return undefined;
    if (![root, ...folders].some((folder) => isWithin({ path, folder })))
      return `writes to ${text}, which is outside the workspace`;
    if (isGuardedFile(path)) return `changes ${text}, which controls what runs later`;
    return isSecretFile(path) ? `changes ${text}, a file with secrets` : undefined;
  };
  for (const { danger, directory, reads = [], writes = [], deletes = [] } of effects) {
    if (danger !== undefined) return danger.replace(/^it /, '');
    const folder = directory === undefined ? base : where(base, directory);
    for (const text of writes) {
      const found = changed(where(folder, text), text);
      if (found !== undefined) return found;
    }
    for (const text of deletes) {
      const path = where(folder, text);
      const found =
        changed(path, text) ??
        (isWithin({ path: root, folder: path }) ? `deletes or changes the whole workspace` : undefined);
      if (found !== undefined) return found;
    }
    const secret = reads.find((text) => isSecretFile(where(folder, text)));
    if (secret !== undefined) return `reads ${secret}, a file with secrets`;
  }
  for (const { op, target } of redirects) {
    const path = where(base, target);
    const found = op === '<' ? undefined : changed(path, target);
    if (found !== undefined) return found;
    if (isSecretFile(path)) return `reads ${target}, a file with secrets`;
  }
  const secret = words.flatMap(pathsIn).find((text) => isSecretFile(where(base, text)));
  return secret === undefined ? undefined : `names ${secret}, a file with secrets`;
}

/** Possible paths in a word: `HEAD:.env`, `--file=.env`. A word without a dot or slash is not a path. */
function pathsIn(word: string): string[] {
  const parts = new Set([word, ...word.split(/[=:@]/)]);
  return [...parts].filter((part) => /^[^-].*[./]|^\./.test(part));
}

/** A path as the system resolves it: `..` after a link leaves the target folder of the link. */
function physicalPath(of: {
  readonly base: string;
  readonly text: string;
  readonly follow: (path: string) => string;
}): string {
  const { base, text, follow } = of;
  if (text.length > longestPath) return unreachablePath;
  let at = text.startsWith('/') ? '/' : base;
  for (const part of text.split('/')) {
    if (part === '' || part === '.') continue;
    at = part === '..' ? dirname(follow(at)) : join(at, part);
  }
  return follow(at);
}
