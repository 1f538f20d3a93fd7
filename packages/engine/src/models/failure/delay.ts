const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** «try again in 1.2s», «retry after 6m0s», «retry in 20 seconds». */
const spoken =
  /(?:try again|retry)(?: again)? (?:in|after) (?:about )?((?:\d+(?:\.\d+)?\s?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b\s?|\d+(?:\.\d+)?[hms](?=\d))+)/i;

/** `google.rpc.RetryInfo`: `"retryDelay": "12s"`, in JSON or in Python's rendering of it. */
const retryInfo = /retryDelay['"\s:\\]{1,12}(\d+(?:\.\d+)?)s/;

/**
 * How long the provider asks to wait, in milliseconds: `retry-after-ms`, `retry-after` in seconds or as a date, Google's
 * RetryInfo, or words. A date needs to know what time it is: `now`, else the answer's own `date` header.
 */
export function readDelay({
  header,
  texts,
  now,
}: {
  readonly header: (name: string) => string | undefined;
  readonly texts: readonly string[];
  readonly now?: number | undefined;
}): number | undefined {
  const fromHeaders = readHeaders(header, now);
  if (fromHeaders !== undefined) return fromHeaders;
  for (const text of texts) {
    const seconds = retryInfo.exec(text)?.[1];
    if (seconds !== undefined) return Math.round(Number(seconds) * 1000);
  }
  for (const text of texts) {
    const words = spoken.exec(text)?.[1];
    if (words !== undefined) return duration(words);
  }
  return undefined;
}

function readHeaders(header: (name: string) => string | undefined, now: number | undefined): number | undefined {
  const milliseconds = number(header('retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const after = header('retry-after');
  const seconds = number(after);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const until = Date.parse(after ?? '') - (now ?? Date.parse(header('date') ?? ''));
  return Number.isFinite(until) ? Math.max(0, until) : undefined;
}

function number(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

function duration(words: string): number {
  let total = 0;
  for (const [, amount, unit = ''] of words.matchAll(/(?<!\d)(\d+(?:\.\d+)?)\s?(m(?:s|illi)|[hms])/gi)) {
    total += Number(amount) * (units[/^m(?:s|illi)/i.test(unit) ? 'ms' : unit.toLowerCase()] ?? 0);
  }
  return Math.round(total);
}
