import type { Dialect, JsonObject } from 'longhaul/message';

/** An error of the gateway itself, before it is written in the dialect of a route. */
export interface GatewayFailure {
  readonly status: number;
  /** Stable, kebab-case. Sent in the header `x-longhaul-error` as well. */
  readonly code: string;
  /** What is wrong and what to do. */
  readonly message: string;
}

const anthropicTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const geminiStatuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/**
 * The body of an error in the shape that clients of a route expect.
 *
 * @example
 * errorBody({ dialect: 'anthropic', failure: { status: 413, code: 'body-too-large', message: '…' } });
 */
export function errorBody({
  dialect,
  failure: { status, code, message },
}: {
  readonly dialect: Dialect | undefined;
  readonly failure: GatewayFailure;
}): JsonObject {
  switch (dialect) {
    case 'anthropic':
      return { type: 'error', error: { type: anthropicTypes[status] ?? 'api_error', message } };
    case 'gemini':
      return { error: { code: status, message, status: geminiStatuses[status] ?? 'INTERNAL' } };
    default:
      return { error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: null, code } };
  }
}

/** The same as the last event of a stream that has begun. */
export function errorEvent({
  dialect,
  failure,
}: {
  readonly dialect: Dialect;
  readonly failure: GatewayFailure;
}): string {
  const body = errorBody({ dialect, failure });
  switch (dialect) {
    case 'anthropic':
      return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
    case 'openai-responses': {
      const { code, message } = failure;
      return `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param: null })}\n\n`;
    }
    default:
      return `data: ${JSON.stringify(body)}\n\n`;
  }
}
