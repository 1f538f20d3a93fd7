const written = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;

/** The last millisecond of the year 9999. Ids hold times up to there; an import takes it for the future that it is. */
const latest = 253_402_300_799_999;

/**
 * A time as agents write it: ISO 8601 (including Python's variant) or milliseconds; `undefined` if it is invalid. A time
 * without a zone is read as UTC: the zone of the original machine is unknown, and entry ids must not depend on the zone
 * of the reader.
 *
 * @example
 * readTime('2024-08-06 08:55:14'); // 1722934514000
 */
export function readTime(value: unknown): number | undefined {
  const at = typeof value === 'number' ? value : Date.parse(typeof value === 'string' ? inUtc(value) : '');
  return Number.isFinite(at) && at >= 0 ? Math.min(at, latest) : undefined;
}

function inUtc(value: string): string {
  const [, day, time, fraction = '', zone = 'Z'] = written.exec(value) ?? [];
  return `${day}T${time}${fraction.slice(0, 4)}${zone}`;
}

/** A time as files have it. Only dates that can be written; a log may hold any number. */
export function isoTime(at: number): string {
  return new Date(Math.abs(at) <= 8.64e15 ? at : 0).toISOString();
}
