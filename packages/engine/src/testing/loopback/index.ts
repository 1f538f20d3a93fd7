export { startLoopback } from './server.ts';
export type {
  Answer as LoopbackAnswer,
  Failed as LoopbackFailed,
  FailureKind as LoopbackFailure,
  Loopback,
  LoopbackExchange,
  LoopbackOptions,
  LoopbackRequest,
  Outcome as LoopbackOutcome,
  ScriptedCall as LoopbackCall,
  Spoken as LoopbackSpoken,
  Stop as LoopbackStop,
  Transport as LoopbackTransport,
  Usage as LoopbackUsage,
} from './types.ts';
