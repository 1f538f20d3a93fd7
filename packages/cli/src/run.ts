import { CommanderError } from 'commander';
import { LonghaulError } from 'longhaul';
import { withPrompt } from './agent/with-prompt.ts';
import { type Wishes, wishesOf } from './early-flags.ts';
import { exitCodeOf } from './errors/exit-codes.ts';
import { asLonghaulError } from './errors/family.ts';
import { errorDetails, errorJson, errorText } from './errors/render.ts';
import type { Bind, Binding } from './invocation.ts';
import type { Io } from './io/io.ts';
import { pathOf } from './io/path-of.ts';
import { buildProgram } from './program.ts';
import { flagsOf } from './settings/flags.ts';
import { resolveSettings } from './settings/resolve.ts';
import { settingsSchema } from './settings/schema.ts';
import { paintFor } from './text/paint.ts';

/**
 * Runs the command and returns its exit code. It never throws, and touches the outside only through `io`.
 *
 * @example
 * process.exitCode = await run({ argv: process.argv.slice(2), io: nodeIo({ process }) });
 */
export async function run({ argv: typed, io }: { readonly argv: readonly string[]; readonly io: Io }): Promise<number> {
  const argv = withPrompt(typed);
  let wishes = wishesOf({ argv, env: io.env });
  let exitCode = 0;

  const bind: Bind = <Options extends object>({ command, action }: Binding<Options>) => {
    command.action(async () => {
      const here = await standingIn({ io, folder: command.opts<{ readonly cwd?: string }>().cwd });
      exitCode = await action({
        io: here,
        cwd: () => io.cwd,
        args: command.args,
        options: command.opts<Options>(),
        json: wishes.json,
        paint: (stream) => paintFor({ output: io[stream], choice: wishes.color, env: io.env }),
        settings: async () => {
          const { config: namedFile } = command.opts<{ readonly config?: string }>();
          const resolved = await resolveSettings({
            ...{ schema: settingsSchema, io: here, flags: flagsOf({ command }), namedFile },
          });
          wishes = { ...wishes, debug: resolved.values.debug, color: resolved.values.color };
          return resolved;
        },
      });
    });
  };

  try {
    const ended = await parse({ argv, io, bind });
    return ended ?? exitCode;
  } catch (error) {
    return await fail({ error, io, wishes });
  }
}

/** Parses and acts. Returns an exit code where the parser itself had the answer: help, version. */
async function parse({
  argv,
  io,
  bind,
}: {
  readonly argv: readonly string[];
  readonly io: Io;
  readonly bind: Bind;
}): Promise<number | undefined> {
  const texts = { stdout: '', stderr: '' };
  const program = buildProgram({
    bind,
    texts: {
      out: (text) => {
        texts.stdout += text;
      },
      err: (text) => {
        texts.stderr += text;
      },
      columns: Math.min(io.stdout.columns, 100),
    },
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { json } = wishesOf({ argv, env: io.env });
    if (error.exitCode !== 0 && json) throw missingCommand();
    const version = json && error.code === 'commander.version' ? texts.stdout.trim() : undefined;
    await io.stdout.write(version === undefined ? texts.stdout : `${JSON.stringify({ version }, undefined, 2)}\n`);
    await io.stderr.write(texts.stderr);
    return error.exitCode === 0 ? 0 : 2;
  }
}

async function fail({
  error: thrown,
  io,
  wishes,
}: {
  readonly error: unknown;
  readonly io: Io;
  readonly wishes: Wishes;
}): Promise<number> {
  const error = asLonghaulError(thrown);
  const paint = paintFor({ output: io.stderr, choice: wishes.color, env: io.env });
  try {
    if (wishes.json) await io.stdout.write(errorJson({ error, isLine: wishes.jsonLines }));
    else await io.stderr.write(errorText({ error, paint }));
    if (wishes.debug) await io.stderr.write(errorDetails({ error }));
  } catch {
    // The streams are gone: the exit code is all that is left to say it with.
  }
  return exitCodeOf(error);
}

function missingCommand(): LonghaulError {
  return new LonghaulError({
    code: 'missing-command',
    message: 'no command was given.',
    hint: 'Run `longhaul --help` to see the commands.',
  });
}

/**
 * The same world, standing in another folder.
 *
 * @example
 * const there = await standingIn({ io, folder: '../other' });
 */
async function standingIn({ io, folder }: { readonly io: Io; readonly folder: string | undefined }): Promise<Io> {
  if (folder === undefined) return io;
  const cwd = pathOf(io).resolve(io.cwd, folder);
  const facts = await io.files.stat(cwd).catch(() => undefined);
  if (facts?.kind === 'folder') return { ...io, cwd };
  throw new LonghaulError({
    code: 'no-working-directory',
    message: `${folder === '' ? 'the name of the folder for --cwd is empty' : `there is no folder ${folder} to work in`}.`,
    hint: 'Make it, or name another one with --cwd.',
  });
}
