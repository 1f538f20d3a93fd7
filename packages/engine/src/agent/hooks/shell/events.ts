import type { Json, JsonObject } from '../../../message/index.ts';
import type { AgentHookEvents, AgentHookName } from '../hooks.ts';

/** When shell hooks run, by the names that Claude Code and Copilot CLI have for them. */
export const agentShellEvents = {
  SessionStart: 'sessionStart',
  UserPromptSubmit: 'userPromptSubmit',
  PreToolUse: 'preToolUse',
  PostToolUse: 'postToolUse',
  PostToolUseFailure: 'postToolUseFailure',
  PermissionRequest: 'permissionRequest',
  SubagentStart: 'subagentStart',
  SubagentStop: 'subagentStop',
  Stop: 'stop',
  SessionEnd: 'sessionEnd',
  Notification: 'notification',
  ErrorOccurred: 'errorOccurred',
} as const satisfies Record<string, AgentHookName>;

export type AgentShellEvent = keyof typeof agentShellEvents;

type ShellEventInput<Name extends AgentShellEvent> = AgentHookEvents[(typeof agentShellEvents)[Name]];

/** What a command reads on its standard input, with the member names of Claude Code where it has them. */
export function agentShellInput<Name extends AgentShellEvent>({
  name,
  event,
}: {
  readonly name: Name;
  readonly event: ShellEventInput<Name>;
}): JsonObject {
  const { session, at, cwd, transcript } = event;
  const common = {
    hook_event_name: name,
    session_id: session,
    cwd,
    timestamp: new Date(at).toISOString(),
    ...(transcript !== undefined && { transcript_path: transcript }),
  };
  return { ...common, ...own[name](event) };
}

/** What a matcher of a command is compared with: the tool, or what began. */
export function subjectOf({ name, event }: { readonly name: AgentShellEvent; readonly event: object }): string {
  const { tool, source, kind, request } = event as Partial<Record<'tool' | 'source' | 'kind', string>> & {
    readonly request?: { readonly tool: string };
  };
  return tool ?? request?.tool ?? source ?? kind ?? name;
}

const own: { readonly [Name in AgentShellEvent]: (event: ShellEventInput<Name>) => JsonObject } = {
  SessionStart: ({ source }) => ({ source }),
  UserPromptSubmit: ({ prompt, how }) => ({ prompt, how }),
  PreToolUse: toolMembers,
  PostToolUse: (event) => ({ ...toolMembers(event), tool_response: event.text, duration_ms: event.ms }),
  PostToolUseFailure: (event) => ({ ...toolMembers(event), error: event.text, duration_ms: event.ms }),
  PermissionRequest: ({ request: { tool, input, callId, access, summary } }) => ({
    tool_name: tool,
    tool_input: input,
    tool_use_id: callId,
    summary,
    access: access as unknown as Json,
  }),
  SubagentStart: ({ child, task }) => ({ agent_id: child, task }),
  SubagentStop: ({ child, task, text }) => ({ agent_id: child, task, last_message: text }),
  Stop: ({ text, turns }) => ({ last_message: text, turns }),
  SessionEnd: ({ reason }) => ({ reason }),
  Notification: ({ kind, text }) => ({ notification_type: kind, message: text }),
  ErrorOccurred: ({ failure: { kind, message }, reason }) => ({ error: { kind, message }, reason }),
};

function toolMembers({ tool, input, callId }: AgentHookEvents['preToolUse']): JsonObject {
  return { tool_name: tool, tool_input: input, tool_use_id: callId };
}
