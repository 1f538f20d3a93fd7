import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { ContentPart, Origin, ToolCallPart } from '../../message/index.ts';
import type { Draft, UsageEntry } from '../../session/index.ts';
import { chatParts } from '../content-parts.ts';
import { usageNote } from '../usage.ts';

/** Texts and images as OpenHands writes them: like OpenAI's chat, but with several images in one block. */
export function contentParts({
  content,
  origin,
}: {
  readonly content: Json | undefined;
  readonly origin: Origin;
}): ContentPart[] {
  if (!isArray(content)) return chatParts({ content, origin });
  const blocks = content.flatMap((block) => {
    if (!isObject(block) || block.type !== 'image') return [block];
    return imageBlocks(block.image_urls);
  });
  return chatParts({ content: blocks, origin });
}

/** Images that accompany a text. */
export function imageParts({ urls, origin }: { readonly urls: Json | undefined; readonly origin: Origin }) {
  return chatParts({ content: imageBlocks(urls), origin });
}

function imageBlocks(urls: Json | undefined): Json[] {
  const list = isArray(urls) ? urls : [];
  return list.flatMap((url) =>
    typeof url === 'string' && url !== '' ? [{ type: 'image_url', image_url: { url } }] : [],
  );
}

/** A call of the model. Its arguments are kept as the model wrote them where they were recorded so. */
export function callPart({
  id,
  name,
  input,
}: {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}): ToolCallPart {
  const written = typeof input === 'string' ? input : JSON.stringify(input);
  return { type: 'tool_call', origin: 'model', id, name, arguments: written };
}

/** The text of a member that should be one; empty where it is none. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** An id, which older versions count and newer ones make up. */
export function idOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/**
 * The output of a command as the model was shown it: between what the shell's record adds before and after. The record
 * is the same in all versions.
 *
 * @example
 * framed({ content, metadata: event.extras.metadata });
 */
export function framed({
  content,
  metadata,
}: {
  readonly content: readonly ContentPart[];
  readonly metadata: Json | undefined;
}): readonly ContentPart[] {
  if (!isObject(metadata)) return content;
  const { prefix, suffix, working_dir: folder, py_interpreter_path: python, exit_code: code } = metadata;
  const after = [
    isText(suffix) ? suffix : '',
    isText(folder) ? `\n[Current working directory: ${folder}]` : '',
    isText(python) ? `\n[Python interpreter: ${python}]` : '',
    // -1 means that the command is still running.
    typeof code === 'number' && code !== -1 ? `\n[Command finished with exit code ${code}]` : '',
  ];
  return [...added(isText(prefix) ? prefix : ''), ...content, ...added(after.join(''))];
}

function added(text: string): ContentPart[] {
  return text === '' ? [] : [{ type: 'text', origin: 'engine', text }];
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * Usage of a response, as reported by the provider or by OpenHands' metrics: in both, tokens read from and written to
 * the cache are part of the prompt. `undefined` if there is none.
 *
 * @example
 * usageOf({ prompt_tokens: 5920, completion_tokens: 128 });
 */
export function usageOf(reported: Json | undefined): Draft<UsageEntry> | undefined {
  if (!isObject(reported) || typeof reported.prompt_tokens !== 'number') return undefined;
  const details = isObject(reported.prompt_tokens_details) ? reported.prompt_tokens_details : {};
  return usageNote({
    prompt: reported.prompt_tokens,
    cacheRead: reported.cache_read_tokens ?? reported.cache_read_input_tokens ?? details.cached_tokens,
    cacheWrite: reported.cache_write_tokens ?? reported.cache_creation_input_tokens,
    output: reported.completion_tokens,
  });
}

/** What the record of a run says of each response. */
export function usagesOf(metrics: Json | undefined): ReadonlyMap<string, JsonObject> {
  const list = isObject(metrics) && isArray(metrics.token_usages) ? metrics.token_usages : [];
  return new Map(list.filter((usage) => isObject(usage)).map((usage) => [idOf(usage.response_id) ?? '', usage]));
}
