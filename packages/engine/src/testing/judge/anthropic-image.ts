import { invalid } from './anthropic-error.ts';
import { isObject, type Json } from './json.ts';
import type { Finding } from './verdict.ts';

const mediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Image sources: base64 of four media types, a URL, or an uploaded file. */
export function judgeImage({ block, path, name }: { block: Json; path: string; name: string }): Finding {
  const { source } = block;
  if (source === undefined) return invalid({ path, message: `${name}.source: Field required` });
  if (!isObject(source)) return invalid({ path, message: `${name}.source: Input should be a valid dictionary` });
  const at = `${name}.source.${String(source.type)}`;
  switch (source.type) {
    case 'url':
      return requireString({ value: source.url, path, name: `${at}.url` });
    case 'file':
      return requireString({ value: source.file_id, path, name: `${at}.file_id` });
    case 'base64':
      if (!mediaTypes.includes(String(source.media_type)))
        return invalid({
          path,
          message: `${at}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
        });
      if (typeof source.data !== 'string') return requireString({ value: source.data, path, name: `${at}.data` });
      if (source.data === '' || !base64.test(source.data))
        return invalid({ path, message: `${at}: invalid base64 data` });
      return undefined;
    default:
      return invalid({
        path,
        message: `${name}.source: Input tag '${String(source.type)}' found using 'type' does not match any of the expected tags: 'base64', 'file', 'url'`,
      });
  }
}

function requireString({ value, path, name }: { value: unknown; path: string; name: string }): Finding {
  if (value === undefined) return invalid({ path, message: `${name}: Field required` });
  return typeof value === 'string' ? undefined : invalid({ path, message: `${name}: Input should be a valid string` });
}
