/**
 * The agent: loop, tools and permissions on a session of the engine.
 *
 * @module
 */

// Map of the module:
// - `agent.ts`: the public methods, one run after the other; `event-emitter.ts`, `model-switch.ts`: its parts
// - `loop/step.ts`: the pure core, state + event -> state + effects; only `step` decides what comes next
// - `loop/run.ts`: accepts events at any time and performs effects one after the other; `loop/perform.ts`: the effects
// - `pending.ts`: what was interrupted, read from the log; `system`, `instructions`, `skills`: the head
// - `tools`: one file per tool; `define.ts` resolves a call once, so that what was approved is what runs
// - `workspace`: where a path leads (links included) and how files are opened and replaced; `permissions`, `sandbox`:
//   the decisions
// - `custom`: agents and commands from Markdown files, extensions in TypeScript
// - `rollback`: keeps files before they are changed (`file-history.ts`), and puts them back (`rewind-files.ts`)
// - `tools/shell`: commands in process groups of their own, and how everything they started is ended
// Names and arguments of tools are rows of `analysis/calls`, so that the frontier understands them.

export type { Clock } from '../time.ts';
export { createAgent } from './agent.ts';
export { type CustomAgent, findAgents, isToolOf, readProfile } from './custom/custom-agent.ts';
export { type CustomCommand, type ExpandedCommand, findCommands, parseCommandLine } from './custom/custom-command.ts';
export {
  type ActiveExtensions,
  activateExtensions,
  defineExtension,
  type Extension,
  type ExtensionCommand,
  type ExtensionTool,
  type LoadedExtension,
  type RenderedCall,
} from './custom/extension.ts';
export type { AgentEvent, EventSource, RunEnd } from './event.ts';
export type { HeadFiles } from './files.ts';
export type {
  AgentHookAnswers,
  AgentHookEvent,
  AgentHookEvents,
  AgentHookFailure,
  AgentHookName,
  AgentHooks,
} from './hooks/hooks.ts';
export { type AgentShellEvent, agentShellEvents } from './hooks/shell/events.ts';
export { type AgentShellCommands, createShellAgentHooks, runShellAgentHook } from './hooks/shell/shell-agent-hooks.ts';
export { type FoundInstructions, findInstructions, type InstructionFile } from './instructions/instructions.ts';
export type { PlannedCall } from './loop/call.ts';
export type { QueuedMessage } from './loop/queued-message.ts';
export type { PendingWork } from './pending.ts';
export type { Access, Approver, PermissionAnswer, PermissionRequest, Permissions } from './permission.ts';
export { createPermissions, type PermissionsInput } from './permissions/create-permissions.ts';
export type { PermissionMode } from './permissions/decide.ts';
export { type PermissionRule, parseRule } from './permissions/rule.ts';
export { createPlainStream, plain } from './plain-text.ts';
export { openPlanMode, type Plan, type PlanMode, type PlanStep } from './plan/plan-mode.ts';
export { createFileHistory, type FileHistory, type FileWrite } from './rollback/file-history.ts';
export { type FileVersions, openFileVersions } from './rollback/file-versions.ts';
export { type FileRewind, findFileRewind, rewindFiles, undoFileRewind } from './rollback/rewind-files.ts';
export { openSandbox, type Sandbox, type SandboxSettings, type SandboxState } from './sandbox/sandbox.ts';
export { findSkills, type Skill } from './skills/skill.ts';

export { systemPrompt } from './system/head.ts';
export type { Tool, ToolOutcome, ToolRun, ToolSource } from './tool.ts';
export { createBoardTool } from './tools/context-board.ts';
export { createTools, type ToolsInput } from './tools/create-tools.ts';
export type { LineRange, OutlineFile } from './tools/read-outline.ts';
export type { FoundCode, SearchCode } from './tools/search-code.ts';
export type { BackgroundEvent } from './tools/shell/shells.ts';
export type { Agent, AgentInput, AgentProfile, IsolatedWork, RunInput, SubagentInput } from './types.ts';
