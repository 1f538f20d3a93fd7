import type { HookName } from '../types.ts';
import type { BeforeCompactionAnswer, BeforeMoveAnswer, CompactingAnswer } from './hooks.ts';
import { type AnswerMember, json, reason, summary, text, texts } from './read-answer.ts';

/** What each hook may answer. */
export interface HookAnswers {
  readonly beforeCompaction: BeforeCompactionAnswer;
  readonly compacting: CompactingAnswer;
  readonly afterCompaction: Record<string, never>;
  readonly beforeMove: BeforeMoveAnswer;
  readonly afterMove: Record<string, never>;
}

/** Limit of what hooks add to a conversation. */
const maxChars = 32_768;

const cancel: AnswerMember = { read: reason, ends: 'alone' };
const list: AnswerMember = { read: texts({ maxChars }) };
const single: AnswerMember = { read: text() };

/** The members that each hook of the engine may answer with. */
export const answerMembers: {
  readonly [Name in HookName]: { readonly [Member in keyof HookAnswers[Name]]-?: AnswerMember };
} = {
  beforeCompaction: { cancel, replace: { read: summary }, pins: list, focus: single, context: list },
  compacting: { instructions: single, context: list, keep: { read: json({ maxChars }) } },
  afterCompaction: {},
  beforeMove: { cancel, summary: single },
  afterMove: {},
};
