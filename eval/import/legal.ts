import {
  type Dialect,
  dialects,
  type JsonObject,
  type Message,
  repair,
  type ToolDefinition,
  user,
  writeRequest,
} from 'longhaul/message';
import type { Session } from 'longhaul/session';
import { judge } from 'longhaul/testing';

/** What a request needs in addition to the conversation. */
const envelope: { readonly [D in Dialect]: JsonObject } = {
  anthropic: { model: 'any', max_tokens: 1024 },
  'openai-chat': { model: 'any' },
  'openai-responses': { model: 'any' },
  gemini: {},
};

/** What a person would say next. */
const next: Message = user('Go on.');

/** The providers that would refuse what a session sends next, each with the reason. None, if all is well. */
export function refusals(live: Session): string[] {
  const messages = live.context.items.map(({ message }) => message);
  const start = messages.findIndex(({ role }) => role !== 'system');
  const head = messages.slice(0, start < 0 ? messages.length : start);
  const listed = live.header.details?.tools;
  const tools = Array.isArray(listed) ? (listed as unknown as ToolDefinition[]) : [];
  return dialects.flatMap((dialect) => {
    const { messages: legal } = repair([...messages.slice(head.length), next], dialect);
    const request = writeRequest({ dialect, conversation: { head, messages: legal, tools } });
    const verdict = judge({ dialect, body: { ...envelope[dialect], ...request } });
    return verdict.legal ? [] : [`${dialect}: ${verdict.message} (${verdict.path})`];
  });
}
