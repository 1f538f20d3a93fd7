import { isObject, type JsonRecord } from '../judge/json.ts';
import { type CacheUnit, chainOf, unitsOf } from './units.ts';

/** What a thinking block is bound to. */
export interface SignatureBinding {
  /** Hash of `system`, `tools` and the messages before the block, without thinking and cache markers. */
  prefix: string;
  /** Signature of the thinking block before it, if the request has one. */
  previous?: string;
}

/**
 * The position of each thinking block in a request, by path, and under `''` that of the next one. Anthropic checks the
 * prefix without its thinking, "but each thinking block records which thinking block came before it": blocks may be
 * removed from the start of the history, from the end or altogether, not from the middle (preserved thinking guide).
 */
export function bindingsOf(body: JsonRecord): Map<string, SignatureBinding> {
  const units = unitsOf({ dialect: 'anthropic', body });
  const chain = chainOf({ units: units.filter((unit) => signatureOf(unit) === undefined), seed: 'thinking' });
  const bindings = new Map<string, SignatureBinding>();
  let spoken = 0;
  let previous: string | undefined;
  const here = (): SignatureBinding => ({
    prefix: chain[spoken - 1] ?? '',
    ...(previous === undefined ? {} : { previous }),
  });
  for (const unit of units) {
    const signature = signatureOf(unit);
    if (signature === undefined) {
      spoken += 1;
      continue;
    }
    if (unit.at) bindings.set(`messages[${unit.at.message}].content[${unit.at.block}]`, here());
    previous = signature;
  }
  return bindings.set('', here());
}

function signatureOf({ value }: CacheUnit): string | undefined {
  const block = isObject(value) ? value.block : undefined;
  if (!isObject(block)) return undefined;
  if (block.type === 'thinking') return String(block.signature);
  return block.type === 'redacted_thinking' ? String(block.data) : undefined;
}
