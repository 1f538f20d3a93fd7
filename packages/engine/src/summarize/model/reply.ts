import type { CollectedAnswer, EndReason, ModelFailure, Usage } from '../../models/index.ts';

/** The answer of a model or an endpoint. */
export interface BackendReply {
  readonly text: string;
  readonly reason: EndReason;
  readonly callsTools: boolean;
  readonly usage?: Usage | undefined;
  readonly failure?: ModelFailure | undefined;
  readonly requestId?: string | undefined;
}

/** The text of a model's answer, without thinking. */
export function replyOf({ message, usage, end }: CollectedAnswer): BackendReply {
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return {
    text: texts.join(''),
    reason: end.reason,
    callsTools: end.reason === 'tool_calls' || message.parts.some(({ type }) => type === 'tool_call'),
    usage,
    failure: end.failure,
    requestId: end.requestId ?? end.failure?.requestId,
  };
}
