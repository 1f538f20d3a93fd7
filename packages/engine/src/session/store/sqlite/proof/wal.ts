/** https://www.sqlite.org/fileformat2.html#walformat */
const headerLength = 32;
const frameLength = 24 + 4096;

/** Where the frames of the current generation end, oldest first: those with the salts of the WAL's header. */
export function frameBorders(wal: Buffer): number[] {
  if (wal.length < headerLength) return [];
  const salts = wal.subarray(16, 24);
  const borders: number[] = [headerLength];
  for (let at = headerLength; at + frameLength <= wal.length; at += frameLength) {
    if (!wal.subarray(at + 8, at + 16).equals(salts)) break;
    borders.push(at + frameLength);
  }
  return borders;
}

export function saltsOf(wal: Buffer): string {
  return wal.subarray(16, 24).toString('hex');
}
