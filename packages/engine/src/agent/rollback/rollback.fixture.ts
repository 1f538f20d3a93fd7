import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createMemoryStore, createSession, type Session } from '../../session/index.ts';
import type { Access } from '../permission.ts';
import { createFileHistory } from './file-history.ts';
import { type FileVersions, openFileVersions } from './file-versions.ts';

/** An agent whose calls are functions, a person, and the history between them, in a real folder. */
export interface Rollback {
  readonly session: Session;
  readonly versions: FileVersions;
  /** Runs a command as the agent. */
  readonly bash: (command: string) => Promise<string | undefined>;
  /** Writes a file as the agent. */
  readonly write: (name: string, content: string | Uint8Array) => Promise<string | undefined>;
  /** A call of the agent; `during` runs inside it. */
  readonly call: (access: Access, during: () => void) => Promise<string | undefined>;
  /** The newest handle. */
  readonly here: () => number;
}

export async function rollbackIn({
  cwd,
  versions: dir,
  ...limits
}: { readonly cwd: string; readonly versions: string } & Parameters<
  typeof createFileHistory
>[0]['limits']): Promise<Rollback> {
  const session = await createSession({ store: createMemoryStore() });
  const versions = openFileVersions({ dir });
  const history = createFileHistory({ session, versions, limits });
  const call: Rollback['call'] = async (access, during) => {
    const { notice, after } = await history.before({ callId: 'c', tool: access.kind, access });
    during();
    await after();
    return notice;
  };
  return {
    session,
    versions,
    call,
    here: () => session.head.last,
    bash: async (command) =>
      await call(
        { kind: 'execute', command, cwd },
        () => void execFileSync('sh', ['-c', command], { cwd, stdio: 'ignore' }),
      ),
    write: async (name, content) =>
      await call({ kind: 'write', paths: [join(cwd, name)], isOutside: false }, () =>
        writeFileSync(join(cwd, name), content),
      ),
  };
}

/** Everything in a folder by path: content, link target, `folder`, with permission bits. */
export function treeOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o777).toString(8);
    found[name] = stats.isSymbolicLink()
      ? `-> ${readlinkSync(path)}`
      : stats.isDirectory()
        ? `folder ${mode}`
        : `${mode} ${readFileSync(path, 'latin1')}`;
  }
  return found;
}

/** A person writes or deletes a file, or changes its permission bits. */
export function person(path: string, content: string | null | { readonly mode: number }): void {
  try {
    if (content === null) rmSync(path, { recursive: true });
    else if (typeof content === 'string') writeFileSync(path, content);
    else chmodSync(path, content.mode);
  } catch {
    // A person cannot do everything either: the folder may be gone.
    void dirname(path);
  }
}
