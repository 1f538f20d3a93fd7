import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { openSession } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { printResult } from '../output/print-result.ts';
import { placeAt } from '../session/position.ts';
import { fileLines, type RewindScope, rewindSession, versionsOf } from '../session/rewind.ts';
import { shownEntry } from '../session/shown-entry.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { printable } from '../text/printable.ts';

interface MoveOptions {
  readonly summary?: string;
}

/** `longhaul move SESSION HANDLE`. */
export function addMoveCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('move')
    .description(
      'Moves a session to another entry, on any branch. Nothing is lost: the abandoned branch stays in the tree.',
    )
    .usage('SESSION HANDLE [options]')
    .argument('<SESSION>', sessionArgument)
    .argument('<HANDLE>', 'the entry to move to, e.g. @12; root is before the first entry')
    .option('--summary <text>', 'tell the model what happened on the abandoned branch');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul tree last', 'list the entries to move to'],
        ['longhaul move last @12', 'move to entry 12'],
        ['longhaul move last @12 --summary "The rewrite failed."', 'and tell the model why'],
        ['longhaul undo last', 'move back'],
      ],
    })}`,
  );
  bind<MoveOptions>({ command, action: move });
}

interface RewindOptions {
  readonly files?: true;
  readonly both?: true;
  readonly dryRun?: true;
}

/** `longhaul rewind SESSION HANDLE`. */
export function addRewindCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('rewind')
    .description(
      'Takes a session back to an earlier entry of its path: its conversation, the files that the agent changed since (--files), or both. Nothing is lost: undo returns to where it was.',
    )
    .usage('SESSION HANDLE [--files | --both] [--dry-run]')
    .argument('<SESSION>', sessionArgument)
    .argument('<HANDLE>', 'the entry to go back to, e.g. @12; root is before the first entry')
    .option('--files', 'only the files: put back what the agent changed after the entry')
    .option('--both', 'the conversation and the files')
    .option('--dry-run', 'list what would happen to files, and change nothing');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul rewind last @12', 'drop everything after entry 12 from the context'],
        ['longhaul rewind last @12 --files --dry-run', 'list the files that would be put back'],
        ['longhaul rewind last @12 --both', 'the conversation and the files'],
        ['longhaul undo last', 'return to the previous position, and the previous files'],
      ],
    })}\n\nFiles that changed in any other way since are left alone and named.`,
  );
  bind<RewindOptions>({ command, action: rewind });
}

const rewind: CommandAction<RewindOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  const [wanted = '', written = ''] = args;
  const isDryRun = options.dryRun === true;
  const scope = scopeOf(options);
  return await withStore({
    invocation,
    work: async ({ store, dir }) => {
      const { header } = await findSession({ store, wanted });
      const live = await openSession({ store, id: header.id, now: io.now });
      const to = await placeAt({ store, session: live.id, written });
      const versions = versionsOf({ io, dir, header });
      const { moved, files } = await rewindSession({ live, versions, to, scope, isDryRun });
      const abandoned = moved?.abandoned.map(({ handle }) => `@${handle}`) ?? [];
      const shown = to && (await shownEntry({ session: live, entry: to }));
      const { leaf } = live.head;
      const [entry] = leaf === null ? [] : await live.read({ ids: [leaf] });
      await printResult({
        invocation,
        value: {
          session: live.id,
          leaf: entry ? `@${entry.handle}` : null,
          abandoned,
          ...(files && { files: { ...files, dryRun: isDryRun } }),
        },
        lines: () => [
          ...(moved ? positionLines({ at: shown && `@${shown.handle}`, abandoned: abandoned.length }) : []),
          ...(files ? fileLines({ files, isDryRun, shown: (path) => printable(shownPath({ io, path })) }) : []),
        ],
      });
      return 0;
    },
  });
};

function scopeOf({ files, both, dryRun }: RewindOptions): RewindScope {
  if (files && both) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: '--files and --both were both given.',
      hint: 'Use --files for the files alone, --both for the conversation as well.',
    });
  }
  if (dryRun && !files && !both) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: '--dry-run lists what would happen to files, but neither --files nor --both was given.',
      hint: 'Add --files or --both.',
    });
  }
  return both ? 'both' : files ? 'files' : 'conversation';
}

/** Relative if the file is below the working directory. */
function shownPath({ io, path }: { readonly io: Pick<Io, 'cwd' | 'platform'>; readonly path: string }): string {
  const near = pathOf(io).relative(io.cwd, path);
  return near === '' || near.startsWith('..') ? path : near;
}

function positionLines({ at, abandoned }: { readonly at: string | null; readonly abandoned: number }): string[] {
  return [
    `the session is now ${at === null ? 'before the first entry' : `at ${at}`}`,
    ...(abandoned > 0 ? [`${count({ amount: abandoned, of: 'entry' })} abandoned, still in the tree`] : []),
  ];
}

const move: CommandAction<MoveOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  const [wanted = '', written = ''] = args;
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted });
      const live = await openSession({ store, id: header.id, now: io.now });
      const target = await placeAt({ store, session: live.id, written });
      const text = options.summary;
      const moved = await live.move({ to: target?.id ?? null, ...(text !== undefined && { summary: { text } }) });
      const entry = moved.summary ?? target;
      const leaf = entry ? `@${entry.handle}` : null;
      const shown = entry && (await shownEntry({ session: live, entry }));
      const abandoned = moved.abandoned.map(({ handle }) => `@${handle}`);
      await printResult({
        invocation,
        value: { session: live.id, leaf, abandoned },
        lines: () => positionLines({ at: shown ? `@${shown.handle}` : null, abandoned: abandoned.length }),
      });
      return 0;
    },
  });
};
