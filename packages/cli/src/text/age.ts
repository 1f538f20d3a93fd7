const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/**
 * How long ago something was, in its largest unit.
 *
 * @example
 * age({ now: 7_300_000, at: 0 }); // '2 h'
 */
export function age({ now, at }: { readonly now: number; readonly at: number }): string {
  const passed = Math.max(0, now - at);
  if (passed < minute) return 'now';
  if (passed < hour) return `${Math.floor(passed / minute)} min`;
  if (passed < 2 * day) return `${Math.floor(passed / hour)} h`;
  return `${Math.floor(passed / day)} d`;
}
