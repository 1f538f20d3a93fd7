import { isObject, type JsonObject, parseJson } from '../../../json.ts';
import type { HookFailure } from '../../types.ts';
import { HookError } from '../hook-error.ts';
import { answerMembers, type HookAnswers, readAnswer } from '../read-answer.ts';
import { type ShellEvent, shellEvents } from './command.ts';
import type { CommandExit } from './run.ts';

type HookAnswer = Partial<HookAnswers[keyof HookAnswers]>;

/** What the end of a command is taken as. */
export type ShellHookVerdict =
  | { readonly as: 'nothing' }
  | { readonly as: 'answer'; readonly answer: HookAnswer; readonly ignored: readonly string[] }
  | { readonly as: 'block'; readonly reason: string }
  | { readonly as: 'failure'; readonly kind: HookFailure['kind']; readonly why: string };

/** By this a command says that it decided so; every other exit code but 0 is an accident. */
const blocking = 2;

/** Of what a command says on standard error. */
const mostReason = 1_000;

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
  const { code, isLate, isCut, failure: cause, ms } = ended;
  if (isLate) return failed('late', `It took longer than it may and was ended after ${ms} ms.`);
  if (cause !== undefined) return failed('exit', `It could not be started: ${cause}.`);
  const words = ended.stderr.trim().slice(0, mostReason);
  if (code === blocking && canBlock(name)) return { as: 'block', reason: words || 'It gave no reason.' };
  if (code === blocking) return failed('exit', `It wants to block, and ${name} cannot: ${words || 'no reason given'}.`);
  if (code !== 0) {
    const how = code === null ? 'It was ended by a signal' : `It ended with exit code ${code}`;
    return failed('exit', `${how}${words === '' ? '.' : `: ${words}`}`);
  }
  const text = ended.stdout.trim();
  if (text === '') return { as: 'nothing' };
  if (isCut) return failed('answer', 'It said more than is taken of a hook.');
  return saidBy({ name, text });
}

/** Only what has not happened yet can be blocked. */
function canBlock(name: ShellEvent): boolean {
  return answerMembers[shellEvents[name]].includes('cancel');
}

function saidBy({ name, text }: { readonly name: ShellEvent; readonly text: string }): ShellHookVerdict {
  const hook = shellEvents[name];
  const value = parseJson(text);
  if (!isObject(value)) {
    // To take the half of an object for words would put it before the model.
    if (text.startsWith('{')) return failed('answer', 'Its output begins like JSON and is none.');
    if (!answerMembers[hook].includes('context')) return { as: 'nothing' };
    return taken(() => readAnswer({ hook, value: { context: [text] } }), []);
  }
  const isBlocking = value.decision === 'block' || value.continue === false;
  if (isBlocking && canBlock(name)) {
    const reason = value.reason ?? value.stopReason;
    return { as: 'block', reason: typeof reason === 'string' && reason.trim() !== '' ? reason : 'It gave no reason.' };
  }
  const mapped = { ...specific({ name, value }), ...value };
  const ignored = Object.keys(value).filter((key) => !answerMembers[hook].includes(key) && !theirs.has(key));
  return taken(() => readAnswer({ hook, value: mapped }), ignored);
}

/** What other agents' hooks say that needs no answer here. */
const theirs: ReadonlySet<string> = new Set([
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

function taken(read: () => HookAnswer | undefined, ignored: readonly string[]): ShellHookVerdict {
  try {
    const answer = read();
    if (answer && 'cancel' in answer) return { as: 'block', reason: answer.cancel ?? '' };
    return answer || ignored.length > 0 ? { as: 'answer', answer: answer ?? {}, ignored } : { as: 'nothing' };
  } catch (error) {
    if (error instanceof HookError) return failed(error.kind, error.message);
    throw error;
  }
}

function failed(kind: HookFailure['kind'], why: string): ShellHookVerdict {
  return { as: 'failure', kind, why };
}
