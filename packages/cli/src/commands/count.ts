import type { Command } from 'commander';
import { encodings } from 'longhaul/tokens';
import { type CountOutcome, countTargets } from '../count/count-targets.ts';
import { type Counting, chooseCounting } from '../count/counting.ts';
import { findTargets } from '../count/targets.ts';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

interface CountOptions {
  readonly encoding?: string;
  readonly model?: string;
}

/** `longhaul count FILE…`. */
export function addCountCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('count')
    .description(
      'Counts the tokens of files: exactly if the vocabulary is public, otherwise as an estimate with an upper bound.',
    )
    .usage('FILE… [options]')
    .argument('<FILE...>', 'files or folders (ignore files are respected); - is standard input')
    .option('--encoding <name>', `the encoding to count with (${encodings.join(', ')}; default ${encodings[0]})`)
    .option('--model <name>', 'count as this model does, and compare with its window');
  addSettingFlags({ command, keys: ['limits.fileBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul count README.md src/', 'files and folders'],
        ['longhaul count src/ --model gpt-5', 'as a share of its window'],
        ['longhaul count notes.md --model claude-sonnet-4-5', 'an estimate with its bound'],
        ['git diff | longhaul count -', 'standard input'],
        ['longhaul count src/ --json', 'as JSON'],
      ],
    })}\n\nFiles that cannot be counted are reported on lines of their own; the rest is counted, and the exit code is 2.`,
  );
  bind<CountOptions>({ command, action: countFiles });
}

const countFiles: CommandAction<CountOptions> = async ({ io, args, options, json, paint, settings }) => {
  const { values } = await settings();
  const counting = chooseCounting(options);
  try {
    const { targets, refusals } = await findTargets({ io, names: args });
    const found = await countTargets({ io, targets, counting, limit: values.limits.fileBytes, isQuiet: json });
    const outcome = { ...found, refusals: [...refusals, ...found.refusals] };
    if (json) {
      await io.stdout.write(countJson({ outcome, counting }));
    } else {
      await io.stderr.write(refusalText({ outcome, paint: paint('stderr') }));
      const isPointless = outcome.counted.length === 0 && outcome.refusals.length > 0;
      if (!isPointless) await io.stdout.write(countText({ outcome, counting, paint: paint('stdout') }));
    }
    return outcome.refusals.length > 0 ? 2 : 0;
  } finally {
    await counting.close();
  }
};

interface Reported {
  readonly outcome: CountOutcome;
  readonly counting: Counting;
}

/** The table: tokens, share, name; the sum last. */
function countText({ outcome, counting, paint }: Reported & { readonly paint: Paint }): string {
  const { counted, passedOver } = outcome;
  const sum = sumOf(outcome);
  const width = Math.max(grouped(sum.tokens).length, 'tokens'.length);
  const row = ({ tokens, label }: { tokens: number; label: string }) =>
    `${grouped(tokens).padStart(width)}  ${percent(tokens, sum.tokens).padStart(7)}  ${label}`;
  const files = count({ amount: counted.length, of: 'file' });
  const lines = [
    paint.faint(`${'tokens'.padStart(width)}  ${'share'.padStart(7)}  file`),
    ...counted.map(({ name, tokens }) => row({ tokens, label: printable(name) })),
    paint.strong(row({ tokens: sum.tokens, label: `${files}, ${printable(counting.label)}` })),
  ];
  if (!counting.isExact) lines.push(`Upper bound of the estimate: ${grouped(sum.bound)} tokens.`);
  if (counting.window !== undefined) {
    lines.push(`That is ${percent(sum.tokens, counting.window)} of the window of ${grouped(counting.window)} tokens.`);
  }
  if (passedOver > 0) lines.push(paint.faint(`${count({ amount: passedOver, of: 'file' })} without text skipped.`));
  return `${lines.join('\n')}\n`;
}

/** The JSON output. */
function countJson({ outcome, counting }: Reported): string {
  const { encoding, model, window, isExact } = counting;
  const sum = sumOf(outcome);
  const bound = (value: number) => (isExact ? {} : { bound: value });
  const value = {
    ...(encoding !== undefined && { encoding }),
    ...(model !== undefined && { model }),
    exact: isExact,
    files: outcome.counted.map(({ name, bytes, tokens, bound: most }) => ({
      file: name,
      tokens,
      ...bound(most),
      share: sum.tokens === 0 ? 0 : tokens / sum.tokens,
      bytes,
    })),
    total: { files: outcome.counted.length, tokens: sum.tokens, ...bound(sum.bound), bytes: sum.bytes },
    ...(window !== undefined && { window, windowShare: sum.tokens / window }),
    passedOver: outcome.passedOver,
    errors: outcome.refusals.map(({ name, error }) => ({ file: name, ...error.toJSON() })),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** One line for each target that could not be counted. */
function refusalText({ outcome, paint }: { readonly outcome: CountOutcome; readonly paint: Paint }): string {
  return outcome.refusals
    .map(({ error }) => `${paint.bad('longhaul:')} ${printable(`${error.message} ${error.hint}`)}\n`)
    .join('');
}

function sumOf({ counted }: CountOutcome): { tokens: number; bound: number; bytes: number } {
  const total = { tokens: 0, bound: 0, bytes: 0 };
  for (const { tokens, bound, bytes } of counted) {
    total.tokens += tokens;
    total.bound += bound;
    total.bytes += bytes;
  }
  return total;
}

function grouped(amount: number): string {
  return amount.toLocaleString('en-US');
}

function percent(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(1)} %`;
}
