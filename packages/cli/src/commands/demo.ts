import type { Command } from 'commander';
import { makeDemo } from '../demo/demo.ts';
import { demoText } from '../demo/text.ts';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';

/** `longhaul demo`. */
export function addDemoCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('demo')
    .summary('see in one screen what it does')
    .description(
      'Shows in one screen what it does: a conversation is converted, broken, judged, repaired and counted.',
    );
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul demo', 'needs no file, no key and no network'],
        ['longhaul demo --json', 'the same facts for a program'],
      ],
    })}`,
  );
  bind({ command, action: showDemo });
}

const showDemo: Action<object> = async ({ io, json, paint, settings }) => {
  await settings();
  const demo = makeDemo();
  const text = json ? `${JSON.stringify(demo, undefined, 2)}\n` : demoText({ demo, paint: paint('stdout') });
  await io.stdout.write(text);
  return 0;
};
