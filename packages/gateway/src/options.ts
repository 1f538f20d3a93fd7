import type { EngineSession, Hooks, Policy, PresetName } from 'longhaul/engine';
import type { Store } from 'longhaul/session';
import type { Logger } from 'pino';
import type { GatewayMemory } from './memory.ts';
import type { RequestRecord } from './report/record.ts';

/** How a gateway is set up. Every member has a default that is safe on a developer's machine. */
export interface GatewayOptions {
  /** The folder of the store in which every conversation becomes a session. */
  readonly dir?: string;
  /** A store of your own instead of a folder. */
  readonly store?: Store;
  /** Base URLs by name. `anthropic`, `openai` and `gemini` have defaults; any other name is reached as `/NAME/…`. */
  readonly upstreams?: Readonly<Record<string, string>>;
  /** The window in tokens to keep conversations in, if it is smaller than the model's own. */
  readonly window?: number;
  /** When to compact: a preset by name, or a policy. */
  readonly preset?: PresetName | Policy;
  /** `extractive` needs no model. `model` asks the conversation's own model with the caller's key. */
  readonly summarizer?: 'extractive' | 'model';
  /** What summaries by a model may cost in dollars, per conversation. Default 1. */
  readonly maxSummaryCost?: number;
  /** Which usage clients see: of the request that was sent (default), or of the one that the client made. */
  readonly report?: 'compacted' | 'original';
  /** Offer the tool `longhaul_recall` to the model once something was compacted away. */
  readonly recall?: boolean;
  /** What to do with the memory of the repositories that clients work in. Default: nothing. */
  readonly memory?: GatewayMemory;
  /** Forward everything as it came, and only report what would have been done. */
  readonly dryRun?: boolean;
  /** The address to listen on. Default `127.0.0.1`; any other needs a `token`. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** What clients must send in `x-longhaul-token` or as the path prefix `/t/TOKEN`. */
  readonly token?: string;
  readonly limits?: Partial<GatewayLimits>;
  readonly hooks?: Hooks;
  /** Values that are masked in everything derived, in addition to what looks like a key. */
  readonly secrets?: readonly string[];
  /** Receives one line of JSON per request and one per problem, without content. Default: none. */
  readonly onAccess?: (line: string) => void;
  /** A logger of your own in its place. */
  readonly logger?: Logger;
  /** Observes requests and sessions; `gatewayTelemetry()` of `@longhaul/gateway/otel` exports them. Default: none. */
  readonly telemetry?: GatewayTelemetry;
  /** Environment variables that name an HTTP proxy (`HTTPS_PROXY`, `NO_PROXY`). Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What observes a gateway. A failure of it never affects a request. */
export interface GatewayTelemetry {
  /** Called when a request has ended. */
  request(record: RequestRecord): void;
  /** Called when a conversation is opened; returns what to call when it is closed. */
  session(session: EngineSession): () => void;
}

/** What a client or an upstream may use up. */
export interface GatewayLimits {
  /** Bytes of a request body, as sent and after decompression. */
  readonly bodyBytes: number;
  /** Bytes of a response that are kept for the log; what is longer is relayed, but not logged. */
  readonly answerBytes: number;
  /** Milliseconds until a client must have sent its headers. */
  readonly headerTime: number;
  /** Milliseconds in which neither side sent anything, before a connection is closed. */
  readonly idleTime: number;
  readonly connections: number;
  /** Milliseconds that a request waits for the store; then it goes on as it came, and so do the next ones until the store answers. */
  readonly storeTime: number;
  /** Milliseconds that `close` waits for open streams. */
  readonly closeTime: number;
}

const mebibyte = 1024 * 1024;

/** Models may think for minutes before the first byte, so the idle time is long. */
export const defaultLimits: GatewayLimits = {
  bodyBytes: 64 * mebibyte,
  answerBytes: 64 * mebibyte,
  headerTime: 30_000,
  idleTime: 600_000,
  connections: 1024,
  storeTime: 20_000,
  closeTime: 10_000,
};

/** The providers' own addresses. */
export const defaultUpstreams: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
};
