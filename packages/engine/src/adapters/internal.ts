/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * @module
 */
export { createPrepareStep } from './ai-sdk-step.ts';
