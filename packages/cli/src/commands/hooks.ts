import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { runShellHook, type ShellEvent, type ShellHookVerdict, type ShellRun } from 'longhaul/engine';
import { examplesHelp } from '../help.ts';
import { type Configured, configuredHooks, eventsOfShell } from '../hooks/configured.ts';
import { tellRefused } from '../hooks/refused.ts';
import { sampleOf } from '../hooks/sample.ts';
import type { Action, Bind } from '../invocation.ts';
import { callableOff } from '../io/abort-on-sigint.ts';
import { answer } from '../output/answer.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/** `longhaul hooks test [EVENT]`. */
export function addHooksCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const hooks = program
    .command('hooks')
    .summary('try the commands that run around a compaction')
    .description('Tries the commands that run when a session is compacted or moved.')
    .usage('COMMAND [options]');
  const test = hooks
    .command('test')
    .summary('run the hooks with a sample event, and show what is made of their answers')
    .description(
      'Runs the hooks of the settings with a sample event, and shows how each ended, how long it took, and what its answer was taken as. No session is touched.',
    )
    .usage('[EVENT] [options]')
    .argument('[EVENT]', `${eventsOfShell.join(', ')}; all of them by default`)
    .option('--config <file>', 'a settings file whose hooks to run, too');
  test.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul hooks test', 'do all of them work?'],
        ['longhaul hooks test PreCompact', 'only those before a compaction'],
        ['longhaul hooks test --config longhaul.config.json', 'those of a project that you trust'],
      ],
    })}\n\nThe exit code is 1 when one of them failed.`,
  );
  bind<object>({ command: test, action: testHooks });
}

const testHooks: Action<object> = async (invocation) => {
  const { io, args, paint, settings } = invocation;
  const [wanted] = args;
  const events = wanted === undefined ? eventsOfShell : [eventNamed(wanted)];
  const resolved = await settings();
  await tellRefused({ invocation, resolved });
  const hooks = configuredHooks(resolved.values).filter(({ event }) => events.includes(event));
  const tried = await callableOff({
    io,
    work: async (signal) => {
      const all: Tried[] = [];
      for (const hook of hooks) if (!signal.aborted) all.push({ ...hook, ...(await tryOut({ hook, signal })) });
      return all;
    },
  });
  await answer({
    invocation,
    value: { hooks: tried.map(triedJson), refused: resolved.refused.map(({ key }) => key) },
    lines: () => linesOf({ tried, wanted, paint: paint('stdout') }),
  });
  return tried.some(({ verdict }) => verdict.as === 'failure') ? 1 : 0;

  async function tryOut({ hook, signal }: { readonly hook: Configured; readonly signal: AbortSignal }) {
    const { event: name, command } = hook;
    const event = { ...sampleOf({ event: name, command, cwd: io.cwd, at: io.now() }), signal };
    return await runShellHook({ name, command, event, cwd: io.cwd, environment: io.env, run: io.runCommand });
  }
};

type Tried = Configured & ShellRun;

function eventNamed(wanted: string): ShellEvent {
  const found = eventsOfShell.find((event) => event.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const near = closest({ word: wanted, candidates: eventsOfShell });
  throw new LonghaulError({
    code: 'bad-usage',
    message: `there is no hook event "${wanted}"${near === undefined ? '.' : `; did you mean "${near}"?`}`,
    hint: `Name one of ${eventsOfShell.join(', ')}.`,
  });
}

/** The shape is described in docs/cli.md. */
function triedJson({ event, command, ended, verdict }: Tried): object {
  const { code, ms, isLate, stdout, stderr } = ended;
  return {
    ...{ event, command: command.command, exitCode: code, ms, timedOut: isLate, takenAs: verdict.as },
    answer: verdict.as === 'answer' ? verdict.answer : null,
    ignored: verdict.as === 'answer' ? verdict.ignored : [],
    reason: verdict.as === 'block' ? verdict.reason : verdict.as === 'failure' ? verdict.why : null,
    ...{ stdout, stderr },
  };
}

function linesOf(of: {
  readonly tried: readonly Tried[];
  readonly wanted: string | undefined;
  readonly paint: Paint;
}): string[] {
  const { tried, wanted, paint } = of;
  if (tried.length === 0) {
    return [`No hooks are set${wanted === undefined ? '' : ` for ${wanted}`}. docs/hooks.md says how to set one.`];
  }
  const failed = tried.filter(({ verdict }) => verdict.as === 'failure').length;
  const end = failed === 0 ? '' : `, ${failed} failed; a hook that fails stops nothing`;
  return [
    ...tried.flatMap((one) => triedLines({ ...one, paint })),
    '',
    `${count({ amount: tried.length, of: 'hook' })} ran${end}.`,
  ];
}

function triedLines({ event, command, ended, verdict, paint }: Tried & { readonly paint: Paint }): string[] {
  const { code, isLate, ms } = ended;
  const exit = isLate ? 'timed out' : code === null ? 'ended by a signal' : `exit code ${code}`;
  const what = `${paint.strong(event)}  ${printable(command.command)}`;
  return [what, `  ${exit}, ${ms} ms`, ...verdictLines(verdict).map((line) => `  ${printable(line)}`)];
}

function verdictLines(verdict: ShellHookVerdict): string[] {
  switch (verdict.as) {
    case 'nothing':
      return ['taken as: nothing to add'];
    case 'block':
      return [`taken as: a decision to block: ${verdict.reason}`];
    case 'failure':
      return [`taken as: a failure, which stops nothing: ${verdict.why}`];
    default: {
      const members = Object.entries(verdict.answer).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      const taken = members.length === 0 ? ['taken as: nothing to add'] : ['taken as:', ...members.map(indented)];
      return verdict.ignored.length === 0 ? taken : [...taken, `not understood: ${verdict.ignored.join(', ')}`];
    }
  }
}

function indented(line: string): string {
  return `  ${line}`;
}
