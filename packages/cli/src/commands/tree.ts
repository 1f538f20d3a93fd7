import type { Command } from 'commander';
import { type Entry, type EntryId, type EntryTree, gistOf, nodeTypes, openSession } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { isEpochOf } from '../session/shown-entry.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/** Entries shown at the ends of a long straight run. */
const shownAtEnds = 4;

/** A straight run of nodes, and what branches off at its end. */
interface EntryRun {
  readonly nodes: readonly Entry[];
  readonly branches: readonly Entry[];
}

/**
 * Draws a session's tree. A straight run of entries is not indented; each branch is, under the entry it leaves from.
 * Iterative, so that a session of any length can be drawn.
 *
 * @example
 * for (const line of drawTree({ tree, leaf, paint, width: 100, isFull: false })) console.log(line);
 */
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
  const path = pathOf({ tree, leaf });
  const here = shownAs({ tree, id: leaf });
  if (leaf === null) yield `${paint.good('→')} before the first entry`;
  const open: { readonly node: Entry; readonly first: string; readonly rest: string }[] = [];
  const branch = (nodes: readonly Entry[], indent: string): void => {
    nodes.toReversed().forEach((node, fromLast) => {
      const isAlone = nodes.length === 1 && indent === '';
      const [first, rest] = isAlone ? ['', ''] : fromLast === 0 ? ['└─ ', '   '] : ['├─ ', '│  '];
      open.push({ node, first: indent + first, rest: indent + rest });
    });
  };
  branch(tree.roots, '');
  for (let next = open.pop(); next; next = open.pop()) {
    const { nodes, branches } = runFrom({ tree, node: next.node });
    let indent = next.first;
    const shown = nodes.filter(
      (node) => shownAs({ tree, id: node.id }) === node.id && (isFull || !isHidden({ tree, leaf: here, node })),
    );
    for (const node of shortened({ nodes: shown, isFull, keep: (entry) => isLandmark({ tree, leaf: here, entry }) })) {
      yield typeof node === 'number'
        ? `${indent}${paint.faint(`⋮ ${count({ amount: node, of: 'entry' })}`)}`
        : `${indent}${nodeText({ node, tree, path, leaf: here, paint, width: width - indent.length })}`;
      indent = next.rest;
    }
    branch(branches, next.rest);
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

/** From a node on, as long as it has one child. */
function runFrom({ tree, node }: { readonly tree: EntryTree; readonly node: Entry }): EntryRun {
  const nodes = [node];
  for (let last = node; ; ) {
    const [only, second] = tree.children(last.id);
    if (!only || second) return { nodes, branches: tree.children(last.id) };
    nodes.push(only);
    last = only;
  }
}

/** The nodes of a run, with a number in place of omitted ones. */
function* shortened({
  nodes,
  isFull,
  keep,
}: {
  readonly nodes: readonly Entry[];
  readonly isFull: boolean;
  readonly keep: (entry: Entry) => boolean;
}): Generator<Entry | number> {
  let hidden = 0;
  for (const [index, node] of nodes.entries()) {
    const isEnd = index < shownAtEnds || index >= nodes.length - shownAtEnds;
    if (!isFull && !isEnd && nodes.length > shownAtEnds * 2 + 1 && !keep(node)) {
      hidden += 1;
      continue;
    }
    if (hidden > 0) yield hidden;
    hidden = 0;
    yield node;
  }
}

/** Nodes that are always drawn: names, compactions, the current position. */
function isLandmark(of: { readonly tree: EntryTree; readonly leaf: EntryId | null; readonly entry: Entry }): boolean {
  const { tree, leaf, entry } = of;
  return (
    tree.labels.has(entry.id) || entry.type === 'compaction' || entry.type === 'branch_summary' || entry.id === leaf
  );
}

/** System messages and what the engine appends before the first prompt; a name or the current position shows them. */
function isHidden(of: { readonly tree: EntryTree; readonly leaf: EntryId | null; readonly node: Entry }): boolean {
  const { tree, leaf, node } = of;
  if (isLandmark({ tree, leaf, entry: node })) return false;
  if (node.type === 'message') return node.message.role === 'system';
  if (node.type === 'epoch') return node.reason === 'head';
  if (node.type !== 'model_change' && node.type !== 'thinking_change') return false;
  const parent = node.parentId === null ? undefined : tree.byId.get(node.parentId);
  return parent === undefined || isHidden({ tree, leaf, node: parent });
}

/** An epoch that was appended with a compaction, prune or edit is drawn together with it. */
function shownAs({ tree, id }: { readonly tree: EntryTree; readonly id: EntryId | null }): EntryId | null {
  const epoch = id === null ? undefined : tree.byId.get(id);
  const parent = epoch?.parentId ? tree.byId.get(epoch.parentId) : undefined;
  return epoch && parent && isEpochOf({ epoch, parent }) ? parent.id : id;
}

function pathOf({ tree, leaf }: { readonly tree: EntryTree; readonly leaf: EntryId | null }): ReadonlySet<EntryId> {
  const path = new Set<EntryId>();
  for (let id = leaf; id !== null && !path.has(id); ) {
    path.add(id);
    id = tree.byId.get(id)?.parentId ?? null;
  }
  return path;
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
