import { parseJson } from '../../json.ts';

/** Headers as `fetch`, Node or an SDK hold them. */
export type HeaderSource =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** What is known of a failed call, read from whatever an SDK or a server handed over. */
export interface ErrorReport {
  readonly status: number | undefined;
  /** What the provider says to people. */
  readonly message: string;
  /** All that was said, the codes included; each is matched on its own because some wordings count only at the start. */
  readonly texts: readonly string[];
  readonly header: (name: string) => string | undefined;
}

/** Longer texts are cut: patterns need not run over a page of HTML. */
const maxText = 8000;

/** What SDKs and `fetch` say of every broken connection; the cause says which (`connect ECONNREFUSED 127.0.0.1:11434`). */
const saysNothing = /^\s*(?:connection error\.?|fetch failed|terminated)\s*$/i;

export function readReport(input: {
  readonly status?: number | undefined;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly error?: unknown;
}): ErrorReport {
  const errors = chain(input.error);
  const bodies = [input.body, ...errors.flatMap(bodiesOf)].filter(isBody);
  const said = [...bodies.flatMap(messagesOf), ...errors.flatMap(wordsOf)].filter((text) => text.trim() !== '');
  const spoken = said.map((text) => text.slice(0, maxText));
  const stated = [input.status, firstStatus(errors), ...bodies.map(statusOfBody)].find(isStatus);
  const status = stated ?? spoken.map(statusIn).find(isStatus);
  const message = unwrap(titleOf(said.find((text) => !saysNothing.test(text)) ?? said[0] ?? ''));
  const texts = [...spoken, ...bodies.map(asText), ...errors.flatMap(codesOf)].map((text) => text.slice(0, maxText));
  // One form for «413 …» whether an SDK wrote the status into its message or it came apart.
  if (status !== undefined)
    texts.push(message === '' ? `${status} (no body)` : `${status} ${message}`.slice(0, maxText));
  return { status, message, texts, header: readerOf(input.headers, errors) };
}

/** A property of anything, or `undefined`. Errors can be proxies, getters can throw; a classifier must not. */
export function member(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

const bodyKeys = ['body', 'responseBody', 'error', 'data', 'response'];

/** Axios keeps the body in `response.data`, next to a request that cannot be serialized. */
function bodiesOf(error: unknown): unknown[] {
  return [...bodyKeys.map((key) => member(error, key)), member(member(error, 'response'), 'data')];
}

function isBody(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() !== '') || (isPlain(value) && asText(value).length > 2);
}

/** Class instances under such names are streams and responses, not answers. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null || Array.isArray(value);
  } catch {
    return false;
  }
}

function chain(error: unknown): unknown[] {
  const errors: unknown[] = [];
  for (let current = error; current !== undefined && current !== null && errors.length < 4; ) {
    errors.push(current);
    current = innerError(current);
  }
  return errors;
}

/** The underlying error: its cause, or the last of the attempts in the AI SDK's `RetryError`. */
export function innerError(error: unknown): unknown {
  return member(error, 'cause') ?? member(error, 'lastError');
}

/** `error.message`, `message`, OpenAI's `response.error.message`, a list with one error in it (Vertex). */
function messagesOf(body: unknown): string[] {
  const value = typeof body === 'string' ? parseJson(body) : body;
  const outer = Array.isArray(value) ? value[0] : value;
  const inner = member(outer, 'error') ?? member(member(outer, 'response'), 'error') ?? outer;
  const found = [member(inner, 'message'), member(outer, 'message'), member(outer, 'detail'), inner];
  const text = found.find((candidate) => typeof candidate === 'string');
  if (typeof text === 'string') return [text];
  return typeof body === 'string' ? [titleOf(body)] : [];
}

/** SDKs put the body into their message, some with the status before it, Google's one inside another. */
function unwrap(text: string): string {
  let current = text;
  for (let depth = 0; depth < 3; depth += 1) {
    const start = /^\s*(?:\d{3}\s+)?(?=[{[])/.exec(current)?.[0];
    const inner = start === undefined ? undefined : messagesOf(parseJson(current.slice(start.length)))[0];
    if (inner === undefined) return current;
    current = inner;
  }
  return current;
}

/** Of a page only the title is for people; SDKs put the status before it. */
function titleOf(text: string): string {
  return /^\s*(?:\d{3}\s+)?<(?:!doctype|html)/i.test(text)
    ? (/<title[^>]*>([^<]{1,200})/i.exec(text)?.[1] ?? 'an HTML page')
    : text;
}

function wordsOf(error: unknown): string[] {
  if (typeof error === 'string') return [error];
  const message = member(error, 'message');
  return typeof message === 'string' ? [message] : [];
}

function codesOf(error: unknown): string[] {
  return ['name', 'code', 'type', 'errno', 'finish_reason']
    .map((key) => member(error, key))
    .filter((value) => typeof value === 'string');
}

function asText(body: unknown): string {
  if (typeof body === 'string') return body;
  try {
    return JSON.stringify(body) ?? '';
  } catch {
    return '';
  }
}

function firstStatus(errors: readonly unknown[]): number | undefined {
  for (const error of errors) {
    const nested = [member(member(error, '$metadata'), 'httpStatusCode'), member(member(error, 'response'), 'status')];
    const found = [member(error, 'status'), member(error, 'statusCode'), ...nested].find(isStatus);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Google repeats the status as `error.code`. */
function statusOfBody(body: unknown): unknown {
  const value = typeof body === 'string' ? parseJson(body) : body;
  return member(member(Array.isArray(value) ? value[0] : value, 'error'), 'code');
}

function readerOf(headers: unknown, errors: readonly unknown[]): (name: string) => string | undefined {
  const sources = [headers, ...errors.flatMap(headersOf)];
  return (name) => sources.map((source) => readHeader(source, name)).find((value) => value !== undefined);
}

function headersOf(error: unknown): unknown[] {
  return [member(error, 'headers'), member(error, 'responseHeaders'), member(member(error, 'response'), 'headers')];
}

function readHeader(source: unknown, name: string): string | undefined {
  try {
    const get = member(source, 'get');
    const value: unknown = typeof get === 'function' ? get.call(source, name) : ownHeader(source, name);
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return typeof first === 'string' ? first : undefined;
  } catch {
    return undefined;
  }
}

function ownHeader(source: unknown, name: string): unknown {
  if (typeof source !== 'object' || source === null) return undefined;
  return member(source, Object.keys(source).find((key) => key.toLowerCase() === name) ?? name);
}

/**
 * A status code in a text: at the start, after a word like «status», or before its own name.
 * Numbers in ids, sizes and token counts are none.
 */
export function statusIn(text: string): number | undefined {
  const found = statusForms.map((form) => form.exec(text)?.[1]).find((code) => code !== undefined);
  return found === undefined ? undefined : Number(found);
}

const code = '([45]\\d\\d)(?![\\w-]|[.,]\\d|\\s{0,3}(?:bytes|tokens|characters|chars|ms|s|[kmg]i?b)\\b)';
const statusForms: readonly RegExp[] = [
  new RegExp(`^\\s*${code}`, 'i'),
  new RegExp(
    `\\b(?:status(?: ?code)?|http(?:/[\\d.]+)?|error(?: code)?|statuscode)["']?\\s{0,3}[:=]?\\s{0,3}\\(?${code}`,
    'i',
  ),
  /(?<![\w.-])([45]\d\d) (?:bad request|unauthorized|payment required|forbidden|not found|request timeout|conflict|payload too large|content too large|request entity too large|unprocessable|too many requests|internal server error|bad gateway|service unavailable|gateway time-?out)/i,
];

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599;
}
