import { isObject, type JsonObject } from '../../../json.ts';
import type { HookFailure } from '../../types.ts';
import { answerMembers, type HookAnswers } from '../answer-members.ts';
import { HookError } from '../hook-error.ts';
import { noReason, readAnswer } from '../read-answer.ts';
import { type ShellEvent, shellEvents } from './command.ts';
import { type CommandAnswer, readCommandExit } from './read-exit.ts';
import type { CommandExit } from './run.ts';

type HookAnswer = Partial<HookAnswers[keyof HookAnswers]>;

/** What the end of a command is taken as. */
export type ShellHookVerdict =
  | { readonly as: 'nothing' }
  | { readonly as: 'answer'; readonly answer: HookAnswer; readonly ignored: readonly string[] }
  | { readonly as: 'block'; readonly reason: string }
  | { readonly as: 'failure'; readonly kind: HookFailure['kind']; readonly why: string };

/**
 * What the end of a command means. Exit code 2 is a decision to block, and standard error its reason. Other exit codes and
 * a time that ran out are failures, which stop nothing. With exit code 0 an object on standard output is the answer, and
 * any other text is context.
 *
 * @example
 * verdictOf({ name: 'PreCompact', ended }); // { as: 'block', reason: 'The tests are red.' }
 */
export function verdictOf({
  name,
  ended,
}: {
  readonly name: ShellEvent;
  readonly ended: CommandExit;
}): ShellHookVerdict {
  try {
    const said = readCommandExit({ ended, canBlock: true });
    if (said.as === 'block' && canBlock(name)) return { as: 'block', reason: said.reason || noReason };
    if (said.as === 'block')
      return failed('exit', `It wants to block, and ${name} cannot: ${said.reason || 'no reason given'}.`);
    return said.as === 'nothing' ? said : saidBy({ name, said });
  } catch (error) {
    if (error instanceof HookError) return failed(error.kind, error.message);
    throw error;
  }
}

/** Only what has not happened yet can be blocked. */
function canBlock(name: ShellEvent): boolean {
  return 'cancel' in answerMembers[shellEvents[name]];
}

function saidBy({
  name,
  said,
}: {
  readonly name: ShellEvent;
  readonly said: Extract<CommandAnswer, { as: 'text' | 'object' }>;
}): ShellHookVerdict {
  const members = answerMembers[shellEvents[name]];
  if (said.as === 'text') {
    if (!('context' in members)) return { as: 'nothing' };
    return taken(readAnswer({ members, value: { context: [said.text] } }), []);
  }
  const { value } = said;
  const isBlocking = value.decision === 'block' || value.continue === false;
  if (isBlocking && canBlock(name)) {
    const reason = value.reason ?? value.stopReason;
    return { as: 'block', reason: typeof reason === 'string' && reason.trim() !== '' ? reason : noReason };
  }
  const mapped = { ...specific({ name, value }), ...value };
  const ignored = Object.keys(value).filter((key) => !Object.hasOwn(members, key) && !foreignMembers.has(key));
  return taken(readAnswer({ members, value: mapped }), ignored);
}

/** Members of other agents' answers that have no meaning here. */
export const foreignMembers: ReadonlySet<string> = new Set([
  ...['decision', 'reason', 'continue', 'stopReason', 'suppressOutput', 'systemMessage', 'hookSpecificOutput'],
]);

/** The same in the words of Claude Code. */
function specific({ name, value }: { readonly name: ShellEvent; readonly value: JsonObject }): JsonObject {
  const inner = value.hookSpecificOutput;
  if (!isObject(inner)) return {};
  const { additionalContext: context, customInstructions } = inner;
  return {
    ...(typeof context === 'string' && context.trim() !== '' && { context: [context] }),
    ...(typeof customInstructions === 'string' && name === 'PreCompact' && { focus: customInstructions }),
  };
}

function taken(answer: HookAnswer | undefined, ignored: readonly string[]): ShellHookVerdict {
  if (answer && 'cancel' in answer) return { as: 'block', reason: answer.cancel ?? '' };
  return answer || ignored.length > 0 ? { as: 'answer', answer: answer ?? {}, ignored } : { as: 'nothing' };
}

function failed(kind: HookFailure['kind'], why: string): ShellHookVerdict {
  return { as: 'failure', kind, why };
}
