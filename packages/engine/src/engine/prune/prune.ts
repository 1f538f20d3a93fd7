import {
  type FileRead,
  isCut,
  outputsOf,
  pathKey,
  type SourceItem,
  type ToolOutput,
  toolKind,
} from '../../analysis/index.ts';
import { formatHandle, type PruneEntry } from '../../session/index.ts';
import { pendingInput } from '../pending-input.ts';
import { type CachePrices, paysOff } from './cache-prices.ts';

/** What could be elided. A plan: nothing is done by making it. */
export interface PrunePlan {
  /** For a prune entry; none where it is not worth it. */
  readonly targets: PruneEntry['targets'];
  /** Tokens that would go, the notices already taken off. */
  readonly freed: number;
  /** Tokens after the first change, which the provider has to read anew. */
  readonly rewritten: number;
  /** One sentence for people. */
  readonly why: string;
}

/** A notice must be worth its place. */
const smallest = 50;

/**
 * Which tool outputs to elide from what is sent. The newest 40,000 tokens of outputs stay, and nothing is done for less
 * than 20,000 (omp#2119). Reads of files and skills stay, but a read that a later one repeats goes even among the newest,
 * and one that a later edit made stale goes before anything that was not read. Results that the model has not answered
 * yet stay. The bytes stay in the log; each notice says what was there and where it is.
 *
 * @example
 * const { targets } = planPrune({ items, count });
 * if (targets.length > 0) await session.prune({ targets });
 */
export function planPrune({
  items,
  count,
  countItem = (item) => textTokens({ item, count }),
  protect = 40_000,
  minimum = 20_000,
  need,
  only,
  cache,
  root,
}: {
  /** What is sent now, with addresses. */
  readonly items: readonly SourceItem[];
  readonly count: (text: string) => number;
  readonly countItem?: (item: SourceItem) => number;
  readonly protect?: number;
  readonly minimum?: number;
  /** As soon as so many tokens would go it is enough; without it, all that may go goes. */
  readonly need?: number;
  /** Nothing goes but reads that are of no more use. */
  readonly only?: 'superseded';
  /** The cache-cost rule; without it, a cold cache. */
  readonly cache?: CachePrices;
  readonly root?: string | undefined;
}): PrunePlan {
  const outputs = outputsOf({ items });
  const superseded = supersededReads({ outputs, root });
  const pending = pendingInput({ messages: items.map(({ message }) => message) });
  const candidates = candidatesOf({ outputs, superseded, count, protect }).filter(
    ({ output }) => !pending.has(output.index),
  );
  const chosen = choose({ candidates: only ? candidates.filter((one) => one.isSuperseded) : candidates, need });
  const freed = chosen.reduce((sum, { saved }) => sum + saved, 0);
  const first = chosen.reduce((least, { output }) => Math.min(least, output.index), items.length);
  const rewritten = Math.max(0, items.slice(first).reduce((sum, item) => sum + countItem(item), 0) - freed);
  const nothing = { targets: [], freed, rewritten };
  if (chosen.length === 0) return { ...nothing, why: 'No tool output is old enough to go.' };
  if (freed < minimum) {
    return { ...nothing, why: `Only ${freed} tokens would go, and ${minimum} are the least that is worth it.` };
  }
  if (cache && !paysOff({ freed, rewritten, cache })) {
    return { ...nothing, why: `Reading ${rewritten} tokens anew would cost more than the ${freed} that would go.` };
  }
  const targets = chosen
    .toSorted((a, b) => a.output.index - b.output.index || a.output.part - b.output.part)
    .map(({ output, notice }) => ({ entry: output.item.id, part: output.part, notice }));
  return { targets, freed, rewritten, why: `${targets.length} tool outputs of ${freed} tokens go.` };
}

interface PruneCandidate {
  readonly output: ToolOutput;
  readonly notice: string;
  readonly saved: number;
  readonly isSuperseded: boolean;
}

/** Newest first. What is elided already and what may not go still fill the protected part. */
function candidatesOf({
  outputs,
  superseded,
  count,
  protect,
}: {
  readonly outputs: readonly ToolOutput[];
  readonly superseded: ReadonlyMap<ToolOutput, Superseded>;
  readonly count: (text: string) => number;
  readonly protect: number;
}): PruneCandidate[] {
  const candidates: PruneCandidate[] = [];
  let seen = 0;
  for (const output of outputs.toReversed()) {
    const isProtected = seen < protect;
    const tokens = count(output.text);
    seen += tokens;
    const why = superseded.get(output);
    if (output.isElided || tokens < smallest || !mayGo({ output, why, isProtected })) continue;
    const notice = noticeOf({ output, why, tokens });
    const saved = tokens - count(notice);
    if (saved > 0) candidates.push({ output, notice, saved, isSuperseded: why !== undefined });
  }
  return candidates;
}

function mayGo({
  output,
  why,
  isProtected,
}: {
  readonly output: ToolOutput;
  readonly why: Superseded | undefined;
  readonly isProtected: boolean;
}): boolean {
  const kind = toolKind(output.name);
  if (kind === 'skill') return false;
  if (why?.why === 'repeated') return true;
  return !isProtected && (why !== undefined || (kind !== 'read' && output.call?.args.command !== 'view'));
}

/** Superseded reads first, then the oldest outputs, until it is enough. */
function choose({
  candidates,
  need = Number.POSITIVE_INFINITY,
}: {
  readonly candidates: readonly PruneCandidate[];
  readonly need: number | undefined;
}): PruneCandidate[] {
  const oldest = candidates.toReversed();
  const order = [...oldest.filter((one) => one.isSuperseded), ...oldest.filter((one) => !one.isSuperseded)];
  let freed = 0;
  return order.filter(({ saved }) => {
    const isNeeded = freed < need;
    if (isNeeded) freed += saved;
    return isNeeded;
  });
}

function noticeOf({
  output,
  why,
  tokens,
}: {
  readonly output: ToolOutput;
  readonly why: Superseded | undefined;
  readonly tokens: number;
}): string {
  const place = `recall ${formatHandle({ entry: output.item.handle, part: output.part })} for all of it`;
  switch (why?.why) {
    case 'repeated':
      return `[${why.path} was read again at @${why.by}; ${place}]`;
    case 'stale':
      return `[${why.path} was changed at @${why.by}, after this was read; ${place}]`;
    default:
      return `[Output of ${tokens} tokens elided; ${place}]`;
  }
}

function textTokens({ item, count }: { readonly item: SourceItem; readonly count: (text: string) => number }): number {
  return item.message.parts.reduce((sum, part) => {
    if (part.type === 'text' || part.type === 'thinking') return sum + count(part.text);
    if (part.type === 'tool_call') return sum + count(part.arguments);
    if (part.type !== 'tool_result') return sum;
    return part.content.reduce((inner, one) => inner + (one.type === 'text' ? count(one.text) : 0), sum);
  }, 0);
}

/** Why a read is of no more use. */
interface Superseded {
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
function supersededReads({
  outputs,
  root,
}: {
  readonly outputs: readonly ToolOutput[];
  readonly root?: string | undefined;
}): Map<ToolOutput, Superseded> {
  const found = new Map<ToolOutput, Superseded>();
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
function onlyRead({ call }: ToolOutput): FileRead | undefined {
  if (call?.reads.length !== 1 || call.changes.length > 0) return undefined;
  return call.shell && !call.shell.effects.isLook ? undefined : call.reads[0];
}

function judge({
  read,
  output,
  later,
}: {
  readonly read: FileRead;
  readonly output: ToolOutput;
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
