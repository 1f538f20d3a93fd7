import type { EngineSession, PrepareInput } from '../engine/index.ts';
import { watchMemory } from '../engine/internal.ts';
import { LonghaulError } from '../errors.ts';
import { isObject } from '../json.ts';
import type { Model } from '../models/index.ts';
import { createIds } from '../session/internal.ts';
import { systemClock } from '../time.ts';
import type { AgentEvent } from './event.ts';
import { type Listener, Telling } from './event-emitter.ts';
import { type AskHooks, createAsking } from './hooks/run-hooks.ts';
import { createOutbox, type Outbox, reading } from './loop/async-queue.ts';
import { type Asked, goOnWords, readAsked } from './loop/continuation.ts';
import type { Desk } from './loop/effect-context.ts';
import { failureFrom } from './loop/failure.ts';
import { createPerform } from './loop/perform.ts';
import { remark, type Saying, spoken, wordsOf } from './loop/queued-message.ts';
import { Run } from './loop/run.ts';
import { initialState, type LoopLimits, usualLimits } from './loop/state.ts';
import { takesItsOwn } from './loop/stream.ts';
import { nameOf, Switching } from './model-switch.ts';
import { withNotebook } from './notebook.ts';
import { type Pending, readOpenCalls, readPending, Waiting } from './pending.ts';
import type { Permissions } from './permission.ts';
import { createSkillTool, findSkills, type Skill } from './skills/skill.ts';
import { createTaskTool, type TaskParent } from './subagent/task-tool.ts';
import { systemMessage, usualHead } from './system/head.ts';
import type { Tool } from './tool.ts';
import type { Agent, AgentInput, RunInput } from './types.ts';

/**
 * Creates an agent on a session. All of its state is in the log of the session: another process that opens the session
 * continues where this one stopped.
 *
 * @example
 * const agent = await createAgent({ session: await engine.create(), model, tools: [clock] });
 * for await (const event of agent.run({ prompt: 'What time is it?' })) {
 *   if (event.type === 'text') process.stdout.write(event.delta);
 * }
 */
export async function createAgent(input: AgentInput): Promise<Agent> {
  const { cwd = process.cwd(), skills = {}, head } = input;
  // A custom head replaces the skill list, so skills are not searched for.
  const found = skills === false || head !== undefined ? [] : await findSkills({ cwd, ...skills });
  return new AgentLife({ input, skills: found });
}

/** A message of the user. */
type Spoken = Saying & { readonly how: 'prompt' | 'steered' | 'queued' };

/** Sessions with a run in progress. */
const running = new WeakSet<EngineSession>();

/** An agent on one session: runs one after the other. */
class AgentLife implements Agent {
  readonly session: EngineSession;
  readonly tools: readonly Tool[];
  readonly #input: AgentInput;
  readonly #skills: readonly Skill[];
  readonly #ask: AskHooks;
  readonly #limits: LoopLimits;
  readonly #nextId: () => string;
  readonly #telling: Telling;
  readonly #waiting: Waiting;
  readonly #switching: Switching;
  readonly #callIds = new Set<string>();
  readonly #ends: (() => void)[] = [];
  #run: Run | undefined;
  #abort = new AbortController();
  #isClosed = false;
  #finished: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #hasBegun = false;

  constructor({ input, skills }: { readonly input: AgentInput; readonly skills: readonly Skill[] }) {
    const { session, model, hooks = [], maxTurns, retry, memory, clock = systemClock, subagents, options } = input;
    this.session = session;
    this.#input = input;
    this.#skills = skills;
    this.tools = [
      ...(input.tools ?? []).map((tool) => withNotebook({ tool, session, cwd: this.#cwd })),
      ...(skills.length > 0 ? [createSkillTool({ skills, session })] : []),
      ...(subagents ? [createTaskTool({ subagents, parent: this.#parent })] : []),
    ];
    this.#telling = new Telling({ session: session.id, mask: session.mask });
    this.#waiting = new Waiting(session);
    this.#switching = new Switching({ model, session, tools: this.tools, options, tell: (event) => this.#tell(event) });
    this.#nextId = createIds({ now: clock.now });
    this.#limits = { ...usualLimits, ...(maxTurns !== undefined && { maxTurns }), ...(retry && { retry }) };
    this.#ask = createAsking({
      ...{ hooks: [hooks].flat(), session: session.id, cwd: this.#cwd, now: clock.now },
      onFailure: ({ hook, why }) => this.#tell({ type: 'notice', text: `The hook ${hook} failed: ${why}` }),
    });
    this.#ends.push(session.onAny((event) => this.#tell({ type: 'engine', event })));
    if (memory) this.#ends.push(watchMemory({ ...memory, onPressure: () => this.#underPressure() }));
  }

  get #cwd(): string {
    return this.#input.cwd ?? process.cwd();
  }

  get model(): Model {
    return this.#switching.model;
  }

  get state(): 'idle' | 'running' {
    return this.#run ? 'running' : 'idle';
  }

  run({ prompt, key }: RunInput = {}): AsyncIterableIterator<AgentEvent> {
    if (this.#isClosed) throw isClosed();
    // Two concurrent runs would consume each other's answers.
    if (this.#run || running.has(this.session)) throw alreadyRunning();
    running.add(this.session);
    this.#abort = new AbortController();
    const outbox = createOutbox<AgentEvent>();
    this.#telling.outbox = outbox;
    const state = initialState({ id: this.#nextId(), limits: this.#limits });
    const run = new Run({ state, perform: createPerform(this.#desk()), cancel: () => this.#abort.abort() });
    this.#run = run;
    const message = typeof prompt === 'string' ? spoken(prompt) : prompt;
    const said = message && { message, key: key ?? this.#nextId(), how: 'prompt' as const };
    this.#begin({ run, said }).catch((error) => run.dispatch({ type: 'broke', failure: failureFrom(error) }));
    this.#finished = run.over.then(() => this.#finish(outbox));
    return reading({ outbox, stop: () => this.abort(), over: this.#finished });
  }

  async #begin({ run, said }: { readonly run: Run; readonly said: Spoken | undefined }): Promise<void> {
    const session = this.session.session;
    const open = await readOpenCalls({ session, tools: this.tools });
    const say = [...(await this.#waiting.take())];
    const asked = await readAsked(session);
    const resumed = !said && (open.length > 0 || asked !== undefined || say.length > 0);
    this.#tell({ type: 'run_start', session: session.id, model: nameOf(this.model), cwd: this.#cwd, resumed });
    const opening = await this.#open();
    await this.#noteProfile();
    if (said) {
      const heard = await this.#heard(said);
      if ('block' in heard) {
        const message = `A hook blocked the prompt: ${heard.block}`;
        run.dispatch({ type: 'broke', failure: { kind: 'refused', message, retryable: false } });
        return;
      }
      this.#waiting.expect(heard);
      say.push(heard);
    }
    if (say.length === 0) say.push(...this.#goingOn(asked));
    if (opening.length > 0 && (say.length > 0 || resumed)) {
      say.unshift({ message: remark(opening.join('\n\n')), key: this.#nextId(), how: 'continuation' });
    }
    run.dispatch({ type: 'started', say, open, isAsked: asked !== undefined });
  }

  /**
   * The prompt that continues an unfinished answer. A paused answer is sent as it is where the provider accepts that.
   */
  #goingOn(asked: Asked | undefined): readonly Saying[] {
    if (asked === undefined || asked === 'answer' || (asked === 'paused' && takesItsOwn(this.model))) return [];
    return [{ message: remark(goOnWords[asked]), key: this.#nextId(), how: 'continuation' }];
  }

  /** Before the first run: collects the ids of earlier calls and runs the `sessionStart` hooks. */
  async #open(): Promise<readonly string[]> {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    const { items } = this.session.context;
    for (const part of items.flatMap(({ message }) => message.parts)) {
      if (part.type === 'tool_call') this.#callIds.add(part.id);
    }
    const source = items.length > 0 ? 'resume' : 'startup';
    return (await this.#ask('sessionStart', { source }, this.#abort.signal)).context ?? [];
  }

  /** A message of the user, with the context that hooks add. */
  async #heard(saying: Spoken): Promise<Saying | { readonly block: string }> {
    const { message, how } = saying;
    const about = { prompt: wordsOf(message), how };
    const { block, context = [] } = await this.#ask('userPromptSubmit', about, this.#abort.signal);
    if (block !== undefined) return { block };
    if (context.length === 0) return saying;
    const added = context.map((text) => ({ type: 'text' as const, origin: 'engine' as const, text }));
    return { ...saying, message: { ...message, parts: [...message.parts, ...added] } };
  }

  async #finish(outbox: Outbox<AgentEvent>): Promise<void> {
    await this.#waiting.giveBack();
    this.#run = undefined;
    running.delete(this.session);
    await this.#switching.perform(this.#abort.signal);
    outbox.end();
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
      this.#tell({ type: 'notice', text: `A hook blocked the message: ${saying.block}` });
      return;
    }
    // Read the log before writing the note; otherwise the message would be added twice.
    await this.#waiting.list();
    await this.#waiting.note(saying);
    const run = this.#run;
    if (!run || run.state.phase === 'over') return await this.#waiting.add(saying);
    this.#waiting.expect(saying);
    run.dispatch({ type: how, saying });
  }

  async withdraw(): Promise<readonly Saying[]> {
    const run = this.#run;
    const taken = run ? [...run.state.steered, ...run.state.queued] : [...(await this.#waiting.list())];
    const keys = taken.map(({ key }) => key);
    run?.dispatch({ type: 'withdrawn', keys });
    await this.#waiting.withdraw(keys);
    return taken;
  }

  abort(): void {
    this.#run?.dispatch({ type: 'aborted' });
  }

  async pending(): Promise<Pending> {
    return await readPending({ session: this.session.session, tools: this.tools });
  }

  async switchModel(model: Model): Promise<void> {
    const done = this.#switching.ask(model);
    if (!this.#run) await this.#switching.perform();
    await done;
  }

  async #underPressure(): Promise<void> {
    if (this.#run) this.#run.dispatch({ type: 'short' });
    else await this.#relieve();
  }

  /** Best effort: this compaction was not requested, so its failure must not end the run. */
  async #relieve(signal?: AbortSignal): Promise<void> {
    try {
      await this.session.compact({ ...this.#switching.wish, trigger: 'memory', ...(signal && { signal }) });
    } catch (error) {
      if (signal?.aborted) return;
      this.#tell({ type: 'notice', text: `Memory is low, and the compaction failed: ${String(error)}` });
    }
  }

  on(listener: Listener): () => void {
    return this.#telling.on(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    const run = this.#run;
    this.abort();
    await this.#finished;
    for (const tool of this.tools) await tool.close?.().catch(() => undefined);
    await this.#ask('sessionEnd', { reason: run ? 'aborted' : 'closed' });
    for (const end of this.#ends) end();
  }

  #tell(event: AgentEvent): void {
    this.#telling.tell(event);
  }

  /** Records which custom agent is active, once per change. */
  async #noteProfile(): Promise<void> {
    const { profile } = this.#input;
    if (!profile) return;
    const notes = await this.session.session.read({ types: ['custom'] });
    const states = notes.flatMap((note) =>
      note.type === 'custom' && note.customType === 'longhaul:state' && isObject(note.data) ? [note.data] : [],
    );
    const before = states.findLast(({ agent }) => agent !== undefined)?.agent;
    const { name, description, instructions } = profile;
    const now = {
      name,
      ...(description !== undefined && { description }),
      ...(instructions !== undefined && { instructions }),
    };
    if (JSON.stringify(before) !== JSON.stringify(now)) await this.session.state({ agent: now });
  }

  async #head(): Promise<PrepareInput['head']> {
    const { head: given, briefing, profile, tree } = this.#input;
    const end = [profile?.instructions, briefing].flatMap((text) => (text === undefined ? [] : [systemMessage(text)]));
    if (given !== undefined) return Array.isArray(given) ? [...given, ...end] : given;
    const { head, skipped } = await usualHead({ cwd: this.#cwd, skills: this.#skills, tree });
    for (const text of skipped) this.#tell({ type: 'notice', text });
    return [...head, ...end];
  }

  /** What a sub-agent shares with this agent. Tools stay owned by this agent, which closes them. */
  get #parent(): TaskParent {
    const { subagents: _, head: __, maxTurns: ___, memory: ____, tools = [], ...shared } = this.#input;
    const lent = tools.filter(({ isBound }) => !isBound).map(lend);
    return {
      session: this.session,
      model: () => this.model,
      make: async (of) => new AgentLife({ input: { ...shared, tools: lent, ...of }, skills: this.#skills }),
      tell: (event) => this.#tell(event),
      pass: (event, from) => this.#telling.pass({ event, from }),
      ask: (name, event, signal) => this.#ask(name, event, signal),
    };
  }

  #desk(): Desk {
    const { permissions = usualPermissions, random = Math.random, grace = 2_000, options } = this.#input;
    const clock = this.#input.clock ?? systemClock;
    const { signal } = this.#abort;
    let isOver = false;
    // Read once per run; changes take effect with the next prompt.
    let head: Promise<PrepareInput['head']> | undefined;
    return {
      ...{ session: this.session, tools: this.tools, permissions, options, random, grace, clock },
      ...{ ask: this.#ask, signal, callIds: this.#callIds },
      model: () => this.model,
      head: () => {
        head ??= this.#head();
        return head;
      },
      tell: (event) => {
        // Abandoned work may still emit events after the run ended; they are dropped.
        if (!isOver) this.#tell(event);
        isOver ||= event.type === 'run_end';
      },
      nextKey: () => this.#nextId(),
      beforePrepare: () => this.#switching.perform(signal),
      onSaid: (saying) => this.#waiting.said(saying),
      relieve: () => this.#relieve(signal),
    };
  }
}

function lend(tool: Tool): Tool {
  const { definition, isOnce } = tool;
  return {
    definition,
    access: (input) => tool.access(input),
    run: (call) => tool.run(call),
    ...(isOnce && { isOnce }),
  };
}

/** Default without `permissions`: reading inside the workspace, nothing else. */
const usualPermissions: Permissions = {
  decide: async ({ access, mustAsk, isApproved }) => {
    if (isApproved) return { allowed: true };
    if (mustAsk !== undefined)
      return { allowed: false, why: 'a hook requires approval by the user, and no approver is configured.' };
    if (access.kind === 'none' || (access.kind === 'read' && !access.isOutside)) return { allowed: true };
    return { allowed: false, why: 'no permissions are configured that allow it.' };
  },
};

function alreadyRunning(): LonghaulError {
  return new LonghaulError({
    code: 'agent-busy',
    message: 'The agent is already running; a session allows one run at a time.',
    hint: 'Use `steer` or `queue` to add a message, or wait for `run_end`.',
  });
}

function isClosed(): LonghaulError {
  return new LonghaulError({
    code: 'agent-closed',
    message: 'The agent was closed.',
    hint: 'Create another agent with `createAgent` on the same session.',
  });
}
