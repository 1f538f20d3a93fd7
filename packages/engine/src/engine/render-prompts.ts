import { createHash } from 'node:crypto';
import { BudgetExceededError } from '../errors.ts';
import type { Message } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import { createPromptTokenizer, type PromptPiece, type PromptPieceChild, render } from '../prompt/index.ts';
import { toMessages } from '../prompt/internal.ts';
import type { SessionLedger } from './session-ledger.ts';
import type { SessionState } from './state.ts';
import type { PromptInput } from './types.ts';

export function isPrompt(input: PromptInput | undefined): input is PromptPiece {
  return input !== undefined && 'ctor' in input;
}

/**
 * Renders the prompt of a head. `undefined` where the head was rendered from the same prompt for the same window: then it
 * stays as it was sent.
 */
export async function renderHead({
  prompt,
  state,
  ledger: { model, window },
  budget,
  count,
  signal,
}: {
  readonly prompt: PromptPiece;
  readonly state: Pick<SessionState, 'headPrompt'>;
  readonly ledger: Pick<SessionLedger, 'model' | 'window'>;
  readonly budget: number;
  readonly count: (text: string) => number;
  readonly signal: AbortSignal | undefined;
}): Promise<{ readonly messages: readonly Message[]; readonly key: string } | undefined> {
  const key = promptKey({ prompt, window });
  if (state.headPrompt === key) return undefined;
  const { messages } = await renderFor({ prompt, budget, count, model, signal });
  return { messages: asHead(messages), key };
}

/** Attempts to render a turn that does not fit, each with twice the room of the one before. */
const maxAttempts = 16;

/**
 * Renders the prompt of a turn into what is free. Where it does not fit, or would lose something that has no priority, it
 * is rendered as pending input instead: the history is compacted for it (features D2), and what exceeds any window is
 * reduced like a message.
 */
export async function renderTurn({
  prompt,
  free,
  largest,
  ...input
}: {
  readonly prompt: PromptPiece;
  /** Tokens that are free now. */
  readonly free: number;
  /** Tokens that are free once everything but the head is a minimal summary. */
  readonly largest: number;
  readonly count: (text: string) => number;
  readonly model: TargetModel;
  readonly signal: AbortSignal | undefined;
}): Promise<readonly Message[]> {
  const rendered = (budget: number) => renderFor({ prompt, budget, ...input });
  const first = await unlessTooLarge(rendered(free));
  if (first && (!first.isCut || largest <= free)) return first.messages;
  let budget = Math.max(1, free, largest);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const wider = await unlessTooLarge(rendered(budget));
    if (wider) return wider.messages;
    budget *= 2;
  }
  return (await rendered(budget)).messages;
}

async function unlessTooLarge<T>(rendering: Promise<T>): Promise<T | undefined> {
  try {
    return await rendering;
  } catch (error) {
    if (error instanceof BudgetExceededError) return undefined;
    throw error;
  }
}

/**
 * The messages of a prompt for a model, and whether something was pruned that has no priority.
 *
 * @throws BudgetExceededError where nothing more may be pruned.
 */
async function renderFor({
  prompt,
  budget,
  count,
  model,
  signal,
}: {
  readonly prompt: PromptPiece;
  readonly budget: number;
  readonly count: (text: string) => number;
  readonly model: TargetModel;
  readonly signal: AbortSignal | undefined;
}): Promise<{ readonly messages: Message[]; readonly isCut: boolean }> {
  const tokenizer = createPromptTokenizer({ count, dialect: model.dialect });
  const { messages, report } = await render({
    element: prompt,
    budget: Math.max(1, Math.floor(budget)),
    tokenizer,
    ...(signal && { signal }),
  });
  return { messages: toMessages(messages), isCut: report.steps.some(({ isUnranked }) => isUnranked) };
}

/** A head has only system messages: user messages that software wrote become system messages. */
function asHead(messages: readonly Message[]): Message[] {
  const isOurs = ({ parts }: Message) => parts.every(({ origin }) => origin === 'engine');
  return messages.map((message) =>
    message.role === 'user' && isOurs(message) ? { ...message, role: 'system' } : message,
  );
}

/**
 * Identifies a prompt before it is rendered: its elements, their code and their props. The same prompt for the same window
 * stays as it was sent, whatever it would render to now.
 */
function promptKey({ prompt, window }: { readonly prompt: PromptPiece; readonly window: number }): string {
  const text = JSON.stringify([window, serialized(prompt)], (_, value) =>
    typeof value === 'function' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('base64');
}

function serialized(child: PromptPieceChild): unknown {
  if (typeof child !== 'object' || child === null) return child;
  if (!('ctor' in child)) return [...child].map(serialized);
  return [child.ctor, child.props, child.children.map(serialized)];
}
