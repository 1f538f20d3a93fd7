import type { JsonObject } from 'longhaul/message';
import { demoRequest } from './conversation.ts';

/** Ways in which real histories break, one after the other. */
export const accidents = [
  'an old message was dropped to save room: two calls went, their results stayed',
  'a retry stored one result twice',
  'the program was killed before the last result was stored',
] as const;

/** The demo's conversation after all accidents. */
export function brokenRequest(): JsonObject {
  const [question, , results, edit, edited, testing, , ...rest] = demoRequest.messages;
  const kept = [question, results, edit, edited, edited, testing, ...rest];
  return { ...demoRequest, messages: kept.filter((message) => message !== undefined) };
}
