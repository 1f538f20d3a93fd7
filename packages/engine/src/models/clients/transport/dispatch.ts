import type { WireLimits } from '../../wire/limits.ts';

/** Brings a body to its provider, byte for byte, and gives back the answer as soon as its head is there. */
export type Carry = (input: {
  /** The body's JSON. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}) => Promise<Response>;

/** Where a provider is and what opens it. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Anthropic: sent as `Authorization: Bearer` in place of a key. */
  readonly authToken?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch: typeof fetch;
  readonly limits: WireLimits;
}
