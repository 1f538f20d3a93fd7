import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { examplesHelp } from '../help.ts';
import { readText } from '../input/read-text.ts';
import { tokenCount } from '../input/token-count.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { pathOf } from '../io/path-of.ts';
import { printResult } from '../output/print-result.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { printable } from '../text/printable.ts';
import { readSource } from '../workspace/source-file.ts';

interface ChangesOptions {
  readonly budget?: string;
  readonly patch?: string;
}

/** `longhaul changes [REV]`. */
export function addChangesCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('changes')
    .description(
      'Shows changed files within a token budget: complete while they fit, then, largest first, only the definitions around their changes.',
    )
    .usage('[REV] [options]')
    .argument('[REV]', 'the revision to compare the working tree with, as for git diff (default HEAD)')
    .option('--budget <tokens>', 'tokens per batch (default 4000)')
    .option('--patch <file>', 'read a unified diff instead of running git diff; - is standard input');
  addSettingFlags({ command, keys: ['limits.fileBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul changes', 'the working tree against HEAD'],
        ['longhaul changes main --budget 8000', 'against a branch'],
        ['longhaul changes --patch fix.diff --json', 'of a patch, as JSON'],
      ],
    })}\n\nChanges that do not fit into one batch are split into at most ten.`,
  );
  bind<ChangesOptions>({ command, action: changes });
}

const changes: CommandAction<ChangesOptions> = async (invocation) => {
  const { io, args, options, settings, paint } = invocation;
  const tokens =
    options.budget === undefined ? 4_000 : tokenCount({ flag: '--budget', text: options.budget, least: 1 });
  const limit = (await settings()).values.limits.fileBytes;
  const patch =
    options.patch === undefined
      ? await gitDiff({ cwd: io.cwd, revision: args[0] ?? 'HEAD' })
      : await readPatch({ io, name: options.patch, limit });
  const [{ changedFiles, splitChanges }, { createTokenizer }] = await Promise.all([
    import('@longhaul/workspace/changes'),
    import('longhaul/tokens'),
  ]);
  const files = changedFiles(patch);
  const present = files.filter(({ isDeleted }) => !isDeleted);
  const inputs = await Promise.all(
    present.map(async ({ path, hunks }) => ({ path, hunks, text: await readSource({ io, path, limit }) })),
  );
  const tokenizer = await createTokenizer('o200k_base');
  const batches =
    inputs.length === 0 ? [] : await splitChanges({ inputs, tokens, count: (text) => tokenizer.count(text) });
  const deleted = files.filter(({ isDeleted }) => isDeleted).map(({ path }) => path);
  const { strong, faint } = paint('stdout');
  await printResult({
    invocation,
    value: { batches, deleted },
    lines: () => {
      if (files.length === 0) return ['Nothing changed.'];
      const shown = batches.flatMap(({ documents, tokens: used }, index) => [
        ...(batches.length > 1 ? [faint(`batch ${index + 1} of ${batches.length}, ${used} tokens`)] : []),
        ...documents.flatMap(({ path, form, text }) => [
          `${strong(printable(path))} ${faint(`(${form})`)}`,
          text.trimEnd().split('\n').map(printable).join('\n'),
          '',
        ]),
      ]);
      return [...shown, ...deleted.map((path) => `${strong(printable(path))} ${faint('(deleted)')}`)];
    },
  });
  return 0;
};

async function readPatch(of: {
  readonly io: Invocation['io'];
  readonly name: string;
  readonly limit: number;
}): Promise<string> {
  const { io, name, limit } = of;
  const from = name === '-' ? { stream: io.stdin() } : { files: io.files, path: pathOf(io).resolve(io.cwd, name) };
  const hint = 'Raise limits.fileBytes, or use a smaller patch.';
  return await readText({ name: name === '-' ? 'standard input' : name, from, limit: { bytes: limit, hint } });
}

/** Paths are relative to the working directory; external diff programs and text conversions do not run. */
async function gitDiff({ cwd, revision }: { readonly cwd: string; readonly revision: string }): Promise<string> {
  const options = ['--no-ext-diff', '--no-textconv', '--no-color', '--relative', '--end-of-options', revision, '--'];
  try {
    const { stdout } = await promisify(execFile)('git', ['diff', ...options], { cwd, maxBuffer: 256 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const detail = error instanceof Error && 'stderr' in error ? String(error.stderr).split('\n')[0] : String(error);
    throw new LonghaulError({
      code: 'git-failed',
      message: `git diff ${revision} failed: ${detail?.replace(/^fatal: /, '').slice(0, 200)}.`,
      hint: 'Run it in a git repository with an existing revision, or use --patch FILE.',
    });
  }
}
