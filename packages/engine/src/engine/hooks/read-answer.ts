import { isArray, isObject, type Json, type JsonObject, parseJson } from '../../json.ts';
import { HookError } from './hook-error.ts';

/** Reads one member of an answer, or throws a `HookError` that names it. */
type ReadMember = (of: { readonly name: string; readonly member: Json }) => unknown;

/** A member that a hook may answer with. */
export interface AnswerMember {
  readonly read: ReadMember;
  /**
   * No further hook runs after an answer with this member. `alone`: all other members are discarded; `merged`: they are
   * kept, together with the earlier answers.
   */
  readonly ends?: 'alone' | 'merged';
}

/** The members that a hook may answer with, by name. */
export type AnswerMembers = Readonly<Record<string, AnswerMember>>;

/** The reason of a hook that blocks without giving one. */
export const noReason = 'It gave no reason.';

/**
 * Validates the answer of a hook against the table of its members, or throws a `HookError` that names the invalid member:
 * hooks are third-party code (sessions.md 9.1). Members that are missing, `null` or `false` count as not answered; members
 * that are not in the table are ignored.
 *
 * @example
 * readAnswer({ members: { focus: { read: text() } }, value: { focus: 'the login bug' } });
 */
export function readAnswer({
  members,
  value,
}: {
  readonly members: AnswerMembers;
  readonly value: unknown;
}): Readonly<Record<string, unknown>> | undefined {
  const table = Object.entries(members);
  if (value === undefined || value === null || table.length === 0) return undefined;
  if (!isObject(value)) throw invalidAnswer('it is not an object');
  const answer: Record<string, unknown> = {};
  for (const [name, { read, ends }] of table) {
    const member = value[name];
    if (member === undefined || member === null || member === false) continue;
    const result = read({ name, member });
    if (ends === 'alone') return { [name]: result };
    answer[name] = result;
  }
  return Object.keys(answer).length === 0 ? undefined : answer;
}

/** A text that is not blank; with `cutTo`, only its first characters are used. */
export function text({ cutTo = Number.POSITIVE_INFINITY }: { readonly cutTo?: number } = {}) {
  return ({ name, member }: { readonly name: string; readonly member: Json }): string => {
    if (typeof member !== 'string') throw invalidAnswer(`${name} is not a text`);
    if (member.trim() === '') throw invalidAnswer(`${name} is empty`);
    return member.slice(0, cutTo);
  };
}

/** A list of texts, or a single text; together they have at most `maxChars` characters. */
export function texts({
  cutTo,
  maxChars = Number.POSITIVE_INFINITY,
}: {
  readonly cutTo?: number;
  readonly maxChars?: number;
}): ReadMember {
  const read = text(cutTo === undefined ? {} : { cutTo });
  return ({ name, member }) => {
    const list = (isArray(member) ? member : [member]).map((one) => read({ name, member: one }));
    const length = list.reduce((sum, one) => sum + one.length, 0);
    if (length > maxChars) throw invalidAnswer(`${name} has ${length} characters, the limit is ${maxChars}`);
    return list;
  };
}

/** The reason for a decision; anything that is not a text still is the decision. */
export const reason: ReadMember = ({ member }) =>
  typeof member === 'string' && member.trim() !== '' ? member.trim() : noReason;

/** An object. */
export const object: ReadMember = ({ name, member }) => {
  if (!isObject(member)) throw invalidAnswer(`${name} is not an object`);
  return member;
};

/** `true`. */
export const flag: ReadMember = ({ name, member }) => {
  if (member !== true) throw invalidAnswer(`${name} is not \`true\``);
  return member;
};

/** A copy of any JSON value of at most `maxChars` characters. */
export function json({ maxChars }: { readonly maxChars: number }): ReadMember {
  return ({ name, member }) => {
    const written = JSON.stringify(member);
    if (written === undefined || written.length > maxChars)
      throw invalidAnswer(`${name} is not JSON, or has more than ${maxChars} characters`);
    return parseJson(written);
  };
}

/** A summary: an object with `text` and perhaps `short`, or the text alone. */
export const summary: ReadMember = ({ name, member }) => {
  const whole: JsonObject = isObject(member) ? member : { text: member };
  return {
    text: text()({ name: `${name}.text`, member: whole.text ?? null }),
    ...(typeof whole.short === 'string' && whole.short.trim() !== '' && { short: whole.short }),
  };
};

function invalidAnswer(what: string): HookError {
  return new HookError({ kind: 'answer', why: `Its answer is invalid: ${what}.` });
}
