import type { Dialect } from '../../message/index.ts';
import { isAbort } from './abort.ts';
import { readDelay } from './delay.ts';
import type { FailureKind, ModelFailure } from './failure.ts';
import { maskKeys } from './mask.ts';
import { type HeaderSource, type Report, readReport } from './report.ts';
import { requestIdIn } from './request-id.ts';
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
  const told = report.header('x-should-retry');
  if (kind === 'unknown') return { ...base, kind, retryable: told === 'true' };
  if (kind !== 'rate' && kind !== 'network') return { ...base, kind, retryable: false };
  const delayMs = readDelay({ header: report.header, texts: report.texts, now: input.now });
  return { ...base, kind, retryable: told !== 'false', ...(delayMs === undefined ? {} : { delayMs }) };
}

/** A silent server may answer the next time; one that redirects or never ends will do it again. */
function ofFault({ code, message }: WireFault): ModelFailure {
  return code === 'timeout'
    ? { kind: 'network', retryable: true, code, message }
    : { kind: 'invalid', retryable: false, code, message };
}

interface Found {
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
}): Found | undefined {
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

function numbersOf(found: Found | undefined): { readonly limit?: number; readonly used?: number } {
  const limit = tokens(found?.match.groups?.limit) ?? found?.row.implied;
  const used = tokens(found?.match.groups?.used);
  return { ...(limit === undefined ? {} : { limit }), ...(used === undefined ? {} : { used }) };
}

function tokens(text: string | undefined): number | undefined {
  const value = Number(text?.replaceAll(',', ''));
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function describe({ provider, dialect, secrets }: FailureInput, { message, status }: Report): string {
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
