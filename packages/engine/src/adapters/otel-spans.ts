import {
  type Context,
  context,
  type Meter,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { EventSource } from '../agent/index.ts';
import type { EngineEvent } from '../engine/index.ts';
import { defined, plain } from './otel-names.ts';

/** Something that has begun and not ended. */
export interface Watch {
  readonly span: Span;
  readonly started: number;
  readonly operation: string;
}

/** What is under way in one session. */
export interface Watched {
  readonly source: EventSource;
  readonly tools: Map<string, Watch>;
  model: string;
  run?: Watch;
  chat?: Watch;
  /** Takes what the session itself tells. */
  engine?: (event: EngineEvent) => void;
  stop?: () => void;
}

/** Begins and ends spans, and measures how long things take. */
export function createSpans({ tracer, meter }: { readonly tracer: Tracer; readonly meter: Meter }) {
  const duration = meter.createHistogram('gen_ai.client.operation.duration', { unit: 's' });
  return {
    begin(what: {
      readonly operation: 'invoke_agent' | 'chat' | 'execute_tool';
      readonly subject: string;
      readonly of: Watched;
      readonly under: Context;
    }): Watch {
      const { operation, of } = what;
      const attributes = {
        'gen_ai.operation.name': operation,
        'gen_ai.conversation.id': of.source.session,
        'gen_ai.request.model': of.model,
      };
      const kind = operation === 'chat' ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const span = tracer.startSpan(`${operation} ${plain(what.subject)}`, { kind, attributes }, what.under);
      return { span, started: performance.now(), operation };
    },
    finish({
      of,
      watch,
      error,
    }: {
      readonly of: Watched;
      readonly watch: Watch | undefined;
      readonly error?: string | undefined;
    }): void {
      if (!watch) return;
      if (watch === of.chat) delete of.chat;
      if (watch === of.run) delete of.run;
      const type = defined({ 'error.type': error });
      if (error !== undefined) watch.span.setStatus({ code: SpanStatusCode.ERROR });
      watch.span.setAttributes(type).end();
      const about = { 'gen_ai.operation.name': watch.operation, 'gen_ai.request.model': of.model, ...type };
      duration.record((performance.now() - watch.started) / 1_000, about);
    },
  };
}

/** The place under which what belongs to it begins. */
export function inside(watch: Watch | undefined): Context {
  return watch ? trace.setSpan(context.active(), watch.span) : context.active();
}
