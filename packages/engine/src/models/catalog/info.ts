import { z } from 'zod';
import { LonghaulError } from '../../errors.ts';
import type { Dialect } from '../../message/index.ts';
import { builtinProviders } from './builtin.ts';
import type { CacheRules, Capabilities, ModelEntry, Prices, ProviderEntry, TokenizerSpec } from './entry.ts';
import { fit, namesOf, windowIn } from './match.ts';
import type { QuirkName } from './quirks.ts';
import { modelSchemas } from './schema.ts';
import { tokenFamilyOf } from './token-family.ts';

/** What the engine needs to know of a model. */
export interface ModelInfo {
  readonly name: string;
  readonly provider?: string;
  /** Whether figures for this model were found; if not, window and output limit are guesses. */
  readonly known: boolean;
  /** What to be careful about, for people. */
  readonly note?: string;
  /** The first is the one to speak where there is a choice. */
  readonly dialects: readonly Dialect[];
  readonly window: number;
  readonly inputLimit?: number;
  readonly maxOutput: number;
  readonly prices?: Prices;
  readonly tokenizer: TokenizerSpec;
  /** What is not known to be there counts as absent. */
  readonly capabilities: Capabilities;
  readonly quirks: readonly QuirkName[];
  readonly cache: CacheRules;
  readonly source?: string;
  readonly asOf?: string;
}

/** Copilot CLI's guess for a model it does not know, and an answer every model can give. */
const guess = { window: 128_000, maxOutput: 4096 };

const nothing: Capabilities = {
  images: false,
  documents: false,
  thinking: 'none',
  efforts: [],
  prefill: false,
  midConversationSystem: false,
  signedCalls: false,
};

/**
 * What is known of a model. The user's `extra` entries come first, field by field, then the built-in ones; among several
 * that fit, the longest name wins. It throws a `LonghaulError` only for `extra` that is not valid.
 *
 * @example
 * modelInfo({ provider: 'anthropic', name: 'claude-opus-5' }).window; // 1000000
 * modelInfo({ name: 'our-model', extra: [{ match: ['our-model'], window: 32_000 }] }).window; // 32000
 */
export function modelInfo({
  provider,
  name,
  extra,
}: {
  readonly provider?: string;
  readonly name: string;
  readonly extra?: readonly ModelEntry[];
}): ModelInfo {
  const names = namesOf(name);
  const own = extra === undefined ? undefined : best(readExtra({ value: extra }).filter(forProvider(provider)), names);
  const found = findBuiltin({ provider, names });
  const layers: readonly Layer[] = [found?.from, found?.entry, own].filter((layer) => layer !== undefined);
  const last = <K extends keyof Layer>(key: K): Layer[K] | undefined =>
    layers.findLast((layer) => layer[key] !== undefined)?.[key];
  const known = last('window') !== undefined;
  // The name says what is asked for, the tables what is usual; the user's own figure outweighs both.
  const marked = own?.window === undefined ? windowIn(name) : undefined;
  const window = marked ?? last('window') ?? guess.window;
  const inputLimit = marked === undefined ? last('inputLimit') : own?.inputLimit;
  return defined({
    name,
    provider: provider ?? found?.from.provider,
    known,
    note: notes({ known, own, found, provider, maxOutput: last('maxOutput'), marked, usual: last('window') }),
    dialects: last('dialects') ?? ['openai-chat'],
    window,
    // A smaller window from `extra` shrinks the other limits with it.
    inputLimit: inputLimit === undefined ? undefined : Math.min(inputLimit, window),
    maxOutput: Math.min(last('maxOutput') ?? guess.maxOutput, window),
    prices: last('prices'),
    tokenizer: own?.tokenizer ?? tokenizerOf({ provider, name }) ?? last('tokenizer') ?? { encoding: 'unknown' },
    capabilities: Object.assign({}, nothing, ...layers.map((layer) => layer.capabilities)) as Capabilities,
    quirks: [...new Set(layers.flatMap((layer) => layer.quirks ?? []))],
    cache: Object.assign({ how: 'none' }, ...layers.map((layer) => layer.cache)) as CacheRules,
    source: last('source'),
    asOf: last('asOf'),
  });
}

/** By its family: a provider may serve models with other vocabularies than its own. */
function tokenizerOf(of: { readonly provider: string | undefined; readonly name: string }): TokenizerSpec | undefined {
  const found = tokenFamilyOf(of);
  if (!found) return undefined;
  const { encoding, factor, margin, framing, family, note } = found;
  return { encoding, factor, margin, ...(framing && { framing }), family, ...(note !== undefined && { note }) };
}

type Layer = Omit<ModelEntry, 'match' | 'provider'>;

interface CatalogMatch {
  /** Whose rules hold. */
  readonly from: ProviderEntry;
  /** Whose figures these are. */
  readonly maker: ProviderEntry;
  /** Absent where the provider is known and the model is not. */
  readonly entry?: ModelEntry;
}

function findBuiltin({
  provider,
  names,
}: {
  readonly provider: string | undefined;
  readonly names: readonly string[];
}): CatalogMatch | undefined {
  const asked = provider?.toLowerCase();
  const named = builtinProviders.find(
    (from) => from.provider === asked || from.aliases?.some((alias) => alias === asked),
  );
  const makers = builtinProviders.filter((from) => from.onlyWhenNamed !== true);
  const found = (named && search([named], names)) ?? search(makers, names);
  if (found === undefined) return named && { from: named, maker: named };
  // A host has its own dialect and rules, independent of the model's maker.
  return named?.onlyWhenNamed === true ? { ...found, from: named } : found;
}

function search(providers: readonly ProviderEntry[], names: readonly string[]): CatalogMatch | undefined {
  const fitting = providers.flatMap((from) => {
    const entry = best(from.models, names);
    return entry === undefined ? [] : [{ from, maker: from, entry, weight: fit({ entry, names }) ?? 0 }];
  });
  return fitting.toSorted((a, b) => b.weight - a.weight)[0];
}

function best(entries: readonly ModelEntry[], names: readonly string[]): ModelEntry | undefined {
  let winner: { readonly entry: ModelEntry; readonly weight: number } | undefined;
  for (const entry of entries) {
    const weight = fit({ entry, names });
    if (weight !== undefined && (winner === undefined || weight > winner.weight)) winner = { entry, weight };
  }
  return winner?.entry;
}

function forProvider(provider: string | undefined): (entry: ModelEntry) => boolean {
  return (entry) => entry.provider === undefined || entry.provider.toLowerCase() === provider?.toLowerCase();
}

function notes({
  known,
  own,
  found,
  provider,
  maxOutput,
  marked,
  usual,
}: {
  readonly known: boolean;
  readonly own: ModelEntry | undefined;
  readonly found: CatalogMatch | undefined;
  readonly provider: string | undefined;
  readonly maxOutput: number | undefined;
  /** The window that the name asks for, and the one in the tables. */
  readonly marked: number | undefined;
  readonly usual: number | undefined;
}): string | undefined {
  const said = [found?.from.note, found?.entry?.note, own?.note].filter((note) => note !== undefined);
  if (marked !== undefined && marked !== usual)
    said.push(`The name asks for a window of ${marked} tokens; the provider must have it turned on.`);
  if (!known)
    said.push(
      `No figures for this model: a window of ${marked ?? guess.window} tokens is assumed. Add it with \`extra\`.`,
    );
  else if (maxOutput === undefined) said.push(`No output limit is known: ${guess.maxOutput} tokens are assumed.`);
  const host = provider?.toLowerCase();
  const foreign = host !== undefined && found?.entry !== undefined && own === undefined;
  if (foreign && host !== found.maker.provider && !found.maker.aliases?.includes(host)) {
    said.push(`The figures are those of ${found.maker.provider}; ${provider} may differ.`);
  }
  return said.length === 0 ? undefined : said.join(' ');
}

/** Without the members that are `undefined`. */
function defined(info: { readonly [K in keyof ModelInfo]: ModelInfo[K] | undefined }): ModelInfo {
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined)) as unknown as ModelInfo;
}

/** Entries from a user. They come from files and flags, so their type is a claim until it is checked. */
function readExtra({ value }: { readonly value: unknown }): readonly ModelEntry[] {
  const result = z.array(modelSchemas().entry).safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = ['extra', ...(issue?.path ?? [])].reduce<string>(join, '');
  throw new LonghaulError({
    code: 'invalid-model-data',
    message: `${path} is not valid model data: ${issue?.message ?? 'it does not fit the schema'}.`,
    hint: fixOf({ issue, path }),
    cause: result.error,
  });
}

function join(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? String(key) : `${path}.${String(key)}`;
}

function fixOf({ issue, path }: { readonly issue: z.core.$ZodIssue | undefined; readonly path: string }): string {
  if (issue?.code === 'unrecognized_keys') {
    return `Remove ${issue.keys.map((key) => `\`${key}\``).join(', ')} from ${path}, or correct the spelling; docs/models.md lists the members.`;
  }
  if (issue?.code === 'invalid_value') return `Set ${path} to one of: ${issue.values.map(String).join(', ')}.`;
  if (issue?.code === 'invalid_type')
    return `Set ${path} to ${article(issue.expected)}; docs/models.md has an example.`;
  return `Correct ${path}; docs/models.md has an example.`;
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
