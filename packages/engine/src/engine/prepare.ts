import { createHash } from 'node:crypto';
import { canonical, type Json, sameJson } from '../json.ts';
import { isHumanMessage, type Message, type ToolDefinition } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import { type Draft, type EntryId, headLength, type Session } from '../session/index.ts';
import { codecVersion } from '../session/internal.ts';
import type { BackgroundCompaction } from './background/background-compaction.ts';
import type { BudgetEnforcer, DecisionEffects, RequestInProgress } from './budget-enforcer.ts';
import { notHead } from './errors.ts';
import type { Emit } from './events/event.ts';
import { type ModelState, modelKey } from './model-state.ts';
import { continuationAfter } from './policy/continuation.ts';
import type { Policy } from './policy/policy.ts';
import { isPrompt, renderHead, renderTurn } from './render-prompts.ts';
import { requireRequest, type ThinkingValidity, validRequestFor } from './repair-request.ts';
import { isSentPrefix, type SessionState, sentRequest, startsWithRequest } from './state.ts';
import type { Prepared, PrepareInput, PrepareReport } from './types.ts';

/** The parts of an engine session that `prepare` works with. */
export interface PrepareParts {
  readonly session: Session;
  readonly policy: Policy;
  readonly count: (text: string) => number;
  /** The state of the session, read from its log. */
  readonly state: () => Promise<SessionState>;
  readonly models: ModelState;
  readonly enforcer: BudgetEnforcer;
  readonly background: BackgroundCompaction;
  readonly thinking: ThinkingValidity;
  /** A message as it is first sent: tool results that are too large are capped. */
  readonly capped: <D extends Draft>(draft: D) => D;
  readonly emit: Emit;
}

/** Decisions per request; more than this make no progress, and the guard makes the request fit in any case. */
const maxDecisions = 8;

/**
 * Makes the next request of a session: sync the head, append the turn, count, decide, apply, repair. Everything that
 * changes what is sent is an entry of the log before the request is returned.
 *
 * @throws LonghaulError `nothing-to-send` when no message is left that the provider would accept.
 *
 * @example
 * const { head, items } = await prepare({ parts, input: { model, turn: { messages: [user('Why?')] } } });
 */
export async function prepare({
  parts,
  input,
}: {
  readonly parts: PrepareParts;
  readonly input: PrepareInput;
}): Promise<Prepared> {
  const { session, policy, models, enforcer, background, thinking, emit } = parts;
  const { model, tools = [] } = input;
  const { opened, recordEpoch } = collectEpochs(emit);

  // 1. Sync the head: system messages, tools and model. A difference opens an epoch.
  const switchedFrom = previousModel({ models, model });
  const state = await syncRequestHead({ parts, input, recordEpoch });
  // A background summary was planned on the old head, so it cannot be installed.
  if (opened.length > 0) background.cancel('The head of the conversation changed.');

  // 2. Append the turn.
  const hasNewPrompt = await appendTurn({ parts, input, state });
  if (hasNewPrompt) {
    models.overflows.clear();
    enforcer.allowWaiting();
  }
  models.overflows.check(modelKey(model));

  // 3. Count. The ledger counts only what is new; usage of earlier requests is restored from the log.
  const ledger = models.ledgerFor({ model, state });
  await models.countAhead(ledger);
  ledger.count({ context: session.context, tools });
  const { newlyCounted: touched } = ledger;
  await models.restoreLastRequest(ledger);
  const request = { ledger, tools, options: input.options, state, switchedFrom, recordEpoch, signal: input.signal };

  // 4. Decide and apply, until nothing is left to do. Then the guard cuts what still does not fit.
  let effects = await decideAndApply({ parts, request });

  // 5. Repair. Where that changes bytes that were sent, an epoch opens and the request is decided again.
  if (await repairSentBytes({ parts, model, recordEpoch })) {
    const { compaction } = effects;
    effects = { ...(compaction && { compaction }), ...(await decideAndApply({ parts, request })) };
  }
  const { context } = session;
  const sent = validRequestFor({ context, model });
  requireRequest({ items: sent.items, context, model });

  // 6. Record the request as sent, and start the background summary that was decided on.
  const snapshot = ledger.count({ context, tools });
  models.recordRequest(sentRequest({ context, model, items: sent.items, tokens: snapshot.used }));
  emit('usage', { ...snapshot, messageCount: sent.head.length + sent.items.length });
  effects.startBackground?.();
  return {
    head: sent.head,
    items: sent.items,
    tools,
    tokens: snapshot.used,
    bound: snapshot.bound,
    epoch: context.epoch,
    report: {
      snapshot,
      budget: enforcer.budgetFor(request),
      opened,
      touched,
      repairs: sent.repairs,
      rebindsThinking: await thinking.isBroken({ model, items: sent.items }),
      ...(effects.compaction && { compaction: effects.compaction }),
      ...continuationAfter({ context, policy, compaction: effects.compaction }),
    },
  };
}

type RecordEpoch = RequestInProgress['recordEpoch'];

/** Collects the epochs that a request opens, and emits an event for each. */
function collectEpochs(emit: Emit): { readonly opened: PrepareReport['opened']; readonly recordEpoch: RecordEpoch } {
  const opened: { reason: string; epoch: EntryId }[] = [];
  const recordEpoch: RecordEpoch = (reason, epoch) => {
    if (epoch === undefined) return;
    opened.push({ reason, epoch });
    emit('epoch', { reason, epoch });
  };
  return { opened, recordEpoch };
}

/** The model of the previous request, where it is another one. */
function previousModel({ models, model }: { readonly models: ModelState; readonly model: TargetModel }) {
  const before = models.ledger?.model;
  return before && modelKey(before) !== modelKey(model) ? before : undefined;
}

/** Renders the head where it is a prompt, logs what differs from the last request, and returns the state after that. */
async function syncRequestHead({
  parts: { session, count, state: readState, models, enforcer },
  input: { model, head, tools = [], signal },
  recordEpoch,
}: {
  readonly parts: PrepareParts;
  readonly input: PrepareInput;
  readonly recordEpoch: RecordEpoch;
}): Promise<SessionState> {
  const state = await readState();
  await models.load({ model, state });
  if (!isPrompt(head)) {
    await syncHead({ session, state, model, head, tools, recordEpoch });
    return await readState();
  }
  const ledger = models.createLedger({ model, state });
  const { limit } = enforcer.budgetFor({ ledger, tools });
  // Half of what the tools leave: the conversation needs room, too.
  const budget = ledger.tokensWithin((limit - ledger.toolTokens(tools)) / 2);
  const rendered = await renderHead({ prompt: head, state, ledger, budget, count, signal });
  await syncHead({ session, state, model, head: rendered?.messages, tools, recordEpoch });
  if (rendered) await session.append({ type: 'head_prompt', key: rendered.key });
  return await readState();
}

/** Appends the turn, rendered where it is a prompt; whether a person said something new in it. */
async function appendTurn({
  parts: { session, count, models, enforcer, capped },
  input: { model, turn, tools = [], signal },
  state,
}: {
  readonly parts: PrepareParts;
  readonly input: PrepareInput;
  readonly state: SessionState;
}): Promise<boolean> {
  const ledger = models.ledgerFor({ model, state });
  if (!turn) return false;
  const { messages: given, key } = turn;
  let messages: readonly Message[];
  if (isPrompt(given)) {
    // A turn that is in the log under its key is not rendered again.
    const before = key === undefined ? [] : await session.read({ keys: [`${key}:0`] });
    if (before.length > 0) return false;
    const room = enforcer.roomFor({ ledger, tools });
    messages = await renderTurn({ prompt: given, ...room, count, model, signal });
  } else messages = given;
  if (messages.length === 0) return false;
  const { last } = session.head;
  const drafts = messages.map((message, index) => ({
    type: 'message' as const,
    message,
    ...(key !== undefined && { key: `${key}:${index}` }),
  }));
  const entries = await session.appendBatch(drafts.map((draft) => capped(draft)));
  // With a key that was in the log before, it is a retry of the same turn.
  return entries.some(({ handle }) => handle > last) && messages.some(isHumanMessage);
}

/** Decides and applies until a decision ends it, then cuts what still does not fit. */
async function decideAndApply({
  parts: { models, enforcer },
  request,
}: {
  readonly parts: PrepareParts;
  readonly request: RequestInProgress;
}): Promise<DecisionEffects> {
  let effects: DecisionEffects = {};
  try {
    for (let index = 0; index < maxDecisions; index += 1) {
      const { isFinal, ...applied } = await enforcer.apply({ request, ...enforcer.decide(request) });
      effects = { ...effects, ...applied };
      if (isFinal) break;
    }
    await enforcer.guard(request);
    return effects;
  } catch (error) {
    return models.overflows.explain(error);
  }
}

/**
 * Opens an epoch where repairs for the provider change bytes that were sent: a result that arrives after its placeholder
 * was sent replaces it. Whether one was opened.
 */
async function repairSentBytes({
  parts: { session, models },
  model,
  recordEpoch,
}: {
  readonly parts: PrepareParts;
  readonly model: TargetModel;
  readonly recordEpoch: RecordEpoch;
}): Promise<boolean> {
  const { context } = session;
  const last = models.lastRequest;
  // The log has only requests that were answered; before a restart there may have been longer ones, which repairs change.
  const known = last?.length ?? 0;
  const isUnknown =
    models.takeReopened() && validRequestFor({ context, model }).repairs.some(({ at }) => at.message >= known);
  const reason = isUnknown ? 'repair' : changeOf();
  if (reason === undefined) return false;
  recordEpoch(reason, (await session.append(unchangedEpoch({ session, reason, model }))).id);
  return true;

  function changeOf(): 'model' | 'repair' | undefined {
    if (!last || !isSentPrefix({ sent: last, context })) return undefined;
    if (last.dialect !== model.dialect) return 'model';
    return startsWithRequest({ from: last, items: validRequestFor({ context, model }).items }) ? undefined : 'repair';
  }
}

/**
 * Takes over head, tools and model of a request. What differs from the last request opens an epoch, since it changes the
 * bytes in front of everything; the same as before changes nothing.
 */
async function syncHead({
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
function unchangedEpoch({
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
