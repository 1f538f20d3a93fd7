import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { examplesHelp } from '../help.ts';
import { tokenCount } from '../input/token-count.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { printable } from '../text/printable.ts';
import { readSource, splitPlace } from '../workspace/source-file.ts';

interface OutlineCommandOptions {
  readonly budget?: string;
  readonly lines?: string;
  readonly types?: boolean;
}

const lineModes = ['none', 'omitted', 'full'] as const;

/** `longhaul outline FILE[:LINE]`. */
export function addOutlineCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('outline')
    .description('Shows a source file within a token budget: definitions first, and the code near a line.')
    .usage('FILE[:LINE] [options]')
    .argument('<FILE>', 'a source file; with :LINE, code near that line is kept first')
    .option('--budget <tokens>', 'the token budget (default 1000)')
    .option('--lines <mode>', `line numbers: ${lineModes.join(', ')} (default omitted)`)
    .option('--types', 'keep imports and mark omissions with comments, so that the result still type-checks');
  addSettingFlags({ command, keys: ['limits.fileBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul outline src/server.ts', 'its definitions, in about 1,000 tokens'],
        ['longhaul outline src/server.ts:120 --budget 500', 'the code around line 120'],
        ['longhaul outline src/server.ts --json', 'every node with its cost, as JSON'],
      ],
    })}\n\nJavaScript, TypeScript, TSX, Python, Ruby, Rust, Go, Java, C++, C#, PHP are parsed; other files fold by indentation.`,
  );
  bind<OutlineCommandOptions>({ command, action: outlineFile });
}

const outlineFile: CommandAction<OutlineCommandOptions> = async (invocation) => {
  const { io, args, options, settings } = invocation;
  const tokens =
    options.budget === undefined ? 1_000 : tokenCount({ flag: '--budget', text: options.budget, least: 1 });
  const mode = lineModes.find((known) => known === (options.lines ?? 'omitted'));
  if (mode === undefined) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: `--lines must be one of ${lineModes.join(', ')}, not "${options.lines}".`,
      hint: 'Use one of those values.',
    });
  }
  const { values } = await settings();
  const { path, line } = splitPlace(args[0] ?? '');
  const text = await readSource({ io, path, limit: values.limits.fileBytes });
  const [{ outlineWithin }, { createTokenizer }] = await Promise.all([
    import('@longhaul/workspace/outline'),
    import('longhaul/tokens'),
  ]);
  const selection = line === undefined ? undefined : lineRange({ text, line, path });
  const tokenizer = await createTokenizer('o200k_base');
  const result = await outlineWithin({
    tokens,
    lineNumbers: mode,
    count: (part) => tokenizer.count(part),
    documents: [{ path, text, ...(selection && { selection }) }],
    ...(options.types && { keepsTypes: true }),
  });
  const document = result.documents[0];
  const shown = document?.text ?? '';
  await printResult({
    invocation,
    value: {
      path,
      tokens: result.tokens,
      isPartial: document?.isPartial ?? false,
      text: shown,
      nodes: document?.nodes ?? [],
    },
    lines: () => [shown.trimEnd().split('\n').map(printable).join('\n')],
  });
  if (result.tokens > tokens) {
    await io.stderr.write(`The selection alone has ${result.tokens} tokens, more than the budget of ${tokens}.\n`);
  }
  return 0;
};

function lineRange({ text, line, path }: { readonly text: string; readonly line: number; readonly path: string }) {
  const lines = text.split('\n');
  if (line > lines.length) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: `${path} has ${lines.length} lines; line ${line} does not exist.`,
      hint: 'Use a line number of the file.',
    });
  }
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return { start, end: start + (lines[line - 1]?.length ?? 0) };
}
