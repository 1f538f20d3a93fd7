import { isArray, isObject, type Json, type JsonObject, parseJson } from '../../json.ts';
import type { HookName } from '../types.ts';
import { HookError } from './hook-error.ts';
import type { BeforeCompactionAnswer, BeforeMoveAnswer, CompactingAnswer } from './hooks.ts';

/** What each hook may answer. */
export interface HookAnswers {
  readonly beforeCompaction: BeforeCompactionAnswer;
  readonly compacting: CompactingAnswer;
  readonly afterCompaction: Record<string, never>;
  readonly beforeMove: BeforeMoveAnswer;
  readonly afterMove: Record<string, never>;
}

/** The members that each hook may answer with. */
export const answerMembers: Readonly<Record<HookName, readonly string[]>> = {
  beforeCompaction: ['cancel', 'replace', 'pins', 'focus', 'context'],
  compacting: ['instructions', 'context', 'keep'],
  afterCompaction: [],
  beforeMove: ['cancel', 'summary'],
  afterMove: [],
};

/** Limit of what hooks add to a conversation. */
const mostChars = 32_768;

/**
 * Validates the answer of a hook, or throws a `HookError` that names the invalid member: hooks are third-party code
 * (sessions.md 9.1).
 *
 * @example
 * readAnswer({ hook: 'beforeCompaction', value: { pins: ['Never push.'] } });
 */
export function readAnswer<Name extends HookName>({
  hook,
  value,
}: {
  readonly hook: Name;
  readonly value: unknown;
}): HookAnswers[Name] | undefined {
  if (value === undefined || value === null || answerMembers[hook].length === 0) return undefined;
  if (!isObject(value)) throw bad('it is no object');
  if (value.cancel !== undefined && value.cancel !== false && answerMembers[hook].includes('cancel')) {
    return { cancel: reasonOf(value.cancel) } as HookAnswers[Name];
  }
  const answer: Record<string, unknown> = {};
  for (const name of answerMembers[hook]) {
    const member = value[name];
    if (member === undefined || member === null || member === false) continue;
    answer[name] = readers[name]?.({ name, member });
  }
  return Object.keys(answer).length === 0 ? undefined : (answer as HookAnswers[Name]);
}

type MemberReader = (of: { readonly name: string; readonly member: Json }) => unknown;

const readers: Readonly<Record<string, MemberReader>> = {
  focus: text,
  instructions: text,
  summary: text,
  pins: texts,
  context: texts,
  keep: ({ member }) => {
    const written = JSON.stringify(member);
    if (written === undefined || written.length > mostChars) throw bad('keep is too large, or no JSON');
    return parseJson(written);
  },
  replace: ({ name, member }) => {
    const whole: JsonObject = isObject(member) ? member : { text: member };
    return {
      text: text({ name: `${name}.text`, member: whole.text ?? null }),
      ...(typeof whole.short === 'string' && whole.short.trim() !== '' && { short: whole.short }),
    };
  },
};

function text({ name, member }: { readonly name: string; readonly member: Json }): string {
  if (typeof member !== 'string') throw bad(`${name} is no text`);
  if (member.trim() === '') throw bad(`${name} is empty`);
  return member;
}

function texts({ name, member }: { readonly name: string; readonly member: Json }): readonly string[] {
  const list = isArray(member) ? member.map((one) => text({ name, member: one })) : [text({ name, member })];
  const length = list.reduce((sum, one) => sum + one.length, 0);
  if (length > mostChars) throw bad(`${name} has ${length} characters, and ${mostChars} are the most`);
  return list;
}

function reasonOf(cancel: Json): string {
  return typeof cancel === 'string' && cancel.trim() !== '' ? cancel.trim() : 'It gave no reason.';
}

function bad(what: string): HookError {
  return new HookError({ kind: 'answer', why: `What it answered cannot be taken: ${what}.` });
}
