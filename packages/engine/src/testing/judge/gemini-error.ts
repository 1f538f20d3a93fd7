import type { Illegal } from './findings.ts';

/** Gemini's 400: `{"error":{"code":400,"message":…,"status":"INVALID_ARGUMENT"}}`. */
export function invalidArgument({ path, message }: { path: string; message: string }): Illegal {
  return { legal: false, status: 400, type: 'INVALID_ARGUMENT', message, path };
}
