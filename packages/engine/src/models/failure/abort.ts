import { innerError, member } from './report.ts';

const names = ['AbortError', 'APIUserAbortError', 'RequestAbortedError', 'ResponseAborted'];
const codes = ['ABORT_ERR', 'UND_ERR_ABORTED'];
/** OpenAI's SDK leaves the name at `Error`, and a bundler may shorten the class's own. */
const openai = 'Request was aborted.';

/**
 * Whether an error says that the caller gave up. That is no failure: a stream ends with reason `aborted`. A timeout is
 * one (`AbortSignal.timeout` throws a `TimeoutError`).
 *
 * @example
 * if (isAbort(error)) yield { type: 'end', reason: 'aborted', message };
 */
export function isAbort(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < 4 && current !== undefined && current !== null; depth += 1) {
    const [name, code] = [member(current, 'name'), member(current, 'code')];
    if (name === 'TimeoutError') return false;
    if (names.some((known) => known === name) || codes.some((known) => known === code)) return true;
    if (member(current, 'message') === openai) return true;
    current = innerError(current);
  }
  return false;
}
