import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import type { AgentEvent } from 'longhaul/agent';
import { eventLine } from 'longhaul/engine';
import { type Audience, type Demo, runDemo, window } from '../demo/demo.ts';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import type { OutputStream } from '../io/io.ts';
import { bar } from '../text/bar.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns, fitLines } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';

/** `longhaul demo`. */
export function addDemoCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('demo')
    .description(
      'Lets an agent port a small project in a context window that it repeatedly outgrows: the real loop and tools in a temporary folder, in child processes, with a local provider whose model is scripted. One process is killed and another continues; a compaction is undone; a branch is tried. Everything is removed at the end.',
    );
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul demo', 'needs no key and no network'],
        ['longhaul demo --json', 'only the final figures, as JSON'],
      ],
    })}`,
  );
  bind({ command, action: showDemo });
}

const quiet: Audience = {
  prompted: async () => undefined,
  event: async () => undefined,
  killed: async () => undefined,
  undone: async () => undefined,
  branched: async () => undefined,
};

const showDemo: CommandAction<object> = async ({ io, json, paint, settings }) => {
  await settings();
  const begun = io.now();
  const show = json ? quiet : createShow({ out: io.stdout, paint: paint('stdout') });
  const folder = await io.temporaryFolder();
  try {
    if (!json) await io.stdout.write(`${opening(folder.path)}\n`);
    const demo = await abortOnInterrupt({
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
    else {
      const lines = demoTable({ demo, seconds, paint: paint('stdout') });
      await io.stdout.write(`\n${fitLines({ lines, width: tableWidth(io) }).join('\n')}\n${closing}`);
    }
    return isGood(demo) ? 0 : 1;
  } finally {
    await folder.remove();
  }
};

function opening(path: string): string {
  return `An agent ports a small project in ${path}, in a window of ${number(window)} tokens.
The loop, tools, processes and HTTP are real; the model's answers are scripted. Ctrl-C stops it.`;
}

const closing = `
Next, your own project: longhaul -p "What does this project do?" with a key in the environment, or a local server.
`;

function isGood({ crash, undo, branch, facts, judged, tally }: Demo): boolean {
  const isWhole = crash.found === crash.acknowledged && crash.isSound && undo.isExact && branch.isExact;
  return isWhole && judged.rejected === 0 && tally.waits === 0 && facts.inContext + facts.byRecall === facts.planted;
}

/** The JSON output; see docs/cli.md. */
function demoJson({ demo, seconds }: { readonly demo: Demo; readonly seconds: number }): object {
  const { tally, ...rest } = demo;
  const { turns, tokens, compactions, waits, calls } = tally;
  const cacheHitRate = tokens.prompt === 0 ? 0 : tokens.cached / tokens.prompt;
  return { turns, tokens, cacheHitRate, compactions, waits, calls, ...rest, seconds };
}

function interrupted(error: unknown): LonghaulError {
  return new LonghaulError({
    code: 'interrupted',
    message: 'Interrupted: the demo was stopped and its folder removed.',
    hint: 'Run it again.',
    cause: error,
  });
}

const [indent, cells, width] = ['   ', 20, 92];

/**
 * Prints the demo as it runs: a line for each prompt, module and compaction.
 *
 * @example
 * await runDemo({ io, folder, audience: createShow({ out: io.stdout, paint }), signal });
 */
function createShow({ out, paint }: { readonly out: OutputStream; readonly paint: Paint }): Audience {
  const line = (text: string) => out.write(`${text}\n`);
  const verdict = (isGood: boolean, text: string) => (isGood ? paint.good : paint.bad)(text);
  let [tools, meter]: [string[], string] = [[], ''];
  const flush = async () => {
    if (tools.length > 0) await line(`${indent}${meter}  ${printable(clip({ text: tools.join(' · '), length: 68 }))}`);
    tools = [];
  };
  return {
    prompted: async ({ text, isResumed }) => {
      await flush();
      const who = isResumed ? 'a new process' : 'you';
      await line(`\n${paint.strong(`${who}:`)}`);
      for (const part of wrapped(text)) await line(`${indent}${part}`);
    },
    event: async (event) => {
      const description = describeCall(event);
      if (description !== undefined) tools.push(description);
      if (event.type === 'turn_start') meter = meterOf({ ...event, paint });
      // The tests are the last step of a module.
      if (event.type === 'tool_end' && event.tool === 'bash') await flush();
      if (event.type === 'engine' && event.event.type === 'compactionComplete' && event.event.success) {
        await flush();
        await line(`${indent}${paint.strong(clip({ text: eventLine(event.event), length: width }))}`);
      }
      if (event.type === 'run_end') {
        tools = [];
        await line(`${indent}${clip({ text: event.text, length: width })}`);
      }
    },
    killed: async ({ during, acknowledged, found, isSound }) => {
      await flush();
      await line(`${indent}${paint.bad('kill -9')} while it ran ${printable(during.replace(/^bash: /, ''))}`);
      const all = verdict(found === acknowledged, `${found} of ${acknowledged}`);
      await line(
        `${indent}${all} acknowledged entries are in the log; the store is ${verdict(isSound, isSound ? 'intact' : 'damaged')}`,
      );
    },
    undone: async ({ sent, before, isExact }) => {
      const exact = verdict(isExact, isExact ? 'byte for byte' : 'changed');
      await line(
        `\n${paint.strong('undo:')} ${number(before)} messages, as before the last compaction, instead of ${number(sent)}, ${exact}; redo`,
      );
    },
    branched: async ({ from, tried, entries, isExact }) => {
      const exact = verdict(isExact, isExact ? 'byte for byte' : 'changed');
      await line(
        `${indent}a branch of ${count({ amount: tried, of: 'entry' })} at ${from}, abandoned: the context is the same as before, ${exact}`,
      );
      await line(`${indent}all ${number(entries)} entries stay in the tree`);
    },
  };
}

function describeCall(event: AgentEvent): string | undefined {
  if (event.type !== 'tool_start') return undefined;
  const { file_path: path, command } = event.input;
  return typeof command === 'string' ? command : `${event.tool} ${typeof path === 'string' ? path : ''}`.trim();
}

/** Wraps a text into lines. */
function wrapped(text: string): string[] {
  return text.match(new RegExp(`\\S.{0,${width - 1}}(?=\\s|$)`, 'g')) ?? [];
}

function meterOf(of: { readonly tokens: number; readonly window: number; readonly paint: Paint }): string {
  return `${of.paint.faint(bar({ share: of.tokens / of.window, cells }))} ${number(of.tokens).padStart(6)}`;
}

/** The final table. */
function demoTable({
  demo,
  seconds,
  paint,
}: {
  readonly demo: Demo;
  readonly seconds: number;
  readonly paint: Paint;
}): string[] {
  const { tally, judged, facts, processes, window } = demo;
  const { prompt, cached } = tally.tokens;
  const { planted, inContext, byRecall } = facts;
  const kept = inContext + byRecall;
  const mark = (isGood: boolean, text: string) => (isGood ? paint.good : paint.bad)(text);
  const rows = [
    ['turns', `${number(tally.turns)} in ${processes} processes, ${seconds.toFixed(0)} s`],
    ['tokens sent', `${number(prompt)}, never more than ${number(window)} at once`],
    [
      'cache-hit rate',
      `${((100 * cached) / Math.max(1, prompt)).toFixed(1)} % of them, by the provider's accounting of prefixes`,
    ],
    [
      'rejected',
      mark(
        judged.rejected === 0,
        `${judged.rejected} of ${number(judged.requests)} requests, judged by the provider's rules`,
      ),
    ],
    ['compactions', number(tally.compactions)],
    ['waits', mark(tally.waits === 0, `${tally.waits} for a summary`)],
    [
      'facts kept',
      `${mark(kept === planted, `${kept} of ${planted}`)}: ${inContext} in the context, ${byRecall} by recall`,
    ],
  ];
  return columns({ rows });
}
