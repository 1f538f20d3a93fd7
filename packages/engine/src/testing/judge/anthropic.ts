import { judgeBlocks, judgeSystemBlocks } from './anthropic-blocks.ts';
import { judgeCacheControl } from './anthropic-cache.ts';
import { judgeBetas } from './anthropic-compaction.ts';
import { invalid } from './anthropic-error.ts';
import { judgePairing } from './anthropic-pairing.ts';
import { judgeParameters } from './anthropic-parameters.ts';
import { judgeThinking } from './anthropic-thinking.ts';
import { judgeTools } from './anthropic-tools.ts';
import { isDirective, judgeEnds, judgeSystemTurns, turnsOf } from './anthropic-turns.ts';
import { isArray, isObject, type Json, loneSurrogate } from './json.ts';
import { type Finding, firstOf, type JudgeOptions } from './verdict.ts';

/** What a system message may have besides its text: a change of effort, and when it stops to count. */
const systemFields = new Set(['output_config', 'clear_at']);

/** The Anthropic Messages API: schema first, then the order of turns, then what holds across them. */
export function judgeAnthropic({ body, options }: { body: unknown; options: JudgeOptions }): Finding {
  // "no low surrogate in string: line 1 column N (char N)" (claude-code #3277 and dozens more); a parsed body has no column.
  const broken = loneSurrogate(body);
  if (broken !== undefined)
    return invalid({ path: broken, message: 'The request body is not valid JSON: no low surrogate in string' });
  if (!isObject(body)) return invalid({ path: '', message: 'Input should be a valid dictionary' });
  return (
    judgeRequest({ body, options }) ??
    judgeMessages({ messages: body.messages, options }) ??
    judgeConversation({ body, messages: asMessages(body.messages), options })
  );
}

function judgeRequest({ body, options }: { body: Json; options: JudgeOptions }): Finding {
  if (body.model === undefined) return invalid({ path: 'model', message: 'model: Field required' });
  if (typeof body.model !== 'string')
    return invalid({ path: 'model', message: 'model: Input should be a valid string' });
  if (options.endpoint !== 'count') {
    if (body.max_tokens === undefined) return invalid({ path: 'max_tokens', message: 'max_tokens: Field required' });
    if (!Number.isInteger(body.max_tokens))
      return invalid({ path: 'max_tokens', message: 'max_tokens: Input should be a valid integer' });
    // "Set to 0 to populate the prompt cache without generating a response" (SDK 1.8).
    if (Number(body.max_tokens) < 0)
      return invalid({ path: 'max_tokens', message: 'max_tokens: Input should be greater than or equal to 0' });
  }
  if (body.messages === undefined) return invalid({ path: 'messages', message: 'messages: Field required' });
  return judgeParameters(body) ?? judgeTools(body) ?? judgeSystemBlocks(body.system);
}

function judgeMessages({ messages, options }: { messages: unknown; options: JudgeOptions }): Finding {
  if (!isArray(messages)) return invalid({ path: 'messages', message: 'messages: Input should be a valid list' });
  if (messages.length === 0)
    return invalid({ path: 'messages', message: 'messages: at least one message is required' });
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    const path = `messages[${at}]`;
    if (!isObject(message)) return invalid({ path, message: `messages.${at}: Input should be a valid dictionary` });
    const finding = judgeMessage({ message, at, options }) ?? judgeBlocks({ message, at });
    if (finding) return finding;
  }
  return undefined;
}

function judgeMessage({ message, at, options }: { message: Json; at: number; options: JudgeOptions }): Finding {
  const path = `messages[${at}]`;
  const { role, content } = message;
  if (role === undefined) return invalid({ path, message: `messages.${at}.role: Field required` });
  if (role === 'system' && options.allowSystemTurns === false)
    return invalid({
      path,
      message:
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    });
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    return invalid({
      path,
      message: `messages: Unexpected role "${String(role)}". Allowed roles are "user" or "assistant"`,
    });
  for (const key of Object.keys(message)) {
    if (key === 'role' || key === 'content' || (role === 'system' && systemFields.has(key))) continue;
    return invalid({ path, message: `messages.${at}.${key}: Extra inputs are not permitted` });
  }
  if (content === undefined) return invalid({ path, message: `messages.${at}.content: Field required` });
  if (typeof content !== 'string' && !isArray(content))
    return invalid({ path, message: `messages.${at}.content: Input should be a valid list` });
  return undefined;
}

function judgeConversation({
  body,
  messages,
  options,
}: {
  body: Json;
  messages: readonly Json[];
  options: JudgeOptions;
}): Finding {
  const turns = turnsOf(
    messages.map((message, at) => ({ message, at })).filter(({ message }) => !isDirective(message)),
  );
  return firstOf([
    () => judgeSystemTurns(turns),
    () => judgeEnds({ turns, options }),
    () => judgePairing(turns),
    () => judgeThinking({ body, turns, options }),
    () => judgeCacheControl(body),
    () => judgeBetas({ body, options }),
  ]);
}

function asMessages(messages: unknown): Json[] {
  return isArray(messages) ? messages.filter(isObject) : [];
}
