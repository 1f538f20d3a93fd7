import { isObject, type JsonObject } from '../../json.ts';
import type { CustomEntry, Entry, EntryType, UsageEntry } from './entry.ts';
import { draftProblems } from './schema.ts';

/** Logs of older versions have the notes of engine and agent as `custom` entries with this prefix. */
const prefix = 'longhaul:';

/** The typed form of each of them. */
const upgrades: Readonly<Record<string, (data: JsonObject) => JsonObject & { readonly type: EntryType }>> = {
  state: (state) => ({ type: 'working_state', state }),
  prompt: ({ head, ...rest }) => ({ ...rest, type: 'head_prompt', key: head }),
  tools: (data) => ({ ...data, type: 'tools_change' }),
  limit: (data) => ({ ...data, type: 'window_limit' }),
  narrative: (data) => ({ ...data, type: 'summary_job' }),
  attempts: (data) => ({ ...data, type: 'summary_job' }),
  waiting: ({ how, ...data }) => ({
    ...data,
    type: 'queued_prompt',
    how: how === 'steered' || how === 'prompt' ? how : 'queued',
  }),
  withdrawn: (data) => ({ ...data, type: 'withdrawn_prompt' }),
  partial: (data) => ({ ...data, type: 'partial_answer' }),
  'provider-compaction': (data) => ({ ...data, type: 'provider_compaction' }),
  started: (data) => ({ ...data, type: 'tool_started' }),
};

/** The kinds that an old `custom` entry may be read as. */
const upgraded: ReadonlySet<string> = new Set<EntryType>([
  'working_state',
  'head_prompt',
  'tools_change',
  'window_limit',
  'summary_job',
  'queued_prompt',
  'withdrawn_prompt',
  'partial_answer',
  'provider_compaction',
  'tool_started',
]);

/**
 * An entry in its current form: a `custom` note of an older version becomes the typed entry, a usage entry gets the current
 * name of a member. Everything else, and a note that its schema does not accept, is returned as it is. The log itself is
 * not changed.
 *
 * @example
 * const current = entries.map(upgradeEntry);
 */
export function upgradeEntry(entry: Entry): Entry {
  if (entry.type === 'usage') return upgradeUsage(entry);
  return entry.type === 'custom' && entry.customType.startsWith(prefix) ? upgradeNote(entry) : entry;
}

function upgradeUsage(entry: UsageEntry): Entry {
  const { beside: providerCompaction, ...usage }: UsageEntry['usage'] & { beside?: unknown } = entry.usage;
  if (providerCompaction === undefined) return entry;
  return { ...entry, usage: isObject(providerCompaction) ? { ...usage, providerCompaction } : usage } as UsageEntry;
}

function upgradeNote(entry: CustomEntry): Entry {
  const { type: _, customType, data, ...base } = entry;
  const upgrade = upgrades[customType.slice(prefix.length)];
  if (!upgrade || !isObject(data)) return entry;
  const draft = upgrade(data);
  return draftProblems(draft).length === 0 ? ({ ...draft, ...base, type: draft.type } as unknown as Entry) : entry;
}

/** The stored kinds to query for entries of some kinds: typed notes may be stored as `custom`. */
export function storedTypes(types: readonly string[]): readonly string[] {
  return types.includes('custom') || !types.some((type) => upgraded.has(type)) ? types : [...types, 'custom'];
}
