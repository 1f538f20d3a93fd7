import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type AgentHookEvents, type AgentShellEvent, agentShellEvents, runShellAgentHook } from 'longhaul/agent';
import {
  matchesTrigger,
  runShellHook,
  type ShellCommand,
  type ShellEvent,
  type ShellHookRun,
  type ShellHookVerdict,
  type ShellInputs,
} from 'longhaul/engine';
import { examplesHelp } from '../help.ts';
import { type ConfiguredHook, configuredHooks, type HookEventName, hookEventNames } from '../hooks/configured.ts';
import { reportRefusedSettings } from '../hooks/refused.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import { printResult } from '../output/print-result.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/** `longhaul hooks test [EVENT]`. */
export function addHooksCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const hooks = program.command('hooks').description('Tests the hooks in the settings.').usage('COMMAND [options]');
  const test = hooks
    .command('test')
    .summary('run the hooks with a sample event and show how their answers are interpreted')
    .description(
      'Runs the hooks in the settings with a sample event and shows how each ended, how long it took, and how its answer is interpreted. No session is touched.',
    )
    .usage('[EVENT] [options]')
    .argument('[EVENT]', `${hookEventNames.join(', ')}; default: all`)
    .option('--config <file>', 'a trusted settings file, including its hooks');
  test.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul hooks test', 'test all hooks'],
        ['longhaul hooks test PreCompact', 'only those before a compaction'],
        ['longhaul hooks test --config longhaul.config.json', 'the hooks of a project you trust'],
      ],
    })}\n\nThe exit code is 1 when a hook failed.`,
  );
  bind<object>({ command: test, action: testHooks });
}

const testHooks: CommandAction<object> = async (invocation) => {
  const { io, args, paint, settings } = invocation;
  const [wanted] = args;
  const events = wanted === undefined ? hookEventNames : [eventNamed(wanted)];
  const resolved = await settings();
  await reportRefusedSettings({ invocation, resolved });
  const hooks = configuredHooks(resolved.values).filter(({ event }) => events.includes(event));
  const tried = await abortOnInterrupt({
    io,
    work: async (signal) => {
      const all: Tried[] = [];
      for (const hook of hooks) if (!signal.aborted) all.push({ ...hook, ...(await tryOut({ hook, signal })) });
      return all;
    },
  });
  await printResult({
    invocation,
    value: { hooks: tried.map(triedJson), refused: resolved.refused.map(({ key }) => key) },
    lines: () => linesOf({ tried, wanted, paint: paint('stdout') }),
  });
  return tried.some(({ verdict }) => verdict.as === 'failure') ? 1 : 0;

  async function tryOut({ hook, signal }: { readonly hook: ConfiguredHook; readonly signal: AbortSignal }) {
    const sample = sampleEvent({ ...hook, cwd: io.cwd, at: io.now(), signal });
    const place = { command: hook.command, cwd: io.cwd, environment: io.env, run: io.runCommand };
    return await (isAgentSample(sample)
      ? runShellAgentHook({ ...sample, ...place })
      : runShellHook({ ...sample, ...place }));
  }
};

type Tried = ConfiguredHook & ShellHookRun;

function eventNamed(wanted: string): HookEventName {
  const found = hookEventNames.find((event) => event.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  const near = closest({ word: wanted, candidates: hookEventNames });
  throw new LonghaulError({
    code: 'bad-usage',
    message: `Unknown hook event "${wanted}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint: `Use one of ${hookEventNames.join(', ')}.`,
  });
}

/** The JSON output; see docs/cli.md. */
function triedJson({ event, command, ended, verdict }: Tried): object {
  const { code, ms, isLate, stdout, stderr } = ended;
  return {
    event,
    command: command.command,
    exitCode: code,
    ms,
    timedOut: isLate,
    takenAs: verdict.as,
    answer: verdict.as === 'answer' ? verdict.answer : null,
    ignored: verdict.as === 'answer' ? verdict.ignored : [],
    reason: verdict.as === 'block' ? verdict.reason : verdict.as === 'failure' ? verdict.why : null,
    stdout,
    stderr,
  };
}

function linesOf(of: {
  readonly tried: readonly Tried[];
  readonly wanted: string | undefined;
  readonly paint: Paint;
}): string[] {
  const { tried, wanted, paint } = of;
  if (tried.length === 0) {
    return [`No hooks are configured${wanted === undefined ? '' : ` for ${wanted}`}; see docs/hooks.md.`];
  }
  const failed = tried.filter(({ verdict }) => verdict.as === 'failure').length;
  const end = failed === 0 ? '' : `, ${failed} failed; a failed hook blocks nothing`;
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
      return ['interpreted as: no changes'];
    case 'block':
      return [`interpreted as: block: ${verdict.reason}`];
    case 'failure':
      return [`interpreted as: a failure, which blocks nothing: ${verdict.why}`];
    default: {
      const members = Object.entries(verdict.answer).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      const taken =
        members.length === 0 ? ['interpreted as: no changes'] : ['interpreted as:', ...members.map(indented)];
      return verdict.ignored.length === 0 ? taken : [...taken, `ignored: ${verdict.ignored.join(', ')}`];
    }
  }
}

function indented(line: string): string {
  return `  ${line}`;
}

/** Ids in the format of real ones. */
const [session, child] = ['019b0000-0000-7000-8000-000000000001', '019b0000-0000-7000-8000-000000000002'];
const [from, to] = ['entry-before', 'entry-after'];

type AgentEvents = { readonly [Name in AgentShellEvent]: AgentHookEvents[(typeof agentShellEvents)[Name]] };

/** An event with sample values, for `longhaul hooks test`. */
type SampleEvent = EngineSample | AgentSample;
interface EngineSample {
  readonly name: ShellEvent;
  readonly event: ShellInputs[ShellEvent];
}
interface AgentSample {
  readonly name: AgentShellEvent;
  readonly event: AgentEvents[AgentShellEvent];
}

/** Whether the event is one of the agent, not of the engine. */
function isAgentSample(sample: SampleEvent): sample is AgentSample {
  return Object.hasOwn(agentShellEvents, sample.name);
}

/**
 * A sample event for a hook, with a trigger or a tool that its matcher accepts.
 *
 * @example
 * sampleEvent({ event: 'PreCompact', command, cwd: '/repo', at: Date.now(), signal });
 */
function sampleEvent(of: {
  readonly event: HookEventName;
  readonly command: ShellCommand;
  readonly cwd: string;
  readonly at: number;
  readonly signal: AbortSignal;
}): SampleEvent {
  const { event, command, cwd, at, signal } = of;
  const common = { session, at, cwd, signal };
  const { matcher = '' } = command;
  const [named = ''] = matcher.split('|').map((name) => name.trim());
  const engine = engineSamples({ ...common, trigger: triggerFor({ matcher }) });
  const agent = agentSamples({ ...common, tool: named === '' || named === '*' ? 'bash' : named.toLowerCase() });
  return event in engine
    ? { name: event as ShellEvent, event: engine[event as ShellEvent] }
    : { name: event as AgentShellEvent, event: agent[event as AgentShellEvent] };
}

function triggerFor({ matcher }: { readonly matcher: string }): string {
  const found = ['manual', 'threshold', ...matcher.split('|')].find((name) =>
    matchesTrigger({ matcher, trigger: name }),
  );
  return found?.trim() ?? 'manual';
}

interface Common {
  readonly session: string;
  readonly at: number;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

function engineSamples(common: Common & { readonly trigger: string }): ShellInputs {
  return {
    PreCompact: { ...common, tokens: 90_000, window: 128_000, messages: 120, focus: 'a sample focus' },
    Compacting: { ...common, handles: { from: 2, to: 80 }, budget: 8_000 },
    PostCompact: {
      ...common,
      entry: to,
      result: {
        installed: true,
        worthwhile: true,
        reason: 'A sample: nothing was compacted.',
        strategy: 'extractive',
        tokensBefore: 90_000,
        tokensAfter: 20_000,
        summary: '## Overview\n\nA sample of a summary.',
      },
    },
    PreMove: { ...common, from, to, ancestor: null, abandoned: 12, summarize: true },
    PostMove: { ...common, from, to, leaf: to },
  };
}

function agentSamples({ tool, ...common }: Common & { readonly tool: string }): AgentEvents {
  const input = tool === 'bash' ? { command: 'npm test' } : { file_path: 'src/sample.ts' };
  const call = { ...common, tool, input, callId: 'call_sample' };
  const task = 'A sample task for a sub-agent.';
  return {
    SessionStart: { ...common, source: 'startup' },
    UserPromptSubmit: { ...common, prompt: 'A sample prompt.', how: 'prompt' },
    PreToolUse: call,
    PostToolUse: { ...call, text: 'A sample of an output.', ms: 120 },
    PostToolUseFailure: { ...call, text: 'A sample of an error.', ms: 120 },
    PermissionRequest: {
      ...common,
      request: {
        callId: call.callId,
        tool,
        input,
        summary: `${tool}: a sample call`,
        access:
          tool === 'bash'
            ? { kind: 'execute', command: 'npm test', cwd: common.cwd }
            : { kind: 'write', paths: [`${common.cwd}/src/sample.ts`], isOutside: false },
      },
    },
    SubagentStart: { ...common, child, task },
    SubagentStop: { ...common, child, task, text: 'A sample of a result.' },
    Stop: { ...common, text: 'A sample of a last message.', turns: 3 },
    SessionEnd: { ...common, reason: 'done' },
    Notification: { ...common, kind: 'permission', text: 'A sample notification.' },
    ErrorOccurred: {
      ...common,
      failure: { kind: 'rate', message: 'A sample failure.', retryable: true },
      reason: 'failed',
    },
  };
}
