import { CommanderError } from 'commander';
import { LonghaulError } from 'longhaul';
import { type EarlyFlags, earlyFlags, isBare, withPrompt } from './argv.ts';
import { buildProgram } from './commands/index.ts';
import { exitCodeOf } from './errors/exit-codes.ts';
import { asLonghaulError } from './errors/family.ts';
import { errorDetails, errorJson, errorText } from './errors/render.ts';
import type { Bind, CommandBinding } from './invocation.ts';
import type { Io } from './io/io.ts';
import { pathOf } from './io/path-of.ts';
import { flagsOf } from './settings/flags.ts';
import { knownSettings } from './settings/known.ts';
import { resolveSettings } from './settings/resolve.ts';
import { paintFor } from './text/paint.ts';
import { columns, fitLines } from './text/table.ts';
import { tableWidth } from './text/width.ts';

/**
 * Runs a command line and returns its exit code. Never throws; all side effects go through `io`.
 *
 * @example
 * process.exitCode = await run({ argv: process.argv.slice(2), io: nodeIo({ process }) });
 */
export async function run({ argv: typed, io }: { readonly argv: readonly string[]; readonly io: Io }): Promise<number> {
  const argv = withPrompt({ argv: typed });
  let output = earlyFlags({ argv, env: io.env });
  let exitCode = 0;

  const bind: Bind = <Options extends object>({ command, action }: CommandBinding<Options>) => {
    command.action(async () => {
      const here = await withCwd({ io, folder: command.opts<{ readonly cwd?: string }>().cwd });
      exitCode = await action({
        io: here,
        cwd: () => io.cwd,
        args: command.args,
        options: command.opts<Options>(),
        json: output.json,
        runProgram: (args) => captured({ args, io: here }),
        paint: (stream) => paintFor({ output: io[stream], choice: output.color, env: io.env }),
        settings: async () => {
          const { config: namedFile } = command.opts<{ readonly config?: string }>();
          const resolved = await resolveSettings({
            settings: knownSettings,
            loadSchema: async () => (await import('./settings/schema.ts')).settingsSchema,
            io: here,
            flags: flagsOf({ command }),
            namedFile,
          });
          output = { ...output, debug: resolved.values.debug, color: resolved.values.color };
          return resolved;
        },
      });
    });
  };

  try {
    const ended = await parse({ argv, io, bind });
    return ended ?? exitCode;
  } catch (error) {
    // Standard input that is no terminal may be empty: then nothing was asked.
    const isMissing = LonghaulError.is(error) && /^(?:missing-prompt|no-model)$/.test(error.code) && isBare(typed);
    return await fail({ error: isMissing ? missingCommand() : error, io, output });
  }
}

/** Runs a command line and keeps what it prints, for an interface that indents it by two columns. */
async function captured({ args, io }: { readonly args: readonly string[]; readonly io: Io }) {
  const printed = { stdout: '', stderr: '' };
  const columns = Math.max(20, io.stdout.columns - 2);
  const into = (name: keyof typeof printed) => ({
    isTerminal: false,
    columns,
    write: async (text: string) => {
      printed[name] += text;
    },
  });
  const code = await run({
    argv: args,
    io: {
      ...io,
      env: { ...io.env, COLUMNS: String(columns) },
      stdinIsTerminal: false,
      stdin: async function* () {},
      stdout: into('stdout'),
      stderr: into('stderr'),
      ask: async () => undefined,
    },
  });
  return { code, ...printed };
}

/** Parses and runs the command. Returns an exit code if the parser itself printed the answer: help, version. */
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
  const width = Math.min(io.stdout.columns, 100);
  const fitted = (text: string) => fitLines({ lines: text.split('\n'), width }).join('\n');
  const program = await buildProgram({
    argv,
    bind,
    output: {
      out: (text) => {
        texts.stdout += text;
      },
      err: (text) => {
        texts.stderr += text;
      },
      columns: width,
    },
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const { json } = earlyFlags({ argv, env: io.env });
    if (error.exitCode !== 0 && isBare(argv)) throw missingCommand();
    const version = json && error.code === 'commander.version' ? texts.stdout.trim() : undefined;
    await io.stdout.write(
      version === undefined ? fitted(texts.stdout) : `${JSON.stringify({ version }, undefined, 2)}\n`,
    );
    await io.stderr.write(fitted(texts.stderr));
    return error.exitCode === 0 ? 0 : 2;
  }
}

async function fail({
  error: thrown,
  io,
  output,
}: {
  readonly error: unknown;
  readonly io: Io;
  readonly output: EarlyFlags;
}): Promise<number> {
  const error = asLonghaulError(thrown);
  const paint = paintFor({ output: io.stderr, choice: output.color, env: io.env });
  try {
    if (output.json) await io.stdout.write(errorJson({ error, isLine: output.jsonLines }));
    else if (error.code === 'missing-command') await io.stderr.write(await startText({ io }));
    else await io.stderr.write(errorText({ error, paint }));
    if (output.debug) await io.stderr.write(errorDetails({ error }));
  } catch {
    // The streams are closed; only the exit code can report the failure.
  }
  return exitCodeOf(error);
}

function missingCommand(): LonghaulError {
  return new LonghaulError({
    code: 'missing-command',
    message: 'No command was given.',
    hint: 'Run `longhaul --help` to list the commands.',
  });
}

/**
 * The same `Io` with another working directory.
 *
 * @example
 * const other = await withCwd({ io, folder: '../other' });
 */
async function withCwd({ io, folder }: { readonly io: Io; readonly folder: string | undefined }): Promise<Io> {
  if (folder === undefined) return io;
  const cwd = pathOf(io).resolve(io.cwd, folder);
  const facts = await io.files.stat(cwd).catch(() => undefined);
  if (facts?.kind === 'folder') return { ...io, cwd };
  throw new LonghaulError({
    code: 'no-working-directory',
    message: folder === '' ? '--cwd is empty.' : `The folder ${folder} does not exist.`,
    hint: 'Create it, or pass another folder to --cwd.',
  });
}

/**
 * What `longhaul` without arguments prints: how to start, and which models can be used.
 *
 * @example
 * await io.stderr.write(await startText({ io }));
 */
async function startText({ io }: { readonly io: Pick<Io, 'env' | 'models' | 'stdout'> }): Promise<string> {
  const listed = await io.models.list({ env: io.env, probe: true }).catch(() => []);
  const ready = listed.filter(({ configured }) => configured);
  const sources = ready.map(({ provider, keyFrom, server }) => [
    provider,
    server ?? (keyFrom === undefined ? 'no key needed' : `key from ${keyFrom}`),
  ]);
  const lines = [
    'Usage: longhaul -p "…" [options]',
    '       longhaul COMMAND [options]',
    '',
    ...columns({
      rows: [
        ['longhaul -p "What does this project do?"', 'run the agent in this folder'],
        ['longhaul demo', 'watch an agent work, without a key or network'],
        ['longhaul --help', 'list all commands'],
      ],
      indent: '  ',
    }),
    '',
    ...(ready.length > 0
      ? ['Models:', ...columns({ rows: sources, indent: '  ' })]
      : ['No model can be used yet. Do one of these:', ...columns({ rows: ways, indent: '  ' })]),
    '',
    '`longhaul models` lists all models and what each provider needs.',
  ];
  return `${fitLines({ lines, width: tableWidth(io) }).join('\n')}\n`;
}

const ways = [
  ['set a key', 'ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY'],
  ['start a local server', 'Ollama, llama.cpp, LM Studio or vLLM; at another address: LONGHAUL_LOCAL_URL'],
];
