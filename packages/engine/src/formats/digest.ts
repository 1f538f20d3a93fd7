import { createHash } from 'node:crypto';
import type { Json } from '../json.ts';

/**
 * A name for content that has none of its own, and a short stand-in for what is too long to be remembered: the same for
 * the same content, on every machine.
 *
 * @example
 * digestOf({ role: 'user', content: 'hi' }); // 32 hex digits
 */
export function digestOf(value: Json): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
