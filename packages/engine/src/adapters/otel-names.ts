import type { Attributes } from '@opentelemetry/api';
import type { Usage } from '../models/index.ts';

/** Input tokens including cache reads and writes, as the conventions require. */
export function usageAttributes({ input, output, cacheRead, cacheWrite }: Usage): Attributes {
  return {
    'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
  };
}

/** A name, never a sentence: some values are chosen by the user of the engine. */
export function word(text: string): string {
  return /^[a-z][a-z0-9_.-]{0,40}$/i.test(text) ? text : 'other';
}

/** The same for names of models, tools and calls, which a model may have chosen. */
export function plain(text: string): string {
  return /^[\w.:/@-]{1,80}$/.test(text) ? text : 'other';
}

export function defined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
