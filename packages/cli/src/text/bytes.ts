/**
 * A size with a binary unit.
 *
 * @example
 * bytesText(200 * 1024 * 1024); // '200 MiB'
 */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  if (unit === 0) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  return `${Number(amount.toFixed(1))} ${units[unit]}`;
}
