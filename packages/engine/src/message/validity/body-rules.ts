import { isObject, type JsonObject } from '../../json.ts';
import type { Dialect } from '../message.ts';
import type { Rules } from './rules.ts';

/** What the rest of a request says about its list. */
export function rulesOfBody({
  dialect,
  body,
}: {
  readonly dialect: Dialect;
  readonly body: JsonObject;
}): Partial<Rules> {
  if (dialect === 'anthropic') {
    const thinking = isObject(body.thinking) ? body.thinking.type : undefined;
    return { thinkingFirst: thinking !== 'adaptive', opensWithThinking: thinking === 'enabled' };
  }
  // The server holds what came before, and with it the calls that these results answer.
  const isContinued = dialect === 'openai-responses' && Boolean(body.previous_response_id ?? body.conversation);
  return isContinued ? { continues: true } : {};
}
