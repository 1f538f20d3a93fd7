import type { Answer, EndReason, ModelFailure, Usage } from '../../models/index.ts';

/** What came back, from a model or from an endpoint. */
export interface BackendReply {
  readonly text: string;
  readonly reason: EndReason;
  readonly callsTools: boolean;
  readonly usage?: Usage | undefined;
  readonly failure?: ModelFailure | undefined;
  readonly requestId?: string | undefined;
}

/** What a model said, without its thoughts. */
export function replyOf({ message, usage, end }: Answer): BackendReply {
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
