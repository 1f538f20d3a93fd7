import type { Command } from 'commander';
import { encodings } from 'longhaul/tokens';
import { countTargets } from '../count/count-targets.ts';
import { chooseCounting } from '../count/counting.ts';
import { countJson, countText, refusalText } from '../count/report.ts';
import { findTargets } from '../count/targets.ts';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { addSettingFlags } from '../settings/flags.ts';

interface CountOptions {
  readonly encoding?: string;
  readonly model?: string;
}

/** `longhaul count FILE…`. */
export function addCountCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('count')
    .summary('how many tokens are these files?')
    .description('Counts the tokens of files: exactly where the vocabulary is public, otherwise with an upper bound.')
    .usage('FILE… [options]')
    .argument('<FILE...>', 'files, or folders without what their ignore files leave out; - is standard input')
    .option('--encoding <name>', `how to count (${encodings.join(', ')}; default ${encodings[0]})`)
    .option('--model <name>', 'count as this model does, and compare with its window');
  addSettingFlags({ command, keys: ['limits.fileBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul count README.md src/', 'files and folders'],
        ['longhaul count src/ --model gpt-5', 'and how much of its window that is'],
        ['longhaul count notes.md --model claude-sonnet-4-5', 'an estimate and its bound'],
        ['git diff | longhaul count -', 'standard input'],
        ['longhaul count src/ --json', 'for a program'],
      ],
    })}\n\nWhat cannot be counted is named in a line of its own, the rest is counted, and the exit code is 2.`,
  );
  bind<CountOptions>({ command, action: countFiles });
}

const countFiles: Action<CountOptions> = async ({ io, args, options, json, paint, settings }) => {
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
