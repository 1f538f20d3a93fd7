import type { Dialect, JudgeOptions, Verdict } from '../judge/index.ts';
import type { Json } from '../judge/json.ts';

/** What a request asks for: an answer, a token count, a compaction of its input, or the list of models. */
export type Action = 'generate' | 'count' | 'compact' | 'models';

/** How the bytes of an answer travel. */
export interface Transport {
  /** Bytes in one write; UTF-8 characters are split wherever that falls. Default: one write an event. */
  chunkBytes?: number;
  /** Pause between two writes. */
  delayMs?: number;
  /** Cut the connection after this many bytes of the body. */
  cutAfterBytes?: number;
}

/** Token counts of one answer. `input` is the whole prompt, cached or not. */
export interface Usage {
  input: number;
  cacheRead: number;
  /** Written to the cache, all times to live together. */
  cacheWrite: number;
  /** Of these, written for an hour (Anthropic). */
  cacheWriteHour: number;
  output: number;
  /** Of the output, spent on thinking. */
  reasoning: number;
}

export interface ScriptedCall {
  id?: string;
  name: string;
  /** An object, or its JSON text byte for byte (which then need not be valid). */
  arguments: Json | string;
}

/** Why the model stopped; other strings are passed on as the provider's own reason. */
export type Stop = 'end' | 'tools' | 'length' | 'refused' | (string & {});

/** What the model says. */
export interface Spoken {
  thinking?: string;
  text?: string;
  toolCalls?: readonly ScriptedCall[];
  stop?: Stop;
  /**
   * The provider's own compaction, before it speaks: its summary, or `null` for one that failed (Anthropic). It happens only
   * where the request asks for it; where the prompt reaches the trigger it happens without a word in the script.
   */
  compaction?: string | null;
  /** Anthropic: what else was done to the prompt, as `applied_edits`. Only where the request asks for edits. */
  appliedEdits?: readonly Json[];
  /** Overrides what the server counted. */
  usage?: Partial<Usage>;
  transport?: Transport;
}

export type FailureKind =
  | 'overflow'
  | 'rate'
  | 'quota'
  | 'auth'
  | 'refused'
  | 'invalid'
  | 'server'
  | 'overloaded'
  | 'network';

/** What goes wrong instead. `refused` is the model's refusal, not an HTTP error; `network` cuts before the first byte. */
export interface Failed {
  failure: FailureKind;
  /** Seconds, for `rate` and `overloaded`. */
  retryAfter?: number;
  message?: string;
  /** For `overflow`: the window that the message names. */
  limit?: number;
  /** In a stream: report it after the first event instead of as an HTTP status. */
  late?: boolean;
  transport?: Transport;
}

export type Answer = Spoken | Failed;

/** A legal request, as a script sees it. */
export interface LoopbackRequest {
  /** How many requests came before it that reached the script. */
  index: number;
  dialect: Dialect;
  action: Action;
  model: string;
  stream: boolean;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Json;
  /** Tokens of the prompt by the server's own count. */
  inputTokens: number;
  /** Aborts when the client goes away. */
  signal: AbortSignal;
}

/** How an exchange ended: all bytes sent, cut by the script, or given up by the client. */
export type Outcome = 'sent' | 'cut' | 'aborted';

/** One recorded exchange. Keys in headers and path are masked. */
export interface LoopbackExchange {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  text: string;
  /** The parsed body, if it was JSON. */
  body: unknown;
  dialect: Dialect;
  /** The judge's word; absent if the request did not get that far. */
  verdict?: Verdict;
  /** HTTP status of the answer; 0 if none was sent. */
  status: number;
  bytesSent: number;
  /** Resolves when the exchange is over. */
  done: Promise<Outcome>;
}

export interface LoopbackOptions {
  /** Answers in order, or a function of the request. A list that is used up answers with a fixed text. */
  script?: readonly Answer[] | ((request: LoopbackRequest) => Answer | Promise<Answer>);
  /** Tokens that fit; a larger prompt is answered with the provider's overflow error. */
  window?: number;
  /** Default: one token for four characters, rounded up. */
  count?: (text: string) => number;
  /** Multiplies every count, so that the server's differ from those of whoever is tested. Default 1. */
  skew?: number;
  /** Milliseconds, for the lives of caches. Default: the system clock. */
  now?: () => number;
  /** Smallest prefix that is cached, in tokens. Default 1024. */
  cacheMinimum?: number;
  /** If given, requests must bring it. */
  apiKey?: string;
  /** Largest request body. Default 32 MiB. */
  bodyLimit?: number;
  /** Names that the model list holds. */
  models?: readonly string[];
  /** What seals and ids are made from. Default: random, so that no other server's seals are taken. */
  secret?: string;
  /** Bind Anthropic thinking to the conversation before it, as Claude Fable 5.1 and Opus 5.5 do. Default false. */
  bindThinking?: boolean;
  /** Which models to imitate, where they differ in what they accept. */
  judge?: Pick<JudgeOptions, 'allowPrefill' | 'allowSystemTurns' | 'signedCalls'>;
}

export interface Loopback {
  /** `http://127.0.0.1:PORT`, without a path. */
  url: string;
  port: number;
  requests: readonly LoopbackExchange[];
  close(): Promise<void>;
}
