/**
 * Models behind a wire: Anthropic Messages, OpenAI Responses and Chat Completions with all who imitate it, Gemini.
 *
 * @module
 */
export { type CreateModelOptions, createModel } from './create.ts';
export { type ModelName, parseModelName } from './name.ts';
export { requestBody } from './request-body.ts';
export { type RetryClock, type RetryOptions, withRetry } from './retry.ts';
export type { Environment } from './settings.ts';
