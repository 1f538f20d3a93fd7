import { withFile } from '../workspace/open.ts';
import { replaceFile } from '../workspace/replace.ts';
import type { Place, Workspace } from '../workspace/workspace.ts';
import type { Loaded } from './load.ts';

/** Puts new content in place of a file, unless it was changed meanwhile, and remembers what is there now. */
export async function saveFile({
  workspace,
  place: { path },
  data,
  before,
}: {
  readonly workspace: Workspace;
  readonly place: Place;
  readonly data: Buffer;
  readonly before: Loaded | undefined;
}): Promise<void> {
  await replaceFile({ path, data, mode: before?.mode, ...(before && { check: before.check }) });
  await withFile({ path, work: async ({ stats }) => workspace.seen.note({ path, stats, content: data }) });
}
