/**
 * Exports for the other modules of this package; not part of the public API.
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
