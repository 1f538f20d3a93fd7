import { createHash } from 'node:crypto';
import { BudgetExceededError } from '../errors.ts';
import type { Message, ToolDefinition } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import { createPromptTokenizer, type PromptPiece, type PromptPieceChild, render } from '../prompt/index.ts';
import { toMessages } from '../prompt/internal.ts';
import type { Session } from '../session/index.ts';
import type { BudgetEnforcer, RequestInProgress } from './budget-enforcer.ts';
import type { ModelState } from './model-state.ts';
import type { SessionState } from './state.ts';
import type { PromptInput } from './types.ts';

/** Renders what a request is made of, where it comes as prompts: once, and what was sent stays as it is. */
export class RequestRenderer {
  readonly #session: Session;
  readonly #count: (text: string) => number;
  readonly #knowledge: ModelState;
  readonly #fitting: BudgetEnforcer;
  readonly #standing: () => Promise<SessionState>;

  constructor(of: {
    readonly session: Session;
    readonly count: (text: string) => number;
    readonly knowledge: ModelState;
    readonly fitting: BudgetEnforcer;
    readonly standing: () => Promise<SessionState>;
  }) {
    this.#session = of.session;
    this.#count = of.count;
    this.#knowledge = of.knowledge;
    this.#fitting = of.fitting;
    this.#standing = of.standing;
  }

  /** The messages of the head; none where its prompt is the one that was rendered before: that stays as it was sent. */
  async head({
    model,
    head,
    tools,
    signal,
  }: {
    readonly model: TargetModel;
    readonly head: PromptInput | undefined;
    readonly tools: readonly ToolDefinition[];
    readonly signal: AbortSignal | undefined;
  }): Promise<{ readonly head: readonly Message[] | undefined; readonly remember: () => Promise<void> }> {
    const nothing = async () => undefined;
    if (!isPrompt(head)) return { head, remember: nothing };
    const standing = await this.#standing();
    const scale = this.#knowledge.createLedger({ model, standing });
    const key = promptKey({ prompt: head, window: scale.window });
    if (standing.prompt === key) return { head: undefined, remember: nothing };
    const { limit } = this.#fitting.budgetFor({ scale, tools });
    // Half of what the tools leave: the conversation needs room, too.
    const budget = scale.tokensWithin((limit - scale.toolTokens(tools)) / 2);
    const { messages } = await renderedFor({ prompt: head, budget, count: this.#count, model, signal });
    const remember = async () => {
      await this.#session.append({ type: 'custom', customType: 'longhaul:prompt', data: { head: key } });
    };
    return { head: asHead(messages), remember };
  }

  /**
   * The messages of the turn. A prompt is rendered into what is free. Where it does not fit, or would lose something that
   * has no priority, it is rendered as pending input instead: the history gives way to it (features D2), and what does not
   * fit any window is reduced like a message.
   */
  async turn({
    turn,
    request,
  }: {
    readonly turn: { readonly messages: PromptInput; readonly key?: string } | undefined;
    readonly request: RequestInProgress;
  }): Promise<readonly Message[]> {
    const said: PromptInput = turn?.messages ?? [];
    if (!isPrompt(said)) return said;
    // Said before, it is not rendered again.
    const before = turn?.key === undefined ? [] : await this.#session.read({ keys: [`${turn.key}:0`] });
    if (before.length > 0) return [];
    const { signal, scale } = request;
    const rendered = (budget: number) =>
      renderedFor({ prompt: said, budget, count: this.#count, model: scale.model, signal });
    const [free, most] = [this.#fitting.roomFor(request), this.#fitting.largestRoomFor(request)];
    const first = await unlessTooLarge(rendered(free));
    if (first && (!first.isCut || most <= free)) return first.messages;
    let budget = Math.max(1, free, most);
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const wider = await unlessTooLarge(rendered(budget));
      if (wider) return wider.messages;
      budget *= 2;
    }
    return (await rendered(budget)).messages;
  }
}

/** Each with twice the room of the one before. */
const mostAttempts = 16;

async function unlessTooLarge<T>(rendering: Promise<T>): Promise<T | undefined> {
  try {
    return await rendering;
  } catch (error) {
    if (error instanceof BudgetExceededError) return undefined;
    throw error;
  }
}

function isPrompt(said: PromptInput | undefined): said is PromptPiece {
  return said !== undefined && 'ctor' in said;
}

/**
 * The messages of a prompt for a model, and whether something went that has no priority. It throws a
 * `BudgetExceededError` where nothing more may go.
 *
 * @example
 * const { messages } = await renderedFor({ prompt: h(UserMessage, {}, 'Why?'), budget: 4000, count, model, signal: undefined });
 */
async function renderedFor({
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
    ...{ element: prompt, budget: Math.max(1, Math.floor(budget)), tokenizer },
    ...(signal && { signal }),
  });
  return { messages: toMessages(messages), isCut: report.steps.some(({ isUnranked }) => isUnranked) };
}

/** The head knows only the system: what software says in the name of the user is said by the system there. */
function asHead(messages: readonly Message[]): Message[] {
  const isOurs = ({ parts }: Message) => parts.every(({ origin }) => origin === 'engine');
  return messages.map((message) =>
    message.role === 'user' && isOurs(message) ? { ...message, role: 'system' } : message,
  );
}

/**
 * What a prompt is before it is rendered: its elements, their code and their props. The same prompt for the same window
 * stays as it was sent, whatever the clock says meanwhile.
 *
 * @example
 * promptKey({ prompt: h(Instructions, {}, 'Be brief.'), window: 200_000 });
 */
function promptKey({ prompt, window }: { readonly prompt: PromptPiece; readonly window: number }): string {
  const text = JSON.stringify([window, written(prompt)], (_, value) =>
    typeof value === 'function' ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('base64');
}

function written(child: PromptPieceChild): unknown {
  if (typeof child !== 'object' || child === null) return child;
  if (!('ctor' in child)) return [...child].map(written);
  return [child.ctor, child.props, child.children.map(written)];
}
