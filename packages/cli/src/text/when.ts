/**
 * A local time to the minute.
 *
 * @example
 * when(Date.UTC(2026, 0, 2, 3, 4)); // '2026-01-02 03:04' in London
 */
export function when(milliseconds: number): string {
  const date = new Date(milliseconds);
  const two = (amount: number) => String(amount).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
