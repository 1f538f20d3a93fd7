import { type AgentHookEvents, type AgentShellEvent, agentShellEvents } from 'longhaul/agent';
import { isMeant, type ShellCommand, type ShellEvent, type ShellInputs } from 'longhaul/engine';
import type { HookEventName } from './configured.ts';

/** Ids in the format of real ones. */
const [session, child] = ['019b0000-0000-7000-8000-000000000001', '019b0000-0000-7000-8000-000000000002'];
const [from, to] = ['entry-before', 'entry-after'];

type AgentEvents = { readonly [Name in AgentShellEvent]: AgentHookEvents[(typeof agentShellEvents)[Name]] };

/** An event with sample values, for `longhaul hooks test`. */
export type SampleEvent = EngineSample | AgentSample;
interface EngineSample {
  readonly name: ShellEvent;
  readonly event: ShellInputs[ShellEvent];
}
interface AgentSample {
  readonly name: AgentShellEvent;
  readonly event: AgentEvents[AgentShellEvent];
}

/** Whether the event is one of the agent, not of the engine. */
export function isAgentSample(sample: SampleEvent): sample is AgentSample {
  return Object.hasOwn(agentShellEvents, sample.name);
}

/**
 * A sample event for a hook, with a trigger or a tool that its matcher accepts.
 *
 * @example
 * sampleEvent({ event: 'PreCompact', command, cwd: '/repo', at: Date.now(), signal });
 */
export function sampleEvent(of: {
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
  const found = ['manual', 'threshold', ...matcher.split('|')].find((name) => isMeant({ matcher, trigger: name }));
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
