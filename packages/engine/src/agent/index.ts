/**
 * An agent that lives on the engine: the loop, its tools, who may do what.
 *
 * @module
 */
export { type Agent, type AgentInput, createAgent, type RunInput } from './agent.ts';
export type { AgentEvent, EventSource, RunEnd } from './event.ts';
export type {
  AgentHookAnswers,
  AgentHookEvent,
  AgentHookEvents,
  AgentHookFailure,
  AgentHookName,
  AgentHooks,
} from './hooks/hooks.ts';
export type { PlannedCall } from './loop/call.ts';
export type { LoopClock } from './loop/desk.ts';
export type { Saying } from './loop/saying.ts';
export type { Access, Approver, PermissionAnswer, PermissionRequest, Permissions } from './permission.ts';
export { createPermissions, type PermissionsInput } from './permissions/create-permissions.ts';
export type { PermissionMode } from './permissions/decide.ts';
export { parseRule, type Rule } from './permissions/rule.ts';
export { plain, visible } from './plain.ts';
export type { Pending } from './resume/pending.ts';
export type { Tool, ToolOutcome, ToolRun } from './tool.ts';
export { createTools, type ToolsInput } from './tools/create-tools.ts';
