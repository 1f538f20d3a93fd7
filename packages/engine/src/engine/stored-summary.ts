import { isObject, type Json } from '../json.ts';
import type { Attempt } from '../summarize/index.ts';

/** Logs call the strategy of a summary and of its attempts `rung`. Logs written by older versions must stay readable. */
const storedName = 'rung';

/**
 * The details of a summary as the log stores them: absent members left out, `strategy` under its stored name.
 *
 * @example
 * storedDetails({ strategy: 'fork', title: undefined }); // { rung: 'fork' }
 */
export function storedDetails(
  details: Readonly<Record<string, unknown>> & {
    readonly strategy: string;
    readonly attempts?: readonly Attempt[] | undefined;
  },
): Json {
  const attempts = details.attempts && storedAttempts(details.attempts);
  const present = Object.entries({ ...details, attempts }).filter(([, value]) => value !== undefined);
  return renamed(Object.fromEntries(present)) as Json;
}

/** The attempts at a summary as the log stores them. */
export function storedAttempts(attempts: readonly Attempt[]): object[] {
  return attempts.map(renamed);
}

/**
 * The strategy that made a stored summary, if its details name one.
 *
 * @example
 * storedStrategy({ rung: 'extractive' }); // 'extractive'
 */
export function storedStrategy(details: Json | undefined): string | undefined {
  const strategy = isObject(details) ? details[storedName] : undefined;
  return typeof strategy === 'string' ? strategy : undefined;
}

function renamed(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name === 'strategy' ? storedName : name, value]),
  );
}
