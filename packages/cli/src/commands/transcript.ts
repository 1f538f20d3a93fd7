import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { followTranscript, type LineFile, type Transcript, type TranscriptState } from 'longhaul/engine';
import { openSession } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { cannotWrite } from '../errors/file-errors.ts';
import { examplesHelp } from '../help.ts';
import type { Action, Bind, Invocation } from '../invocation.ts';
import { callableOff } from '../io/abort-on-sigint.ts';
import { pathOf } from '../io/path-of.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { lookIntoStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { printable } from '../text/printable.ts';

interface TranscriptOptions {
  readonly output?: string;
  readonly follow?: true;
}

/** So many milliseconds between two looks at a session that another process writes. */
const pause = 500;

/** `longhaul transcript SESSION`. */
export function addTranscriptCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('transcript')
    .summary('a readable transcript that grows with its session, line by line')
    .description(
      "Writes what happened in a session as JSON lines, an event a line, in the envelope of VS Code's chat: with tool results and compactions, in the order in which it happened, keys masked. No line ever changes. A file is gone on with where it ends, also where it broke off; with --follow it is kept up to date until Ctrl-C, whoever writes the session.",
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .option('-o, --output <file>', 'begin or go on with this file; otherwise standard output')
    .option('--follow', 'go on until Ctrl-C');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul transcript last --follow', 'watch a session that goes on'],
        ['longhaul transcript last -o session.jsonl', 'bring a file up to date'],
        ['longhaul export last --format transcript', 'only where it stands, for other programs'],
      ],
    })}`,
  );
  bind<TranscriptOptions>({ command, action: transcribe });
}

const transcribe: Action<TranscriptOptions> = async (invocation) => {
  const { io, args, options, json } = invocation;
  const { output, follow = false } = options;
  const toFile = output !== undefined && output !== '-';
  return await lookIntoStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted: args[0] ?? '' });
      const session = await openSession({ store, id: header.id, allowDamage: true });
      const file = toFile ? pathOf(io).resolve(io.cwd, output) : 'standard output';
      // A program that asks for one value gets one; what goes on without end is a value a line anyway.
      const held: string[] = [];
      const isHeld = json && !toFile && !follow;
      const write = isHeld ? async (text: string) => void held.push(text) : io.stdout.write;
      const disk = toFile ? io.lineFile(file) : standardOutput({ write });
      const transcript = await followTranscript({ session, file, disk, secrets: secretsOf(io.env) }).catch(
        (error: unknown) => {
          throw LonghaulError.is(error) ? error : cannotWrite({ name: printable(file), error });
        },
      );
      if (follow) await callableOff({ io, work: (signal) => goOn({ io, transcript, signal }) });
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
        const told = `${count({ amount: lines, of: 'line' })} in ${printable(file)}`;
        await io.stdout.write(json ? `${JSON.stringify(value, undefined, 2)}\n` : `${told}\n`);
      }
      return 0;
    },
  });
};

/** A file that cannot be written for a moment is told once, and tried again. */
async function goOn(of: {
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

/** Nobody else writes there, and nothing there is read again. */
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
