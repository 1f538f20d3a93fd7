/**
 * Messages in no provider's words, the way to and from the words of four providers, and what each provider demands of a
 * list of them.
 *
 * @module
 */

export type { Json, JsonObject } from '../json.ts';
export type { CacheLimits, MessageOutline } from './breakpoints.ts';
export type { Codec } from './codecs/codec.ts';
export { codecs } from './codecs/index.ts';

export { assistant, system, toolResult, user } from './create.ts';
export { dataPart } from './data-part.ts';
export { type ConversationDocument, readConversation, writeRequest } from './document.ts';
export { isEngineMessage, isHumanMessage } from './human.ts';
export type * from './message.ts';
export { dialects } from './message.ts';
export type { CompactionReader } from './provider-compaction.ts';
export { itemKey, sameItem } from './same-item.ts';
export { createSemanticReader, semanticKey } from './semantic-key.ts';
export { type MessageRange, type Round, type Turn, turns } from './turns.ts';
export { check } from './validity/check.ts';
export type { PartPosition, Problem, ProblemCode, Repair } from './validity/problem.ts';
export { repair } from './validity/repair.ts';

export type { IdFormat, ValidityRules } from './validity/rules.ts';
