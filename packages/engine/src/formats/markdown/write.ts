import { type Entry, type EntryId, gistOf, nodeTypes } from '../../session/index.ts';
import { firstWords } from '../../session/internal.ts';
import type { Source } from '../export/source.ts';
import { type Survey, surveyOf } from '../export/survey.ts';
import { traced } from '../export/trace.ts';
import { withNext } from '../lines/with-next.ts';
import { createEntryBlocks } from './entry.ts';
import { headBlocks } from './head.ts';
import { plain } from './text.ts';

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

/** A way that was left: what branched off at one place, however it branched on. */
interface Branch {
  readonly from: number | undefined;
  readonly first: number;
  readonly begins: string;
  last: number;
  entries: number;
}

/** Collects what is not on the path, to be listed at the end. */
function createBranchList({ survey }: { readonly survey: Survey }): {
  readonly add: (entry: Entry) => void;
  readonly blocks: () => string[];
} {
  const branches = new Map<EntryId, Branch>();
  return {
    add(entry) {
      const id = survey.branchOf(entry) ?? entry.id;
      const branch = branches.get(id) ?? begun(entry);
      branch.last = entry.handle;
      branch.entries += 1;
      branches.set(id, branch);
    },
    blocks() {
      if (branches.size === 0) return [];
      const lines = [...branches.values()].map(({ from, first, last, entries, begins }) => {
        const place = from === undefined ? 'from the beginning' : `from [@${from}](#@${from})`;
        const size = entries === 1 ? `@${first}` : `@${first} to @${last}, ${entries} entries`;
        return `- ${place}: ${size}: ${plain(begins)}`;
      });
      return ['## Branches that were left', lines.join('\n')];
    },
  };

  function begun(entry: Entry): Branch {
    const { kind, text } = gistOf(entry);
    const from = entry.parentId === null ? undefined : survey.handleOf(entry.parentId);
    const begins = firstWords({ text: `${kind} ${text}`, length: 100 });
    return { from, first: entry.handle, begins, last: entry.handle, entries: 0 };
  }
}
