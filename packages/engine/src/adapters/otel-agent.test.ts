import type { Attributes } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from 'vitest';
import { all, begin } from '../agent/fixtures/agent.ts';
import { says, toolOf, writes } from '../agent/fixtures/tools.ts';
import { createEngine } from '../engine/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { characterTokenizer } from '../testing/index.ts';
import { observeAgent } from './otel-agent.ts';

/** Marker in every text, call and output. */
const marked = 'the quick secret';
const key = 'sk-ant-api03-AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHHIIIIJJJJKKKKLLLLMMMMNNNN';
const usage = { input: 10, output: 5, cacheRead: 80, cacheWrite: 10 };

/** An agent that reads, fails, retries and delegates, observed by the real SDK. */
async function observed({ content }: Pick<Parameters<typeof observeAgent>[0], 'content'> = {}) {
  const spans = new InMemorySpanExporter();
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: metrics })] });
  const store = createMemoryStore();
  const engine = await createEngine({ store, tokenizer: characterTokenizer });
  const { agent, session, model } = await begin({
    store,
    subagents: { engine },
    tools: [toolOf({ name: 'look', access: writes, run: async () => says(`${marked} ${key}`) })],
    script: [
      { text: marked, toolCalls: [{ name: 'look', id: marked, arguments: { path: marked } }, { name: marked }], usage },
      { toolCalls: [{ name: 'task', id: 't1', arguments: { description: marked, prompt: marked } }], usage },
      { text: marked, toolCalls: [{ name: 'look' }], usage },
      { text: marked, usage },
      { text: marked, failure: { kind: 'quota', message: marked, retryable: false } },
    ],
  });
  const stop = observeAgent({
    agent,
    tracer: tracers.getTracer('t'),
    meter: meters.getMeter('t'),
    ...(content && { content }),
  });
  await all(agent.run({ prompt: `${marked} ${key}` }));
  await session.compact({ model });
  stop();
  await meters.forceFlush();
  const found = metrics.getMetrics().flatMap((one) => one.scopeMetrics.flatMap((scope) => scope.metrics));
  return { spans: spans.getFinishedSpans(), metrics: found };
}

describe('OpenTelemetry of an agent', () => {
  test('spans are nested like the work, those of a sub-agent under its call', async () => {
    const { spans } = await observed();
    const parentOf = (id: string | undefined) => spans.find((span) => span.spanContext().spanId === id);
    const way = (span: (typeof spans)[number]): string => {
      const above = parentOf(span.parentSpanContext?.spanId);
      return above ? `${way(above)} > ${span.name}` : span.name;
    };
    expect(spans.map(way).sort()).toEqual(
      [
        'compact_context',
        'invoke_agent longhaul',
        ...Array.from({ length: 3 }, () => 'invoke_agent longhaul > chat test/scripted'),
        'invoke_agent longhaul > execute_tool look',
        'invoke_agent longhaul > execute_tool other',
        'invoke_agent longhaul > execute_tool task',
        'invoke_agent longhaul > execute_tool task > invoke_agent longhaul',
        ...Array.from(
          { length: 2 },
          () => 'invoke_agent longhaul > execute_tool task > invoke_agent longhaul > chat test/scripted',
        ),
        'invoke_agent longhaul > execute_tool task > invoke_agent longhaul > execute_tool look',
      ].sort(),
    );
    const chat = spans.find(({ name }) => name === 'chat test/scripted');
    expect(chat?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'test/scripted',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.response.finish_reasons': ['tool_calls'],
    });
    const agents = spans.filter(({ name, parentSpanContext }) => name.startsWith('invoke_agent') && !parentSpanContext);
    expect(agents).toMatchObject([
      { status: { code: 2 }, attributes: { 'error.type': 'quota', 'longhaul.outcome': 'failed' } },
    ]);
  });

  test('durations, tokens and calls are recorded', async () => {
    const { metrics } = await observed();
    const points = (name: string) =>
      metrics
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }): { attributes: Attributes; value: unknown }[] => [...dataPoints]);
    const operations = points('gen_ai.client.operation.duration').map(
      ({ attributes }) => attributes['gen_ai.operation.name'],
    );
    expect(new Set(operations)).toEqual(new Set(['invoke_agent', 'chat', 'execute_tool']));
    const input = points('gen_ai.client.token.usage').find(
      ({ attributes }) => attributes['gen_ai.token.type'] === 'input',
    );
    expect(input?.value).toMatchObject({ sum: 400, count: 4 });
    expect(points('longhaul.tool.call.count')).toContainEqual(
      expect.objectContaining({ value: 2, attributes: { 'gen_ai.tool.name': 'look', outcome: 'ok' } }),
    );
  });

  test('no content and no key is recorded unless enabled', async () => {
    const { spans, metrics } = await observed();
    const plain = JSON.stringify([
      spans.map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
      metrics,
    ]);
    expect(plain).toContain('invoke_agent');
    expect(plain).not.toContain('quick');
    expect(plain).not.toContain('sk-ant');
    const asked = await observed({ content: {} });
    const words = JSON.stringify(asked.spans.map(({ attributes }) => attributes));
    expect(words).toContain(marked);
    expect(words).not.toContain('AAAABBBB');
  });
});
