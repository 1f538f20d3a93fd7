import type { Command } from 'commander';
import { type Demo, runDemo } from '../demo/demo.ts';
import { demoText } from '../demo/text.ts';
import { writeForEver } from '../demo/writer.ts';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';

/** `longhaul demo`. */
export function addDemoCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('demo')
    .summary('see what it does, in a few seconds')
    .description(
      'Shows what it does: a session is built and branched, a process that writes to it is killed, and everything is found again; another one outgrows its window three times, while a model summarises beside the work. It works in a temporary folder and leaves nothing behind.',
    );
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul demo', 'needs no file, no key and no network; the model in it is from a script'],
        ['longhaul demo --json', 'the same facts for a program'],
      ],
    })}`,
  );
  bind({ command, action: showDemo });

  // The process that the demo kills; nobody else has a use for it.
  const writer = program.command('demo-writer', { hidden: true }).argument('<DIR>').argument('<SESSION>');
  bind({ command: writer, action: keepWriting });
}

const showDemo: Action<object> = async ({ io, json, paint, settings }) => {
  await settings();
  const folder = await io.temporaryFolder();
  try {
    const demo = await runDemo({ io, dir: folder.path });
    const text = json
      ? `${JSON.stringify(demoJson(demo), undefined, 2)}\n`
      : demoText({ demo, paint: paint('stdout') });
    await io.stdout.write(text);
    const { crash, growth } = demo;
    return crash.found === crash.acknowledged && crash.sound && growth.undo.exact && growth.waited === 0 ? 0 : 1;
  } finally {
    await folder.remove();
  }
};

const keepWriting: Action<object> = async ({ io, args: [dir = '', session = ''] }) => {
  const store = await io.openStore(dir);
  await writeForEver({ store, session, tell: (handle) => io.stdout.write(`${handle}\n`), until: () => false });
  return 0;
};

function demoJson({ said, branch, crash, search, recall, size, tree, growth }: Demo): object {
  return { said, branch, entries: tree.byId.size, crash, search, recall, size, growth };
}
