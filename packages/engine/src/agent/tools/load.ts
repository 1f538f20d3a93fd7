import { LonghaulError } from '../../errors.ts';
import { withFile } from '../workspace/open.ts';
import { stampOf } from '../workspace/seen.ts';
import type { Place, Workspace } from '../workspace/workspace.ts';

/** Larger files are not worked on as a whole. Bytes. */
const largest = 20 * 1024 * 1024;

/** A file as it is now. */
export interface Loaded {
  readonly data: Buffer;
  readonly mode: number;
  /** Throws where the file is another one by now. */
  readonly check: () => Promise<void>;
}

/** All of a file, unless it is another than the one this agent has seen. */
export async function loadFile({
  workspace,
  place,
}: {
  readonly workspace: Workspace;
  readonly place: Place;
}): Promise<Loaded> {
  const { path, shown } = place;
  const { data, stats } = await withFile({
    path,
    async work({ handle, stats }) {
      if (stats.size > BigInt(largest)) {
        const message = `${shown} has ${stats.size} bytes, too many to change it this way.`;
        throw new LonghaulError({ code: 'file-too-large', message, hint: 'Use bash with sed or a script.' });
      }
      return { data: await handle.readFile(), stats };
    },
  });
  if (workspace.seen.isStale({ path, stats, content: data })) throw changed(shown);
  const stamp = stampOf(stats);
  return {
    data,
    mode: Number(stats.mode),
    async check() {
      const now = await withFile({ path, work: async ({ stats }) => stampOf(stats) });
      if (now !== stamp) throw changed(shown);
    },
  };
}

function changed(path: string): LonghaulError {
  return new LonghaulError({
    code: 'file-changed',
    message: `${path} was changed by somebody else since you read it, so nothing was written.`,
    hint: 'Read it again, and then change what is there now.',
  });
}
