import { isObject, type JsonObject } from '../../json.ts';
import { readTime } from '../time.ts';

/** A line of a rollout, in the words of today whatever version wrote it. */
export interface RolloutLine {
  /** `session_meta`, `response_item`, `event_msg`, … */
  readonly kind: string;
  readonly payload: JsonObject;
  /** Milliseconds; lines of the first versions have no time. */
  readonly at: number | undefined;
  /** Written by a version that logged items alone, without the events that tell what a person typed. */
  readonly isBare: boolean;
  /** Copied from the session that this one was forked from or started by. */
  readonly isInherited: boolean;
}

/** Whether a record is a line of a rollout, and of nothing else. */
export function isRolloutLine(value: JsonObject): boolean {
  const isWrapped = typeof value.type === 'string' && isObject(value.payload) && value.id === undefined;
  return (isWrapped && typeof value.timestamp === 'string') || isBareHeader(value) || isStateRecord(value);
}

/** Versions before 0.32 began a file with the members of the header as they are. */
function isBareHeader(value: JsonObject): boolean {
  const isTimed = typeof value.id === 'string' && typeof value.timestamp === 'string';
  return isTimed && value.type === undefined && (value.instructions !== undefined || isObject(value.git));
}

/** Those versions wrote such a line after every turn; it says nothing. */
function isStateRecord(value: JsonObject): boolean {
  return value.record_type === 'state';
}

/** What a line says, or `undefined` where it is nothing that Codex writes. */
export function readLine(value: JsonObject): RolloutLine | undefined {
  const at = readTime(value.timestamp);
  const isInherited = isObject(value.metadata) && value.metadata.inherited_user_message === true;
  const bare = { at, isBare: true, isInherited };
  if (isBareHeader(value)) return { kind: 'session_meta', payload: value, ...bare };
  if (isStateRecord(value)) return { kind: 'state', payload: value, ...bare };
  if (typeof value.type !== 'string') return undefined;
  if (isObject(value.payload)) return { kind: value.type, payload: value.payload, at, isBare: false, isInherited };
  return { kind: 'response_item', payload: value, ...bare };
}

/**
 * Events that repeat items for the screen, or report the progress of work. Importing them as well would duplicate the
 * items.
 */
export const duplicateEvents: ReadonlySet<unknown> = new Set([
  'user_message',
  'agent_message',
  'agent_reasoning',
  'agent_reasoning_raw_content',
  'agent_reasoning_section_break',
  'task_started',
  'turn_started',
  'task_complete',
  'turn_complete',
  'context_compacted',
  'item_started',
  'item_completed',
  'raw_response_item',
  'exec_command_begin',
  'exec_command_end',
  'exec_approval_request',
  'terminal_interaction',
  'patch_apply_begin',
  'patch_apply_end',
  'apply_patch_approval_request',
  'turn_diff',
  'mcp_tool_call_begin',
  'mcp_tool_call_end',
  'dynamic_tool_call_request',
  'dynamic_tool_call_response',
  'web_search_begin',
  'web_search_end',
  'image_generation_begin',
  'image_generation_end',
  'view_image_tool_call',
  'plan_update',
  'background_event',
  'session_configured',
  'hook_started',
  'hook_completed',
  'sub_agent_activity',
  'collab_agent_spawn_begin',
  'collab_agent_spawn_end',
  'collab_agent_interaction_begin',
  'collab_agent_interaction_end',
  'collab_waiting_begin',
  'collab_waiting_end',
  'collab_close_begin',
  'collab_close_end',
  'collab_resume_begin',
  'collab_resume_end',
]);

/** Events whose information is in no item. */
export const informativeEvents: ReadonlySet<unknown> = new Set([
  'turn_aborted',
  'error',
  'stream_error',
  'warning',
  'guardian_warning',
  'guardian_assessment',
  'model_reroute',
  'thread_goal_updated',
  'entered_review_mode',
  'exited_review_mode',
  'deprecation_notice',
]);
