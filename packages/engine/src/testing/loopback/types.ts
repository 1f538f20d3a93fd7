import type { JudgeDialect, JudgeOptions, JudgeResult } from '../judge/index.ts';
import type { JsonRecord } from '../judge/json.ts';

/** Kind of a request: an answer, a token count, a compaction of its input, or the list of models. */
export type LoopbackAction = 'generate' | 'count' | 'compact' | 'models';

/** How the bytes of an answer are sent. */
export interface Transport {
  /** Bytes per write; may split UTF-8 characters. Default: one write per event. */
  chunkBytes?: number;
  /** Pause between two writes. */
  delayMs?: number;
  /** Cut the connection after this many bytes of the body. */
  cutAfterBytes?: number;
}

/** Token counts of one answer. `input` is the whole prompt, cached or not. */
export interface LoopbackUsage {
  input: number;
  cacheRead: number;
  /** Written to the cache, for all lifetimes. */
  cacheWrite: number;
  /** The part of it written for an hour (Anthropic). */
  cacheWriteHour: number;
  output: number;
  /** The part of the output spent on thinking. */
  reasoning: number;
}

export interface LoopbackCall {
  id?: string;
  name: string;
  /** Responses only: the group of tools that the name is part of, as the request declared it. */
  namespace?: string;
  /** An object, or its exact JSON text (which may be invalid). */
  arguments: JsonRecord | string;
}

/** Why the model stopped; other strings are passed through as the provider's own reason. */
export type Stop = 'end' | 'tools' | 'length' | 'refused' | (string & {});

/** An answer of the model. */
export interface LoopbackReplyScript {
  thinking?: string;
  text?: string;
  toolCalls?: readonly LoopbackCall[];
  stop?: Stop;
  /**
   * A compaction by the provider before the answer: its summary, or `null` for a failed one (Anthropic). It happens
   * only if the request enables it; at the trigger it happens without a script entry.
   */
  compaction?: string | null;
  /** Anthropic: other edits of the prompt, as `applied_edits`. Only if the request enables edits. */
  appliedEdits?: readonly JsonRecord[];
  /** Overrides the server's count. */
  usage?: Partial<LoopbackUsage>;
  transport?: Transport;
}

export type LoopbackFailureKind =
  | 'overflow'
  | 'rate'
  | 'quota'
  | 'auth'
  | 'refused'
  | 'invalid'
  | 'server'
  | 'overloaded'
  | 'network';

/**
 * A failure instead of an answer. `refused` is the model's refusal, not an HTTP error; `network` closes the connection
 * before the first byte.
 */
export interface LoopbackFailureScript {
  failure: LoopbackFailureKind;
  /** Seconds, for `rate` and `overloaded`. */
  retryAfter?: number;
  message?: string;
  /** For `overflow`: the limit in the message. */
  limit?: number;
  /** In a stream: report it after the first event instead of as an HTTP status. */
  late?: boolean;
  transport?: Transport;
}

export type LoopbackAnswer = LoopbackReplyScript | LoopbackFailureScript;

/** A valid request, as a script sees it. */
export interface LoopbackRequest {
  /** Number of earlier requests that reached the script. */
  index: number;
  dialect: JudgeDialect;
  action: LoopbackAction;
  model: string;
  stream: boolean;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: JsonRecord;
  /** The body with what `previous_response_id` and item references stand for; otherwise the same as `body`. */
  wholeBody: JsonRecord;
  /** Tokens of the prompt by the server's count. */
  inputTokens: number;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/** How an exchange ended: all bytes sent, cut by the script, or aborted by the client. */
export type LoopbackOutcome = 'sent' | 'cut' | 'aborted';

/** One recorded exchange. Keys in headers and path are masked. */
export interface LoopbackExchange {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  text: string;
  /** The parsed body, if it was JSON. */
  body: unknown;
  dialect: JudgeDialect;
  /** Result of the judge; absent if the request failed earlier. */
  verdict?: JudgeResult;
  /** HTTP status of the answer; 0 if none was sent. */
  status: number;
  bytesSent: number;
  /** Resolves when the exchange is over. */
  done: Promise<LoopbackOutcome>;
}

export interface LoopbackOptions {
  /** Answers in order, or a function of the request. An exhausted list answers with a fixed text. */
  script?: readonly LoopbackAnswer[] | ((request: LoopbackRequest) => LoopbackAnswer | Promise<LoopbackAnswer>);
  /** Context window; a larger prompt gets the provider's overflow error. */
  window?: number;
  /** Default: one token per four characters, rounded up. */
  count?: (text: string) => number;
  /** Multiplies every count, so that the server's counts differ from the client's. Default 1. */
  skew?: number;
  /** Milliseconds, for cache lifetimes. Default: the system clock. */
  now?: () => number;
  /** Smallest prefix that is cached, in tokens. Default 1024. */
  cacheMinimum?: number;
  /** If given, requests must have this key. */
  apiKey?: string;
  /** Largest request body. Default 32 MiB. */
  bodyLimit?: number;
  /** Names in the model list. */
  models?: readonly string[];
  /** Seed of seals and ids. Default: random, so that seals of other servers are rejected. */
  secret?: string;
  /** Bind Anthropic thinking to the conversation before it, like Claude Fable 5.1 and Opus 5.5. Default false. */
  bindThinking?: boolean;
  /** Number of recent exchanges in `requests`. Default: all. */
  keep?: number;
  /** Called for every exchange when its response is ready. */
  onExchange?: (exchange: LoopbackExchange) => void;
  /** Model differences to imitate. */
  judge?: Pick<JudgeOptions, 'allowPrefill' | 'allowSystemTurns' | 'signedCalls' | 'repeatedResponses'>;
}

export interface Loopback {
  /** `http://127.0.0.1:PORT`, without a path. */
  url: string;
  port: number;
  requests: readonly LoopbackExchange[];
  close(): Promise<void>;
}
