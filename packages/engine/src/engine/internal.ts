/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * Map of the module:
 * - `prepare.ts`: the steps of a request in order; `state.ts`: one reducer over the log; `engine-session.ts`: the
 *   public methods
 * - `policy`: presets as data, `situation.ts` what is known before a request, `decide.ts` the pure decision with its
 *   reason
 * - `plan`: budget arithmetic, legal cuts, what to keep, the summary, without writing: a dry run is this
 * - `install`: writes a compaction as one batch; `background`: the summary job with states, back-off and memory
 *   pressure
 * - `prune`, `guard`: the other epochs; `branch`: moves of the leaf with a summary of what is left
 * - `session-ledger.ts`, `token-accounting.ts`, `calibrate-from-log.ts`, `model-state.ts`: how requests are counted and
 *   what providers reported
 * - `checkpoints`, `transcript`: files kept in line with the log; `path-cache`: the path to the leaf, each entry read
 *   once
 * - `hooks`, `events`: what users may change and observe; `recall`: the tool for models
 *
 * An epoch that restores an earlier context (undo, redo, a model switch) names a node and the entry after which the
 * rest follows:
 * constant space, however long the list is. `changeHead` appends new system messages and an epoch that names their ids,
 * so a long
 * prompt is stored once and not once per epoch.
 *
 * @module
 */
export { maskJsonText } from '../analysis/index.ts';
export { watchMemory } from './background/memory.ts';
export { createEventStream } from './events/stream.ts';
export { HookError } from './hooks/hook-error.ts';
export { type AnswerMember, flag, noReason, object, readAnswer, text, texts } from './hooks/read-answer.ts';
export { defaultHookTimeout, runHookSequence } from './hooks/run-sequence.ts';
export { defaultCommandTimeout, matcherAccepts } from './hooks/shell/command.ts';
export { readCommandExit } from './hooks/shell/read-exit.ts';
export { runHookCommand } from './hooks/shell/run-hook-command.ts';
export { foreignMembers } from './hooks/shell/verdict.ts';
export { recallDefinition } from './recall/tool.ts';
