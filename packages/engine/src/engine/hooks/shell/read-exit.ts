import { isObject, type JsonObject, parseJson } from '../../../json.ts';
import { HookError } from '../hook-error.ts';
import type { CommandExit } from './run.ts';

/** What a hook command answered with its exit code and its output. */
export type CommandAnswer =
  | { readonly as: 'nothing' }
  /** The reason is empty if the command gave none. */
  | { readonly as: 'block'; readonly reason: string }
  | { readonly as: 'text'; readonly text: string }
  | { readonly as: 'object'; readonly value: JsonObject };

/** The exit code of a decision to block; every other code except 0 is a failure. */
const blocking = 2;

/** Characters of standard error that are kept as a reason. */
const maxReason = 1_000;

/**
 * Reads how a hook command ended, the same way for hooks of the engine and of the agent. Exit code 2 blocks, with standard
 * error as the reason, if the event can be blocked. Other exit codes and timeouts throw a `HookError`. With exit code 0 the
 * answer is the object on standard output, or its text.
 *
 * @example
 * readCommandExit({ ended: await run(request), canBlock: true }); // { as: 'block', reason: 'The tests fail.' }
 */
export function readCommandExit({
  ended,
  canBlock,
}: {
  readonly ended: CommandExit;
  readonly canBlock: boolean;
}): CommandAnswer {
  const { code, isLate, isCut, failure, ms } = ended;
  if (isLate) throw new HookError({ kind: 'late', why: `It took longer than it may and was ended after ${ms} ms.` });
  if (failure !== undefined) throw new HookError({ kind: 'exit', why: `It could not be started: ${failure}.` });
  const reason = ended.stderr.trim().slice(0, maxReason);
  if (code === blocking && canBlock) return { as: 'block', reason };
  if (code !== 0) {
    const how = code === null ? 'It was ended by a signal' : `It ended with exit code ${code}`;
    throw new HookError({ kind: 'exit', why: `${how}${reason === '' ? '.' : `: ${reason}`}` });
  }
  const text = ended.stdout.trim();
  if (text === '') return { as: 'nothing' };
  if (isCut) throw new HookError({ kind: 'answer', why: 'It said more than is taken of a hook.' });
  const value = parseJson(text);
  if (isObject(value)) return { as: 'object', value };
  // Half an object must not reach the model as text.
  if (text.startsWith('{')) throw new HookError({ kind: 'answer', why: 'Its output begins like JSON and is none.' });
  return { as: 'text', text };
}
