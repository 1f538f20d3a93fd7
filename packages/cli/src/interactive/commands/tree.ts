import { type Entry, type EntryId, gistOf } from 'longhaul/session';
import { fileLines, type RewindScope, rewindSession, versionsOf } from '../../session/rewind.ts';
import { pathTo, shownAs, walkTree } from '../../session/walk-tree.ts';
import { clip } from '../../text/clip.ts';
import { count } from '../../text/count.ts';
import { printable } from '../../text/printable.ts';
import type { CommandContext, SlashCommand } from '../app/command.ts';
import type { Interactive } from '../app/interactive.ts';
import { type CommandResult, type TreeNode, type TreeResult, textResult } from '../app/result.ts';
import { usageError } from './program.ts';

export const treeCommands: readonly SlashCommand[] = [
  {
    name: 'tree',
    hint: '[all]',
    help: 'The whole session as a tree: move, label, fork',
    complete: () => [{ value: 'all', detail: 'every entry, also system messages and long runs' }],
    run: async ({ app, text }) => [await treeResult({ app, isFull: text === 'all' })],
  },
  {
    name: 'rewind',
    hint: '[conversation|files|both]',
    help: 'Go back to before a prompt: the conversation, the files the agent changed since, or both',
    complete: () => [{ value: 'conversation' }, { value: 'files' }, { value: 'both' }],
    run: rewind,
  },
];

async function treeResult({
  app,
  isFull,
}: {
  readonly app: Interactive;
  readonly isFull: boolean;
}): Promise<TreeResult> {
  const { session } = app.session;
  const tree = await session.tree();
  const { leaf } = session.head;
  const path = pathTo({ tree, leaf });
  const nodes: TreeNode[] = [];
  for (const { node, depth } of walkTree({ tree, leaf, isFull })) {
    if (typeof node === 'number') continue;
    const { kind, text } = gistOf(node);
    const label = tree.labels.get(node.id);
    nodes.push({
      id: node.id,
      parent: node.parentId ?? undefined,
      depth,
      handle: `@${node.handle}`,
      who: kind,
      text: printable(clip({ text, length: 200 })),
      ...(label !== undefined && { label: printable(label) }),
      isOnPath: path.has(node.id),
      isFork: tree.children(node.id).length > 1,
    });
  }
  return {
    kind: 'tree',
    title: `${count({ amount: nodes.length, of: 'entry' })} of ${app.view.session.name ?? session.id}`,
    nodes,
    current: shownAs({ tree, id: leaf }) ?? undefined,
    preview: async (id) => app.session.mask(gistOf(await entryOf({ app, id })).text),
    move: async (id) => await move({ app, id }),
    label: async (id, text) => {
      const label = text.trim() === '' ? null : text.trim();
      await session.label({ target: id, label });
      return [textResult(label === null ? 'The label was removed.' : `Labeled ${label}.`)];
    },
    fork: async (id) => {
      const copy = await session.fork({ at: id });
      await app.switchSession({ wanted: { session: copy.id } });
      return [textResult('This is a copy of the session, at that entry.')];
    },
  };
}

async function entryOf({ app, id }: { readonly app: Interactive; readonly id: EntryId }): Promise<Entry> {
  const [entry] = await app.session.session.read({ ids: [id] });
  if (!entry) throw usageError({ message: 'The entry is not in this session.', hint: 'Open /tree again.' });
  return entry;
}

/** Leaving a branch with answers on it offers a summary, so that what was learned there is not lost for the model. */
async function move({
  app,
  id,
}: {
  readonly app: Interactive;
  readonly id: EntryId;
}): Promise<readonly CommandResult[]> {
  const { session } = app.session;
  const { abandoned } = await app.session.move({ to: id, dryRun: true });
  const go = async (summarize: boolean): Promise<readonly CommandResult[]> => {
    const moved = await app.session.move({ to: id, summarize, model: app.agent.model });
    if (moved.cancelled !== undefined) return [textResult(`A hook kept the session in its place: ${moved.cancelled}`)];
    await app.reload();
    return moved.text === undefined ? [] : [{ kind: 'edit', text: moved.text }];
  };
  const said = abandoned.filter((entry) => entry.type === 'message' && entry.message.role === 'assistant').length;
  if (said === 0 || session.head.leaf === id) return await go(false);
  return [
    {
      kind: 'confirm',
      title: `${count({ amount: abandoned.length, of: 'entry' })} are left behind, and stay in the tree.`,
      body: [],
      choices: [
        { key: 's', label: 'move, with a summary of them for the model', run: async () => await go(true) },
        { key: 'y', label: 'move without a summary', run: async () => await go(false) },
        { key: 'n', label: 'stay', run: async () => [] },
      ],
    },
  ];
}

const scopes: readonly RewindScope[] = ['conversation', 'files', 'both'];

async function rewind({ app, text }: CommandContext): Promise<readonly CommandResult[]> {
  const scope = text === '' ? 'conversation' : scopes.find((each) => each === text);
  if (scope === undefined)
    throw usageError({ message: `/rewind does not know "${text}".`, hint: `Use ${scopes.join(', ')}.` });
  const path = await app.session.session.path();
  const prompts = path.flatMap((entry) => {
    if (entry.type !== 'message' || entry.message.role !== 'user') return [];
    const typed = entry.message.parts.flatMap((part) =>
      part.type === 'text' && part.origin === 'human' ? [part.text] : [],
    );
    return typed.length === 0 ? [] : [{ entry, text: typed.join('\n') }];
  });
  const byId = new Map(prompts.map((prompt) => [prompt.entry.id, prompt]));
  const run = (of: RewindScope) => async (id: string) => {
    const prompt = byId.get(id);
    return prompt ? await confirmRewind({ app, ...prompt, scope: of }) : [];
  };
  return [
    {
      kind: 'picker',
      title: scope === 'files' ? 'Put the files back to before which prompt?' : 'Go back to before which prompt?',
      items: prompts.toReversed().map(({ entry, text: typed }) => ({
        id: entry.id,
        label: printable(clip({ text: typed, length: 160 })),
        detail: `@${entry.handle}`,
      })),
      empty: 'There is no prompt to go back to.',
      preview: async (id) => byId.get(id)?.text ?? '',
      actions: [
        { label: scope, run: run(scope) },
        ...scopes
          .filter((each) => each !== scope)
          .map((each) => ({ key: each.slice(0, 1), label: each, run: run(each) })),
      ],
    },
  ];
}

async function confirmRewind({
  app,
  entry,
  text,
  scope,
}: {
  readonly app: Interactive;
  readonly entry: Entry;
  readonly text: string;
  readonly scope: RewindScope;
}): Promise<readonly CommandResult[]> {
  const live = app.session.session;
  const { io, dir } = app.setup;
  const versions = versionsOf({ io, dir, header: live.header });
  const [before] = entry.parentId === null ? [] : await live.read({ ids: [entry.parentId] });
  const to = before ?? null;
  const shown = (path: string) => (path.startsWith(`${io.cwd}/`) ? path.slice(io.cwd.length + 1) : path);
  const go = async (): Promise<readonly CommandResult[]> => {
    const { files } = await rewindSession({ live, versions, to, scope, isDryRun: false });
    // A summary in the background was made for the conversation as it was.
    app.session.cancelJob();
    await app.reload();
    return [
      ...(files ? [textResult(fileLines({ files, isDryRun: false, shown }).join('\n'))] : []),
      ...(scope === 'files' ? [] : [{ kind: 'edit' as const, text }]),
    ];
  };
  if (scope === 'conversation') return await go();
  const { files } = await rewindSession({ live, versions, to, scope, isDryRun: true });
  return [
    {
      kind: 'confirm',
      title: 'Put these files back?',
      body: files ? [textResult(fileLines({ files, isDryRun: true, shown }).join('\n'))] : [],
      choices: [
        { key: 'y', label: 'put back', run: go },
        { key: 'n', label: 'change nothing', run: async () => [] },
      ],
    },
  ];
}
