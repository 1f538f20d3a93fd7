/**
 * Messages in no provider's words, and the way to and from the words of four providers.
 *
 * @module
 */
export type { Json, JsonObject } from './json.ts';
export type * from './message.ts';
export { dialects } from './message.ts';
