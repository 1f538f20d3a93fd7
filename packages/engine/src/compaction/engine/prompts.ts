import { createHash } from 'node:crypto';
import { BudgetExceededError } from '../../errors.ts';
import type { Message, ToolDefinition } from '../../message/index.ts';
import {
  createPromptTokenizer,
  type PromptPiece,
  type PromptPieceChild,
  render,
  toMessages,
} from '../../prompt/index.ts';
import type { Session } from '../../session/index.ts';
import type { Fitting, Request } from './fitting.ts';
import type { Knowledge } from './knowledge.ts';
import type { CompactionResult } from './result.ts';
import type { TargetModel } from './scale.ts';
import type { Standing } from './standing.ts';

/** Messages, or a prompt that becomes them within what is left of the budget. */
export type Said = readonly Message[] | PromptPiece;

/** Renders what a request is made of, where it comes as prompts: once, and what was sent stays as it is. */
export class Prompts {
  readonly #session: Session;
  readonly #count: (text: string) => number;
  readonly #knowledge: Knowledge;
  readonly #fitting: Fitting;
  readonly #standing: () => Promise<Standing>;

  constructor(of: {
    readonly session: Session;
    readonly count: (text: string) => number;
    readonly knowledge: Knowledge;
    readonly fitting: Fitting;
    readonly standing: () => Promise<Standing>;
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
    readonly head: Said | undefined;
    readonly tools: readonly ToolDefinition[];
    readonly signal: AbortSignal | undefined;
  }): Promise<{ readonly head: readonly Message[] | undefined; readonly remember: () => Promise<void> }> {
    const nothing = async () => undefined;
    if (!isPrompt(head)) return { head, remember: nothing };
    const standing = await this.#standing();
    const scale = this.#knowledge.scaleAside({ model, standing });
    const key = promptKey({ prompt: head, window: scale.window });
    if (standing.prompt === key) return { head: undefined, remember: nothing };
    const { limit } = this.#fitting.budgetFor({ scale, tools });
    // Half of what the tools leave: the conversation needs room, too.
    const budget = scale.within((limit - scale.toolTokens(tools)) / 2);
    const messages = await renderedFor({ prompt: head, budget, count: this.#count, model, signal });
    const remember = async () => {
      await this.#session.append({ type: 'custom', customType: 'longhaul:prompt', data: { head: key } });
    };
    return { head: asHead(messages), remember };
  }

  /** The messages of the turn. A prompt that does not fit beside what is there makes room once (features D2). */
  async turn({
    turn,
    request,
  }: {
    readonly turn: { readonly messages: Said; readonly key?: string } | undefined;
    readonly request: Request;
  }): Promise<{ readonly messages: readonly Message[]; readonly compaction?: CompactionResult }> {
    const said: Said = turn?.messages ?? [];
    if (!isPrompt(said)) return { messages: said };
    // Said before, it is not rendered again.
    const before = turn?.key === undefined ? [] : await this.#session.read({ keys: [`${turn.key}:0`] });
    if (before.length > 0) return { messages: [] };
    const { signal, scale } = request;
    const rendered = () => {
      const budget = this.#fitting.roomFor(request);
      return renderedFor({ prompt: said, budget, count: this.#count, model: scale.model, signal });
    };
    try {
      return { messages: await rendered() };
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error;
      const compaction = await this.#fitting.makeRoom(request);
      return { messages: await rendered(), compaction };
    }
  }
}

function isPrompt(said: Said | undefined): said is PromptPiece {
  return said !== undefined && 'ctor' in said;
}

/**
 * The messages of a prompt for a model. It throws a `BudgetExceededError` where nothing more may go.
 *
 * @example
 * const messages = await renderedFor({ prompt: h(UserMessage, {}, 'Why?'), budget: 4000, count, model, signal: undefined });
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
}): Promise<Message[]> {
  const tokenizer = createPromptTokenizer({ count, dialect: model.dialect });
  const { messages } = await render({
    ...{ element: prompt, budget: Math.max(1, Math.floor(budget)), tokenizer },
    ...(signal && { signal }),
  });
  return toMessages(messages);
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
