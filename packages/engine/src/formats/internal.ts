/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * @module
 */
export { createLiveTranscript } from './transcript/write.ts';
