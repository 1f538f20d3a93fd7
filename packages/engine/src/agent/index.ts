/**
 * An agent that lives on the engine: the loop, its tools, who may do what.
 *
 * @module
 */
export type { AgentEvent, RunEnd } from './event.ts';
export type { Access, Approver, PermissionAnswer, PermissionRequest, Permissions } from './permission.ts';
export { createPermissions, type PermissionsInput } from './permissions/create-permissions.ts';
export type { PermissionMode } from './permissions/decide.ts';
export { parseRule, type Rule } from './permissions/rule.ts';
export { plain, visible } from './plain.ts';
export type { Tool, ToolOutcome, ToolRun } from './tool.ts';
export { createTools, type ToolsInput } from './tools/create-tools.ts';
