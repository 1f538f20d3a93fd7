import { createHash } from 'node:crypto';
import type { LoopbackExchange } from 'longhaul/testing';
import { isRecord, records } from './request-tools.ts';

/** How much of the requests a provider's prefix cache would have held. */
export interface PrefixAccount {
  readonly requests: number;
  /** Characters of all requests, and those that an earlier request had as its prefix. */
  readonly total: number;
  readonly cached: number;
  /** The share of what was sent before that was sent again as a prefix, left out where a new epoch began. */
  readonly hitRate: number;
}

/**
 * Compares every request with the earlier ones, item by item, without moving markers. It shares no code with the gateway.
 *
 * @example
 * prefixAccount(loopback.requests).hitRate; // 0.99
 */
export function prefixAccount(exchanges: readonly LoopbackExchange[]): PrefixAccount {
  const seen = new Map<string, number>();
  let [requests, total, cached, expected, hit] = [0, 0, 0, 0, 0];
  for (const { body, status } of exchanges) {
    if (status !== 200 || !isRecord(body)) continue;
    const items = itemsOf(body);
    if (items.length === 0) continue;
    requests += 1;
    let [hash, size, prefix, at] = ['', 0, 0, 0];
    const keys = items.map((item) => {
      hash = createHash('sha256').update(hash).update(item).digest('base64');
      size += item.length;
      return { hash, size };
    });
    for (const [index, key] of keys.entries()) if (seen.has(key.hash)) [prefix, at] = [key.size, index + 1];
    // A request that shares its head and nothing more begins a conversation or an epoch.
    const isContinued = at > headItems(body) + 1;
    if (isContinued) {
      const longest = Math.max(...keys.slice(0, at).map((key) => seen.get(key.hash) ?? 0));
      expected += longest;
      hit += prefix;
    }
    total += size;
    cached += prefix;
    for (const key of keys) seen.set(key.hash, Math.max(seen.get(key.hash) ?? 0, key.size));
  }
  return { requests, total, cached, hitRate: expected === 0 ? 1 : hit / expected };
}

function headItems(body: Readonly<Record<string, unknown>>): number {
  return records(body.tools).length > 0 ? 1 : 0;
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
