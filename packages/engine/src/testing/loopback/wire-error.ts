import type { Illegal, JudgeDialect } from '../judge/index.ts';
import type { JsonRecord } from '../judge/json.ts';

/** An error before conversion to its dialect. */
export interface WireError {
  status: number;
  type: string;
  message: string;
  code?: string;
  param?: string;
  details?: JsonRecord[];
  headers?: Record<string, string>;
}

/** The error as the dialect's JSON. */
export function errorBody({
  dialect,
  error,
  requestId,
}: {
  dialect: JudgeDialect;
  error: WireError;
  requestId: string;
}): JsonRecord {
  const { status, type, message, code = null, param = null, details } = error;
  switch (dialect) {
    case 'anthropic':
      return {
        type: 'error',
        error: { type, message, ...(code !== null && { details: { error_code: code } }) },
        request_id: requestId,
      };
    case 'gemini':
      return { error: { code: status, message, status: type, ...(details ? { details } : {}) } };
    default:
      return { error: { message, type, param, code } };
  }
}

/** Converts a finding of the judge to the provider's error. */
export function errorOfFinding({ status, type, message, code, param }: Illegal): WireError {
  return {
    status,
    type,
    message,
    ...(code === undefined ? {} : { code }),
    ...(param === undefined ? {} : { param }),
  };
}

/** Anthropic's error for a request without API version. */
export const versionMissing: WireError = {
  status: 400,
  type: 'invalid_request_error',
  message: 'anthropic-version: header is required',
};

type TransportRefusal = 'unknown' | 'wrong-method' | 'too-large' | 'malformed' | 'upgrade';

/** Requests that fail before their content is read. */
export function refusalOf({
  reason,
  dialect,
  method,
  path,
}: {
  reason: TransportRefusal;
  dialect: JudgeDialect;
  method: string;
  path: string;
}): WireError {
  return dialect === 'anthropic'
    ? anthropic[reason]
    : dialect === 'gemini'
      ? gemini[reason]
      : openai({ reason, method, path });
}

const anthropic: Record<TransportRefusal, WireError> = {
  unknown: { status: 404, type: 'not_found_error', message: 'Not Found' },
  'wrong-method': { status: 405, type: 'invalid_request_error', message: 'Method Not Allowed' },
  'too-large': { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' },
  malformed: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The request body is not valid JSON: unexpected character: line 1 column 1 (char 0)',
  },
  upgrade: { status: 426, type: 'invalid_request_error', message: 'Upgrade Required' },
};

const gemini: Record<TransportRefusal, WireError> = {
  unknown: { status: 404, type: 'NOT_FOUND', message: 'Requested entity was not found.' },
  'wrong-method': { status: 405, type: 'UNIMPLEMENTED', message: 'Method not allowed.' },
  'too-large': {
    status: 413,
    type: 'INVALID_ARGUMENT',
    message: 'Request payload size exceeds the limit: 20971520 bytes.',
  },
  malformed: {
    status: 400,
    type: 'INVALID_ARGUMENT',
    message: 'Invalid JSON payload received. Unexpected token.',
  },
  upgrade: { status: 426, type: 'UNIMPLEMENTED', message: 'Upgrade Required' },
};

function openai({ reason, method, path }: { reason: TransportRefusal; method: string; path: string }): WireError {
  const type = 'invalid_request_error';
  switch (reason) {
    case 'unknown':
      return { status: 404, type, message: `Invalid URL (${method} ${path})` };
    case 'wrong-method':
      return {
        status: 405,
        type,
        code: 'method_not_supported',
        message: `Not allowed to ${method} on ${path}. (HINT: Perhaps you meant to use a different HTTP method?)`,
      };
    case 'too-large':
      return { status: 413, type, message: 'Request body is too large.' };
    case 'malformed':
      return {
        status: 400,
        type,
        message:
          'We could not parse the JSON body of your request. (HINT: This likely means you aren’t using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)',
      };
    case 'upgrade':
      // Codex tries a websocket first and falls back to HTTP on this response.
      return { status: 426, type, message: 'Upgrade Required' };
  }
}
