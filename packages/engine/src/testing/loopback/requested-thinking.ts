import type { JudgeDialect } from '../judge/index.ts';
import { isArray, isObject, type JsonRecord } from '../judge/json.ts';

/** Whether the model thinks: Claude only when enabled, the others always. */
export function requestsThinking({ dialect, body }: { dialect: JudgeDialect; body: JsonRecord }): boolean {
  if (dialect !== 'anthropic') return true;
  return isObject(body.thinking) && ['enabled', 'adaptive', 'between_tools'].includes(String(body.thinking.type));
}

/** Gemini: "if true, thoughts are returned only when available"; they are created, signed and billed either way. */
export function showsThoughts(body: JsonRecord): boolean {
  const config = body.generationConfig ?? body.generation_config;
  const thinking = isObject(config) ? (config.thinkingConfig ?? config.thinking_config) : undefined;
  return isObject(thinking) && (thinking.includeThoughts ?? thinking.include_thoughts) === true;
}

/** Responses: a summary is created if its kind is requested (`generate_summary` is the older field). */
export function wantsSummary({ reasoning }: JsonRecord): boolean {
  return isObject(reasoning) && (reasoning.summary ?? reasoning.generate_summary ?? null) !== null;
}

/** Responses: encrypted reasoning for the client, since the server may not store it. */
export function requestsEncrypted({ include }: JsonRecord): boolean {
  return isArray(include) && include.includes('reasoning.encrypted_content');
}
