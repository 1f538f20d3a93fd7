export { startLoopback } from './server.ts';
export type {
  Loopback,
  LoopbackAnswer,
  LoopbackCall,
  LoopbackExchange,
  LoopbackFailureKind as LoopbackFailure,
  LoopbackFailureScript as LoopbackFailed,
  LoopbackOptions,
  LoopbackOutcome,
  LoopbackReplyScript as LoopbackSpoken,
  LoopbackRequest,
  LoopbackUsage,
  Stop as LoopbackStop,
  Transport as LoopbackTransport,
} from './types.ts';
