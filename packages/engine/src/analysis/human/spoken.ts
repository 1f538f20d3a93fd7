import type { Message } from '../../message/index.ts';

/** Whether a person says something in it; results, reminders and summaries are nobody's words. */
export function isSpoken({ role, parts }: Message): boolean {
  return role === 'user' && parts.some(({ type, origin }) => type !== 'tool_result' && origin === 'human');
}
