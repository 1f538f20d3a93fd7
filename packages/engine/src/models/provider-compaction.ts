import { isArray, isObject, type JsonObject } from '../json.ts';
import type { Dialect, Message } from '../message/index.ts';
import {
  hidesBefore,
  isProviderCompaction,
  withNewestCompaction,
  withoutProviderCompaction,
} from '../message/internal.ts';
import type { ModelInfo } from './catalog/info.ts';
import type { CompactionSignal, ModelRequest } from './model.ts';

/** Anthropic's name for automatic compaction, and the word that turns it on (agents.md 1.8). */
const edit = 'compact_20260112';
const beta = 'compact-2026-01-12';

/** Anthropic refuses a lower trigger. */
const leastTrigger = 50_000;

/**
 * What a request says so that its provider compacts by itself, or takes back what it compacted: members of the body, and
 * headers. Nothing where neither is wanted, and nothing for providers that have no such thing.
 *
 * @example
 * const { body, headers } = askForCompaction({ dialect: model.dialect, info: model.info, request });
 */
export function askForCompaction({
  dialect,
  info,
  request,
}: {
  readonly dialect: Dialect;
  readonly info: CompactingInfo;
  readonly request: Pick<ModelRequest, 'items' | 'options'>;
}): {
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
} {
  if (!compacts(info)) return { body: {}, headers: {} };
  const asked = request.options.providerCompaction;
  const { triggerTokens, instructions } = asked ?? {};
  if (dialect === 'openai-responses' && asked) {
    const entry = { type: 'compaction', ...(triggerTokens !== undefined && { compact_threshold: triggerTokens }) };
    return { body: { context_management: [entry] }, headers: {} };
  }
  if (dialect !== 'anthropic') return { body: {}, headers: {} };
  const isThere = request.items.some((message) => readsOnlyFrom({ message, dialect, info }));
  if (!asked) return { body: {}, headers: isThere ? { 'anthropic-beta': beta } : {} };
  const trigger = triggerTokens !== undefined && {
    trigger: { type: 'input_tokens', value: Math.max(leastTrigger, triggerTokens) },
  };
  const edits = [{ type: edit, ...trigger, ...(instructions !== undefined && { instructions }) }];
  return { body: { context_management: { edits } }, headers: { 'anthropic-beta': beta } };
}

/** What has to be known of a model to know what it reads. */
export type CompactingInfo = Pick<ModelInfo, 'provider' | 'quirks'>;

function compacts({ quirks }: CompactingInfo): boolean {
  return !quirks.includes('noProviderCompaction');
}

/**
 * Whether a model ignores everything before this message except the head.
 *
 * @example
 * const from = messages.findLastIndex((message) => readsOnlyFrom({ message, dialect: model.dialect, info: model.info }));
 */
export function readsOnlyFrom({
  message,
  dialect,
  info,
}: {
  readonly message: Message;
  readonly dialect: Dialect;
  readonly info: CompactingInfo;
}): boolean {
  return compacts(info) && hidesBefore({ message, dialect, provider: info.provider });
}

/**
 * An answer whose compactions say who made them, and so who can read them.
 *
 * @example
 * yield { type: 'end', reason: 'stop', message: signedBy({ message, provider: 'openai' }) };
 */
export function signedBy({
  message,
  provider,
}: {
  readonly message: Message;
  readonly provider: string | undefined;
}): Message {
  if (provider === undefined || !message.parts.some(isProviderCompaction)) return message;
  return {
    ...message,
    parts: message.parts.map((part) => (isProviderCompaction(part) ? { ...part, by: provider } : part)),
  };
}

/**
 * Messages with what this model can read of its provider's compactions, and without the rest.
 *
 * @example
 * const messages = withReadableCompaction({ messages: request.items, dialect: model.dialect, info: model.info });
 */
export function withReadableCompaction({
  messages,
  dialect,
  info,
}: {
  readonly messages: readonly Message[];
  readonly dialect: Dialect;
  readonly info: CompactingInfo;
}): readonly Message[] {
  if (compacts(info)) return withNewestCompaction({ messages, dialect, provider: info.provider });
  return messages
    .map(withoutProviderCompaction)
    .filter(({ parts }, at) => parts.length > 0 || messages[at]?.parts.length === 0);
}

/** Names under which agents and providers say that they compacted (sessions.md 11.14; codex, Claude Code). */
const names = [
  ...['agent.thread_context_compacted', 'thread_context_compacted', 'context_compacted', 'compact_boundary'],
  ...['compaction', 'compaction_delta'],
];

/**
 * Reads what an event, an answer or an item says of compactions and context edits that were not ours. They change what
 * the provider reads, not the conversation: a log records them as notes.
 *
 * @example
 * readCompactionSignals({ type: 'agent.thread_context_compacted' }); // [{ kind: 'compaction', name: 'agent.thread…', … }]
 */
export function readCompactionSignals(value: unknown): CompactionSignal[] {
  if (!isObject(value)) return [];
  const inner = innerOf(value);
  // A compaction that failed is a delta without content.
  if (inner.type === 'compaction_delta' && !hasContent(inner)) return [];
  const name = [inner.subtype, inner.type].find((each) => names.some((known) => known === each));
  const own: CompactionSignal[] =
    typeof name === 'string' ? [{ kind: 'compaction', name, ...tokensOf(inner), value: inner }] : [];
  const { context_management: managed } = value;
  const applied = isObject(managed) ? managed.applied_edits : undefined;
  const edits = (isArray(applied) ? applied : []).flatMap((each): CompactionSignal[] => {
    if (!isObject(each) || typeof each.type !== 'string') return [];
    const kind = each.type.startsWith('compact') ? 'compaction' : 'edits';
    return [{ kind, name: each.type, ...tokensOf(each), value: each }];
  });
  return [...own, ...edits];
}

/** Codex wraps its events in `msg`; Anthropic streams a compaction as the `delta` of a content block. */
function innerOf(value: JsonObject): JsonObject {
  if (isObject(value.msg)) return value.msg;
  return value.type === 'content_block_delta' && isObject(value.delta) ? value.delta : value;
}

function hasContent({ content, encrypted_content: encrypted }: JsonObject): boolean {
  return typeof content === 'string' || typeof encrypted === 'string';
}

function tokensOf(value: JsonObject): { readonly tokens?: number } {
  const meta = isObject(value.compact_metadata) ? value.compact_metadata : value;
  const names = ['pre_tokens', 'cleared_input_tokens', 'tokens_before'];
  const tokens = names.map((name) => meta[name]).find((each) => typeof each === 'number');
  return typeof tokens === 'number' ? { tokens } : {};
}
