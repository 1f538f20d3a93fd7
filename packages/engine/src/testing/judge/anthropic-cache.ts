import { invalid } from './anthropic-error.ts';
import { isArray, isObject, type Json } from './json.ts';
import type { Finding } from './verdict.ts';

interface Marker {
  block: Json;
  control: unknown;
  path: string;
  name: string;
}

/** Cache breakpoints: four at most, none on empty text, one-hour ones before five-minute ones. */
export function judgeCacheControl(body: Json): Finding {
  const markers = [...markersOf(body)];
  let short = false;
  for (const { block, control, path, name } of markers) {
    if (!isObject(control) || control.type !== 'ephemeral')
      return invalid({
        path,
        message: `${name}.cache_control: Input tag '${isObject(control) ? String(control.type) : ''}' found using 'type' does not match any of the expected tags: 'ephemeral'`,
      });
    if (control.ttl !== undefined && control.ttl !== '5m' && control.ttl !== '1h')
      return invalid({ path, message: `${name}.cache_control.ephemeral.ttl: Input should be '5m' or '1h'` });
    if (block.type === 'text' && block.text === '')
      return invalid({ path, message: `${name}: cache_control cannot be set for empty text blocks` });
    if (control.ttl === '1h' && short)
      return invalid({
        path,
        message: `${name}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
      });
    short ||= control.ttl !== '1h';
  }
  // The top-level marker "automatically applies a cache_control marker to the last cacheable block", so it takes a place.
  const found = markers.length + (body.cache_control == null ? 0 : 1);
  if (found > 4)
    return invalid({ path: '', message: `A maximum of 4 blocks with cache_control may be provided. Found ${found}.` });
  return undefined;
}

function* markersOf(body: Json): Generator<Marker> {
  yield* markersIn({ blocks: body.tools, path: 'tools', name: 'tools' });
  yield* markersIn({ blocks: body.system, path: 'system', name: 'system' });
  if (!isArray(body.messages)) return;
  for (const [at, message] of body.messages.entries()) {
    if (!isObject(message)) continue;
    yield* markersIn({ blocks: message.content, path: `messages[${at}].content`, name: `messages.${at}.content` });
  }
}

function* markersIn({ blocks, path, name }: { blocks: unknown; path: string; name: string }): Generator<Marker> {
  if (!isArray(blocks)) return;
  for (const [at, block] of blocks.entries()) {
    if (!isObject(block)) continue;
    const here = { path: `${path}[${at}]`, name: `${name}.${at}` };
    if (block.type === 'tool_result')
      yield* markersIn({ blocks: block.content, path: `${here.path}.content`, name: `${here.name}.content` });
    if (block.cache_control != null) yield { block, control: block.cache_control, ...here };
  }
}
