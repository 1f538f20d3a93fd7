const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * How long ago something was, in one word and a number.
 *
 * @example
 * age(3 * 3_600_000); // '3 h'
 */
export function age(milliseconds: number): string {
  if (milliseconds < minute) return 'now';
  if (milliseconds < hour) return `${Math.floor(milliseconds / minute)} min`;
  if (milliseconds < day) return `${Math.floor(milliseconds / hour)} h`;
  const days = Math.floor(milliseconds / day);
  return `${days} ${days === 1 ? 'day' : 'days'}`;
}
