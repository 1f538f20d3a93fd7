import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';

/**
 * The folder that a session file is about, where only a file near it says so: Gemini CLI writes `.project_root` next to its
 * folder of chats.
 *
 * @example
 * await projectRoot({ io, path: '/home/me/.gemini/tmp/app/chats/session-1.jsonl' }); // '/home/me/app'
 */
export async function projectRoot({
  io,
  path,
}: {
  readonly io: Pick<Io, 'files' | 'platform'>;
  readonly path: string;
}): Promise<string | undefined> {
  const { basename, dirname, isAbsolute, join } = pathOf(io);
  if (basename(dirname(path)) !== 'chats') return undefined;
  const file = join(dirname(dirname(path)), '.project_root');
  const bytes = await io.files.head({ path: file, bytes: 4_096 }).catch(() => undefined);
  const root = bytes && Buffer.from(bytes).toString('utf8').trim();
  return root && isAbsolute(root) ? root : undefined;
}
