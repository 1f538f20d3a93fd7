/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * @module
 */
export { toMessages } from './conversation/to-messages.ts';
