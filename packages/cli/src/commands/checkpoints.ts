import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import {
  type Checkpoint,
  checkpointsOf,
  handlesText,
  type MirrorReport,
  mirrorCheckpoints,
  tokensText,
} from 'longhaul/engine';
import { formatHandle, openSession, type Session } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { examplesHelp, sessionArgument } from '../help.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { pathOf } from '../io/path-of.ts';
import { printResult } from '../output/print-result.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withReadOnlyStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { printable } from '../text/printable.ts';
import { columns, fitLines } from '../text/table.ts';
import { when } from '../text/when.ts';
import { tableWidth } from '../text/width.ts';

interface CheckpointsOptions {
  readonly write?: string;
}

/** `longhaul checkpoints SESSION [N]`. */
export function addCheckpointsCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('checkpoints')
    .description(
      'Lists the compactions in force at the current position of a session, or shows the summary of one. With --write they are also written as files: DIR/checkpoints/NNN-title.md and an index.md, updated on each run; other files in that folder are left alone.',
    )
    .usage('SESSION [N] [options]')
    .argument('<SESSION>', sessionArgument)
    .argument('[N]', 'the number of a checkpoint, to show its summary')
    .option('--write <dir>', 'also write them as files into DIR/checkpoints');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul checkpoints last', 'what was compacted, and when?'],
        ['longhaul checkpoints last 2', 'the summary of the second one'],
        ['longhaul checkpoints last --write .longhaul', 'as files, to read while the agent works'],
      ],
    })}`,
  );
  bind<CheckpointsOptions>({ command, action: showCheckpoints });
}

const showCheckpoints: CommandAction<CheckpointsOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  const [wanted = '', written] = args;
  const number = written === undefined ? undefined : wholeNumber({ flag: 'N', text: written, least: 1 });
  return await withReadOnlyStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted });
      const session = await openSession({ store, id: header.id, allowDamage: true });
      const checkpoints = await checkpointsOf({ session, secrets: secretsOf(io.env) });
      const chosen = number === undefined ? undefined : checkpoints[number - 1];
      if (number !== undefined && !chosen) throw noCheckpoint({ number, last: checkpoints.length });
      const files = options.write === undefined ? undefined : await writeAll({ io, session, dir: options.write });
      const facts = chosen
        ? { checkpoint: { ...factsOf(chosen), summary: chosen.summary } }
        : { checkpoints: checkpoints.map(factsOf) };
      await printResult({
        invocation,
        value: { session: header.id, ...facts, ...(files && { files }) },
        lines: () => [
          ...(chosen ? one(chosen) : all({ checkpoints, width: tableWidth(io) })),
          ...(files ? fileLines(files) : []),
        ],
      });
      return files && files.failures.length > 0 ? 2 : 0;
    },
  });
};

type WrittenCheckpoints = MirrorReport & { readonly path: string };

async function writeAll(of: {
  readonly io: Invocation['io'];
  readonly session: Session;
  readonly dir: string;
}): Promise<WrittenCheckpoints> {
  const { io, session } = of;
  const dir = pathOf(io).resolve(io.cwd, of.dir);
  const folder = io.folder(pathOf(io).join(dir, 'checkpoints'));
  const mirror = mirrorCheckpoints({ session, dir, folder, secrets: secretsOf(io.env), now: io.now });
  const report = await mirror.align();
  await mirror.close();
  return { path: mirror.path, ...report };
}

/** The JSON output; see docs/cli.md. */
function factsOf(checkpoint: Checkpoint): object {
  const { number, handle, title, at, trigger, tokensBefore, tokensAfter, handles, strategy } = checkpoint;
  const place = (entry: number) => formatHandle({ entry });
  return {
    number,
    handle: place(handle),
    title,
    at: new Date(at).toISOString(),
    trigger,
    strategy: strategy ?? null,
    tokensBefore,
    tokensAfter: tokensAfter ?? null,
    handles: handles && { from: place(handles.from), to: place(handles.to) },
  };
}

function all({
  checkpoints,
  width,
}: {
  readonly checkpoints: readonly Checkpoint[];
  readonly width: number;
}): string[] {
  if (checkpoints.length === 0) return ['No compaction is in force.'];
  const rows = checkpoints.map((checkpoint) => [
    String(checkpoint.number),
    printable(checkpoint.title),
    when(checkpoint.at),
    tokensText(checkpoint),
    handlesText(checkpoint),
  ]);
  return fitLines({ lines: columns({ rows }), width });
}

function one(checkpoint: Checkpoint): string[] {
  const facts = [when(checkpoint.at), `${tokensText(checkpoint)} tokens`, handlesText(checkpoint)];
  return [
    `${checkpoint.number}. ${printable(checkpoint.title)}`,
    facts.filter((fact) => fact !== '').join(', '),
    '',
    ...checkpoint.summary.split('\n').map(printable),
  ];
}

function fileLines({ path, count: amount, failures, cleanup }: WrittenCheckpoints): string[] {
  return [
    '',
    `${count({ amount, of: 'checkpoint' })} in ${printable(path)}`,
    ...failures.map(({ file, why }) => `not written: ${printable(file)} (${printable(why)})`),
    ...cleanup.map(({ file, why }) => `could not be removed: ${printable(file)} (${printable(why)})`),
  ];
}

function noCheckpoint({ number, last }: { readonly number: number; readonly last: number }): LonghaulError {
  const known = last === 0 ? 'it has none' : last === 1 ? 'it has one' : `it has ${last}`;
  return new LonghaulError({
    code: 'checkpoint-missing',
    message: `The session has no checkpoint ${number}; ${known} at its current position.`,
    hint: 'Run `longhaul checkpoints SESSION` to list them.',
  });
}
