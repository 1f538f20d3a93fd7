import type { EngineSession, PrepareInput } from '../engine/index.ts';
import { watchMemory } from '../engine/internal.ts';
import { LonghaulError } from '../errors.ts';
import type { Message } from '../message/index.ts';
import type { Model } from '../models/index.ts';
import { createIds } from '../session/internal.ts';
import { systemClock } from '../time.ts';
import { isToolOf } from './custom/custom-agent.ts';
import type { AgentEvent } from './event.ts';
import { AgentEventEmitter, type AgentListener } from './event-emitter.ts';
import { createAgentHookRunner, type RunAgentHooks } from './hooks/run-hooks.ts';
import { framed, framedPaths, nestedInstructions } from './instructions/instructions.ts';
import { type AsyncQueue, createAsyncQueue, readerOf } from './loop/async-queue.ts';
import { continuationPrompts, type OpenRequest, readOpenRequest } from './loop/continuation.ts';
import type { EffectContext } from './loop/effect-context.ts';
import { failureFrom } from './loop/failure.ts';
import { createPerform } from './loop/perform.ts';
import { engineMessage, humanMessage, type QueuedMessage, textContent } from './loop/queued-message.ts';
import { LoopRun } from './loop/run.ts';
import { addSideCosts, noSideCosts, type SideCosts } from './loop/side-costs.ts';
import { defaultLimits, initialState, type LoopLimits } from './loop/state.ts';
import { acceptsTrailingAnswer } from './loop/stream.ts';
import { ModelSwitch, modelName } from './model-switch.ts';
import { withNotebook } from './notebook.ts';
import { PendingPrompts, type PendingWork, readOpenCalls, readPending } from './pending.ts';
import type { Permissions } from './permission.ts';
import { createSkillTool, findSkills, type Skill } from './skills/skill.ts';
import { createTaskTool, inheritedSources, inheritedTools, type TaskParent } from './subagent/task-tool.ts';
import { defaultHead, systemMessage } from './system/head.ts';
import type { Tool } from './tool.ts';
import type { Agent, AgentInput, RunInput } from './types.ts';

/**
 * Creates an agent on a session. All of its state is in the log of the session: another process that opens the session
 * continues where this one stopped.
 *
 * @example
 * const agent = await createAgent({ session: await engine.create(), model, tools: [] });
 * for await (const event of agent.run({ prompt: 'What time is it?' })) {
 *   if (event.type === 'text') process.stdout.write(event.delta);
 * }
 */
export async function createAgent(input: AgentInput): Promise<Agent> {
  const { cwd = process.cwd(), skills = {}, head } = input;
  // A custom head replaces the skill list, so skills are not searched for.
  const skipped: string[] = [];
  const onSkipped = (why: string) => void skipped.push(why);
  const found = skills === false || head !== undefined ? [] : await findSkills({ cwd, ...skills, onSkipped });
  return new SessionAgent({ input, skills: found, skipped });
}

/** A message of the user. */
type HumanMessage = QueuedMessage & { readonly how: 'prompt' | 'steered' | 'queued' };

/** Sessions with a run in progress. */
const runningSessions = new WeakSet<EngineSession>();

/** An agent on one session: runs one after the other. */
class SessionAgent implements Agent {
  readonly session: EngineSession;
  /** Except those of the tool sources. */
  readonly #ownTools: readonly Tool[];
  readonly #input: AgentInput;
  readonly #skills: readonly Skill[];
  readonly #skippedSkills: string[];
  /** Instruction files that are in the conversation. */
  readonly #givenInstructions = new Set<string>();
  readonly #runHooks: RunAgentHooks;
  readonly #limits: LoopLimits;
  readonly #nextId: () => string;
  readonly #events: AgentEventEmitter;
  readonly #pendingPrompts: PendingPrompts;
  readonly #modelSwitch: ModelSwitch;
  readonly #callIds = new Set<string>();
  readonly #ends: (() => void)[] = [];
  #run: LoopRun | undefined;
  #abort = new AbortController();
  #isClosed = false;
  #finished: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #hasBegun = false;
  /** Of the current run. */
  #sideCosts: SideCosts = noSideCosts;

  constructor({
    input,
    skills,
    skipped = [],
  }: {
    readonly input: AgentInput;
    readonly skills: readonly Skill[];
    /** Why other skills are not available; reported by the first run. */
    readonly skipped?: readonly string[];
  }) {
    const {
      session,
      model,
      hooks = [],
      maxTurns,
      maxCostUsd,
      retry,
      memory,
      clock = systemClock,
      subagents,
      options,
    } = input;
    this.session = session;
    this.#input = input;
    this.#skills = skills;
    this.#skippedSkills = [...skipped];
    this.#ownTools = [
      ...(input.tools ?? []).map((tool) => withNotebook({ tool, session, cwd: this.#cwd })),
      ...(skills.length > 0 ? [createSkillTool({ skills, session })] : []),
      ...(subagents ? [createTaskTool({ subagents, parent: this.#parent })] : []),
    ];
    this.#events = new AgentEventEmitter({ session: session.id, mask: session.mask });
    this.#pendingPrompts = new PendingPrompts(session);
    this.#modelSwitch = new ModelSwitch({
      model,
      previous: input.previousModel,
      session,
      tools: () => this.tools,
      options,
      emit: (event) => this.#emit(event),
    });
    this.#nextId = createIds({ now: clock.now });
    this.#limits = {
      ...defaultLimits,
      ...(maxTurns !== undefined && { maxTurns }),
      ...(maxCostUsd !== undefined && { maxCostUsd }),
      ...(retry && { retry }),
    };
    this.#runHooks = createAgentHookRunner({
      hooks: [hooks].flat(),
      session: session.id,
      cwd: this.#cwd,
      transcript: () => session.writtenTranscript(),
      now: clock.now,
      onFailure: ({ hook, why }) => this.#emit({ type: 'notice', text: `The hook ${hook} failed: ${why}` }),
    });
    this.#ends.push(session.onAny((event) => this.#emit({ type: 'engine', event })));
    this.#ends.push(
      this.#events.on((event, from) => {
        // A summary replaced them; they are given again when work returns to their folders.
        if (event.type === 'engine' && event.event.type === 'compactionComplete') this.#givenInstructions.clear();
        this.#sideCosts = addSideCosts({ costs: this.#sideCosts, event, isOwn: from.session === session.id });
      }),
    );
    if (memory) this.#ends.push(watchMemory({ ...memory, onPressure: () => this.#onMemoryPressure() }));
  }

  get #cwd(): string {
    return this.#input.cwd ?? process.cwd();
  }

  get model(): Model {
    return (this.#run ? undefined : this.#modelSwitch.next) ?? this.#modelSwitch.model;
  }

  get tools(): readonly Tool[] {
    const { toolSources = [] } = this.#input;
    if (toolSources.length === 0) return this.#ownTools;
    const { window } = this.model.info;
    return [...this.#ownTools, ...toolSources.flatMap((source) => source.tools({ window }))];
  }

  get state(): 'idle' | 'running' {
    return this.#run ? 'running' : 'idle';
  }

  run({ prompt, key }: RunInput = {}): AsyncIterableIterator<AgentEvent> {
    if (this.#isClosed) throw agentClosed();
    // Two concurrent runs would consume each other's answers.
    if (this.#run || runningSessions.has(this.session)) throw agentBusy();
    runningSessions.add(this.session);
    this.#abort = new AbortController();
    this.#sideCosts = noSideCosts;
    const events = createAsyncQueue<AgentEvent>();
    this.#events.runQueue = events;
    const state = initialState({ id: this.#nextId(), limits: this.#limits });
    const run = new LoopRun({
      state,
      perform: createPerform(this.#effectContext()),
      cancel: () => this.#abort.abort(),
    });
    this.#run = run;
    const message = typeof prompt === 'string' ? humanMessage(prompt) : prompt;
    const said = message && { message, key: key ?? this.#nextId(), how: 'prompt' as const };
    this.#begin({ run, said }).catch((error) => run.dispatch({ type: 'failed', failure: failureFrom(error) }));
    this.#finished = run.finished.then(() => this.#finish(events));
    return readerOf({ queue: events, stop: () => this.abort(), over: this.#finished });
  }

  async #begin({ run, said }: { readonly run: LoopRun; readonly said: HumanMessage | undefined }): Promise<void> {
    const session = this.session.session;
    const open = await readOpenCalls({ session, tools: this.tools });
    const messages = [...(await this.#pendingPrompts.take())];
    const asked = await readOpenRequest(session);
    const resumed = !said && (open.length > 0 || asked !== undefined || messages.length > 0);
    this.#emit({ type: 'run_start', session: session.id, model: modelName(this.model), cwd: this.#cwd, resumed });
    const opening = await this.#open();
    await this.#recordProfile();
    if (said) {
      const checked = await this.#withHookContext(said);
      if ('block' in checked) {
        const message = `A hook blocked the prompt: ${checked.block}`;
        run.dispatch({ type: 'failed', failure: { kind: 'refused', message, retryable: false } });
        return;
      }
      this.#pendingPrompts.assign(checked);
      messages.push(checked);
    }
    if (messages.length === 0) messages.push(...this.#continuation(asked));
    if (opening.length > 0 && (messages.length > 0 || resumed)) {
      messages.unshift({ message: engineMessage(opening.join('\n\n')), key: this.#nextId(), how: 'continuation' });
    }
    run.dispatch({ type: 'started', messages, open, needsAnswer: asked !== undefined });
  }

  /**
   * The prompt that continues an unfinished answer. A paused answer is sent as it is where the provider accepts that.
   */
  #continuation(asked: OpenRequest | undefined): readonly QueuedMessage[] {
    if (asked === undefined || asked === 'answer' || (asked === 'paused' && acceptsTrailingAnswer(this.model)))
      return [];
    return [{ message: engineMessage(continuationPrompts[asked]), key: this.#nextId(), how: 'continuation' }];
  }

  /** Before the first run: collects the ids of earlier calls and runs the `sessionStart` hooks. */
  async #open(): Promise<readonly string[]> {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    const { items } = this.session.context;
    for (const part of items.flatMap(({ message }) => message.parts)) {
      if (part.type === 'tool_call') this.#callIds.add(part.id);
      for (const path of part.type === 'tool_result' ? framedPaths(part.content) : [])
        this.#givenInstructions.add(path);
    }
    const source = items.length > 0 ? 'resume' : 'startup';
    return (await this.#runHooks('sessionStart', { source }, this.#abort.signal)).context ?? [];
  }

  /** A message of the user, with the context that hooks add. */
  async #withHookContext(queued: HumanMessage): Promise<QueuedMessage | { readonly block: string }> {
    const { message, how } = queued;
    const about = { prompt: textContent(message), how };
    const { block, context = [] } = await this.#runHooks('userPromptSubmit', about, this.#abort.signal);
    if (block !== undefined) return { block };
    if (context.length === 0) return queued;
    const added = context.map((text) => ({ type: 'text' as const, origin: 'engine' as const, text }));
    return { ...queued, message: { ...message, parts: [...message.parts, ...added] } };
  }

  async #finish(events: AsyncQueue<AgentEvent>): Promise<void> {
    await this.#pendingPrompts.requeueUnsent();
    this.#run = undefined;
    runningSessions.delete(this.session);
    await this.#modelSwitch.perform(this.#abort.signal);
    events.end();
  }

  async steer(message: string | Message): Promise<void> {
    await this.#send({ message, how: 'steered' });
  }

  async queue(message: string | Message): Promise<void> {
    await this.#send({ message, how: 'queued' });
  }

  async #send(of: { readonly message: string | Message; readonly how: 'steered' | 'queued' }): Promise<void> {
    if (this.#isClosed) throw agentClosed();
    const { how } = of;
    const message = typeof of.message === 'string' ? humanMessage(of.message) : of.message;
    const queued = await this.#withHookContext({ message, key: this.#nextId(), how });
    if ('block' in queued) {
      this.#emit({ type: 'notice', text: `A hook blocked the message: ${queued.block}` });
      return;
    }
    // Read the log before writing the note; otherwise the message would be added twice.
    await this.#pendingPrompts.list();
    await this.#pendingPrompts.persist(queued);
    const run = this.#run;
    if (!run || run.state.phase === 'over') return await this.#pendingPrompts.add(queued);
    this.#pendingPrompts.assign(queued);
    run.dispatch({ type: how, queued });
  }

  async withdraw(): Promise<readonly QueuedMessage[]> {
    const run = this.#run;
    const taken = run ? [...run.state.steered, ...run.state.queued] : [...(await this.#pendingPrompts.list())];
    const keys = taken.map(({ key }) => key);
    run?.dispatch({ type: 'withdrawn', keys });
    await this.#pendingPrompts.withdraw(keys);
    return taken;
  }

  abort(): void {
    this.#run?.dispatch({ type: 'aborted' });
  }

  async pending(): Promise<PendingWork> {
    return await readPending({ session: this.session.session, tools: this.tools });
  }

  async switchModel(model: Model): Promise<void> {
    const done = this.#modelSwitch.request(model);
    if (!this.#run) await this.#modelSwitch.perform();
    await done;
  }

  async #onMemoryPressure(): Promise<void> {
    if (this.#run) this.#run.dispatch({ type: 'memory_pressure' });
    else await this.#compactForMemory();
  }

  /** Best effort: this compaction was not requested, so its failure must not end the run. */
  async #compactForMemory(signal?: AbortSignal): Promise<void> {
    try {
      await this.session.compact({
        ...this.#modelSwitch.compactionOptions,
        trigger: 'memory',
        ...(signal && { signal }),
      });
    } catch (error) {
      if (signal?.aborted) return;
      this.#emit({ type: 'notice', text: `Memory is low, and the compaction failed: ${String(error)}` });
    }
  }

  on(listener: AgentListener): () => void {
    return this.#events.on(listener);
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
    for (const tool of this.#ownTools) await tool.close?.().catch(() => undefined);
    await this.#runHooks('sessionEnd', { reason: run ? 'aborted' : 'closed' });
    for (const end of this.#ends) end();
  }

  #emit(event: AgentEvent): void {
    this.#events.emit(event);
  }

  /** Records which custom agent is active, once per change. */
  async #recordProfile(): Promise<void> {
    const { profile } = this.#input;
    if (!profile) return;
    const notes = await this.session.session.read({ types: ['working_state'] });
    const states = notes.flatMap((note) => (note.type === 'working_state' ? [note.state] : []));
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
    const { head: given, briefing, profile, tree, environment, userInstructions } = this.#input;
    const { systemPrompt, appendedPrompt } = this.#input;
    const brief = typeof briefing === 'function' ? briefing() : briefing;
    const end = [profile?.instructions, appendedPrompt, brief].flatMap((text) =>
      text === undefined ? [] : [systemMessage(text)],
    );
    if (given !== undefined) return Array.isArray(given) ? [...given, ...end] : given;
    const { head, skipped } = await defaultHead({
      cwd: this.#cwd,
      skills: this.#skills,
      tree,
      environment,
      ...(systemPrompt !== undefined && { prompt: systemPrompt }),
      ...(userInstructions && { userInstructions }),
    });
    for (const text of [...this.#skippedSkills.splice(0), ...skipped]) this.#emit({ type: 'notice', text });
    return [...head, ...end];
  }

  /** Instructions of folders that work moves to travel in the turn: the head does not change. */
  async #instructionsFor(paths: readonly string[]): Promise<readonly string[]> {
    if (this.#input.head !== undefined) return [];
    const texts: string[] = [];
    for (const path of paths) {
      const { files } = await nestedInstructions({ cwd: this.#cwd, path });
      for (const file of files) {
        if (this.#givenInstructions.has(file.path)) continue;
        this.#givenInstructions.add(file.path);
        texts.push(framed(file));
      }
    }
    return texts;
  }

  /** What a sub-agent shares with this agent. Tools stay owned by this agent, which closes them. */
  get #parent(): TaskParent {
    const { subagents: _, head: __, maxTurns: ___, memory: ____, tools: own = [], ...shared } = this.#input;
    const tools = inheritedTools(own);
    return {
      session: this.session,
      model: () => this.model,
      make: async (of) => {
        // A sub-agent may spend what is left.
        const spent = (this.#run?.state.costUsd ?? 0) + (this.#sideCosts.costUsd ?? 0);
        const left = shared.maxCostUsd === undefined ? {} : { maxCostUsd: shared.maxCostUsd - spent };
        const { profile = {} } = of;
        const isTool = (tool: string) => isToolOf({ profile, tool });
        const own = (of.tools ?? tools).filter(({ definition }) => isTool(definition.name));
        const skills = isTool('skill') ? this.#skills : [];
        const toolSources = inheritedSources({ sources: shared.toolSources ?? [], isTool });
        return new SessionAgent({ input: { ...shared, ...left, ...of, tools: own, toolSources }, skills });
      },
      emit: (event) => this.#emit(event),
      forward: (event, from) => this.#events.forward({ event, from }),
      runHooks: (name, event, signal) => this.#runHooks(name, event, signal),
    };
  }

  #effectContext(): EffectContext {
    const { permissions = defaultPermissions, random = Math.random, grace = 2_000, options, fileHistory } = this.#input;
    const clock = this.#input.clock ?? systemClock;
    const { signal } = this.#abort;
    let isOver = false;
    // Read once per run; changes take effect with the next prompt.
    let head: Promise<PrepareInput['head']> | undefined;
    const currentTools = () => this.tools;
    return {
      session: this.session,
      get tools() {
        return currentTools();
      },
      permissions,
      fileHistory,
      options,
      random,
      grace,
      clock,
      runHooks: this.#runHooks,
      signal,
      callIds: this.#callIds,
      model: () => this.model,
      head: () => {
        head ??= this.#head();
        return head;
      },
      emit: (event) => {
        // Abandoned work may still emit events after the run ended; they are dropped.
        if (!isOver) this.#emit(event);
        isOver ||= event.type === 'run_end';
      },
      nextKey: () => this.#nextId(),
      beforePrepare: () => this.#modelSwitch.perform(signal),
      onSent: (queued) => this.#pendingPrompts.markSent(queued),
      sideCosts: () => this.#sideCosts,
      instructionsFor: (paths) => this.#instructionsFor(paths),
      compactForMemory: () => this.#compactForMemory(signal),
    };
  }
}

/** Default without `permissions`: reading inside the workspace, nothing else. */
const defaultPermissions: Permissions = {
  decide: async ({ access, mustAsk, isApproved }) => {
    if (isApproved) return { allowed: true };
    if (mustAsk !== undefined)
      return { allowed: false, why: 'a hook requires approval by the user, and no approver is configured.' };
    if (access.kind === 'none' || (access.kind === 'read' && !access.isOutside)) return { allowed: true };
    return { allowed: false, why: 'no permissions are configured that allow it.' };
  },
};

function agentBusy(): LonghaulError {
  return new LonghaulError({
    code: 'agent-busy',
    message: 'The agent is already running; a session allows one run at a time.',
    hint: 'Use `steer` or `queue` to add a message, or wait for `run_end`.',
  });
}

function agentClosed(): LonghaulError {
  return new LonghaulError({
    code: 'agent-closed',
    message: 'The agent was closed.',
    hint: 'Create another agent with `createAgent` on the same session.',
  });
}
