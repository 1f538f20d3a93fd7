import type { Dialect } from '../../message/index.ts';
import { isAbort } from './abort.ts';
import type { FailureKind, ModelFailure } from './failure.ts';
import { maskKeys } from './mask.ts';
import { type ErrorReport, type HeaderSource, readReport } from './report.ts';
import type { FailureRow } from './row.ts';
import { failureTable } from './table.ts';
import { type WireFault, wireFaultIn } from './wire-fault.ts';

/** Whatever is at hand of a failed call; the more, the better. */
export interface FailureInput {
  readonly dialect?: Dialect | undefined;
  readonly provider?: string | undefined;
  readonly status?: number | undefined;
  readonly headers?: HeaderSource | undefined;
  /** The answer's body, as text or parsed. */
  readonly body?: unknown;
  /** What was thrown. */
  readonly error?: unknown;
  /** The time, in milliseconds, for a `retry-after` that is a date. */
  readonly now?: number | undefined;
  /** Values that must not reach the message, beyond what looks like a key. */
  readonly secrets?: readonly string[] | undefined;
}

const maxMessage = 500;
const maxRead = 4000;

/**
 * Says what kind of failure this is. Wordings decide first, in the order of `failureTable`; the status only where no
 * wording does. It never throws. An abort is no failure (see `isAbort`); asked all the same, it answers `unknown`.
 *
 * @example
 * classifyFailure({ status: 400, body: { error: { message: 'prompt is too long: 213462 tokens > 200000 maximum' } } });
 * // { kind: 'overflow', limit: 200000, used: 213462, retryable: false, status: 400, message: 'prompt is too long: …' }
 */
export function classifyFailure(input: FailureInput): ModelFailure {
  const fault = wireFaultIn(input.error);
  if (fault) return ofFault(fault);
  const report = readReport(input);
  const requestId = requestIdIn(report.header);
  const base = {
    message: describe(input, report),
    ...(report.status === undefined ? {} : { status: report.status }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  if (isAbort(input.error)) return { ...base, kind: 'unknown', retryable: false };
  const found = findRow({ texts: report.texts, status: report.status, provider: input.provider });
  const kind = found?.row.kind ?? kindOfStatus(report.status);
  if (kind === 'overflow') return { ...base, kind, retryable: false, ...numbersOf(found) };
  const shouldRetry = report.header('x-should-retry');
  if (kind === 'unknown') return { ...base, kind, retryable: shouldRetry === 'true' };
  if (kind === 'invalid')
    return { ...base, kind, retryable: false, ...(found?.row.rejectsThinking && { rejectsThinking: true }) };
  if (kind !== 'rate' && kind !== 'network') return { ...base, kind, retryable: false };
  const delayMs = readDelay({ header: report.header, texts: report.texts, now: input.now });
  return { ...base, kind, retryable: shouldRetry !== 'false', ...(delayMs === undefined ? {} : { delayMs }) };
}

/** A silent server may answer the next time; one that redirects or never ends will do it again. */
function ofFault({ code, message }: WireFault): ModelFailure {
  return code === 'timeout'
    ? { kind: 'network', retryable: true, code, message }
    : { kind: 'invalid', retryable: false, code, message };
}

interface MatchedRow {
  readonly row: FailureRow;
  readonly match: RegExpExecArray;
}

/** The first row of the table that one of the texts matches. */
export function findRow({
  texts,
  status,
  provider,
}: {
  readonly texts: readonly string[];
  readonly status: number | undefined;
  readonly provider: string | undefined;
}): MatchedRow | undefined {
  for (const row of failureTable) {
    if (row.only !== undefined && !row.only.includes(provider?.toLowerCase() ?? '')) continue;
    if (status !== undefined && row.unless?.includes(status)) continue;
    if (texts.some((text) => row.without?.test(text))) continue;
    for (const text of texts) {
      const match = row.pattern.exec(text);
      if (match !== null) return { row, match };
    }
  }
  return undefined;
}

function kindOfStatus(status: number | undefined): FailureKind {
  if (status === undefined) return 'unknown';
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'quota';
  if (status === 429 || status === 503 || status === 529) return 'rate';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'network';
  return 'invalid';
}

function numbersOf(found: MatchedRow | undefined): { readonly limit?: number; readonly used?: number } {
  const limit = tokens(found?.match.groups?.limit) ?? found?.row.implied;
  const used = tokens(found?.match.groups?.used);
  return { ...(limit === undefined ? {} : { limit }), ...(used === undefined ? {} : { used }) };
}

function tokens(text: string | undefined): number | undefined {
  const value = Number(text?.replaceAll(',', ''));
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function describe({ provider, dialect, secrets }: FailureInput, { message, status }: ErrorReport): string {
  const who = provider ?? dialect ?? 'The model';
  const silent =
    status === undefined ? `${who} failed without a reason.` : `${who} answered ${status} without a reason.`;
  const line = maskKeys({ text: firstWords(message), ...(secrets === undefined ? {} : { secrets }) });
  const short = line.replace(/\s+/g, ' ').trim() || silent;
  return short.length > maxMessage ? `${short.slice(0, maxMessage - 1)}…` : short;
}

/** Cut at a space: half a key no longer looks like one and would not be masked. */
function firstWords(text: string): string {
  return text.length > maxRead ? text.slice(0, text.lastIndexOf(' ', maxRead) + 1) : text;
}

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

/** Headers in which providers and gateways name a request, the provider's own first. */
const names = ['request-id', 'x-request-id', 'x-goog-request-id', 'x-amzn-requestid', 'apim-request-id'];

/** An id is a short word; anything else in such a header is not passed on. */
const shape = /^[\w.:/+=-]{1,128}$/;

/**
 * The provider's id of a request, from the headers of its response.
 *
 * @example
 * requestIdIn((name) => response.headers.get(name) ?? undefined); // 'req_011CS…'
 */
export function requestIdIn(header: (name: string) => string | undefined): string | undefined {
  return names.map(header).find((value) => value !== undefined && shape.test(value));
}
