import type { EngineSession } from '../engine/index.ts';
import { system } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import { aiSdkFormat, aiSdkModel, type HostMessage } from './ai-sdk-messages.ts';
import { HostHistory } from './host-history.ts';

/** What the AI SDK gives to `prepareStep`. Older releases give `messages` only. */
export interface HostStep {
  readonly messages: readonly HostMessage[];
  readonly initialMessages?: readonly HostMessage[];
  readonly responseMessages?: readonly HostMessage[];
  readonly instructions?: unknown;
  readonly model?: unknown;
  readonly steps?: readonly { readonly usage?: HostUsage }[];
}

interface HostUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly inputTokenDetails?: {
    readonly cacheReadTokens?: number | undefined;
    readonly cacheWriteTokens?: number | undefined;
  };
}

/**
 * The hook for the AI SDK's loops (`generateText`, `streamText`, agents). Each step it appends the messages that are new to
 * the session, reports the usage of the step before, and returns the messages to send: the SDK's own objects where they are
 * sent unchanged, and the summary or elided outputs in place of what was compacted. A history that departs from the log
 * (an edited prompt) moves the session to the last common message first.
 *
 * @example
 * const prepareStep = createPrepareStep({ session: await engine.create() });
 * await generateText({ model: anthropic('claude-opus-5'), messages, tools, prepareStep });
 */
export function createPrepareStep({
  session,
  model,
}: {
  readonly session: EngineSession;
  /** The model to count for; by default the one that the SDK is about to call. */
  readonly model?: TargetModel;
}): <M extends HostMessage>(step: HostStep & { readonly messages: readonly M[] }) => Promise<{ messages: M[] }> {
  const followed = new HostHistory({ session, format: aiSdkFormat });
  let reported = 0;

  return async <M extends HostMessage>(step: HostStep & { readonly messages: readonly M[] }) => {
    const { initialMessages, responseMessages = [], messages, instructions, steps = [] } = step;
    const history = initialMessages ? [...initialMessages, ...responseMessages] : messages;
    // A new run of the SDK begins with an empty list of steps.
    if (steps.length < reported) reported = 0;
    for (; reported < steps.length; reported += 1) await followed.report(usageOf(steps[reported]?.usage));
    const rules = history.filter(({ role }) => role === 'system');
    const head = [instructions, ...rules.map(({ content }) => content)].filter((text) => typeof text === 'string');
    const { groups } = await followed.view({
      history,
      model: model ?? aiSdkModel({ model: step.model }),
      ...(head.length > 0 && { head: head.map((text) => system(text)) }),
    });
    return { messages: [...rules, ...groups.flat()] as M[] };
  };
}

function usageOf({ inputTokens = 0, outputTokens = 0, inputTokenDetails = {} }: HostUsage = {}) {
  const { cacheReadTokens: cacheRead = 0, cacheWriteTokens: cacheWrite = 0 } = inputTokenDetails;
  return { input: Math.max(0, inputTokens - cacheRead - cacheWrite), output: outputTokens, cacheRead, cacheWrite };
}
