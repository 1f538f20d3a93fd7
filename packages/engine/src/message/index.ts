/**
 * Messages in no provider's words, the way to and from the words of four providers, and what each provider demands of a
 * list of them.
 *
 * @module
 */

export type { Json, JsonObject } from '../json.ts';
export type { CacheLimits, Sight } from './breakpoints.ts';
export type { Codec } from './codecs/codec.ts';
export { codecs } from './codecs/index.ts';

export { assistant, system, toolResult, user } from './create.ts';
export { dataPart } from './data-part.ts';
export { type ConversationDocument, readConversation, writeRequest } from './document.ts';
export { isEngineMessage, isHumanMessage } from './human.ts';
export type * from './message.ts';
export { dialects } from './message.ts';
export type { CompactionReader } from './provider-compaction.ts';
export { sameItem } from './same-item.ts';
export { semanticKey } from './semantic-key.ts';
export { type Range, type Round, type Turn, turns } from './turns.ts';
export { check } from './validity/check.ts';
export type { Place, Problem, ProblemCode, Repair } from './validity/problem.ts';
export { repair } from './validity/repair.ts';

export type { Form, Rules } from './validity/rules.ts';
