import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { ContentPart, Origin } from '../../message/index.ts';

/** Pictures that events name instead of holding them. */
export interface Assets {
  readonly remember: (data: JsonObject) => void;
  /** The images in a list of binary results or attachments; what is no image, or is not there any more, is left out. */
  readonly images: (of: { readonly list: readonly Json[]; readonly origin: Origin }) => ContentPart[];
}

/** An asset is logged right before what names it: the newest are enough, however many a session has. */
const mostBytes = 32 * 1024 * 1024;

export function createAssets(): Assets {
  const held = new Map<string, { readonly data: string; readonly mediaType: string }>();
  let bytes = 0;
  return {
    remember({ assetId, data, mimeType }) {
      if (typeof assetId !== 'string' || typeof data !== 'string' || typeof mimeType !== 'string') return;
      if (held.has(assetId)) return;
      held.set(assetId, { data, mediaType: mimeType });
      bytes += data.length;
      for (const [oldest, asset] of held) {
        if (bytes <= mostBytes) break;
        held.delete(oldest);
        bytes -= asset.data.length;
      }
    },
    images: ({ list, origin }) =>
      list.filter(isObject).flatMap((item): readonly ContentPart[] => {
        const { data, mimeType: mediaType, assetId } = item;
        const inline = typeof data === 'string' && typeof mediaType === 'string' ? { data, mediaType } : undefined;
        const asset = inline ?? (typeof assetId === 'string' ? held.get(assetId) : undefined);
        if (!asset?.mediaType.startsWith('image/')) return [];
        return [{ type: 'image', origin, source: { kind: 'base64', ...asset } }];
      }),
  };
}
