import type { Command } from 'commander';
import { storedStrategy } from 'longhaul/engine';
import type { Json, JsonObject } from 'longhaul/message';
import {
  type CompactionEntry,
  type CustomEntry,
  type Entry,
  type EpochEntry,
  formatHandle,
  type SessionId,
  type Store,
  type SummaryJobEntry,
} from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import { isRecord } from '../input/is-record.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import { readLog } from '../session/read-log.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withReadOnlyStore } from '../store/with-store.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import { printable } from '../text/printable.ts';
import { when } from '../text/when.ts';

interface WatchOptions {
  readonly all?: true;
}

/** Milliseconds between two reads of the log. */
const pause = 400;

/** `longhaul watch SESSION`. */
export function addWatchCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('watch')
    .description(
      'Follows the log of a session while another process works on it and prints one line for each change of the context: compactions, prunes, cuts, learned limits, moves, pins. Read-only; Ctrl-C stops it.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', sessionArgument)
    .option('--all', 'start with earlier decisions');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul watch last', 'in a second terminal while the agent works'],
        ['longhaul watch last --all', 'from the beginning of the session'],
        ['longhaul watch last --json | jq .kind', 'one JSON object per line'],
      ],
    })}`,
  );
  bind<WatchOptions>({ command, action: watch });
}

const watch: CommandAction<WatchOptions> = async (invocation) => {
  const { io, args, options, json, paint } = invocation;
  const [wanted = ''] = args;
  return await withReadOnlyStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted });
      const { last } = await store.head(header.id);
      if (!json) {
        const text = `watching ${header.id} from @${options.all ? 1 : last + 1} on; Ctrl-C stops it`;
        await io.stderr.write(`${paint('stderr').faint(text)}\n`);
      }
      const from = options.all ? 1 : last + 1;
      await abortOnInterrupt({ io, work: (signal) => follow({ invocation, store, session: header.id, from, signal }) });
      return 0;
    },
  });
};

/** Reads new entries, prints decisions and waits, until interrupted. */
async function follow({
  invocation,
  store,
  session,
  from,
  signal,
}: {
  readonly invocation: Invocation;
  readonly store: Store;
  readonly session: SessionId;
  readonly from: number;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { io } = invocation;
  for (let next = from; !signal.aborted; ) {
    const { last } = await store.head(session);
    const entries = readLog({ store, session, from: next, to: last });
    for await (const decided of decisionsAmong(entries)) {
      if (signal.aborted) return;
      await io.stdout.write(`${lineOf({ invocation, decided })}\n`);
    }
    next = Math.max(next, last + 1);
    await io.sleep({ ms: pause, signal });
  }
}

function lineOf({
  invocation: { io, json, paint },
  decided,
}: {
  readonly invocation: Invocation;
  readonly decided: Decision;
}): string {
  const { at, handle, kind, what, facts } = decided;
  if (json) return JSON.stringify({ at: new Date(at).toISOString(), handle, kind, what, ...facts });
  const { strong, faint } = paint('stdout');
  const place = `${when(at)}  ${handle}`;
  const room = Math.max(20, io.stdout.columns - place.length - 2);
  const text = clip({ text: printable(what), length: room });
  return `${faint(place)}  ${kind === 'compaction' || kind === 'guard' ? strong(text) : text}`;
}

/** A decision about the context, as recorded in the log. */
interface Decision {
  readonly at: number;
  /** The handle of its entry, e.g. `@12`. */
  readonly handle: string;
  readonly kind: string;
  /** One sentence. */
  readonly what: string;
  readonly facts: JsonObject;
}

/**
 * The decisions among consecutive log entries. A compaction and the epoch that installs it are one decision.
 *
 * @example
 * for await (const { handle, what } of decisionsAmong(readLog({ store, session }))) console.log(handle, what);
 */
export async function* decisionsAmong(entries: AsyncIterable<Entry> | Iterable<Entry>): AsyncGenerator<Decision> {
  let [before, entry]: (Entry | undefined)[] = [];
  for await (const after of entries) {
    if (entry) yield* decisionsOf({ entry, before, after });
    [before, entry] = [entry, after];
  }
  if (entry) yield* decisionsOf({ entry, before, after: undefined });
}

interface EntryWithNeighbors {
  readonly entry: Entry;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

function decisionsOf(of: EntryWithNeighbors): Decision[] {
  const { at, handle } = of.entry;
  const found = decisionOf(of);
  return found ? [{ at, handle: formatHandle({ entry: handle }), ...found }] : [];
}

type DecisionFacts = Pick<Decision, 'kind' | 'what' | 'facts'>;

function decisionOf({ entry, before, after }: EntryWithNeighbors): DecisionFacts | undefined {
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
      // The entry it installs precedes it and has been reported.
      return before?.id === entry.parentId && effects.has(before.type) ? undefined : opened(entry);
    case 'branch_summary':
      return { kind: 'branch', what: 'summarized the abandoned branch', facts: { from: entry.fromId } };
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
}): DecisionFacts {
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
      trigger,
      strategy: strategy ?? null,
      tokensBefore,
      tokensAfter: after ?? null,
      why: why ?? null,
      short: shortSummary ?? null,
      calls,
      dollars,
    },
  };
}

/** The model calls it took, including failed ones. */
function spentOn(attempts: Json | undefined): { readonly calls: number; readonly dollars: number } {
  const all: readonly Json[] = Array.isArray(attempts) ? attempts : [];
  return { calls: all.length, dollars: all.reduce<number>((sum, one) => sum + (numberOf(objectOf(one).cost) ?? 0), 0) };
}

function opened({ reason, price, model }: EpochEntry): DecisionFacts {
  const cost = price === undefined ? '' : `, ${number(price.tokens)} tokens no longer cached`;
  const what = known[reason] ?? `the context changed: ${reason}`;
  const name = model && `${model.provider}/${model.name}`;
  return {
    kind: reason === 'guard' ? 'guard' : 'epoch',
    what: `${what}${cost}`,
    facts: { reason, tokens: price?.tokens ?? null, model: name ?? null },
  };
}

const known: Readonly<Record<string, string>> = {
  guard: 'cut to fit the window',
  undo: 'undone',
  redo: 'redone',
  model: 'the context changed: another model',
  head: 'the context changed: another head or other tools',
  repair: 'the context changed: repaired for the provider',
  import: 'the context as imported',
};

function pinned({ text, removes }: Extract<Entry, { type: 'pin' }>): DecisionFacts {
  const what = removes === undefined ? `pinned: ${text ?? ''}` : 'pin removed';
  return { kind: 'pin', what, facts: { text: text ?? null, removes: removes ?? null } };
}

/** A background summary that was not installed. Its narrative is for the next summary and is not printed. */
function notInstalled({ job, narrative, attempts = [] }: SummaryJobEntry): DecisionFacts {
  if (narrative) return { kind: 'narrative', what: 'kept a late model summary for the next compaction', facts: {} };
  return { kind: 'attempts', what: 'attempts', facts: { ...(job !== undefined && { job }), attempts } };
}

/** Custom notes of Longhaul itself; those of other programs are not decisions. */
function noted({ customType, data }: CustomEntry): DecisionFacts | undefined {
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
