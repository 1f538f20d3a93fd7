import { storedStrategy } from 'longhaul/engine';
import type { Json, JsonObject } from 'longhaul/message';
import {
  type CompactionEntry,
  type CustomEntry,
  type Entry,
  type EpochEntry,
  formatHandle,
  type SummaryJobEntry,
} from 'longhaul/session';
import { isRecord } from '../input/is-record.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';

/** Something that was decided about what the model is sent, as the log tells it. */
export interface Decided {
  readonly at: number;
  /** Where it stands, as `@12`. */
  readonly handle: string;
  readonly kind: string;
  /** One sentence, for people. */
  readonly what: string;
  readonly facts: JsonObject;
}

/**
 * The decisions among entries that follow one another in a log. A compaction and the epoch that puts it in force are one.
 *
 * @example
 * for await (const { handle, what } of decisionsAmong(readLog({ store, session }))) console.log(handle, what);
 */
export async function* decisionsAmong(entries: AsyncIterable<Entry> | Iterable<Entry>): AsyncGenerator<Decided> {
  let [before, entry]: (Entry | undefined)[] = [];
  for await (const after of entries) {
    if (entry) yield* told({ entry, before, after });
    [before, entry] = [entry, after];
  }
  if (entry) yield* told({ entry, before, after: undefined });
}

interface Place {
  readonly entry: Entry;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

function told(of: Place): Decided[] {
  const { at, handle } = of.entry;
  const found = decidedBy(of);
  return found ? [{ at, handle: formatHandle({ entry: handle }), ...found }] : [];
}

type Found = Pick<Decided, 'kind' | 'what' | 'facts'>;

function decidedBy({ entry, before, after }: Place): Found | undefined {
  switch (entry.type) {
    case 'compaction':
      return compacted({ entry, epoch: after?.type === 'epoch' && after.parentId === entry.id ? after : undefined });
    case 'prune': {
      const { length } = entry.targets;
      return {
        kind: 'prune',
        what: `pruned ${count({ amount: length, of: 'tool output' })}`,
        facts: { outputs: length },
      };
    }
    case 'epoch':
      // What it puts in force stands right before it, and was told.
      return before?.id === entry.parentId && effects.has(before.type) ? undefined : opened(entry);
    case 'branch_summary':
      return { kind: 'branch', what: 'summarized the branch that was left', facts: { from: entry.fromId } };
    case 'leaf':
      return {
        kind: entry.reason,
        what: entry.reason === 'move' ? 'moved in the tree' : entry.reason,
        facts: { target: entry.target },
      };
    case 'checkpoint':
      return {
        kind: 'checkpoint',
        what: `checkpoint ${entry.number}: ${entry.title}`,
        facts: { number: entry.number, title: entry.title },
      };
    case 'pin':
      return pinned(entry);
    case 'window_limit': {
      const { model, window } = entry;
      return {
        kind: 'limit',
        what: `learned that the window of ${model} is ${number(window)} tokens`,
        facts: { model, window },
      };
    }
    case 'summary_job':
      return notInstalled(entry);
    case 'custom':
      return noted(entry);
    default:
      return undefined;
  }
}

const effects: ReadonlySet<Entry['type']> = new Set(['compaction', 'prune', 'context_edit']);

function compacted({
  entry,
  epoch,
}: {
  readonly entry: CompactionEntry;
  readonly epoch: EpochEntry | undefined;
}): Found {
  const { trigger, tokensBefore, shortSummary } = entry;
  const details = objectOf(entry.details);
  const [strategy, why] = [storedStrategy(entry.details), textOf(details.why)];
  const after = numberOf(details.tokensAfter) ?? epoch?.price?.tokens;
  const { calls, dollars } = spentOn(details.attempts);
  const spent =
    calls === 0 ? '' : `, ${count({ amount: calls, of: 'call' })}${dollars === 0 ? '' : ` for $${dollars.toFixed(4)}`}`;
  const sizes = `${number(tokensBefore)}${after === undefined ? '' : ` -> ${number(after)}`} tokens${spent}`;
  const words = shortSummary ?? why;
  return {
    kind: 'compaction',
    what: `compacted (${[trigger, ...(strategy === undefined ? [] : [strategy])].join(', ')}): ${sizes}${words === undefined ? '' : `: ${words}`}`,
    facts: {
      ...{ trigger, strategy: strategy ?? null, tokensBefore, tokensAfter: after ?? null },
      ...{ why: why ?? null, short: shortSummary ?? null, calls, dollars },
    },
  };
}

/** The calls of models that it took, those in vain too. */
function spentOn(attempts: Json | undefined): { readonly calls: number; readonly dollars: number } {
  const all: readonly Json[] = Array.isArray(attempts) ? attempts : [];
  return { calls: all.length, dollars: all.reduce<number>((sum, one) => sum + (numberOf(objectOf(one).cost) ?? 0), 0) };
}

function opened({ reason, price, model }: EpochEntry): Found {
  const cost = price === undefined ? '' : `, ${number(price.tokens)} tokens to read anew`;
  const what = known[reason] ?? `what is sent changed: ${reason}`;
  const name = model && `${model.provider}/${model.name}`;
  return {
    kind: reason === 'guard' ? 'guard' : 'epoch',
    what: `${what}${cost}`,
    facts: { reason, tokens: price?.tokens ?? null, model: name ?? null },
  };
}

const known: Readonly<Record<string, string>> = {
  guard: 'cut to fit the window',
  undo: 'took back',
  redo: 'did again',
  model: 'what is sent changed: another model',
  head: 'what is sent changed: another head or other tools',
  repair: 'what is sent changed: mended for the provider',
  import: 'what is sent is as it was imported',
};

function pinned({ text, removes }: Extract<Entry, { type: 'pin' }>): Found {
  const what = removes === undefined ? `pinned: ${text ?? ''}` : 'took a pin off';
  return { kind: 'pin', what, facts: { text: text ?? null, removes: removes ?? null } };
}

/** A background summary that was not installed. Its narrative is for the next summary and is not printed. */
function notInstalled({ job, narrative, attempts = [] }: SummaryJobEntry): Found {
  if (narrative)
    return { kind: 'narrative', what: 'kept a narrative that was ready too late, for the next summary', facts: {} };
  return { kind: 'attempts', what: 'attempts', facts: { ...(job !== undefined && { job }), attempts } };
}

/** Custom notes of Longhaul itself; those of other programs are no decisions. */
function noted({ customType, data }: CustomEntry): Found | undefined {
  const [owner, kind = ''] = customType.split(':');
  if (owner !== 'longhaul') return undefined;
  const facts = objectOf(data);
  return { kind, what: [kind, textOf(facts.why)].filter((word) => word !== undefined).join(': '), facts };
}

function objectOf(value: Json | undefined): JsonObject {
  return isRecord(value) ? value : {};
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
