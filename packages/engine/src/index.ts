/**
 * Longhaul keeps an agent's conversation inside its model's window, for days, without losing anything.
 *
 * @module
 */
export type { ErrorFacts } from './errors.ts';
export { LonghaulError } from './errors.ts';
export * from './message/index.ts';
