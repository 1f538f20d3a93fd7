import { createHash } from 'node:crypto';
import type { LoopbackExchange } from 'longhaul/testing';
import { isRecord, records } from './request-tools.ts';

/** A request that the provider answered. */
export interface AccountedExchange {
  readonly exchange: LoopbackExchange;
  /** When it was answered, in milliseconds. */
  readonly at: number;
  /** Whether the client asked for a summary of the conversation. */
  readonly isSummary: boolean;
}

/** How much of the requests a provider's prefix cache would have held. */
export interface PrefixAccount {
  readonly requests: number;
  /** Characters of all requests. */
  readonly total: number;
  /** The share of each previous request that was sent again as a prefix, over all requests. */
  readonly hitRate: number;
  /** The same without the requests that begin an epoch: one of the gateway, or the client's own compaction. */
  readonly hitRateBetweenEpochs: number;
  /** The requests between epochs that did not repeat all of the one before, for looking at them. */
  readonly breaks: readonly PrefixBreak[];
}

/** A request that repeated only a part of the one before. */
interface PrefixBreak {
  /** Its position among all requests. */
  readonly request: number;
  readonly expected: number;
  readonly cached: number;
  /** The first item that differs, as text. */
  readonly item: string;
}

/**
 * Compares every request with the earlier ones, item by item, without moving markers. It shares no code with the gateway.
 * Requests with other tools, such as those of a sub-agent, are a conversation of their own.
 *
 * @example
 * prefixAccount({ exchanges, epochs: [] }).hitRate; // 0.97
 */
export function prefixAccount({
  exchanges,
  epochs,
}: {
  readonly exchanges: readonly AccountedExchange[];
  /** When the gateway began an epoch, in milliseconds. */
  readonly epochs: readonly number[];
}): PrefixAccount {
  const seen = new Set<string>();
  /** The size of the newest request by the names of its tools. */
  const before = new Map<string, number>();
  const begun = new Set(epochs.map((at) => exchanges.findIndex((exchange) => exchange.at >= at)));
  const breaks: PrefixBreak[] = [];
  let [requests, total, isBegun] = [0, 0, false];
  const [all, between] = [
    { expected: 0, cached: 0 },
    { expected: 0, cached: 0 },
  ];
  for (const [request, { exchange, isSummary }] of exchanges.entries()) {
    const { body, status } = exchange;
    isBegun ||= begun.has(request);
    // Side calls have no tools; with a previous response the provider has the prefix.
    if (status !== 200 || !isRecord(body) || body.previous_response_id || records(body.tools).length === 0) {
      isBegun ||= isSummary;
      continue;
    }
    const items = itemsOf(body);
    requests += 1;
    let [hash, size, prefix, broken] = ['', 0, 0, ''];
    for (const item of items) {
      hash = createHash('sha256').update(hash).update(item).digest('base64');
      size += item.length;
      if (seen.has(hash)) prefix = size;
      else broken ||= item;
      seen.add(hash);
    }
    total += size;
    const conversation = toolNames(body);
    const expected = Math.min(size, before.get(conversation) ?? 0);
    const cached = Math.min(prefix, expected);
    before.set(conversation, size);
    all.expected += expected;
    all.cached += cached;
    if (!isBegun) {
      between.expected += expected;
      between.cached += cached;
      if (cached < expected) breaks.push({ request, expected, cached, item: broken.slice(0, 200) });
    }
    isBegun = isSummary;
  }
  return { requests, total, hitRate: rate(all), hitRateBetweenEpochs: rate(between), breaks };
}

function rate({ expected, cached }: { readonly expected: number; readonly cached: number }): number {
  return expected === 0 ? 1 : cached / expected;
}

/** The names of the client's tools, without the one that the gateway adds. */
function toolNames(body: Readonly<Record<string, unknown>>): string {
  const names = JSON.stringify(body.tools).match(/"name":"\w+"/g) ?? [];
  return names.filter((name) => !name.includes('longhaul_recall')).join();
}

/** The parts of a request in cache order, as text. */
function itemsOf(body: Readonly<Record<string, unknown>>): string[] {
  const { tools, system, instructions, systemInstruction, messages, contents, input } = body;
  const list = messages ?? contents ?? (typeof input === 'string' ? [input] : input);
  const items = (Array.isArray(list) ? list : []).flatMap((item) => blocks(item));
  const head = [tools, system ?? instructions ?? systemInstruction ?? []];
  return [...head, ...items].map((item) => JSON.stringify(withoutMarkers(item)));
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
