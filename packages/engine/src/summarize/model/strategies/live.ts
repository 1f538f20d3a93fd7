import { type Message, repair, type ToolDefinition } from '../../../message/index.ts';
import { collect, type Model, type ModelOptions } from '../../../models/index.ts';
import { accept, type AnswerFormat } from '../accept.ts';
import type { AttemptOutcome } from '../attempts.ts';
import { textMessage } from '../backend.ts';
import type { SummaryJob } from '../job.ts';
import { replyOf } from '../reply.ts';
import { sizeOf } from '../size.ts';

/** A conversation with one message of ours at its end. */
export interface LiveSummaryRequest {
  readonly head: readonly Message[];
  readonly items: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly options: ModelOptions;
}

/** Beside what a model may think first, less than this is no room for a summary. */
const leastAnswer = 2_048;

/**
 * A conversation that ends with what we ask, as its provider takes it: a call that still waits for its result gets the
 * one that says so. What stood there before stays as it was.
 *
 * @example
 * const items = askedAtEnd({ items: live.items, text: 'Compact now.', model });
 */
export function askedAtEnd({
  items,
  text,
  model,
}: {
  readonly items: readonly Message[];
  readonly text: string;
  readonly model: Pick<Model, 'dialect'>;
}): readonly Message[] {
  return repair([...items, textMessage('user', text)], model.dialect).messages;
}

/** Sends a conversation with our question at its end, where it has room. */
export async function askLive({
  job,
  model,
  asking,
  strategy,
  manner,
  room,
  known,
}: {
  readonly job: SummaryJob;
  readonly model: Model;
  readonly asking: LiveSummaryRequest;
  readonly strategy: string;
  readonly manner: AnswerFormat;
  /** The tokens that the request may have. */
  readonly room: number;
  /** Its tokens, where somebody knows better than an estimate. */
  readonly known?: number | undefined;
}): Promise<AttemptOutcome> {
  const { backend: voice, runner: tries, input, hasOther } = job;
  const { head, items, tools, options } = asking;
  const size = known ?? (await sizeOf({ conversation: { head, messages: items, tools }, model, most: room }));
  const most = Math.min(model.info.maxOutput, model.info.window - size);
  if (size > room || most < leastFor({ options, window: model.info.window })) {
    return tooLarge({ job, strategy });
  }
  const request = { head, items, tools, options: { ...options, maxOutputTokens: most } };
  return await tries.ask({
    ...{ strategy, voice, hasOther },
    call: async (signal) => replyOf(await collect(model.stream({ ...request, signal }))),
    judge: (reply) => accept({ ...job, reply, manner, given: size, most: input.budget }),
  });
}

/** What has no room is not sent. */
export function tooLarge({
  job: { runner: tries, backend: voice, inputLimit: room },
  strategy,
}: {
  readonly job: SummaryJob;
  readonly strategy: string;
}): AttemptOutcome {
  return tries.skip({
    strategy,
    voice,
    refusal: 'too-large',
    why: `It is more than the ${room} tokens that ${voice.name} takes.`,
  });
}

function leastFor({ options, window }: { readonly options: ModelOptions; readonly window: number }): number {
  const { thinking } = options;
  const thoughts = typeof thinking === 'object' && 'budgetTokens' in thinking ? thinking.budgetTokens : 0;
  return Math.min(leastAnswer, Math.floor(window * 0.05)) + thoughts;
}

/** Whether a model is the one that the conversation runs on. */
export function isSameModel(a: Pick<Model, 'id'>, b: Pick<Model, 'id'>): boolean {
  return a.id.name === b.id.name && a.id.provider === b.id.provider;
}
