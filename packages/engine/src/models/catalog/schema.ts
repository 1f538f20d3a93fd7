import { z } from 'zod';
import { dialects } from '../../message/index.ts';
import type { ModelData, ModelEntry } from './entry.ts';
import { type QuirkName, quirks } from './quirks.ts';
import type { TokenFamily } from './token-family.ts';

interface ModelSchemas {
  /** One model, as users write it for `modelInfo({ extra })` and as the built-in files have it. */
  readonly entry: z.ZodType<ModelEntry>;
  /** A file of model data. Unknown members are errors: a misspelled one would otherwise be ignored for years. */
  readonly data: z.ZodType<ModelData>;
  /** The file of token families. */
  readonly families: z.ZodType<{ readonly families: readonly TokenFamily[] }>;
}

let made: ModelSchemas | undefined;

/**
 * The schemas of model data. Only entries of a user need them, so they are made on first use.
 *
 * @example
 * modelSchemas().entry.parse({ match: ['our-model'], window: 32_000, maxOutput: 4096 });
 */
export function modelSchemas(): ModelSchemas {
  made ??= makeSchemas();
  return made;
}

function makeSchemas(): ModelSchemas {
  const tokens = z.int().positive();
  const dollars = z.number().nonnegative();
  const text = z.string().min(1);
  const day = z.iso.date();
  const dialect = z.enum(dialects);
  const quirk = z.enum(Object.keys(quirks) as [QuirkName, ...QuirkName[]]);

  const rates = {
    input: dollars,
    output: dollars,
    cacheRead: dollars.exactOptional(),
    cacheWrite: dollars.exactOptional(),
    cacheWriteLong: dollars.exactOptional(),
  };

  const prices = z.strictObject({
    ...rates,
    tiers: z.array(z.strictObject({ ...rates, above: tokens })).exactOptional(),
  });

  const amount = z.number().nonnegative();
  const framing = z.strictObject({
    perMessage: amount.exactOptional(),
    anyTools: amount.exactOptional(),
    perTool: amount.exactOptional(),
    toolsFactor: amount.exactOptional(),
    callFactor: amount.exactOptional(),
    perCall: amount.exactOptional(),
    ids: z.boolean().exactOptional(),
    perSealedCharacter: amount.exactOptional(),
  });

  const tokenizer = z.strictObject({
    encoding: z.enum(['o200k_base', 'cl100k_base', 'unknown']),
    factor: z.number().positive().exactOptional(),
    margin: z.number().positive().exactOptional(),
    framing: framing.exactOptional(),
    family: text.exactOptional(),
    note: text.exactOptional(),
  });

  const capabilities = z.strictObject({
    images: z.boolean().exactOptional(),
    documents: z.boolean().exactOptional(),
    thinking: z.enum(['none', 'manual', 'adaptive']).exactOptional(),
    efforts: z.array(text).exactOptional(),
    prefill: z.boolean().exactOptional(),
    midConversationSystem: z.boolean().exactOptional(),
    signedCalls: z.boolean().exactOptional(),
  });

  const lifetime = z.strictObject({
    name: text,
    seconds: tokens,
    maxSeconds: tokens.exactOptional(),
    writeFactor: z.number().nonnegative().exactOptional(),
  });

  const how = z.enum(['explicit', 'automatic', 'both', 'none']);
  const cacheFields = {
    maxBreakpoints: z.int().nonnegative().exactOptional(),
    minTokens: tokens.exactOptional(),
    lookback: z.strictObject({ blocks: tokens.exactOptional(), breakpoints: tokens.exactOptional() }).exactOptional(),
    lifetimes: z.array(lifetime).exactOptional(),
    readFactor: z.number().nonnegative().exactOptional(),
    note: text.exactOptional(),
    source: text.exactOptional(),
    asOf: day.exactOptional(),
  };
  const entry: z.ZodType<ModelEntry> = z.strictObject({
    match: z.array(text).min(1),
    provider: text.exactOptional(),
    dialects: z.array(dialect).min(1).exactOptional(),
    window: tokens.exactOptional(),
    inputLimit: tokens.exactOptional(),
    maxOutput: tokens.exactOptional(),
    prices: prices.exactOptional(),
    tokenizer: tokenizer.exactOptional(),
    capabilities: capabilities.exactOptional(),
    quirks: z.array(quirk).exactOptional(),
    cache: z.strictObject({ how: how.exactOptional(), ...cacheFields }).exactOptional(),
    note: text.exactOptional(),
    source: text.exactOptional(),
    asOf: day.exactOptional(),
  });
  const data = z.strictObject({
    providers: z.array(
      z.strictObject({
        provider: text,
        aliases: z.array(text).exactOptional(),
        onlyWhenNamed: z.boolean().exactOptional(),
        dialects: z.array(dialect).min(1),
        tokenizer: tokenizer.exactOptional(),
        capabilities: capabilities.exactOptional(),
        quirks: z.array(quirk).exactOptional(),
        cache: z.strictObject({ how, ...cacheFields }).exactOptional(),
        note: text.exactOptional(),
        models: z.array(entry),
      }),
    ),
  });
  const sample = z.strictObject({ sessions: z.int().positive(), requests: z.int().positive() });
  const families = z.strictObject({
    families: z.array(
      z.strictObject({
        family: text,
        names: z.array(text).min(1),
        isHosted: z.boolean().exactOptional(),
        encoding: tokenizer.shape.encoding,
        factor: z.number().positive(),
        margin: z.number().positive(),
        framing: framing.exactOptional(),
        measured: z.strictObject({ learned: sample, judged: sample }).exactOptional(),
        note: text.exactOptional(),
        source: text,
        asOf: day,
      }),
    ),
  });
  return { entry, data, families };
}

/**
 * The schema of a file of model data as JSON Schema, for editors.
 *
 * @example
 * console.log(JSON.stringify(modelDataJsonSchema(), null, 2));
 */
export function modelDataJsonSchema(): object {
  return z.toJSONSchema(modelSchemas().data);
}
