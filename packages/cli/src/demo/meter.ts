import type { Conversation } from 'longhaul/message';
import { countingRules, createLedger, createMessageCounter, estimateTokens, type Snapshot } from 'longhaul/tokens';
import type { Paint } from '../text/paint.ts';

/** Small, so that a short talk can be seen in it. */
const window = 2_000;
const cells = 50;

/** The conversation in a ledger, for a model whose vocabulary is not public. */
export function measure({ conversation }: { readonly conversation: Conversation }): Snapshot {
  const counter = createMessageCounter({ count: estimateTokens, rules: countingRules.anthropic });
  const ledger = createLedger({ window, counter });
  ledger.setHead({ messages: conversation.head, tools: conversation.tools });
  for (const message of conversation.messages) ledger.append({ message });
  return ledger.snapshot();
}

const shown = [
  ['system', 'system'],
  ['tools', 'tools'],
  ['messages', 'messages'],
  ['toolResults', 'tool results'],
  ['reserve', 'reserve'],
  ['free', 'free'],
] as const;

/** A bar of what the window is filled with, and the same in numbers. */
export function meterLines({ snapshot, paint }: { readonly snapshot: Snapshot; readonly paint: Paint }): string[] {
  const wide = (tokens: number) => Math.round((tokens / snapshot.window) * cells);
  const used = wide(snapshot.used);
  const bound = Math.min(cells, Math.max(used, wide(snapshot.bound)));
  const bar = `${paint.strong('█'.repeat(used))}${'▒'.repeat(bound - used)}${paint.faint('░'.repeat(cells - bound))}`;
  const numbers = shown.map(([key, name]) => `${name} ${snapshot[key]}`).join(', ');
  return [`${bar} ${snapshot.used} of ${snapshot.window} tokens, at most ${snapshot.bound}`, numbers];
}
