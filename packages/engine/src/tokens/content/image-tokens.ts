import type { ImagePart, MediaSource } from '../../message/index.ts';
import { imageSize, type Size } from './image-size.ts';
import type { ImageRule } from './rules.ts';

/** Enough for nearly every header; a photograph with large metadata needs more. */
const headerChars = 131_072;

/**
 * What an image costs; without known dimensions the most it can cost.
 *
 * @example
 * imageTokens({ image, rule: countingRules['openai-chat'].image }); // 765 for 1024 x 1024
 */
export function imageTokens({ image, rule }: { readonly image: ImagePart; readonly rule: ImageRule }): number {
  if (rule.kind === 'tiles' && image.detail === 'low') return rule.low;
  const size = sizeOf(image.source);
  return size ? Math.min(rule.most, tokensOf(rule, size)) : rule.most;
}

function tokensOf(rule: ImageRule, { width, height }: Size): number {
  switch (rule.kind) {
    case 'tiles': {
      const fitted = scaled({ width, height }, Math.min(1, rule.fit / Math.max(width, height)));
      const sized = scaled(fitted, rule.shortSide / Math.min(fitted.width, fitted.height));
      return rule.base + rule.perTile * Math.ceil(sized.width / rule.tile) * Math.ceil(sized.height / rule.tile);
    }
    case 'area': {
      const sized = scaled({ width, height }, Math.min(1, rule.longSide / Math.max(width, height)));
      return Math.ceil((sized.width * sized.height) / rule.pixelsPerToken);
    }
    case 'crops':
      if (Math.max(width, height) <= rule.small) return rule.perTile;
      return rule.perTile * Math.ceil(width / rule.tile) * Math.ceil(height / rule.tile);
  }
}

function scaled({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

function sizeOf(source: MediaSource): Size | undefined {
  const data = base64Of(source);
  if (data === undefined) return undefined;
  const head = imageSize(Buffer.from(data.slice(0, headerChars), 'base64'));
  return head ?? (data.length > headerChars ? imageSize(Buffer.from(data, 'base64')) : undefined);
}

function base64Of(source: MediaSource): string | undefined {
  if (source.kind === 'base64') return source.data;
  if (source.kind !== 'url' || !source.url.startsWith('data:')) return undefined;
  const comma = source.url.indexOf(',');
  return comma > 0 && source.url.slice(0, comma).endsWith(';base64') ? source.url.slice(comma + 1) : undefined;
}
