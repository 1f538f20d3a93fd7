import type { CompactionResult } from 'longhaul/engine';
import { askedLines, lossLines } from '../../compaction/result-lines.ts';
import { editContext } from '../../session/edit-context.ts';
import { entryAt } from '../../session/position.ts';
import { fileLines, undoNewest, versionsOf } from '../../session/rewind.ts';
import { count } from '../../text/count.ts';
import { number } from '../../text/number.ts';
import type { CommandContext, SlashCommand } from '../app/command.ts';
import type { Interactive } from '../app/interactive.ts';
import { type CommandResult, textResult } from '../app/result.ts';
import { usageError } from './program.ts';

/** Lines of the summary that the preview shows. */
const shownLines = 30;

export const compactionCommands: readonly SlashCommand[] = [
  {
    name: 'compact',
    hint: '[focus]',
    help: 'Replace older messages by a summary in what is sent; shows first what would leave',
    run: compact,
  },
  {
    name: 'edit',
    hint: '@HANDLE TEXT|--remove',
    help: 'Change the text of a message in what is sent, or leave the message out',
    run: edit,
  },
  {
    name: 'undo',
    help: 'Undo the newest compaction, edit, move or rewind',
    run: async ({ app }) => {
      const live = app.session.session;
      const versions = versionsOf({ io: app.setup.io, dir: app.setup.dir, header: live.header });
      const { reversal, files } = await undoNewest({ live, versions });
      return await reversed({ app, verb: 'Undone', reason: reversal?.action.reason, files });
    },
  },
  {
    name: 'redo',
    help: 'Redo what was undone last',
    run: async ({ app }) => {
      const { action } = await app.session.redo();
      return await reversed({ app, verb: 'Redone', reason: action.reason, files: undefined });
    },
  },
];

async function edit({ app, text: typed }: CommandContext): Promise<readonly CommandResult[]> {
  const given = typed.trim();
  const end = given.search(/\s/);
  const [handle, text] = [given.slice(0, end), given.slice(end).trim()];
  if (end === -1)
    throw usageError({
      message: 'A message and its new text are needed.',
      hint: 'Type /edit @12 and the text, or /edit @12 --remove.',
    });
  const live = app.session.session;
  const entry = await entryAt({ store: app.setup.store, session: live.id, written: handle });
  await editContext({ live, entry, text: text === '--remove' ? undefined : text });
  return await reversed({ app, verb: 'Edited', reason: `@${entry.handle}; /undo takes it back`, files: undefined });
}

async function reversed(of: {
  readonly app: Interactive;
  readonly verb: string;
  readonly reason: string | undefined;
  readonly files: Parameters<typeof fileLines>[0]['files'] | undefined;
}): Promise<readonly CommandResult[]> {
  const { app, verb, reason, files } = of;
  // A summary in the background was made for the conversation as it was.
  app.session.cancelJob();
  await app.reload();
  const messages = count({ amount: app.session.context.items.length, of: 'message' });
  const lines = [
    ...(reason === undefined ? [] : [`${verb}: ${reason}. The model is now sent ${messages}.`]),
    ...(files ? fileLines({ files, isDryRun: false, shown: (path) => path }) : []),
  ];
  return [textResult(lines.join('\n'))];
}

/** The summary is made once: the session waits with it until the user has seen what would leave. */
async function compact({ app, text: focus, signal }: CommandContext): Promise<readonly CommandResult[]> {
  const { session, agent } = app;
  const shown = Promise.withResolvers<CompactionResult>();
  const decided = Promise.withResolvers<boolean>();
  const done = session.compact({
    model: agent.model,
    tools: agent.tools.map(({ definition }) => definition),
    signal,
    ...(focus !== '' && { focus }),
    confirm: async (result) => {
      shown.resolve(result);
      return await decided.promise;
    },
  });
  const isCancelled = () => (signal.aborted ? [textResult('Nothing was compacted.')] : undefined);
  let preview: CompactionResult;
  try {
    preview = await Promise.race([shown.promise, done]);
  } catch (error) {
    const cancelled = isCancelled();
    if (cancelled) return cancelled;
    throw error;
  }
  if (!preview.worthwhile || !preview.loss) {
    decided.resolve(false);
    await done;
    return [
      textResult(`Nothing was compacted. ${preview.reason}`),
      ...askedLines(preview).map((line) => textResult(line)),
    ];
  }
  return [
    {
      kind: 'confirm',
      title: `Compact from ${number(preview.tokensBefore)} to ${number(preview.tokensAfter)} tokens?`,
      body: [textResult(previewLines(preview).join('\n'))],
      choices: [
        {
          key: 'y',
          label: 'compact',
          run: async () => {
            decided.resolve(true);
            const result = await done;
            await app.refreshContext();
            // The line about it is in the conversation.
            return result.installed ? [] : [textResult(`Nothing was compacted. ${result.reason}`)];
          },
        },
        {
          key: 'n',
          label: 'leave it as it is',
          run: async () => {
            decided.resolve(false);
            await done;
            return [textResult('Nothing was compacted.')];
          },
        },
      ],
    },
  ];
}

function previewLines(result: CompactionResult): string[] {
  const lines = (result.summary ?? '').split('\n');
  const more = lines.length - shownLines;
  return [
    ...(result.loss ? lossLines(result.loss) : []),
    ...askedLines(result),
    '',
    ...lines.slice(0, shownLines),
    ...(more > 0 ? [`… ${number(more)} more lines`] : []),
  ];
}
