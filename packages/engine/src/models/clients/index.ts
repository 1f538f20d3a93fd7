/**
 * Models behind a wire: Anthropic Messages, OpenAI Responses and Chat Completions with all who imitate it, Gemini.
 *
 * @module
 */
export { type CreateModelOptions, createAnswerDecoder, createModel } from './create.ts';
export type { Decoder as AnswerDecoder } from './dialects/decoder.ts';
export { type ListedProvider, listModels } from './list.ts';
export type { ModelReference } from './name.ts';
export { type RetryOptions, withRetry } from './retry.ts';
export type { EnvironmentVariables } from './settings.ts';
