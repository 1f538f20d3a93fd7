import { createHash } from 'node:crypto';
import { canonical, type Json, sameJson } from '../json.ts';
import type { Message, ToolDefinition } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import { type Draft, type EntryId, headLength, type Session } from '../session/index.ts';
import { codecVersion } from '../session/internal.ts';
import { notHead } from './errors.ts';
import type { SessionState } from './state.ts';

/**
 * Takes over head, tools and model of a request. What differs from the last request opens an epoch, since it changes the
 * bytes in front of everything; the same as before changes nothing.
 */
export async function syncHead({
  session,
  state,
  model,
  head,
  tools,
  recordEpoch,
}: {
  readonly session: Session;
  readonly state: SessionState;
  readonly model: TargetModel;
  readonly head: readonly Message[] | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly recordEpoch: (reason: string, epoch: EntryId | undefined) => void;
}): Promise<void> {
  const name = `${model.id.provider}/${model.id.name}`;
  const hash = hashOf(tools);
  const wasSent = session.context.items.some(({ message }) => message.role !== 'system');
  const isOtherModel = state.model !== name;
  const areOtherTools = state.toolsHash !== hash && !(state.toolsHash === undefined && tools.length === 0);
  const isOtherHead = head !== undefined && !isSameHead({ session, head });
  const hasSwitched = isOtherModel && state.model !== undefined;
  const reason = hasSwitched ? 'model' : 'head';
  // A changed head opens an epoch of its own, which says the rest as well.
  if (isOtherHead) recordEpoch('head', (await session.changeHead({ messages: head, model: model.id }))?.id);
  const drafts: Draft[] = [];
  if (isOtherModel) drafts.push({ type: 'model_change', model: model.id });
  if (wasSent && !isOtherHead && (hasSwitched || areOtherTools))
    drafts.push(unchangedEpoch({ session, reason, model }));
  // Behind the epoch that they opened: where that is not on the path, these tools were not offered.
  if (areOtherTools) drafts.push({ type: 'tools_change', hash, tools });
  if (drafts.length === 0) return;
  const entries = await session.appendBatch(drafts);
  recordEpoch(reason, entries.find(({ type }) => type === 'epoch')?.id);
}

/** An epoch with the items as they are, in constant space. */
export function unchangedEpoch({
  session,
  reason,
  model,
}: {
  readonly session: Session;
  readonly reason: string;
  readonly model: TargetModel;
}): Extract<Draft, { type: 'epoch' }> {
  const { leaf } = session.head;
  const items = leaf === null ? { list: [] } : { restore: { node: leaf, after: leaf } };
  return { type: 'epoch', reason, items, model: model.id, codec: codecVersion };
}

function isSameHead({ session, head }: { readonly session: Session; readonly head: readonly Message[] }): boolean {
  const other = head.find(({ role }) => role !== 'system');
  if (other) throw notHead(other.role);
  const { context } = session;
  const length = headLength(context);
  if (length !== head.length) return false;
  return head.every((message, index) =>
    sameJson(message as unknown as Json, context.items[index]?.message as unknown as Json),
  );
}

function hashOf(tools: readonly ToolDefinition[]): string {
  return createHash('sha256')
    .update(JSON.stringify(canonical(tools as unknown as Json)))
    .digest('hex')
    .slice(0, 32);
}
