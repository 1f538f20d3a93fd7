/**
 * OpenTelemetry: spans and metrics of an engine, without any content.
 *
 * @module
 */
import {
  type Attributes,
  type Context,
  context,
  type Meter,
  metrics,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { EngineEvent, EventName, EventStream } from '../engine/index.ts';
import { defined, plain, usageAttributes, word } from './otel-names.ts';

/**
 * Records spans and metrics of a session's events; returns an unsubscribe function. Only numbers, ids and names of a
 * fixed form are recorded: there is no option for content, so it cannot be enabled by mistake (editor.md 11).
 *
 * @example
 * const stop = observe({ session });
 */
export function observe({
  session,
  tracer = trace.getTracer('longhaul'),
  meter = metrics.getMeter('longhaul'),
  parent = () => context.active(),
}: {
  /** A source of events: a session of the engine. */
  readonly session: Pick<EventStream, 'onAny'>;
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /** Parent context of the spans; `observeAgent` passes the agent's. */
  readonly parent?: () => Context;
}): () => void {
  const to = instruments(meter);
  const open = new Map<string, Span>();
  const handlers: { readonly [Name in EventName]?: (event: EngineEvent<Name>) => void } = {
    decision: ({ decision, preset }) => to.decisions.add(1, { decision: word(decision), preset: word(preset) }),
    compactionStart: (event) => begin({ name: 'compact_context', event }),
    compactionComplete(event) {
      const { trigger, strategy, tokensBefore, tokensAfter, removed, attempts, checkpoint, error } = event;
      const outcome = outcomeOf(event);
      const names = { trigger: word(trigger), outcome, ...(strategy !== undefined && { strategy: word(strategy) }) };
      to.compactions.add(1, names);
      to.duration.record(event.ms / 1000, names);
      if (event.success) to.removed.record(removed.tokens, names);
      // The usage of a job was counted when it settled.
      if (event.job === undefined) spent(event);
      const more = {
        'longhaul.outcome': outcome,
        'longhaul.strategy': names.strategy,
        'longhaul.attempts': attempts,
        'longhaul.tokens.before': tokensBefore,
        'longhaul.tokens.after': tokensAfter,
        'longhaul.messages.removed': removed.messages,
        'longhaul.checkpoint': checkpoint,
        'longhaul.request.ids': event.requestIds?.map(plain),
      };
      end({ event, isError: error !== undefined, more });
    },
    jobStart: (event) => begin({ name: 'prepare_summary', event }),
    jobSettled(event) {
      to.jobs.add(1, { outcome: word(event.outcome) });
      spent(event);
      const more = {
        'longhaul.outcome': word(event.outcome),
        'longhaul.strategy': event.strategy && word(event.strategy),
      };
      end({ event, isError: event.outcome === 'failed', more });
    },
    jobInstalled: () => to.jobs.add(1, { outcome: 'installed' }),
    jobDropped: () => to.jobs.add(1, { outcome: 'dropped' }),
    prune: ({ tokensFreed }) => to.pruned.add(tokensFreed),
    guard: () => to.guarded.add(1),
    truncation({ by, removed }) {
      to.truncations.add(1, { by: word(by) });
      to.truncated.record(removed.tokens, { by: word(by) });
    },
    epoch: ({ reason }) => to.epochs.add(1, { reason: word(reason) }),
    usage({ used, window, messageCount }) {
      to.filled.record(used / Math.max(1, window));
      to.messages.record(messageCount);
    },
    hookFailed: ({ hook, kind }) => to.hooks.add(1, { hook: word(hook), kind: word(kind) }),
  };
  const off = session.onAny((event) => (handlers[event.type] as ((event: EngineEvent) => void) | undefined)?.(event));
  return () => {
    off();
    for (const span of open.values()) span.end();
  };

  function begin({ name, event }: { readonly name: string; readonly event: StartEvent }): void {
    const { session: id, trigger, tokens } = event;
    const about = { 'gen_ai.conversation.id': id, 'longhaul.trigger': word(trigger), 'longhaul.tokens.before': tokens };
    const attributes = defined({ ...about, ...(event.type === 'compactionStart' && countersOf(event)) });
    open.get(keyOf(event))?.end();
    open.set(keyOf(event), tracer.startSpan(name, { startTime: event.at, attributes }, parent()));
  }

  function end(of: { readonly event: EndEvent; readonly isError: boolean; readonly more: Attributes }): void {
    const { at, usage, cost } = of.event;
    const span = open.get(keyOf(of.event));
    open.delete(keyOf(of.event));
    if (of.isError) span?.setStatus({ code: SpanStatusCode.ERROR });
    const price = { 'longhaul.cost.dollars': cost, ...(usage && usageAttributes(usage)) };
    span?.setAttributes(defined({ ...of.more, ...price })).end(at);
  }

  function spent({ usage, cost = 0 }: Pick<EndEvent, 'usage' | 'cost'>): void {
    to.cost.add(cost);
    if (!usage) return;
    for (const type of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
      to.tokens.record(usage[type], { 'gen_ai.token.type': type });
    }
  }
}

type StartEvent = EngineEvent<'compactionStart' | 'jobStart'>;
type EndEvent = EngineEvent<'compactionComplete' | 'jobSettled'>;

function instruments(meter: Meter) {
  return {
    compactions: meter.createCounter('longhaul.compaction.count', { description: 'Compactions, by outcome' }),
    duration: meter.createHistogram('longhaul.compaction.duration', { unit: 's' }),
    removed: meter.createHistogram('longhaul.compaction.tokens_removed', { unit: '{token}' }),
    jobs: meter.createCounter('longhaul.job.count', { description: 'Summaries made in the background' }),
    decisions: meter.createCounter('longhaul.decision.count'),
    pruned: meter.createCounter('longhaul.prune.tokens', { unit: '{token}' }),
    truncations: meter.createCounter('longhaul.truncation.count', { description: 'Cuts without a summary' }),
    truncated: meter.createHistogram('longhaul.truncation.tokens_removed', { unit: '{token}' }),
    messages: meter.createGauge('longhaul.context.messages', { description: 'Messages per request' }),
    guarded: meter.createCounter('longhaul.guard.count', { description: 'Requests that were cut to fit' }),
    epochs: meter.createCounter('longhaul.epoch.count', { description: 'New epochs' }),
    filled: meter.createGauge('longhaul.context.ratio', { description: 'Share of the context window in use' }),
    hooks: meter.createCounter('longhaul.hook.failures'),
    tokens: meter.createHistogram('gen_ai.client.token.usage', { unit: '{token}' }),
    cost: meter.createCounter('longhaul.cost', { unit: '{USD}', description: 'Cost of summaries' }),
  };
}

function countersOf(event: EngineEvent<'compactionStart'>): Attributes {
  return {
    'longhaul.compaction.id': plain(event.id),
    'longhaul.rounds': event.rounds,
    'longhaul.rounds.since_compaction': event.roundsSinceCompaction,
    'longhaul.turn': event.turn,
    'longhaul.turn.round': event.roundInTurn,
    'longhaul.during_tool_calling': event.isDuringToolCalling,
  };
}

/** Compactions of a session run one at a time, including those prepared by a job; jobs have numbers. */
function keyOf(event: StartEvent | EndEvent): string {
  return event.type === 'jobStart' || event.type === 'jobSettled' ? `job ${event.job}` : 'compaction';
}

function outcomeOf({ error, cancelled, success }: EngineEvent<'compactionComplete'>): string {
  if (error !== undefined) return 'failed';
  return cancelled ? 'cancelled' : success ? 'installed' : 'declined';
}
