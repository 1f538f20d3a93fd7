// Judges are written from the documentation of the providers and share no code with `message/validity`: where the two
// disagree, one
// of them is wrong, and a test fails. Neither may import the other.

import { judgeAnthropic } from './anthropic.ts';
import type { JudgeDialect, JudgeFinding, JudgeOptions, JudgeResult } from './findings.ts';
import { judgeGemini } from './gemini.ts';
import { judgeOpenAIChat } from './openai-chat.ts';
import { judgeOpenAIResponses } from './openai-responses.ts';

export type { Illegal, JudgeDialect, JudgeOptions, JudgeResult, Seal } from './findings.ts';

type DialectJudge = (input: { body: unknown; options: JudgeOptions }) => JudgeFinding;

const judges: Record<JudgeDialect, DialectJudge> = {
  anthropic: judgeAnthropic,
  'openai-chat': judgeOpenAIChat,
  'openai-responses': judgeOpenAIResponses,
  gemini: judgeGemini,
};

/**
 * Says whether a provider would accept a request body, and if not, with which status and message it would reject it.
 * Written from the providers' documentation and reported errors only; shares no code with the engine's own checker.
 *
 * @example
 * judge({ dialect: 'anthropic', body: { model: 'claude-opus-5', max_tokens: 8, messages: [] } });
 * // { legal: false, status: 400, type: 'invalid_request_error', message: 'messages: at least one message is required', path: 'messages' }
 */
export function judge({
  dialect,
  body,
  options = {},
}: {
  dialect: JudgeDialect;
  body: unknown;
  options?: JudgeOptions;
}): JudgeResult {
  return judges[dialect]({ body, options }) ?? { legal: true };
}
