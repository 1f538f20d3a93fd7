import { nodeTypes } from '../../session/index.ts';
import type { Source } from '../export/source.ts';
import { surveyOf } from '../export/survey.ts';
import { traced } from '../export/trace.ts';
import { withNext } from '../lines/with-next.ts';
import { createBranchList } from './branches.ts';
import { createEntryBlocks } from './entry.ts';
import { headBlocks } from './head.ts';

/**
 * A session as a document to read: the path to where it stands, turn by turn, everything with its handle; tools folded
 * away, compactions with what they replaced, and at the end the branches that were left.
 *
 * @example
 * for await (const piece of writeMarkdown(source)) stream.write(piece);
 */
export async function* writeMarkdown(source: Source): AsyncGenerator<string> {
  const survey = await surveyOf(source);
  const blocksOf = createEntryBlocks({ survey });
  const branches = createBranchList({ survey });

  yield paragraphs(headBlocks({ header: source.header, survey }));
  for await (const { item, next } of withNext(traced(source.entries()))) {
    const { entry, step } = item;
    if (survey.isOnPath(entry)) yield paragraphs(blocksOf({ entry, step, next }));
    else if (nodeTypes.has(entry.type)) branches.add(entry);
  }
  yield paragraphs(branches.blocks());
}

function paragraphs(blocks: readonly string[]): string {
  return blocks.map((block) => `${block}\n\n`).join('');
}
