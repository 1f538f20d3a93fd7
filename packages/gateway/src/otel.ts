/**
 * OpenTelemetry: spans and metrics of the requests that pass through a gateway, without any content.
 *
 * @module
 */
import { type Attributes, type Meter, metrics, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { observe } from 'longhaul/adapters/otel';
import type { GatewayTelemetry } from './options.ts';
import type { RequestRecord } from './report/record.ts';

/** How the conventions name the providers. */
const providers: Readonly<Record<string, string>> = { gemini: 'gcp.gemini' };

/**
 * Records a span `chat MODEL` for each request of a conversation, `compact_context` for its compactions, and metrics of all
 * requests, by the conventions for generative AI. Only numbers, ids and names are recorded.
 *
 * @example
 * const gateway = await createGateway({ dir: '.longhaul', telemetry: gatewayTelemetry() });
 */
export function gatewayTelemetry({
  tracer = trace.getTracer('longhaul'),
  meter = metrics.getMeter('longhaul'),
}: {
  readonly tracer?: Tracer;
  readonly meter?: Meter;
} = {}): GatewayTelemetry {
  const to = instruments(meter);
  return {
    session: (session) => observe({ session, tracer, meter }),
    request(record) {
      const { upstream, action, status } = record;
      to.requests.add(1, { action, 'server.name': named(upstream), 'http.response.status_code': status });
      if (record.session === null) return;
      const about = requestAttributes(record);
      const { at, duration, overhead, tokensReceived, tokensForwarded, tokensCached, tokensOut, saved } = record;
      to.duration.record(duration / 1000, about);
      to.overhead.record(overhead / 1000, { action });
      to.tokens.record(tokensForwarded, { ...about, 'gen_ai.token.type': 'input' });
      to.tokens.record(tokensOut, { ...about, 'gen_ai.token.type': 'output' });
      to.savedTokens.add(Math.max(0, tokensReceived - tokensForwarded));
      if (saved !== null) to.saved.add(saved);
      const span = tracer.startSpan(`${about['gen_ai.operation.name']} ${about['gen_ai.request.model']}`, {
        kind: SpanKind.CLIENT,
        startTime: at,
        attributes: {
          ...about,
          'gen_ai.conversation.id': record.session,
          'gen_ai.usage.input_tokens': tokensForwarded,
          'gen_ai.usage.output_tokens': tokensOut,
          'gen_ai.usage.cache_read.input_tokens': tokensCached,
          'http.response.status_code': status,
          'longhaul.gateway.action': action,
          'longhaul.gateway.client': named(record.client),
          'longhaul.gateway.overhead': overhead / 1000,
          'longhaul.tokens.received': tokensReceived,
          ...(record.firstChunk !== null && { 'gen_ai.response.time_to_first_chunk': record.firstChunk / 1000 }),
        },
      });
      if (status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(at + duration);
    },
  };
}

function requestAttributes({ upstream, model, path, status }: RequestRecord) {
  return {
    'gen_ai.operation.name': /:(stream)?generateContent$/i.test(path) ? 'generate_content' : 'chat',
    'gen_ai.provider.name': providers[upstream] ?? named(upstream),
    'gen_ai.request.model': named(model),
    ...(status >= 400 && { 'error.type': String(status) }),
  } satisfies Attributes;
}

/** A name, never a sentence: clients choose some of them. */
function named(text: string): string {
  return /^[\w.:/@ -]{1,80}$/.test(text) ? text : 'other';
}

function instruments(meter: Meter) {
  return {
    requests: meter.createCounter('longhaul.gateway.requests', { description: 'Requests, by what was done with them' }),
    overhead: meter.createHistogram('longhaul.gateway.overhead', {
      unit: 's',
      description: 'Time that was added before a request was sent',
    }),
    savedTokens: meter.createCounter('longhaul.gateway.tokens_saved', { unit: '{token}' }),
    saved: meter.createUpDownCounter('longhaul.gateway.saved', {
      unit: '{USD}',
      description: 'Money saved, net of cache writes and summaries',
    }),
    duration: meter.createHistogram('gen_ai.client.operation.duration', { unit: 's' }),
    tokens: meter.createHistogram('gen_ai.client.token.usage', { unit: '{token}' }),
  };
}
