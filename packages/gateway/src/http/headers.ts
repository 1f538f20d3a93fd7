import { tokenHeader } from './guard.ts';

/** Belong to one connection, never forwarded (RFC 9110, 7.6.1). */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const neverSent: ReadonlySet<string> = new Set(['host', 'expect', 'content-length', tokenHeader]);

/**
 * The headers to send upstream, as name and value in turn: those of the client in their order and spelling, without
 * what belongs to the connection and to the gateway. The length of the body is set by the sender.
 */
export function requestHeaders({
  raw,
  without = [],
  set = {},
}: {
  /** `rawHeaders` of the request. */
  readonly raw: readonly string[];
  readonly without?: readonly string[];
  readonly set?: Readonly<Record<string, string>>;
}): string[] {
  const left = new Set([...neverSent, ...without, ...Object.keys(set)]);
  const kept = endToEnd(raw).filter(([name]) => !left.has(name.toLowerCase()));
  return [...kept, ...Object.entries(set)].flat();
}

/** The headers to send to the client, as name and value in turn. */
export function responseHeaders({
  raw,
  without = [],
  set = {},
}: {
  readonly raw: readonly string[];
  readonly without?: readonly string[];
  readonly set?: Readonly<Record<string, string>>;
}): string[] {
  const left = new Set([...without, ...Object.keys(set)]);
  const kept = endToEnd(raw).filter(([name]) => !left.has(name.toLowerCase()));
  return [...kept, ...Object.entries(set)].flat();
}

function endToEnd(raw: readonly string[]): [string, string][] {
  const all: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) all.push([raw[at] ?? '', raw[at + 1] ?? '']);
  const named = all
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((word) => word.trim()),
    );
  const left = new Set([...hopByHop, ...named]);
  return all.filter(([name]) => !left.has(name.toLowerCase()));
}

/** The value of a header in a list of names and values. */
export function headerIn(raw: readonly string[], wanted: string): string | undefined {
  for (let at = 0; at + 1 < raw.length; at += 2) if (raw[at]?.toLowerCase() === wanted) return raw[at + 1];
  return undefined;
}
