import { type Message, type Part, type Repair, repair } from '../../message/index.ts';
import { type Context, headLength } from '../../session/index.ts';
import type { TargetModel } from './scale.ts';

/** Something that a person would say next. */
const next: Part = { type: 'text', origin: 'human', text: 'next' };

/**
 * A list as a provider takes it. One that ends with an answer is fine: the next request will add to it. Checked by itself
 * the answer would count as one that the model is to continue, which most providers refuse.
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
  if (messages.at(-1)?.role !== 'assistant') return repair(messages, dialect);
  const { messages: mended, repairs } = repair([...messages, { role: 'user', parts: [next] }], dialect);
  const kept = mended.flatMap((message) => {
    const parts = message.parts.filter((part) => part !== next);
    return parts.length === message.parts.length ? [message] : parts.length > 0 ? [{ ...message, parts }] : [];
  });
  return { messages: kept, repairs };
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
