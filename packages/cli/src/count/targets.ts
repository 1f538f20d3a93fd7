import { type Ignore, noIgnore } from '@longhaul/workspace/ignore';
import { LonghaulError } from 'longhaul';
import { cannotRead, fileNotFound } from '../errors/file-errors.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';

/** Something to count: a file, or standard input. */
export interface Target {
  /** As shown to the user. */
  readonly name: string;
  /** Absent for standard input. */
  readonly path?: string;
  readonly bytes: number;
  /** Found in a folder rather than named, so that it may be skipped. */
  readonly found: boolean;
}

/** A target that cannot be counted, and why. */
export interface CountRefusal {
  readonly name: string;
  readonly error: LonghaulError;
}

export interface Targets {
  readonly targets: readonly Target[];
  readonly refusals: readonly CountRefusal[];
}

/**
 * Resolves names to files. Folders are walked in name order, respecting their ignore files and those of the surrounding
 * repository, without `.git`, and without following links.
 *
 * @example
 * await findTargets({ io, names: ['src', '-'] });
 */
export async function findTargets({
  io,
  names,
}: {
  readonly io: Io;
  readonly names: readonly string[];
}): Promise<Targets> {
  const { resolve, join, dirname } = pathOf(io);
  const targets: Target[] = [];
  const refusals: CountRefusal[] = [];
  for (const name of names) await enter(name);
  return { targets, refusals };

  async function enter(name: string): Promise<void> {
    if (name === '-') {
      targets.push({ name, bytes: 0, found: false });
      return;
    }
    const path = resolve(io.cwd, name);
    try {
      const facts = await io.files.stat(path);
      if (!facts) throw fileNotFound({ name });
      if (facts.kind === 'folder') await walk({ name, path, ignore: await rulesAbove(path) });
      else targets.push({ name, path, bytes: facts.bytes, found: false });
    } catch (error) {
      refuse({ name, error });
    }
  }

  async function walk({ name, path, ignore }: { name: string; path: string; ignore: Ignore }): Promise<void> {
    const here = await rulesIn({ folder: path, ignore });
    const items = [...(await io.files.list(path))].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const item of items) {
      const inside = { name: join(name, item.name), path: join(path, item.name) };
      const isFolder = item.kind === 'folder';
      if (item.name === '.git' || here.ignores({ path: slashed(inside.path), isFolder })) continue;
      try {
        if (isFolder) await walk({ ...inside, ignore: here });
        else if (item.kind === 'file') await add(inside);
      } catch (error) {
        refuse({ name: inside.name, error });
      }
    }
  }

  async function add({ name, path }: { name: string; path: string }): Promise<void> {
    const facts = await io.files.stat(path);
    if (facts) targets.push({ name, path, bytes: facts.bytes, found: true });
  }

  /** The rules of the parent folders up to the root of the repository; none outside a repository. */
  async function rulesAbove(path: string): Promise<Ignore> {
    const above: string[] = [];
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
      above.unshift(folder);
      if (await io.files.stat(join(folder, '.git'))) {
        let ignore = noIgnore;
        for (const each of above) ignore = await rulesIn({ folder: each, ignore });
        return ignore;
      }
    }
    return noIgnore;
  }

  async function rulesIn({ folder, ignore }: { folder: string; ignore: Ignore }): Promise<Ignore> {
    let rules = ignore;
    for (const file of ['.gitignore', '.ignore']) {
      const path = join(folder, file);
      if ((await io.files.stat(path))?.kind !== 'file') continue;
      const pieces: Uint8Array[] = [];
      for await (const piece of io.files.read(path)) pieces.push(piece);
      rules = rules.with({ folder: slashed(folder), text: Buffer.concat(pieces).toString('utf8') });
    }
    return rules;
  }

  function slashed(path: string): string {
    return io.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  }

  function refuse({ name, error }: { name: string; error: unknown }): void {
    refusals.push({ name, error: LonghaulError.is(error) ? error : cannotRead({ name, error }) });
  }
}
