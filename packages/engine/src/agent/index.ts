/**
 * An agent that lives on the engine: the loop, its tools, who may do what.
 *
 * @module
 */
export type { AgentEvent, RunEnd } from './event.ts';
export type { Access, Approver, PermissionAnswer, PermissionRequest, Permissions } from './permission.ts';
export type { Tool, ToolOutcome, ToolRun } from './tool.ts';
