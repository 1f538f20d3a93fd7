import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type Policy, presets as presetsByName } from 'longhaul/engine';
import { policyOf } from '../compaction/policy-of.ts';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { presetLines, presetTable } from '../presets/lines.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { closest } from '../text/closest.ts';

/** `longhaul presets [NAME]`. */
export function addPresetsCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('presets')
    .summary('when and how sessions are compacted, side by side')
    .description(
      'Shows what each preset does: when a summary is begun, when it goes in, who waits for it, what stays. With NAME it explains one, with a sentence for each line.',
    )
    .usage('[NAME] [options]')
    .argument('[NAME]', Object.keys(presetsByName).join(', '));
  addSettingFlags({
    command,
    keys: [
      'compaction.preset',
      'compaction.automatic',
      'compaction.threshold',
      'compaction.reserve',
      'compaction.keepRecent',
      'compaction.autoContinue',
      'compaction.branchSummaries',
    ],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul presets', 'all of them in a table'],
        ['longhaul presets cli', 'one of them, line by line'],
        ['longhaul presets --json', 'as data, and the one that is in force with your settings'],
      ],
    })}`,
  );
  bind<object>({ command, action: showPresets });
}

const showPresets: Action<object> = async (invocation) => {
  const { io, args, settings } = invocation;
  const [wanted] = args;
  const one = wanted === undefined ? undefined : presetNamed(wanted);
  const { values } = await settings();
  const paint = invocation.paint('stdout');
  const inForce = policyOf({ values, env: io.env });
  await answer({
    invocation,
    value: { inForce, presets: one ? [one] : Object.values(presetsByName) },
    lines: () => (one ? presetLines({ preset: one, inForce, paint }) : presetTable({ inForce, paint })),
  });
  return 0;
};

function presetNamed(wanted: string): Policy {
  const all: readonly Policy[] = Object.values(presetsByName);
  const found = all.find(({ name }) => name === wanted.toLowerCase());
  if (found) return found;
  const names = Object.keys(presetsByName);
  const near = closest({ word: wanted, candidates: names });
  throw new LonghaulError({
    code: 'bad-usage',
    message: `there is no preset "${wanted}"${near === undefined ? '.' : `; did you mean "${near}"?`}`,
    hint: `Name one of ${names.join(', ')}.`,
  });
}
