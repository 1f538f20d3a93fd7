import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { Draft, UsageEntry } from '../../session/index.ts';
import { usageNote } from '../usage.ts';
import { idOf } from './content.ts';

/**
 * What a response consumed, as the provider or OpenHands' own record of a run tells it: tokens read from the cache and
 * written to it are part of the prompt in both. `undefined` where nothing is told.
 *
 * @example
 * usageOf({ prompt_tokens: 5920, completion_tokens: 128 });
 */
export function usageOf(told: Json | undefined): Draft<UsageEntry> | undefined {
  if (!isObject(told) || typeof told.prompt_tokens !== 'number') return undefined;
  const details = isObject(told.prompt_tokens_details) ? told.prompt_tokens_details : {};
  return usageNote({
    prompt: told.prompt_tokens,
    cacheRead: told.cache_read_tokens ?? told.cache_read_input_tokens ?? details.cached_tokens,
    cacheWrite: told.cache_write_tokens ?? told.cache_creation_input_tokens,
    output: told.completion_tokens,
  });
}

/** What the record of a run says of each response. */
export function usagesOf(metrics: Json | undefined): ReadonlyMap<string, JsonObject> {
  const list = isObject(metrics) && isArray(metrics.token_usages) ? metrics.token_usages : [];
  return new Map(list.filter((usage) => isObject(usage)).map((usage) => [idOf(usage.response_id) ?? '', usage]));
}
