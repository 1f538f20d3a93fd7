import type { Command } from 'commander';
import { type EntryId, type EntryTree, gistOf, nodeTypes, openSession } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { clip } from '../text/clip.ts';
import { printable } from '../text/printable.ts';
import { drawTree } from '../tree/draw.ts';

interface TreeOptions {
  readonly full?: true;
}

/** `longhaul tree SESSION`. */
export function addTreeCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('tree')
    .summary('draw the branches of a session')
    .description('Draws the tree of a session: its branches, names, compactions, and where it stands.')
    .usage('SESSION [options]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .option('--full', 'every entry, also where many follow each other in a straight line');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul tree last', 'the session that was used last'],
        ['longhaul move last @12', 'then stand elsewhere in it'],
        ['longhaul tree last --json', 'for a program'],
      ],
    })}`,
  );
  bind<TreeOptions>({ command, action: showTree });
}

const showTree: Action<TreeOptions> = async (invocation) => {
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

/** Flat, since a session is as deep as it is long, and JSON so deep cannot be read. */
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
