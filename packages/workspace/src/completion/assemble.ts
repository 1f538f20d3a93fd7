import {
  aroundCursor,
  type CompletionMode,
  charactersPerToken,
  mandatoryPriority,
  poolsFor,
  textBudget,
} from './budget.ts';
import type { CursorPlace } from './gather.ts';
import type { CompletionItem } from './item.ts';

/** What a completion model is given. */
export interface CompletionContext {
  readonly prefix: string;
  readonly suffix: string;
  /** Blanks between the prefix and the cursor, where the line has nothing else. */
  readonly trailingBlanks: string;
  /** Most important first. */
  readonly context: readonly CompletionItem[];
  /** What did not fit. */
  readonly omitted: readonly Pick<CompletionItem, 'kind' | 'path' | 'reason'>[];
  /** At four characters a token; never more than 7,692. */
  readonly tokens: number;
}

/**
 * Chooses context by priority from two pools and puts the text around the cursor into what is left. Every item spends from
 * both pools; the item that would overdraw a pool is left out, and its pool gives nothing more.
 */
export function assemble(of: {
  readonly place: CursorPlace;
  readonly items: readonly CompletionItem[];
  readonly mode: CompletionMode;
  readonly tokens?: number;
}): CompletionContext {
  const { place, items, mode } = of;
  const size = of.tokens === undefined ? {} : { tokens: of.tokens };
  const pools = poolsFor({ documentCharacters: place.text.length, mode, ...size });
  let [mandatory, optional] = [pools.mandatory, pools.optional];
  let [isMandatoryOpen, isOptionalOpen] = [true, true];
  const [context, omitted]: [CompletionItem[], CompletionItem[]] = [[], []];
  const sorted = items.toSorted((a, b) => b.priority - a.priority);
  for (const item of sorted) {
    const isMandatory = item.priority >= mandatoryPriority;
    const cost = item.text.length;
    const isOpen = isMandatory ? isMandatoryOpen : isMandatoryOpen && isOptionalOpen;
    const fits = isOpen && cost <= mandatory && (isMandatory || cost <= optional);
    if (!fits) {
      if (isMandatory) isMandatoryOpen = false;
      else isOptionalOpen = false;
      omitted.push(item);
      continue;
    }
    mandatory -= cost;
    optional -= cost;
    context.push(item);
  }
  const used = context.reduce((sum, { text }) => sum + text.length, 0);
  const around = aroundCursor({ ...place, characters: textBudget({ context: used, ...size }) });
  const characters = used + around.prefix.length + around.suffix.length + around.trailingBlanks.length;
  return {
    ...around,
    context,
    omitted: omitted.map(({ kind, path, reason }) => ({ kind, reason, ...(path !== undefined && { path }) })),
    tokens: Math.ceil(characters / charactersPerToken),
  };
}
