import { createHash } from 'node:crypto';
import type { Message, Part } from '../../message/index.ts';

/**
 * The name of a message's content: equal for messages that count the same. Cache marks move from request to request,
 * and what a dialect said beyond the neutral model is not counted, so neither is part of it.
 *
 * @example
 * contentHash({ role: 'user', parts: [{ type: 'text', text: 'Hello', origin: 'human' }] }); // 44 characters of base64
 */
export function contentHash({ role, parts }: Message): string {
  const content = parts.map(({ cache: _cache, wire: _wire, ...part }: Part) => part);
  return createHash('sha256')
    .update(JSON.stringify([role, content]), 'utf16le')
    .digest('base64');
}
