import type { MoveResult } from 'longhaul/engine';
import { type Entry, formatHandle } from 'longhaul/session';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/** What is told of a move: where the session stands, and whether that is only a wish. */
interface Told {
  readonly result: MoveResult;
  readonly leaf: Entry | undefined;
  readonly dryRun: boolean;
}

/** The shape is described in docs/cli.md. */
export function branchJson({ session, result, leaf, dryRun }: Told & { readonly session: string }): object {
  const { moved, text, abandoned, branch: told, cancelled } = result;
  const at = (entry: number) => formatHandle({ entry });
  return {
    session,
    moved,
    cancelled: cancelled ?? null,
    dryRun,
    leaf: leaf ? at(leaf.handle) : null,
    abandoned: abandoned.map(({ handle }) => at(handle)),
    text: text ?? null,
    summary: told
      ? {
          text: told.text,
          strategy: told.strategy,
          handles: { from: at(told.handles.from), to: at(told.handles.to) },
          unread: told.left,
          files: told.files,
        }
      : null,
  };
}

/** The same for a person. */
export function branchLines({
  result,
  leaf,
  wanted,
  dryRun,
  paint,
}: Told & { readonly wanted: string; readonly paint: Paint }): string[] {
  const { moved, abandoned, branch: told, text, cancelled } = result;
  if (cancelled !== undefined) return [`A hook called it off: ${printable(cancelled)}`];
  const left = count({ amount: abandoned.length, of: 'entry' });
  return [
    ...place(),
    ...(text === undefined || text === '' ? [] : ['', 'To be said otherwise:', ...indented(text)]),
    ...(told ? ['', dryRun ? 'The model would be told:' : 'The model is told:', ...indented(told.text)] : []),
    ...(moved ? ['', paint.faint(`\`longhaul undo ${printable(wanted)}\` returns to where it stood.`)] : []),
  ];

  function place(): string[] {
    if (dryRun) return [`${left} would be left behind, still in the tree`];
    const where = leaf ? `at @${leaf.handle}` : 'before the first entry';
    if (!moved) return [`the session stands ${where} already`];
    return [
      `the session stands ${where} now`,
      ...(abandoned.length > 0 ? [`${left} left behind, still in the tree`] : []),
    ];
  }
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `  ${printable(line)}`.trimEnd());
}
