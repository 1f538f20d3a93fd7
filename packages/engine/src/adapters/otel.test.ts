import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from 'vitest';
import { eventNames } from '../engine/events/event.ts';
import type { EngineEvent, EventName } from '../engine/index.ts';
import { createEventStream } from '../engine/internal.ts';
import { observe } from './otel.ts';

/** Marker in every text of the events: it must not appear in the output. */
const marked = 'the quick secret';

const before = {
  tokens: 90_000,
  messages: 120,
  shares: { system: 2_000, tools: 3_000, messages: 35_000, toolResults: 50_000, files: 0 },
  parts: { human: 12, engine: 1, model: 40, thinking: 10, calls: 30, results: 30, media: 0 },
};

const usage = { input: 900, output: 700, cacheRead: 89_000, cacheWrite: 100 };

type EventSamples = { readonly [Name in EventName]: Omit<EngineEvent<Name>, 'type' | 'session' | 'at'> };

const reported: EventSamples = {
  decision: { decision: 'start', why: marked, ratio: 0.7, preset: marked },
  compactionStart: {
    id: marked,
    trigger: 'threshold',
    tokens: 90_000,
    rounds: 60,
    roundsSinceCompaction: 31,
    turn: 4,
    roundInTurn: 12,
    isDuringToolCalling: true,
  },
  compactionComplete: {
    id: marked,
    requestIds: ['req_1', marked],
    trigger: 'threshold',
    success: true,
    installed: true,
    worthwhile: true,
    reason: marked,
    strategy: 'full',
    tokensBefore: 90_000,
    tokensAfter: 20_000,
    summary: marked,
    short: marked,
    usage,
    cost: 0.5,
    attempts: 2,
    before,
    after: before,
    removed: { ...before, tokens: 70_000 },
    ms: 8_000,
  },
  jobStart: { job: 1, trigger: 'background', tokens: 80_000, why: marked },
  jobSettled: { job: 1, outcome: 'failed', why: marked, strategy: marked, ms: 20 },
  jobInstalled: { job: 1, tokensFreed: 5 },
  jobDropped: { job: 2, why: marked },
  prune: { entries: ['a'], tokensFreed: 21_000 },
  guard: { dropped: 3, reduced: 1, tokensAfter: 110_000 },
  truncation: {
    by: 'guard',
    limit: 100,
    before: { tokens: 120, messages: 9 },
    after: { tokens: 90, messages: 7 },
    removed: { tokens: 30, messages: 2 },
  },
  epoch: { epoch: 'e', reason: marked },
  usage: { window: 100, used: 25, bound: 30, reserve: 10, free: 65, confirmed: 0, ...before.shares, messageCount: 12 },
  limit: { window: 100_000 },
  hookFailed: { hook: 'beforeCompaction', kind: 'exit', ms: 30, command: marked, why: marked },
  moved: { from: 'a', to: 'b' },
  checkpoint: { number: 3, title: marked },
};

/** The real SDK with in-memory exporters. */
function observed() {
  const spans = new InMemorySpanExporter();
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: metrics })] });
  let clock = 1_800_000_000_000;
  const { stream, emit } = createEventStream({ session: 's1', now: () => (clock += 1_000) });
  const stop = observe({ session: stream, tracer: tracers.getTracer('t'), meter: meters.getMeter('t') });
  return { spans, metrics, meters, emit, stop };
}

describe('OpenTelemetry', () => {
  test('a compaction is a span with its sizes, and a job another', () => {
    const { spans, emit } = observed();
    for (const name of ['compactionStart', 'jobStart', 'compactionComplete', 'jobSettled'] as const) {
      emit(name, reported[name] as never);
    }
    const [compaction, job] = spans.getFinishedSpans();
    expect(compaction).toMatchObject({
      name: 'compact_context',
      startTime: [1_800_000_001, 0],
      endTime: [1_800_000_003, 0],
      status: { code: 0 },
      attributes: {
        'gen_ai.conversation.id': 's1',
        'longhaul.trigger': 'threshold',
        'longhaul.outcome': 'installed',
        'longhaul.tokens.before': 90_000,
        'longhaul.tokens.after': 20_000,
        'longhaul.strategy': 'full',
        'gen_ai.usage.input_tokens': 90_000,
        'gen_ai.usage.output_tokens': 700,
        'longhaul.cost.dollars': 0.5,
      },
    });
    expect(job).toMatchObject({ name: 'prepare_summary', status: { code: 2 } });
  });

  test('a compaction prepared by a job ends its own span, and each job its own, in time or not', () => {
    const { spans, emit } = observed();
    emit('jobStart', reported.jobStart);
    emit('jobSettled', { job: 1, outcome: 'done', ms: 1 });
    emit('compactionStart', reported.compactionStart);
    emit('compactionComplete', { ...reported.compactionComplete, job: 1 });
    emit('jobStart', { ...reported.jobStart, job: 2 });
    emit('jobDropped', { job: 2, why: marked });
    emit('jobStart', { ...reported.jobStart, job: 3 });
    emit('jobSettled', { job: 2, outcome: 'late', ms: 2 });
    emit('jobSettled', { job: 3, outcome: 'cancelled', ms: 1 });
    const ended = spans.getFinishedSpans().map(({ name, attributes }) => [name, attributes['longhaul.outcome']]);
    expect(ended).toEqual([
      ['prepare_summary', 'done'],
      ['compact_context', 'installed'],
      ['prepare_summary', 'late'],
      ['prepare_summary', 'cancelled'],
    ]);
  });

  test('every event has metrics', async () => {
    const { metrics, meters, emit } = observed();
    for (const name of eventNames) emit(name, reported[name] as never);
    await meters.forceFlush();
    const found = metrics.getMetrics().flatMap((one) => one.scopeMetrics.flatMap((scope) => scope.metrics));
    const values = Object.fromEntries(found.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]));
    expect(values['longhaul.compaction.count']).toMatchObject([
      { value: 1, attributes: { trigger: 'threshold', outcome: 'installed', strategy: 'full' } },
    ]);
    expect(values['longhaul.context.ratio']).toMatchObject([{ value: 0.25 }]);
    expect(values['longhaul.prune.tokens']).toMatchObject([{ value: 21_000 }]);
    expect(values['longhaul.hook.failures']).toMatchObject([
      { attributes: { hook: 'beforeCompaction', kind: 'exit' } },
    ]);
    expect(Object.keys(values).length).toBeGreaterThanOrEqual(12);
  });

  test('usage of a job is counted once, although its compaction reports it again', async () => {
    const { metrics, meters, emit } = observed();
    emit('jobSettled', { job: 4, outcome: 'done', ms: 1, usage, cost: 0.5 });
    emit('compactionComplete', { ...reported.compactionComplete, job: 4 });
    await meters.forceFlush();
    const found = metrics.getMetrics().flatMap((one) => one.scopeMetrics.flatMap((scope) => scope.metrics));
    const cost = found.find(({ descriptor }) => descriptor.name === 'longhaul.cost');
    expect(cost?.dataPoints).toMatchObject([{ value: 0.5 }]);
  });

  test('no content is recorded, whatever the events contain', async () => {
    const { spans, metrics, meters, emit, stop } = observed();
    for (const name of eventNames) emit(name, reported[name] as never);
    emit('compactionStart', { id: 'c2', trigger: marked, tokens: 1 });
    emit('compactionComplete', { ...reported.compactionComplete, error: marked, success: false });
    stop();
    await meters.forceFlush();
    const kept = spans.getFinishedSpans().map(({ name, attributes, events, status }) => ({
      name,
      attributes,
      events,
      status,
    }));
    const all = JSON.stringify([kept, metrics.getMetrics()]);
    expect(kept.length).toBe(3);
    expect(all).toContain('compact_context');
    expect(all).not.toContain(marked);
    expect(all).not.toContain('quick');
  });

  test('open spans are ended on unsubscribe', () => {
    const { spans, emit, stop } = observed();
    emit('jobStart', reported.jobStart);
    stop();
    emit('jobStart', reported.jobStart);
    expect(spans.getFinishedSpans()).toHaveLength(1);
  });
});
