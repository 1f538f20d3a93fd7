import { type FileRead, isCut, type Output, pathKey } from '../../analysis/index.ts';

/** Why a read is of no more use. */
export interface Superseded {
  /** `stale`: the file was changed since. `repeated`: the same lines were read again. */
  readonly why: 'stale' | 'repeated';
  readonly path: string;
  /** The entry that did it. */
  readonly by: number;
}

/** What is known of a file from later on. */
interface Later {
  /** The newest change; what was read before it is stale. */
  changed?: number;
  /** A later read of all of it. */
  whole?: number;
  readonly ranges: { readonly from: number; readonly to: number; readonly by: number }[];
}

/** Beyond this, one more range of lines is not worth comparing. */
const mostRanges = 50;

/**
 * The reads that a later edit made stale or a later read repeats, newest to oldest in one pass. An edit that failed makes
 * nothing stale, and a read of some lines repeats only reads of those lines; a read that failed is repeated by any that
 * did not.
 */
export function supersededReads({
  outputs,
  root,
}: {
  readonly outputs: readonly Output[];
  readonly root?: string | undefined;
}): Map<Output, Superseded> {
  const found = new Map<Output, Superseded>();
  const files = new Map<string, Later>();
  for (const output of outputs.toReversed()) {
    const { call, outcome, item } = output;
    if (!call) continue;
    const read = onlyRead(output);
    const superseded = read && judge({ read, output, later: files.get(pathKey({ path: read.path, root })) });
    if (superseded) found.set(output, superseded);
    if (outcome.state !== 'ok') continue;
    for (const { path } of call.changes) laterOf(path).changed ??= item.handle;
    // What was elided or cut out repeats nothing.
    const isShown = !output.isElided && !isCut(output.text);
    if (read && isShown) note({ later: laterOf(read.path), read, by: item.handle });
  }
  return found;

  function laterOf(path: string): Later {
    const key = pathKey({ path, root });
    const known = files.get(key) ?? { ranges: [] };
    files.set(key, known);
    return known;
  }
}

/** The file that an output shows, where it shows nothing else. */
function onlyRead({ call }: Output): FileRead | undefined {
  if (call?.reads.length !== 1 || call.changes.length > 0) return undefined;
  return call.shell && !call.shell.effects.isLook ? undefined : call.reads[0];
}

function judge({
  read,
  output,
  later,
}: {
  readonly read: FileRead;
  readonly output: Output;
  readonly later: Later | undefined;
}): Superseded | undefined {
  if (!later || output.isElided) return undefined;
  const { path, lines } = read;
  const isFailed = output.outcome.state === 'failed';
  const range = later.ranges.find((range) => isFailed || isWithin({ lines, range }));
  const by = later.whole ?? range?.by;
  if (by !== undefined) return { why: 'repeated', path, by };
  return later.changed === undefined || isFailed ? undefined : { why: 'stale', path, by: later.changed };
}

function isWithin({
  lines,
  range,
}: {
  readonly lines: FileRead['lines'];
  readonly range: { readonly from: number; readonly to: number };
}): boolean {
  return typeof lines === 'object' && range.from <= lines.from && range.to >= lines.to;
}

function note({ later, read, by }: { readonly later: Later; readonly read: FileRead; readonly by: number }): void {
  if (!read.lines) later.whole ??= by;
  else if (read.lines !== 'some' && later.ranges.length < mostRanges) later.ranges.push({ ...read.lines, by });
}
