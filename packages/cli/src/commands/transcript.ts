import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { followTranscript, type LineFile, type Transcript, type TranscriptState } from 'longhaul/engine';
import { openSession } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { cannotWrite } from '../errors/file-errors.ts';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import { pathOf } from '../io/path-of.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withReadOnlyStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { printable } from '../text/printable.ts';

interface TranscriptOptions {
  readonly output?: string;
  readonly follow?: true;
}

/** Milliseconds between two reads of a session that another process writes. */
const pause = 500;

/** `longhaul transcript SESSION`. */
export function addTranscriptCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('transcript')
    .description(
      "Writes the events of a session as JSON lines in the envelope of VS Code's chat: tool results and compactions included, in order, secrets masked. Lines never change. An existing file is continued where it ends, even after an incomplete line; with --follow it is kept up to date until Ctrl-C.",
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', sessionArgument)
    .option('-o, --output <file>', 'create or continue this file; default: standard output')
    .option('--follow', 'keep following until Ctrl-C');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul transcript last --follow', 'follow a running session'],
        ['longhaul transcript last -o session.jsonl', 'bring a file up to date'],
        ['longhaul export last --format transcript', 'only the current path, for other programs'],
      ],
    })}`,
  );
  bind<TranscriptOptions>({ command, action: transcribe });
}

const transcribe: CommandAction<TranscriptOptions> = async (invocation) => {
  const { io, args, options, json } = invocation;
  const { output, follow = false } = options;
  const toFile = output !== undefined && output !== '-';
  return await withReadOnlyStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted: args[0] ?? '' });
      const session = await openSession({ store, id: header.id, allowDamage: true });
      const file = toFile ? pathOf(io).resolve(io.cwd, output) : 'standard output';
      // With --json a finite transcript is one value; a followed one has one value per line anyway.
      const held: string[] = [];
      const isHeld = json && !toFile && !follow;
      const write = isHeld ? async (text: string) => void held.push(text) : io.stdout.write;
      const disk = toFile ? io.lineFile(file) : standardOutput({ write });
      const transcript = await followTranscript({ session, file, disk, secrets: secretsOf(io.env) }).catch(
        (error: unknown) => {
          throw LonghaulError.is(error) ? error : cannotWrite({ name: printable(file), error });
        },
      );
      if (follow) await abortOnInterrupt({ io, work: (signal) => followSession({ io, transcript, signal }) });
      const { lines, failure } = await transcript.close();
      if (failure !== undefined) throw cannotWrite({ name: printable(file), error: new Error(failure) });
      if (isHeld) {
        const records = held
          .join('')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown);
        await io.stdout.write(`${JSON.stringify({ session: header.id, lines: records }, undefined, 2)}\n`);
      }
      if (toFile) {
        const value = { session: header.id, output: file, lines };
        const done = `${count({ amount: lines, of: 'line' })} in ${printable(file)}`;
        await io.stdout.write(json ? `${JSON.stringify(value, undefined, 2)}\n` : `${done}\n`);
      }
      return 0;
    },
  });
};

/** A write failure is reported once and retried. */
async function followSession(of: {
  readonly io: Invocation['io'];
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { io, transcript, signal } = of;
  let before: TranscriptState['failure'];
  while (!signal.aborted) {
    await io.sleep({ ms: pause, signal });
    const { failure } = await transcript.flush();
    if (failure !== undefined && failure !== before) await io.stderr.write(`longhaul: ${printable(failure)}\n`);
    before = failure;
  }
}

/** Standard output: nothing to continue. */
function standardOutput({ write }: { readonly write: (text: string) => Promise<void> }): LineFile {
  let bytes = 0;
  return {
    size: async () => bytes,
    async *lines() {},
    async put({ text }) {
      await write(text);
      bytes += Buffer.byteLength(text);
    },
  };
}
