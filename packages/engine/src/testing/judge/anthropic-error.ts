import type { Illegal } from './findings.ts';

/** Anthropic's 400: `{"type":"error","error":{"type":"invalid_request_error","message":…}}`. */
export function invalid({ path, message }: { path: string; message: string }): Illegal {
  return { legal: false, status: 400, type: 'invalid_request_error', message, path };
}
