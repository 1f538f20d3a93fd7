import { createHash } from 'node:crypto';
import type { LoopbackExchange } from 'longhaul/testing';
import { isRecord } from './request-tools.ts';

/** How much of the requests a provider's prefix cache would have held. */
export interface PrefixAccount {
  readonly requests: number;
  /** Characters of all requests, and those that an earlier request had as its prefix. */
  readonly total: number;
  readonly cached: number;
  /** The share of what the request before had that was sent again as a prefix, over all epochs. */
  readonly hitRate: number;
}

/**
 * Compares every request with the earlier ones, item by item, without moving markers. It shares no code with the gateway.
 *
 * @example
 * prefixAccount(loopback.requests).hitRate; // 0.97
 */
export function prefixAccount(exchanges: readonly LoopbackExchange[]): PrefixAccount {
  const seen = new Set<string>();
  /** The size of the newest request; side calls without tools are left out. */
  let before = 0;
  let [requests, total, cached, expected] = [0, 0, 0, 0];
  for (const { body, status } of exchanges) {
    const items = status === 200 && isRecord(body) ? itemsOf(body) : [];
    if (items.length < 2 || items[0] === '[]') continue;
    requests += 1;
    let [hash, size, prefix] = ['', 0, 0];
    for (const item of items) {
      hash = createHash('sha256').update(hash).update(item).digest('base64');
      size += item.length;
      if (seen.has(hash)) prefix = size;
      seen.add(hash);
    }
    expected += Math.min(size, before);
    before = size;
    total += size;
    cached += prefix;
  }
  return { requests, total, cached, hitRate: expected === 0 ? 1 : Math.min(1, cached / expected) };
}

/** The parts of a request in cache order, as text. */
function itemsOf(body: Readonly<Record<string, unknown>>): string[] {
  const list = body.messages ?? body.contents ?? (typeof body.input === 'string' ? [body.input] : body.input);
  const items = (Array.isArray(list) ? list : []).flatMap((item) => blocks(item));
  return [JSON.stringify(body.tools ?? []), ...items.map((item) => JSON.stringify(withoutMarkers(item)))];
}

/** A message with several blocks counts block by block, and a text as one block. */
function blocks(item: unknown): unknown[] {
  if (!isRecord(item)) return [item];
  const { content, parts, ...rest } = item;
  const list = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? parts);
  return Array.isArray(list) && list.length > 0 ? list.map((block) => ({ ...rest, block })) : [item];
}

function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarkers);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'cache_control')
      .map(([name, each]) => [name, withoutMarkers(each)]),
  );
}
