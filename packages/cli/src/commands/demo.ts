import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type Audience, type Demo, runDemo, window } from '../demo/demo.ts';
import { createShow, demoTable } from '../demo/show.ts';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { callableOff } from '../io/abort-on-sigint.ts';
import { number } from '../text/number.ts';

/** `longhaul demo`. */
export function addDemoCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('demo')
    .summary('see an agent at work in a small window, in half a minute')
    .description(
      'Lets an agent port a small project in a window that it outgrows again and again: the real loop and real tools in a temporary folder, processes of their own, a provider on this machine whose model is from a script. One process is killed and another goes on; a compaction is taken back; a branch is tried. Nothing is left behind.',
    );
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul demo', 'needs no key and no network'],
        ['longhaul demo --json', 'only the figures at the end, for a program'],
      ],
    })}`,
  );
  bind({ command, action: showDemo });
}

const quiet: Audience = {
  said: async () => undefined,
  event: async () => undefined,
  killed: async () => undefined,
  undone: async () => undefined,
  branched: async () => undefined,
};

const showDemo: Action<object> = async ({ io, json, paint, settings }) => {
  await settings();
  const begun = io.now();
  const show = json ? quiet : createShow({ out: io.stdout, paint: paint('stdout') });
  const folder = await io.temporaryFolder();
  try {
    if (!json) await io.stdout.write(`${opening(folder.path)}\n`);
    const demo = await callableOff({
      io,
      work: async (signal) => {
        try {
          return await runDemo({ io, folder: folder.path, audience: show, signal });
        } catch (error) {
          throw signal.aborted ? interrupted(error) : error;
        }
      },
    });
    const seconds = (io.now() - begun) / 1000;
    if (json) await io.stdout.write(`${JSON.stringify(demoJson({ demo, seconds }), undefined, 2)}\n`);
    else await io.stdout.write(`\n${demoTable({ demo, seconds, paint: paint('stdout') }).join('\n')}\n${closing}`);
    return isGood(demo) ? 0 : 1;
  } finally {
    await folder.remove();
  }
};

function opening(path: string): string {
  return `An agent ports a small project in ${path}, in a window of ${number(window)} tokens.
The loop, the tools, the processes and HTTP are real; what the model says is from a script. Ctrl-C ends it.`;
}

const closing = `
Now your own: longhaul -p "What does this project do?" with a key in the environment, or a local server.
`;

function isGood({ crash, undo, branch, facts, judged, tally }: Demo): boolean {
  const isWhole = crash.found === crash.acknowledged && crash.isSound && undo.isExact && branch.isExact;
  return isWhole && judged.rejected === 0 && tally.waits === 0 && facts.inContext + facts.byRecall === facts.planted;
}

/** The shape is described in docs/cli.md. */
function demoJson({ demo, seconds }: { readonly demo: Demo; readonly seconds: number }): object {
  const { tally, ...rest } = demo;
  const { turns, tokens, compactions, waits, calls } = tally;
  const cacheHitRate = tokens.prompt === 0 ? 0 : tokens.cached / tokens.prompt;
  return { turns, tokens, cacheHitRate, compactions, waits, calls, ...rest, seconds };
}

function interrupted(error: unknown): LonghaulError {
  return new LonghaulError({
    code: 'interrupted',
    message: 'interrupted: the demo was ended, and its folder is gone.',
    hint: 'Run it again when you like.',
    cause: error,
  });
}
