import type { Dialect, JsonObject } from '../../../message/index.ts';
import type { ModelInfo } from '../../catalog/info.ts';
import type { ModelOptions, ModelRequest } from '../../model.ts';
import { withReadableCompaction } from '../../provider-compaction.ts';

/** What a request body is made of. */
export interface BodyInput {
  /** The model's name as its provider knows it. */
  readonly model: string;
  readonly info: ModelInfo;
  readonly request: Pick<ModelRequest, 'head' | 'items' | 'tools' | 'options'>;
}

export type WriteBody = (input: BodyInput) => JsonObject;

/** What must stand in the headers for the sake of a request. */
export type HeadersOf = (input: {
  readonly body: JsonObject;
  /** As it was named. */
  readonly model: string;
}) => Readonly<Record<string, string>>;

/** The engine reserves this much for an answer; more is not guaranteed to fit next to a full prompt. */
const defaultMaxOutput = 16_384;

/** How long an answer may be: as asked, never more than the model can. */
export function outputLimit({ info, request }: Pick<BodyInput, 'info' | 'request'>): number {
  const asked = request.options.maxOutputTokens ?? Math.min(defaultMaxOutput, Math.floor(info.window * 0.15));
  return Math.max(1, info.known ? Math.min(asked, info.maxOutput) : asked);
}

/** The conversation as the codecs take it. */
export function conversationOf({
  dialect,
  info,
  request,
}: Pick<BodyInput, 'info' | 'request'> & { readonly dialect: Dialect }) {
  const { head, items, tools } = request;
  const messages = withReadableCompaction({ messages: items, dialect, info });
  return { head, messages, tools };
}

/** A temperature where the model takes one. */
export function temperatureOf({
  info,
  request,
  isThinking,
}: Pick<BodyInput, 'info' | 'request'> & { readonly isThinking: boolean }): number | undefined {
  if (info.quirks.includes('noTemperature')) return undefined;
  if (isThinking && info.quirks.includes('noTemperatureWithThinking')) return undefined;
  return request.options.temperature;
}

/** The tool choice where there is a choice, and where the model takes it. */
export function choiceOf({
  info,
  request,
  isThinking,
}: Pick<BodyInput, 'info' | 'request'> & { readonly isThinking: boolean }) {
  const { tools, options } = request;
  const { toolChoice } = options;
  if (tools.length === 0 || toolChoice === undefined) return undefined;
  if (toolChoice === 'auto' || toolChoice === 'none') return toolChoice;
  const isRefused = isThinking && info.quirks.includes('noForcedToolsWithThinking');
  return isRefused || info.quirks.includes('noForcedTools') ? 'auto' : toolChoice;
}

/**
 * Calls that are not the user's own turn say so in a header, under the name that Copilot CLI uses: gateways and logs
 * look for `conversation-compaction` (sessions.md 11.5).
 *
 * @example
 * tagOf({ purpose: 'conversation-compaction' }); // { 'x-interaction-type': 'conversation-compaction' }
 */
export function tagOf({ purpose }: ModelOptions): Readonly<Record<string, string>> {
  if (purpose === undefined || purpose === 'conversation') return {};
  const tag = purpose.replace(/[^\w.:/-]+/g, '-').slice(0, 64);
  return { 'x-interaction-type': tag };
}
