import { createMask, rulesOn } from '../analysis/index.ts';
import type { Message } from '../message/index.ts';
import type { Session } from '../session/index.ts';

/**
 * The rules in force that a cut takes out of what is sent, and those pinned by hand that are not sent afterwards.
 *
 * @example
 * const left = await leftPins({ session, before, after, secrets: [] });
 */
export async function leftPins({
  session,
  before,
  after,
  secrets,
}: {
  readonly session: Session;
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly secrets: readonly string[];
}): Promise<readonly string[]> {
  const mask = createMask({ values: secrets, salt: session.id });
  const [wasSent, isSent] = [textOf(before), textOf(after)];
  const isIn = (text: string, rule: string) => text.includes(rule) || text.includes(mask(rule));
  return rulesOn(await session.path())
    .filter(({ text, by }) => !isIn(isSent, text) && (by === 'hand' || by === 'hook' || isIn(wasSent, text)))
    .map(({ text }) => mask(text));
}

function textOf(messages: readonly Message[]): string {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).join('\n');
}
