import { type Entry, type EntryId, gistOf } from '../../session/index.ts';
import { firstWords } from '../../session/internal.ts';
import type { Survey } from '../export/survey.ts';
import { plain } from './text.ts';

/** A way that was left: what branched off at one place, however it branched on. */
interface Branch {
  readonly from: number | undefined;
  readonly first: number;
  readonly begins: string;
  last: number;
  entries: number;
}

/** Collects what is not on the path, to be listed at the end. */
export function createBranchList({ survey }: { readonly survey: Survey }): {
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
