/**
 * OpenTelemetry: spans and metrics of an agent, following the conventions for generative AI.
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
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Agent, AgentEvent, EventSource } from '../agent/index.ts';
import { createMask, type EngineEvent } from '../engine/index.ts';
import { observe } from './otel.ts';
import { defined, plain, usageAttributes } from './otel-names.ts';

type Handlers = {
  readonly [Name in AgentEvent['type']]?: (event: Extract<AgentEvent, { type: Name }>, of: Watched) => void;
};

/** Limit of a content attribute, in characters; editors use the same (editor.md 11). */
const longest = 64_000;

/**
 * Records spans (`invoke_agent`, `chat`, `execute_tool`, `compact_context`, and those of sub-agents under the call that
 * started them) and metrics of an agent; returns an unsubscribe function. Without `content` they contain no text of the
 * conversation.
 *
 * @example
 * const stop = observeAgent({ agent });
 */
export function observeAgent({
  agent,
  tracer = trace.getTracer('longhaul'),
  meter = metrics.getMeter('longhaul'),
  content,
}: {
  readonly agent: Pick<Agent, 'on'>;
  readonly tracer?: Tracer;
  readonly meter?: Meter;
  /** Records content: answers, arguments and results, with these values and everything that looks like a key masked. */
  readonly content?: { readonly secrets?: readonly string[] };
}): () => void {
  const { begin, finish } = createSpans({ tracer, meter });
  const tokens = meter.createHistogram('gen_ai.client.token.usage', { unit: '{token}' });
  const calls = meter.createCounter('longhaul.tool.call.count', { description: 'Tool calls, by name and outcome' });
  const turns = meter.createCounter('longhaul.agent.turn.count', { description: 'Requests to models' });
  const retries = meter.createCounter('longhaul.agent.retry.count', { description: 'Retried requests' });
  const sessions = new Map<string, Watched>();
  const mask = createMask({ values: content?.secrets ?? [], salt: 'traces' });
  const again = ({ type, failure }: Extract<AgentEvent, { type: 'retry' | 'overflow' }>, of: Watched) => {
    retries.add(1, { 'error.type': failure.kind });
    of.chat?.span.addEvent(type, { 'error.type': failure.kind });
  };
  const handlers: Handlers = {
    run_start(event, of) {
      of.model = plain(event.model);
      const { parent } = of.source;
      // The span of a sub-agent is a child of the call that started it.
      const under = inside(parent && sessions.get(parent.session)?.tools.get(parent.callId));
      of.run = begin({ operation: 'invoke_agent', subject: 'longhaul', of, under });
    },
    turn_start({ turn, messageCount }, of) {
      finish({ of, watch: of.chat });
      turns.add(1, { 'gen_ai.request.model': of.model });
      of.chat = begin({ operation: 'chat', subject: of.model, of, under: inside(of.run) });
      of.chat.span.setAttributes({ 'longhaul.turn': turn, 'longhaul.messages': messageCount });
    },
    retry: again,
    overflow: again,
    answer({ reason, message, requestId }, of) {
      if (requestId !== undefined) of.chat?.span.setAttribute('longhaul.request.id', plain(requestId));
      const words = said({ name: 'gen_ai.output.messages', value: message });
      of.chat?.span.setAttributes({ 'gen_ai.response.finish_reasons': [reason], ...words });
    },
    usage({ usage }, of) {
      of.chat?.span.setAttributes(usageAttributes(usage));
      const about = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': of.model };
      const input = usage.input + usage.cacheRead + usage.cacheWrite;
      tokens.record(input, { ...about, 'gen_ai.token.type': 'input' });
      tokens.record(usage.output, { ...about, 'gen_ai.token.type': 'output' });
    },
    tool_start({ tool, callId, input }, of) {
      finish({ of, watch: of.chat });
      const watch = begin({ operation: 'execute_tool', subject: tool, of, under: inside(of.run) });
      const words = said({ name: 'gen_ai.tool.call.arguments', value: input });
      watch.span.setAttributes({ 'gen_ai.tool.name': plain(tool), 'gen_ai.tool.call.id': plain(callId), ...words });
      of.tools.set(callId, watch);
    },
    tool_end({ tool, callId, isError, text }, of) {
      calls.add(1, { 'gen_ai.tool.name': plain(tool), outcome: isError ? 'error' : 'ok' });
      const watch = of.tools.get(callId);
      watch?.span.setAttributes(said({ name: 'gen_ai.tool.call.result', value: text }));
      of.tools.delete(callId);
      finish({ of, watch, error: isError ? 'tool' : undefined });
    },
    model({ to }, of) {
      of.model = plain(to);
    },
    engine: ({ event }, of) => engineOf(of)(event),
    run_end({ failure, reason, usage, turns: made }, of) {
      finish({ of, watch: of.chat, error: failure?.kind });
      of.run?.span.setAttributes({ ...usageAttributes(usage), 'longhaul.outcome': reason, 'longhaul.turns': made });
      finish({ of, watch: of.run, error: failure?.kind });
      if (of.source.parent) of.stop?.();
      if (of.source.parent) sessions.delete(of.source.session);
    },
  };
  const off = agent.on((event, source) => {
    const of = sessions.get(source.session) ?? { source, tools: new Map<string, OpenSpan>(), model: 'other' };
    sessions.set(source.session, of);
    (handlers[event.type] as ((event: AgentEvent, of: Watched) => void) | undefined)?.(event, of);
  });
  return () => {
    off();
    for (const { run, chat, tools, stop } of sessions.values()) {
      stop?.();
      for (const watch of [...tools.values(), chat, run]) watch?.span.end();
    }
  };

  /** Compaction events come from the session; their spans are children of the agent's. */
  function engineOf(of: Watched): (event: EngineEvent) => void {
    const onAny = (listener: (event: EngineEvent) => void) => {
      of.engine = listener;
      return () => undefined;
    };
    if (!of.engine) of.stop = observe({ session: { onAny }, tracer, meter, parent: () => inside(of.run) });
    return of.engine ?? (() => undefined);
  }

  function said({ name, value }: { readonly name: string; readonly value: unknown }): Attributes {
    if (!content) return {};
    const text = mask(typeof value === 'string' ? value : JSON.stringify(value));
    return { [name]: text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text };
  }
}

/** An open span. */
interface OpenSpan {
  readonly span: Span;
  readonly started: number;
  readonly operation: string;
}

/** State of one session. */
interface Watched {
  readonly source: EventSource;
  readonly tools: Map<string, OpenSpan>;
  model: string;
  run?: OpenSpan;
  chat?: OpenSpan;
  /** Handles events of the session. */
  engine?: (event: EngineEvent) => void;
  stop?: () => void;
}

/** Starts and ends spans, and records durations. */
function createSpans({ tracer, meter }: { readonly tracer: Tracer; readonly meter: Meter }) {
  const duration = meter.createHistogram('gen_ai.client.operation.duration', { unit: 's' });
  return {
    begin(what: {
      readonly operation: 'invoke_agent' | 'chat' | 'execute_tool';
      readonly subject: string;
      readonly of: Watched;
      readonly under: Context;
    }): OpenSpan {
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
      readonly watch: OpenSpan | undefined;
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

/** The context for child spans. */
function inside(watch: OpenSpan | undefined): Context {
  return watch ? trace.setSpan(context.active(), watch.span) : context.active();
}
