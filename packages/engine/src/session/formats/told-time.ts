const written = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * A time as programs in Python write it; `undefined` where it is none. Without a zone it is read as UTC: which zone the
 * machine was in is not told, and the ids of entries must not depend on the zone of the one that reads.
 *
 * @example
 * toldTime('2024-08-06 08:55:14'); // 1722934514000
 */
export function toldTime(value: unknown): number | undefined {
  const [, day, time, fraction = '', zone = 'Z'] = typeof value === 'string' ? (written.exec(value) ?? []) : [];
  const at = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${zone}`);
  return Number.isFinite(at) && at >= 0 ? at : undefined;
}
