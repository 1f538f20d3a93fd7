import { type Message, repair, type ToolDefinition } from '../../../message/index.ts';
import { collect, type Model, type ModelOptions } from '../../../models/index.ts';
import { type AnswerFormat, accept } from '../accept.ts';
import type { AttemptOutcome } from '../attempts.ts';
import { textMessage } from '../backend.ts';
import type { SummaryJob } from '../job.ts';
import { replyOf } from '../reply.ts';
import { sizeOf } from '../size.ts';

/** A conversation with the engine's request for a summary at its end. */
export interface LiveSummaryRequest {
  readonly head: readonly Message[];
  readonly items: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly options: ModelOptions;
}

/** Minimum output tokens for a summary, in addition to thinking. */
const minOutput = 2_048;

/**
 * A conversation that ends with our request, valid for its provider: a pending call gets a placeholder result. Everything
 * before is unchanged.
 *
 * @example
 * const items = withRequestAtEnd({ items: live.items, text: 'Compact now.', model });
 */
export function withRequestAtEnd({
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

/** Sends a conversation with our request at its end, if it fits. */
export async function askLive({
  job,
  model,
  request: { head, items, tools, options },
  strategy,
  format,
  room,
  known,
}: {
  readonly job: SummaryJob;
  readonly model: Model;
  readonly request: LiveSummaryRequest;
  readonly strategy: string;
  readonly format: AnswerFormat;
  /** The maximum tokens of the request. */
  readonly room: number;
  /** Its token count, if known more precisely than by an estimate. */
  readonly known?: number | undefined;
}): Promise<AttemptOutcome> {
  const { backend, runner, input, hasAlternative } = job;
  const size = known ?? (await sizeOf({ conversation: { head, messages: items, tools }, model, most: room }));
  const most = Math.min(model.info.maxOutput, model.info.window - size);
  if (size > room || most < minOutputFor({ options, window: model.info.window })) {
    return tooLarge({ job, strategy });
  }
  return await runner.ask({
    strategy,
    backend,
    hasAlternative,
    call: async (signal) =>
      replyOf(
        await collect(model.stream({ head, items, tools, options: { ...options, maxOutputTokens: most }, signal })),
      ),
    check: (reply) => accept({ ...job, reply, format, given: size, most: input.budget }),
  });
}

/** Skips a request that does not fit. */
export function tooLarge({
  job: { runner, backend, inputLimit },
  strategy,
}: {
  readonly job: SummaryJob;
  readonly strategy: string;
}): AttemptOutcome {
  return runner.skip({
    strategy,
    backend,
    rejection: 'too-large',
    why: `The request exceeds the ${inputLimit} tokens that ${backend.name} accepts.`,
  });
}

function minOutputFor({ options, window }: { readonly options: ModelOptions; readonly window: number }): number {
  const { thinking } = options;
  const forThinking = typeof thinking === 'object' && 'budgetTokens' in thinking ? thinking.budgetTokens : 0;
  return Math.min(minOutput, Math.floor(window * 0.05)) + forThinking;
}

/** Whether a model is the model of the conversation. */
export function isSameModel(a: Pick<Model, 'id'>, b: Pick<Model, 'id'>): boolean {
  return a.id.name === b.id.name && a.id.provider === b.id.provider;
}
