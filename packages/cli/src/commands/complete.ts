import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { examplesHelp } from '../help.ts';
import { tokenCount } from '../input/token-count.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { printable } from '../text/printable.ts';
import { readSource } from '../workspace/source-file.ts';

interface CompleteOptions {
  readonly root?: string;
  readonly mode?: string;
  readonly budget?: string;
}

const modes = ['minimal', 'half', 'double', 'fill'] as const;

/** `longhaul complete FILE:LINE:COL`. */
export function addCompleteCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('complete')
    .description(
      'Prints the context of a code completion at a cursor: prefix, suffix, and related code with the reason for each piece.',
    )
    .usage('FILE:LINE:COL [options]')
    .argument('<FILE:LINE:COL>', 'a source file and a cursor in it; both count from 1')
    .option('--root <dir>', 'the folder to take context from (default: the current one)')
    .option('--mode <mode>', `how much optional context: ${modes.join(', ')} (default double)`)
    .option('--budget <tokens>', 'token budget of the request and its answer (default 8192)');
  addSettingFlags({ command, keys: ['limits.fileBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul complete src/server.ts:120:14', 'the context at that position'],
        ['longhaul complete src/server.ts:120:14 --mode fill --json', 'with all context that fits, as JSON'],
      ],
    })}\n\nNo model is called. TypeScript and JavaScript files get the definitions that the code refers to; all\nlanguages get similar parts of files in the same folder.`,
  );
  bind<CompleteOptions>({ command, action: complete });
}

const complete: CommandAction<CompleteOptions> = async (invocation) => {
  const { io, args, options, settings, paint } = invocation;
  const [, file, line, column] = /^(.+):(\d{1,9}):(\d{1,9})$/.exec(args[0] ?? '') ?? [];
  if (file === undefined || Number(line) < 1 || Number(column) < 1) {
    throw usage(`"${args[0]}" is not FILE:LINE:COL; lines and columns count from 1.`);
  }
  const mode = modes.find((known) => known === (options.mode ?? 'double'));
  if (mode === undefined) throw usage(`--mode must be one of ${modes.join(', ')}, not "${options.mode}".`);
  const tokens =
    options.budget === undefined ? undefined : tokenCount({ flag: '--budget', text: options.budget, least: 1_000 });
  const text = await readSource({ io, path: file, limit: (await settings()).values.limits.fileBytes });
  const root = await realpath(resolve(io.cwd, options.root ?? '.')).catch(() => {
    throw usage(`The folder ${options.root} does not exist.`);
  });
  const inside = relative(root, await realpath(resolve(io.cwd, file)));
  if (inside.startsWith('..') || isAbsolute(inside)) throw usage(`${file} is outside ${root}.`);
  const path = inside.split(sep).join('/');
  const offset = offsetOf({ text, line: Number(line), column: Number(column), file });
  const [{ completionContext }, { listFiles }] = await Promise.all([
    import('@longhaul/workspace/completion'),
    import('@longhaul/workspace/search'),
  ]);
  const folder = dirname(path) === '.' ? '' : dirname(path);
  const neighbors = listFiles({ root, below: folder, isShallow: true })
    .files.filter((one) => one.path !== path)
    .sort((a, b) => b.mtime - a.mtime || (a.path < b.path ? -1 : 1))
    .slice(0, 10)
    .map((one) => one.path);
  const found = await completionContext({
    root,
    path,
    text,
    offset,
    mode,
    neighbors,
    ...(tokens !== undefined && { tokens }),
  });
  const { strong, faint } = paint('stdout');
  const block = (part: string) => part.split('\n').map(printable).join('\n');
  await printResult({
    invocation,
    value: { path, offset, mode, ...found },
    lines: () => [
      ...found.context.flatMap((item) => [
        `${strong(printable(item.path ?? item.kind))} ${faint(`${item.kind} ${item.priority}: ${printable(item.reason)}`)}`,
        block(item.text.trimEnd()),
        '',
      ]),
      strong('prefix'),
      block(`${found.prefix}${found.trailingBlanks}`),
      strong('suffix'),
      block(found.suffix.trimEnd()),
      faint(`${found.tokens} tokens, ${found.omitted.length} pieces of context omitted`),
    ],
  });
  return 0;
};

function offsetOf(of: {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly file: string;
}) {
  const lines = of.text.split('\n');
  const found = lines[of.line - 1];
  if (found === undefined) throw usage(`${of.file} has ${lines.length} lines; line ${of.line} does not exist.`);
  const start = lines.slice(0, of.line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return start + Math.min(of.column - 1, found.replace(/\r$/, '').length);
}

function usage(cause: string): LonghaulError {
  return new LonghaulError({ code: 'bad-usage', message: cause, hint: 'Correct it and try again.' });
}
