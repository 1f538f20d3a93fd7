/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * @module
 */
export { maskJsonText } from '../analysis/index.ts';
export { watchMemory } from './background/memory.ts';
export { createEventStream } from './events/stream.ts';
export { inTime } from './hooks/hook-error.ts';
export { hookEnvironment } from './hooks/shell/environment.ts';
export { readCommandExit } from './hooks/shell/read-exit.ts';
