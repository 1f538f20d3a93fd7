import { parseJson } from '../../json.ts';
import type { Part } from '../../message/index.ts';
import type { SourceItem } from '../source-item.ts';
import type { Mask } from './mask.ts';

/**
 * Masks items. Must run before anything is cut, because half a key no longer looks like one. Items without a secret are
 * returned unchanged.
 *
 * @example
 * const safe = maskedItems({ items, mask: createMask({ salt, keepsLines: true }) });
 */
export function maskedItems({
  items,
  mask,
}: {
  readonly items: readonly SourceItem[];
  readonly mask: Mask;
}): SourceItem[] {
  return items.map((item) => {
    const { parts: before } = item.message;
    const parts = before.map((part) => maskedPart({ part, mask }));
    const isSame = parts.every((part, index) => part === before[index]);
    return isSame ? item : { ...item, message: { ...item.message, parts } };
  });
}

function maskedPart<P extends Part>({ part, mask }: { readonly part: P; readonly mask: Mask }): P {
  if (part.type === 'text' || part.type === 'thinking') {
    const text = mask(part.text);
    return text === part.text ? part : { ...part, text };
  }
  if (part.type === 'tool_call') {
    const masked = maskJsonText({ written: part.arguments, mask });
    return masked === part.arguments ? part : { ...part, arguments: masked };
  }
  if (part.type !== 'tool_result') return part;
  const content = part.content.map((inner) => maskedPart({ part: inner, mask }));
  return content.every((inner, index) => inner === part.content[index]) ? part : { ...part, content };
}

/**
 * Masks JSON text and keeps it valid: a match may swallow the escape of a quotation mark.
 *
 * @example
 * maskJsonText({ written: '{"password":"hunter22"}', mask: createMask() }); // '{"password":"[secret:8c61f0]"}'
 */
export function maskJsonText({ written, mask }: { readonly written: string; readonly mask: Mask }): string {
  const masked = mask(written);
  if (masked === written || parseJson(masked) !== undefined) return masked;
  const value = parseJson(written);
  if (value === undefined) return masked;
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? mask(inner) : inner));
}
