import type { Message } from '../../message/index.ts';
import { collect, cost, type Model, type ModelRequest, type Usage } from '../../models/index.ts';
import { reserveFor } from '../../tokens/internal.ts';
import { type BackendReply, replyOf } from './reply.ts';
import { upperFactor } from './size.ts';
import { temperatureFor } from './temperature.ts';

/** What writes summaries: a model or a remote endpoint. */
export interface SummaryBackend {
  readonly name: string;
  /** The maximum tokens of a request. */
  readonly inputLimit: number;
  /** Our estimate times this factor is an upper bound of its token count. */
  readonly factor: number;
  /** Absent for endpoints, which accept only text. */
  readonly model?: Model;
  readonly forbidsTools: boolean;
  ask(of: BackendRequest): Promise<BackendReply>;
  costOf(usage: Usage): number | undefined;
}

/** A request as plain text, which every backend accepts. */
export interface BackendRequest {
  readonly system: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

export function modelBackend(model: Model): SummaryBackend {
  const { info } = model;
  const answer = Math.min(info.maxOutput, reserveFor({ window: info.window }));
  return {
    name: `${model.id.provider}/${model.id.name}`,
    inputLimit: Math.min(info.inputLimit ?? info.window, info.window - answer),
    factor: upperFactor(info.tokenizer),
    model,
    forbidsTools: info.quirks.includes('noToolsLine'),
    ask: async (of) => replyOf(await collect(model.stream(flatRequest({ model, ...of })))),
    costOf: (usage) => cost({ usage, info }),
  };
}

/** One system text and one message, without tools, so that none can be called. */
export function flatRequest({
  model,
  system,
  prompt,
  signal,
}: { readonly model: Pick<Model, 'info'> } & Omit<BackendRequest, 'signal'> & {
    readonly signal?: AbortSignal;
  }): ModelRequest {
  return {
    head: [textMessage('system', system)],
    items: [textMessage('user', prompt)],
    tools: [],
    options: { ...temperatureFor({ info: model.info }), purpose: 'conversation-compaction' },
    ...(signal && { signal }),
  };
}

/** A message by the engine. */
export function textMessage(role: 'system' | 'user', text: string): Message {
  return { role, parts: [{ type: 'text', origin: 'engine', text }] };
}
