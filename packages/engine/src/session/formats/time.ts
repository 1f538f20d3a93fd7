/** A time as files have it. Only dates that can be written; a log may hold any number. */
export function isoTime(at: number): string {
  return new Date(Math.abs(at) <= 8.64e15 ? at : 0).toISOString();
}
