import { type EngineSession, watchMemory } from '../compaction/index.ts';
import type { Message } from '../message/index.ts';
import type { Model } from '../models/index.ts';
import { createIds } from '../session/index.ts';
import type { Agent, AgentInput, RunInput } from './agent.ts';
import { alreadyRunning, isClosed } from './errors.ts';
import type { AgentEvent, EventSource } from './event.ts';
import { type AskHooks, createAsking } from './hooks/asking.ts';
import { usualClock } from './loop/clock.ts';
import type { Desk } from './loop/desk.ts';
import { failureFrom } from './loop/failure.ts';
import { createOutbox, type Outbox } from './loop/outbox.ts';
import { createPerform, wish } from './loop/perform.ts';
import { Run } from './loop/run.ts';
import { remark, type Saying, spoken, wordsOf } from './loop/saying.ts';
import { initialState, type LoopLimits, usualLimits } from './loop/state.ts';
import { isAsked, type Pending, readOpenCalls, readPending } from './resume/pending.ts';
import { systemPrompt } from './system/prompt.ts';
import type { Tool } from './tool.ts';
import { usualPermissions } from './usual-permissions.ts';

type Listener = (event: AgentEvent, from: EventSource) => void;

/** The life of an agent: one run after the other on one session. */
export class AgentLife implements Agent {
  readonly session: EngineSession;
  readonly tools: readonly Tool[];
  readonly #input: AgentInput;
  readonly #listeners = new Set<Listener>();
  readonly #ask: AskHooks;
  readonly #limits: LoopLimits;
  readonly #nextId: () => string;
  readonly #callIds = new Set<string>();
  readonly #ends: (() => void)[] = [];
  #model: Model;
  #run: Run | undefined;
  #outbox: Outbox<AgentEvent> | undefined;
  #abort = new AbortController();
  /** What was said and has not reached the model; unknown until the log was read. */
  #waiting: Saying[] | undefined;
  #next: { readonly model: Model; readonly done: PromiseWithResolvers<void> } | undefined;
  #isClosed = false;
  #hasBegun = false;

  constructor(input: AgentInput) {
    const { session, model, hooks = [], maxTurns, retry, memory, clock = usualClock } = input;
    this.session = session;
    this.tools = input.tools ?? [];
    this.#input = input;
    this.#model = model;
    this.#nextId = createIds({ now: clock.now });
    this.#limits = { ...usualLimits, ...(maxTurns !== undefined && { maxTurns }), ...(retry && { retry }) };
    this.#ask = createAsking({
      ...{ hooks: [hooks].flat(), session: session.id, cwd: this.#cwd, now: clock.now },
      onFailure: ({ hook, why }) => this.#tell({ type: 'notice', text: `The hook ${hook} failed: ${why}` }),
    });
    this.#ends.push(session.onAny((event) => this.#tell({ type: 'engine', event })));
    if (memory) this.#ends.push(watchMemory({ ...memory, onPressure: () => this.#relieve() }));
  }

  get #cwd(): string {
    return this.#input.cwd ?? process.cwd();
  }

  get model(): Model {
    return this.#model;
  }

  get state(): 'idle' | 'running' {
    return this.#run ? 'running' : 'idle';
  }

  run({ prompt, key }: RunInput = {}): AsyncIterableIterator<AgentEvent> {
    if (this.#isClosed) throw isClosed();
    if (this.#run) throw alreadyRunning();
    this.#abort = new AbortController();
    const outbox = createOutbox<AgentEvent>();
    this.#outbox = outbox;
    const unsaid = new Map<string, Saying>();
    const perform = createPerform(this.#desk({ unsaid }));
    const state = initialState({ id: this.#nextId(), limits: this.#limits });
    const run = new Run({ state, perform, cancel: () => this.#abort.abort() });
    this.#run = run;
    const message = typeof prompt === 'string' ? spoken(prompt) : prompt;
    const said = message && { message, key: key ?? this.#nextId(), how: 'prompt' as const };
    this.#begin({ run, said, unsaid }).catch((error) => run.dispatch({ type: 'broke', failure: failureFrom(error) }));
    const over = run.over.then(() => this.#finish({ run, unsaid, outbox }));
    return reading({ outbox, stop: () => this.abort(), over });
  }

  async #begin(of: {
    readonly run: Run;
    readonly said: Saying | undefined;
    readonly unsaid: Map<string, Saying>;
  }): Promise<void> {
    const { run, unsaid } = of;
    const session = this.session.session;
    const { items } = session.context;
    const open = await readOpenCalls({ session, tools: this.tools });
    this.#waiting ??= [...(await readPending({ session, tools: this.tools })).waiting];
    const waiting = this.#waiting.splice(0);
    const resumed = !of.said && (open.length > 0 || isAsked(session) || waiting.length > 0);
    const { provider, name } = this.#model.id;
    this.#tell({ type: 'run_start', session: session.id, model: `${provider}/${name}`, cwd: this.#cwd, resumed });
    const opening: string[] = [];
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      for (const { message } of items)
        for (const part of message.parts) if (part.type === 'tool_call') this.#callIds.add(part.id);
      const source = items.length > 0 ? 'resume' : 'startup';
      opening.push(...((await this.#ask('sessionStart', { source }, this.#abort.signal)).context ?? []));
    }
    const say: Saying[] = [...waiting];
    for (const saying of waiting) unsaid.set(saying.key, saying);
    if (of.said) {
      const heard = await this.#heard(of.said);
      if ('block' in heard) {
        const message = `The prompt was not said, a hook blocked it: ${heard.block}`;
        run.dispatch({ type: 'broke', failure: { kind: 'refused', message, retryable: false } });
        return;
      }
      unsaid.set(heard.key, heard);
      say.push(heard);
    }
    const added = opening.length > 0 ? remark(opening.join('\n\n')) : undefined;
    if (added && (say.length > 0 || resumed)) say.unshift({ message: added, key: this.#nextId(), how: 'continuation' });
    run.dispatch({ type: 'started', say, open, isAsked: isAsked(session) });
  }

  /** What somebody says, with what hooks add to it. */
  async #heard(saying: Saying): Promise<Saying | { readonly block: string }> {
    const { message, how } = saying;
    if (how === 'continuation') return saying;
    const { block, context = [] } = await this.#ask(
      'userPromptSubmit',
      { prompt: wordsOf(message), how },
      this.#abort.signal,
    );
    if (block !== undefined) return { block };
    if (context.length === 0) return saying;
    const added = context.map((text) => ({ type: 'text' as const, origin: 'engine' as const, text }));
    return { ...saying, message: { ...message, parts: [...message.parts, ...added] } };
  }

  /** What was said and did not reach the model waits for the next run, in the log too. */
  async #finish(of: {
    readonly run: Run;
    readonly unsaid: Map<string, Saying>;
    readonly outbox: Outbox<AgentEvent>;
  }): Promise<void> {
    try {
      const { steered, queued } = of.run.state;
      const left = [...of.unsaid.values(), ...steered, ...queued];
      const session = this.session.session;
      const known = left.length > 0 ? await session.read({ keys: left.map(({ key }) => `${key}:0`) }) : [];
      const keys = new Set(known.flatMap((entry) => (entry.type === 'message' ? [entry.key] : [])));
      const waiting = left.filter(({ key }) => !keys.has(`${key}:0`));
      for (const saying of waiting) if (saying.how === 'prompt') await this.#note(saying);
      this.#waiting = [...waiting, ...(this.#waiting ?? [])];
    } catch {
      // The log is read again before the next run.
      this.#waiting = undefined;
    }
    this.#run = undefined;
    await this.#switchNow();
    this.#outbox = undefined;
    of.outbox.end();
  }

  async steer(text: string): Promise<void> {
    await this.#say({ text, how: 'steered' });
  }

  async queue(text: string): Promise<void> {
    await this.#say({ text, how: 'queued' });
  }

  async #say({ text, how }: { readonly text: string; readonly how: 'steered' | 'queued' }): Promise<void> {
    if (this.#isClosed) throw isClosed();
    const saying = await this.#heard({ message: spoken(text), key: this.#nextId(), how });
    if ('block' in saying) {
      this.#tell({ type: 'notice', text: `It was not said, a hook blocked it: ${saying.block}` });
      return;
    }
    await this.#note(saying);
    const run = this.#run;
    if (run && run.state.phase !== 'over') run.dispatch({ type: how, saying });
    else this.#waiting?.push(saying);
  }

  /** A process that ends before it is said must not lose it. */
  async #note({ key, how, message }: Saying): Promise<void> {
    const data = { key, how, message: message as never };
    await this.session.append({ type: 'custom', customType: 'longhaul:waiting', data });
  }

  async withdraw(): Promise<readonly Saying[]> {
    const run = this.#run;
    const { steered = [], queued = [] } = run?.state ?? {};
    const waiting = this.#waiting ?? (await this.pending()).waiting;
    const taken = run ? [...steered, ...queued] : [...waiting];
    const keys = taken.map(({ key }) => key);
    run?.dispatch({ type: 'withdrawn', keys });
    this.#waiting = waiting.filter(({ key }) => !keys.includes(key));
    for (const key of keys)
      await this.session.append({ type: 'custom', customType: 'longhaul:withdrawn', data: { key } });
    return taken;
  }

  abort(): void {
    this.#run?.dispatch({ type: 'aborted' });
  }

  async pending(): Promise<Pending> {
    return await readPending({ session: this.session.session, tools: this.tools });
  }

  async switchModel(model: Model): Promise<void> {
    this.#next?.done.resolve();
    const done = Promise.withResolvers<void>();
    this.#next = { model, done };
    if (!this.#run) await this.#switchNow();
    await done.promise;
  }

  /** A switch that was asked for takes effect between two requests. */
  async #switchNow(): Promise<void> {
    const next = this.#next;
    if (!next) return;
    this.#next = undefined;
    try {
      const from = this.#model;
      const { model: _, ...about } = wish(this.#wishes);
      const { fits } = await this.session.preflight({ model: next.model, tools: about.tools });
      // The old model knows the conversation, and its cache is warm.
      if (!fits) await this.session.compact({ ...about, model: from, trigger: 'model-switch' });
      this.#model = next.model;
      this.#tell({ type: 'model', from: nameOf(from), to: nameOf(next.model) });
      next.done.resolve();
    } catch (error) {
      next.done.reject(error);
    }
  }

  get #wishes() {
    return { model: () => this.#model, tools: this.tools, options: this.#input.options };
  }

  async #relieve(): Promise<void> {
    if (this.#run) this.#run.dispatch({ type: 'short' });
    else await this.session.compact({ ...wish(this.#wishes), trigger: 'memory' });
  }

  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const run = this.#run;
    this.abort();
    await run?.over;
    for (const tool of this.tools) await tool.close?.().catch(() => undefined);
    await this.#ask('sessionEnd', { reason: run ? 'aborted' : 'closed' });
    for (const end of this.#ends) end();
  }

  #tell(event: AgentEvent): void {
    this.#outbox?.put(event);
    for (const listener of this.#listeners) {
      try {
        listener(event, { session: this.session.id });
      } catch {
        // Whoever watches must not stop the work.
      }
    }
  }

  #desk({ unsaid }: { readonly unsaid: Map<string, Saying> }): Desk {
    const { permissions = usualPermissions, head, random = Math.random, grace = 2_000, options } = this.#input;
    const usualHead: readonly Message[] = [
      { role: 'system', parts: [{ type: 'text', origin: 'engine', text: systemPrompt }] },
    ];
    return {
      ...{ session: this.session, model: () => this.#model, tools: this.tools, permissions, options, random, grace },
      ...{ ask: this.#ask, clock: this.#input.clock ?? usualClock, signal: this.#abort.signal, callIds: this.#callIds },
      head: async () => head ?? usualHead,
      tell: (event) => this.#tell(event),
      nextKey: () => this.#nextId(),
      beforePrepare: () => this.#switchNow(),
      onSaid: ({ key }) => unsaid.delete(key),
    };
  }
}

/** What is told, for one reader; whoever stops reading ends the run. */
function reading(of: {
  readonly outbox: Outbox<AgentEvent>;
  readonly stop: () => void;
  readonly over: Promise<void>;
}): AsyncIterableIterator<AgentEvent> {
  const events = of.outbox.read();
  return {
    next: () => events.next(),
    async return() {
      of.stop();
      await of.over;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function nameOf({ id }: Model): string {
  return `${id.provider}/${id.name}`;
}
