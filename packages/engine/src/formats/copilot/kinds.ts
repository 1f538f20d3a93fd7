/** Events that tell a screen how work goes on, and copies of what other events say. */
const shown: ReadonlySet<string> = new Set([
  'assistant.turn_start',
  'assistant.turn_end',
  'assistant.idle',
  'assistant.intent',
  'assistant.reasoning',
  'assistant.message_start',
  'assistant.server_tool_progress',
  'tool.execution_start',
  'tool.execution_progress',
  'tool.execution_partial_result',
  'skill.invoked',
  'session.idle',
  'session.info',
  'session.usage_info',
  'session.todos_changed',
  'session.background_tasks_changed',
  'session.tools_updated',
  'session.skills_loaded',
  'session.custom_agents_updated',
  'session.mcp_servers_loaded',
  'session.mcp_server_status_changed',
  'session.extensions_loaded',
  'pending_messages.modified',
  'commands.changed',
  'capabilities.changed',
]);

/** Families of them: `hook.start` holds a third copy of every result. */
const shownFamilies =
  /^(?:hook|permission|user_input|elicitation|sampling|mcp|command|external_tool|exit_plan_mode)\.|_delta$/;

/** Events that say something which stands nowhere else, and that no model was told in these words. */
const tidings: ReadonlySet<string> = new Set([
  'abort',
  'model.call_failure',
  'tool.user_requested',
  'subagent.started',
  'subagent.completed',
  'subagent.failed',
  'subagent.configured',
  'subagent.selected',
  'subagent.deselected',
  'session.error',
  'session.warning',
  'session.shutdown',
  'session.usage_checkpoint',
  'session.truncation',
  'session.mode_changed',
  'session.permissions_changed',
  'session.plan_changed',
  'session.context_changed',
  'session.workspace_file_changed',
  'session.handoff',
  'session.task_complete',
  'session.binary_asset',
]);

/** What becomes of an event that is no part of the conversation. */
export function useOf(kind: string): 'left-out' | 'note' | 'unknown' {
  if (shown.has(kind) || shownFamilies.test(kind)) return 'left-out';
  return tidings.has(kind) ? 'note' : 'unknown';
}
