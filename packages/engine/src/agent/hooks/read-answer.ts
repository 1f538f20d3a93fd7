import { HookError } from '../../engine/index.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { AgentHookAnswers, AgentHookName } from './hooks.ts';

type Reader = (value: unknown) => unknown;

/** A hook adds words, not books: what is longer is cut here. Characters. */
const longest = 10_000;

const words: Reader = (value) => {
  if (typeof value !== 'string' || value.trim() === '') throw wrong('a text that says something');
  return value.slice(0, longest);
};

const texts: Reader = (value) => {
  if (!Array.isArray(value)) throw wrong('a list of texts');
  return value.map(words);
};

const object: Reader = (value) => {
  if (!isObject(value)) throw wrong('an object');
  return value;
};

const yes: Reader = (value) => {
  if (value !== true) throw wrong('`true`');
  return value;
};

/** What each hook may say, and in which form. */
const agentAnswerMembers: { readonly [Name in AgentHookName]: { readonly [member: string]: Reader } } = {
  sessionStart: { context: texts },
  userPromptSubmit: { block: words, context: texts },
  preToolUse: { deny: words, ask: words, input: object, context: texts },
  postToolUse: { context: texts },
  postToolUseFailure: { context: texts },
  permissionRequest: { allow: yes, deny: words },
  subagentStart: { context: texts },
  subagentStop: {},
  stop: { goOn: words },
  sessionEnd: {},
  notification: {},
  errorOccurred: {},
};

/** What a hook said, as far as it may say it. Something in a wrong form is a failure: to guess could allow what nobody allowed. */
export function readAgentAnswer<Name extends AgentHookName>({
  hook,
  value,
}: {
  readonly hook: Name;
  readonly value: unknown;
}): Partial<AgentHookAnswers[Name]> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw wrong('an object or nothing');
  const answer: Record<string, unknown> = {};
  for (const [member, read] of Object.entries(agentAnswerMembers[hook])) {
    const said = (value as JsonObject)[member];
    if (said !== undefined) answer[member] = read(said);
  }
  return answer as Partial<AgentHookAnswers[Name]>;
}

function wrong(wanted: string): HookError {
  return new HookError({ kind: 'answer', why: `It answered something else where ${wanted} is taken.` });
}
