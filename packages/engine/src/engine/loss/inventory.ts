import type { Message, Part } from '../../message/index.ts';

/** The kinds that a loss report tells apart. */
export const lossKinds = ['human', 'engine', 'model', 'thinking', 'calls', 'results', 'media'] as const;

export type LossKind = (typeof lossKinds)[number];

export interface Amount {
  /** How many parts. */
  readonly parts: number;
  readonly chars: number;
}

/** What a list of messages holds, by kind. Inventories add up. */
export type Inventory = Readonly<Record<LossKind, Amount>>;

const none: Amount = { parts: 0, chars: 0 };

const emptyInventory: Inventory = {
  human: none,
  engine: none,
  model: none,
  thinking: none,
  calls: none,
  results: none,
  media: none,
};

/**
 * What a list of messages holds.
 *
 * @example
 * inventoryOf(messages).results.parts; // tool results
 */
export function inventoryOf(messages: readonly Message[]): Inventory {
  const amounts = new Map<LossKind, { parts: number; chars: number }>();
  for (const { parts } of messages) for (const part of parts) take(part);
  return { ...emptyInventory, ...Object.fromEntries(amounts) };

  function take(part: Part): void {
    const kind = kindOf(part);
    const amount = amounts.get(kind) ?? { parts: 0, chars: 0 };
    amounts.set(kind, { parts: amount.parts + 1, chars: amount.chars + lengthOf(part) });
  }
}

function kindOf({ type, origin }: Part): LossKind {
  switch (type) {
    case 'thinking':
      return 'thinking';
    case 'tool_call':
      return 'calls';
    case 'tool_result':
      return 'results';
    case 'image':
    case 'document':
    case 'opaque':
      return 'media';
    default:
      return origin === 'human'
        ? 'human'
        : origin === 'model'
          ? 'model'
          : origin === 'tool' || origin === 'data'
            ? 'results'
            : 'engine';
  }
}

function lengthOf(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return part.text.length;
    case 'tool_call':
      return part.name.length + part.arguments.length;
    case 'tool_result':
      return part.content.reduce((sum, inner) => sum + lengthOf(inner), 0);
    case 'image':
    case 'document':
      return part.source.kind === 'base64' ? part.source.data.length : 0;
    default:
      return JSON.stringify(part.value).length;
  }
}
