import type { Command } from 'commander';
import { type Entry, type EntryId, type EntryTree, gistOf, nodeTypes, openSession } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { pathTo, shownAs, walkTree } from '../session/walk-tree.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/** Draws a session's tree, line by line. */
function* drawTree({
  tree,
  leaf,
  paint,
  width,
  isFull,
}: {
  readonly tree: EntryTree;
  readonly leaf: EntryId | null;
  readonly paint: Paint;
  readonly width: number;
  /** Whether system messages and long runs are drawn completely. */
  readonly isFull: boolean;
}): Generator<string> {
  const path = pathTo({ tree, leaf });
  const here = shownAs({ tree, id: leaf });
  if (leaf === null) yield `${paint.good('→')} before the first entry`;
  for (const { node, indent } of walkTree({ tree, leaf, isFull })) {
    yield typeof node === 'number'
      ? `${indent}${paint.faint(`⋮ ${count({ amount: node, of: 'entry' })}`)}`
      : `${indent}${nodeText({ node, tree, path, leaf: here, paint, width: width - indent.length })}`;
  }
}

function nodeText({
  node,
  tree,
  path,
  leaf,
  paint,
  width,
}: {
  readonly node: Entry;
  readonly tree: EntryTree;
  readonly path: ReadonlySet<EntryId>;
  readonly leaf: EntryId | null;
  readonly paint: Paint;
  readonly width: number;
}): string {
  const { kind, text } = gistOf(node);
  const label = tree.labels.get(node.id);
  const marks = [
    ...(label === undefined ? [] : [paint.good(`[${printable(label)}]`)]),
    ...(node.id === leaf ? [paint.good('← here')] : []),
  ];
  const length = Math.max(20, width - kind.length - (label?.length ?? 0) - 20);
  const preview = printable(clip({ text, length }));
  const handle = `@${node.handle}`;
  const line = `${path.has(node.id) ? paint.strong(handle) : handle} ${kind}  ${preview}`.trimEnd();
  return [path.has(node.id) ? line : paint.faint(line), ...marks].join('  ');
}

interface TreeOptions {
  readonly full?: true;
}

/** `longhaul tree SESSION`. */
export function addTreeCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('tree')
    .description('Draws the tree of a session: its branches, names, compactions and current position.')
    .usage('SESSION [options]')
    .argument('<SESSION>', sessionArgument)
    .option('--full', 'every entry, also system messages and long straight runs');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul tree last', 'the most recently used session'],
        ['longhaul move last @12', 'then move to another entry'],
        ['longhaul tree last --json', 'as JSON'],
      ],
    })}`,
  );
  bind<TreeOptions>({ command, action: showTree });
}

const showTree: CommandAction<TreeOptions> = async (invocation) => {
  const { io, args, options, json, paint } = invocation;
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const summary = await findSession({ store, wanted: args[0] ?? '' });
      const live = await openSession({ store, id: summary.header.id, allowDamage: true });
      const [tree, { leaf }] = [await live.tree(), live.head];
      if (json) {
        await io.stdout.write(`${JSON.stringify(treeJson({ session: live.id, tree, leaf }), undefined, 2)}\n`);
        return 0;
      }
      const colors = paint('stdout');
      const lines = [`${colors.strong(live.id)}  ${printable(summary.name ?? summary.title ?? '')}`.trimEnd()];
      const drawn = drawTree({ tree, leaf, paint: colors, width: io.stdout.columns, isFull: options.full === true });
      await io.stdout.write(`${[...lines, ...drawn].join('\n')}\n`);
      for (const { what } of tree.problems) await io.stderr.write(`${colors.bad('damaged:')} ${printable(what)}\n`);
      return 0;
    },
  });
};

/** Flat: nested JSON would be as deep as the session is long. */
function treeJson({
  session,
  tree,
  leaf,
}: {
  readonly session: string;
  readonly tree: EntryTree;
  readonly leaf: EntryId | null;
}) {
  const handleOf = (id: EntryId | null) => {
    const entry = id === null ? undefined : tree.byId.get(id);
    return entry ? `@${entry.handle}` : null;
  };
  const nodes = [...tree.byId.values()].filter(({ type }) => nodeTypes.has(type));
  return {
    session,
    leaf: handleOf(leaf),
    nodes: nodes.map((entry) => {
      const { kind, text } = gistOf(entry);
      return {
        handle: `@${entry.handle}`,
        id: entry.id,
        parent: handleOf(entry.parentId),
        type: entry.type,
        kind,
        text: clip({ text, length: 200 }),
        label: tree.labels.get(entry.id) ?? null,
      };
    }),
    problems: tree.problems,
  };
}
