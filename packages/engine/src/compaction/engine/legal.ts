import { type Message, type Repair, repairSoFar } from '../../message/index.ts';
import { type Context, headLength } from '../../session/index.ts';
import type { TargetModel } from './scale.ts';

/**
 * A list as a provider takes it, as far as it goes: one that ends with an answer is fine.
 *
 * @example
 * const { messages } = mend({ messages: context.items.map(({ message }) => message), dialect: 'anthropic' });
 */
export function mend({
  messages,
  dialect,
}: {
  readonly messages: readonly Message[];
  readonly dialect: TargetModel['dialect'];
}): { readonly messages: readonly Message[]; readonly repairs: readonly Repair[] } {
  return repairSoFar(messages, dialect);
}

/** What is sent at a place: the head, and the rest in a form that the model's provider takes. */
export function legalFor({ context, model }: { readonly context: Context; readonly model: TargetModel }): {
  readonly head: readonly Message[];
  readonly items: readonly Message[];
  readonly repairs: readonly Repair[];
  readonly rebindsThinking: boolean;
} {
  const length = headLength(context);
  const messages = context.items.map(({ message }) => message);
  const { messages: items, repairs } = mend({ messages: messages.slice(length), dialect: model.dialect });
  const thinks = items.some(({ parts }) => parts.some(({ type }) => type === 'thinking'));
  return { head: messages.slice(0, length), items, repairs, rebindsThinking: context.epoch !== null && thinks };
}
