import type { WireFaultCode } from './wire-fault.ts';

/**
 * Why a call failed, as a value.
 *
 * - `overflow`: the request is larger than the model takes; a smaller one may succeed.
 * - `rate`: too much, too fast, or the provider has no capacity (429, 503, 529); the same request may succeed later.
 * - `quota`: money or an allowance is used up; waiting seconds does not help.
 * - `auth`: the key is missing, wrong or not allowed.
 * - `network`: the way to the model, or its server, broke (transport errors, premature ends, 408, 409, 500, 502, 504).
 * - `refused`: a filter or a policy declined the content.
 * - `invalid`: the request is malformed; sending it again cannot help.
 * - `unknown`: none of the above matched.
 *
 * @example
 * const limit = failure.kind === 'overflow' ? failure.limit : undefined;
 * const delay = retryDelay({ attempt: 1, failure, random: Math.random });
 */
export type ModelFailure =
  | (FailureBase & {
      readonly kind: 'overflow';
      /** The limit the provider named, in tokens. */
      readonly limit?: number;
      /** The size the provider named: the prompt's tokens, or prompt and answer together where it adds them up. */
      readonly used?: number;
    })
  | (FailureBase & {
      readonly kind: 'rate' | 'network';
      /** How long the provider asked us to wait. */
      readonly delayMs?: number;
    })
  | (FailureBase & {
      readonly kind: 'invalid';
      /** The provider rejects the signature of earlier reasoning: it was made by another account, gateway or model. */
      readonly rejectsThinking?: true;
    })
  | (FailureBase & { readonly kind: 'quota' | 'auth' | 'refused' | 'unknown' });

export type FailureKind = ModelFailure['kind'];

interface FailureBase {
  /** Set where a limit of the call was exceeded, and not by what the provider said. */
  readonly code?: WireFaultCode;
  /** One line for people, without keys. */
  readonly message: string;
  readonly status?: number;
  /** The provider's id of the request, for its support and logs. */
  readonly requestId?: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}
