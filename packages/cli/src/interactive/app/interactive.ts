import type { Agent } from 'longhaul/agent';
import type { EngineSession } from 'longhaul/engine';
import type { Message, Part } from 'longhaul/message';
import type { Model } from 'longhaul/models';
import type { SessionChoice } from '../../agent/choose-session.ts';
import type { OpenAgent } from '../../agent/open-agent.ts';
import { imagePart, mentionedFiles } from '../../agent/prompt.ts';
import type { RememberedRules } from '../../agent/remembered-rules.ts';
import { type AgentSetup, completePrompt, withEnvironment } from '../../agent/start-agent.ts';
import type { Invocation } from '../../invocation.ts';
import type { Settings } from '../../settings/schema.ts';
import { openHistory, type PromptHistory } from '../../store/prompt-history.ts';
import type { SlashCommand } from './command.ts';
import { Completer, type Completion } from './completion.ts';
import { ConsentQueue } from './consent-queue.ts';
import { errorResult, unknownCommand, unusableImage, whileWorking } from './errors.ts';
import { branchOf, closeOne, type OpenedSession, openOne, pageSize } from './open-session.ts';
import { Pastes } from './pastes.ts';
import { customCommand, mentionedSessions, runUserCommand, serverCommand } from './prompt-sources.ts';
import type { CommandResult } from './result.ts';
import { humanText, promptItemId, readTranscriptPage, resultText, userItem } from './transcript.ts';
import type {
  Appearance,
  ConsentAnswer,
  InteractiveEvent,
  InteractiveMode,
  InteractiveView,
  Submission,
} from './view.ts';
import { sharesOf, type ViewState } from './view-state.ts';

/** What an interactive session needs. */
export interface InteractiveInput {
  readonly setup: AgentSetup;
  readonly model: Model;
  readonly remembered?: RememberedRules;
  /** Our slash commands. */
  readonly commands: readonly SlashCommand[];
  /** Runs another command of this program on the same store and returns what it prints. */
  readonly runProgram: Invocation['runProgram'];
}

/**
 * An interactive session with an agent, without any interface: it takes what the user types and gives a view and events.
 * See `index.ts` for the design.
 *
 * @example
 * const app = await Interactive.open({ input, wanted: 'new' });
 * app.on((event) => draw(app.view));
 * await app.submit({ text: 'Fix the failing test.' });
 */
export class Interactive {
  readonly history: PromptHistory;
  readonly pastes = new Pastes();
  readonly consent: ConsentQueue;
  readonly runProgram: Invocation['runProgram'];
  readonly setup: AgentSetup;
  readonly values: Settings;
  /** Set by an interface that has themes. */
  appearance: Appearance | undefined;
  #current: OpenedSession;
  readonly #listeners: Set<(event: InteractiveEvent) => void>;
  readonly #own: readonly SlashCommand[];
  #commands: readonly SlashCommand[];
  #view: InteractiveView | undefined;
  readonly #completer = new Completer(this);
  #branch: string | undefined;
  #run: Promise<void> | undefined;
  /** The slash command or shell command in progress, which Esc aborts. */
  #work: AbortController | undefined;
  /** The last change of the session. What is typed, and the end, wait for it. */
  #switched: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(of: {
    readonly input: InteractiveInput;
    readonly consent: ConsentQueue;
    readonly current: OpenedSession;
    readonly history: PromptHistory;
    readonly listeners: Set<(event: InteractiveEvent) => void>;
  }) {
    this.setup = of.input.setup;
    this.values = of.input.setup.resolved.values;
    this.runProgram = of.input.runProgram;
    this.#own = of.input.commands;
    this.#commands = withoutTaken([...this.#own, ...this.setup.custom.commands.map(customCommand)]);
    this.consent = of.consent;
    this.history = of.history;
    this.#current = of.current;
    this.#listeners = of.listeners;
    of.listeners.add(() => {
      this.#view = undefined;
    });
    void this.#afterOpen();
  }

  /** Opens a session and reads the newest page of its conversation. */
  static async open({
    input,
    wanted,
    fork,
  }: {
    readonly input: InteractiveInput;
    readonly wanted: SessionChoice;
    readonly fork?: boolean | undefined;
  }): Promise<Interactive> {
    const { setup, remembered } = input;
    const listeners = new Set<(event: InteractiveEvent) => void>();
    const emit = (event: InteractiveEvent) => {
      for (const listener of listeners) listener(event);
    };
    let state: ViewState | undefined;
    const consent = new ConsentQueue({
      io: setup.io,
      cwd: setup.io.cwd,
      flags: setup.flags,
      remembered,
      onAsked: (question) => {
        state?.setWaiting({ callId: question.callId, isWaiting: true });
        emit({ type: 'question', question });
      },
      onAnswered: ({ id, callId }) => {
        state?.setWaiting({ callId, isWaiting: false });
        emit({ type: 'answered', id });
      },
    });
    const openCurrent: OpenCurrent = async (of) => {
      const current = await openOne({ setup, consent, emit, ...of });
      state = current.state;
      return current;
    };
    const current = await openCurrent({ wanted, fork, model: input.model });
    const history = await openHistory({ io: setup.io, dir: setup.dir });
    const app = new Interactive({ input, consent, current, history, listeners });
    app.#openCurrent = openCurrent;
    return app;
  }

  #openCurrent: OpenCurrent = () => Promise.reject(new Error('The session is not open.'));

  get agent(): Agent {
    return this.#current.opened.agent;
  }

  get session(): EngineSession {
    return this.#current.opened.session;
  }

  get opened(): OpenAgent {
    return this.#current.opened;
  }

  /** All slash commands: ours, those of files and extensions, and prompts of MCP servers. Ours win. */
  get commands(): readonly SlashCommand[] {
    return this.#commands;
  }

  /** Reads the commands again, after a server was started or stopped. */
  async refreshCommands(): Promise<void> {
    const prompts = (await this.opened.mcp?.prompts().catch(() => [])) ?? [];
    const custom = this.setup.custom.commands.map(customCommand);
    this.#commands = withoutTaken([...this.#own, ...custom, ...prompts.map(serverCommand)]);
  }

  /** Whether the agent works. */
  get isWorking(): boolean {
    return this.#run !== undefined;
  }

  /** What to show now. */
  get view(): InteractiveView {
    this.#view ??= this.#makeView();
    return this.#view;
  }

  #makeView(): InteractiveView {
    const { state, opened, before } = this.#current;
    const { provider, name: model } = opened.agent.model.id;
    const { transcript, name, queue, todos, background, activity, context, cache, costUsd, job } = state;
    const first = transcript.items.find((item) => item.kind === 'user');
    return {
      session: { id: opened.session.id, name, title: first?.text.split('\n')[0] },
      items: transcript.items,
      hasEarlier: before !== null || state.isTrimmed,
      queue,
      questions: this.consent.questions,
      todos,
      background,
      status: {
        activity,
        model: `${provider}/${model}`,
        cwd: this.setup.io.cwd,
        branch: this.#branch,
        context,
        cache,
        costUsd,
        mode: this.consent.mode,
        job,
      },
    };
  }

  /** What can be typed at the cursor of an input. */
  async complete(input: { readonly text: string; readonly cursor: number }): Promise<Completion | undefined> {
    return await this.#completer.complete(input);
  }

  /** Calls a listener after every change of the view; returns a function that ends it. */
  on(listener: (event: InteractiveEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #emit(event: InteractiveEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Adds a line to the screen, not to the log. */
  notice({ level = 'info', text }: { readonly level?: 'info' | 'warning' | 'error'; readonly text: string }): void {
    this.#current.state.notice({ level, text });
  }

  /**
   * Takes what the user typed. Results of a slash command are returned; a prompt is durable when the promise resolves, and
   * its answer arrives as events.
   */
  async submit({ text: typed, images = [], how = 'steer' }: Submission): Promise<readonly CommandResult[]> {
    const text = this.pastes.expand(typed);
    if (text.trim() === '' && images.length === 0) return [];
    await this.#switched;
    await this.history.add({ text: text.length > typed.length + 10_000 ? typed : text, session: this.session.id });
    if (text.startsWith('!')) {
      await this.runShell(text.slice(1).trim());
      return [];
    }
    const command = /^\/([\p{L}\p{N}_.:?-]+)(?:\s([\s\S]*))?$/u.exec(text.trim());
    if (command) return await this.runCommand({ name: command[1] ?? '', text: (command[2] ?? '').trim() });
    await this.prompt({ text, images, how });
    return [];
  }

  /** Sends a prompt to the agent, or hands it to the agent that works. */
  async prompt({ text, images = [], how = 'steer' }: Submission): Promise<void> {
    const { io } = this.setup;
    const attached = [
      ...(await mentionedFiles({ io, text })),
      ...(await mentionedSessions({ app: this, text })),
      ...images.flatMap((bytes) => imagePart(bytes) ?? unusableImage()),
    ];
    await this.send({ parts: [{ type: 'text', origin: 'human', text }, ...attached], how });
  }

  /** Sends the parts of a prompt; rules in `allow` hold until the run ends. */
  async send({
    parts,
    allow = [],
    how = 'steer',
  }: {
    readonly parts: readonly Part[];
    readonly allow?: readonly string[];
    readonly how?: Submission['how'];
  }): Promise<void> {
    const { io } = this.setup;
    const { opened } = this.#current;
    const prompt = await completePrompt({ prompt: { role: 'user', parts }, opened });
    if (this.#run) return await (how === 'queue' ? this.agent.queue(prompt) : this.agent.steer(prompt));
    const key = io.unique() + String(io.now());
    const item = userItem({ message: prompt, id: promptItemId(key), at: io.now() });
    if (item) this.#current.state.put(item);
    this.consent.allowDuringRun(allow);
    this.#start({ prompt: withEnvironment({ prompt, opened }), key });
  }

  /** Continues interrupted work; whether there was any. */
  async resume(): Promise<boolean> {
    if (this.#run) return false;
    const { calls, needsAnswer, messages } = await this.agent.pending();
    if (calls.length === 0 && !needsAnswer && messages.length === 0) return false;
    this.#start({});
    return true;
  }

  #start(input: { readonly prompt?: Message; readonly key?: string }): void {
    const { settle, opened } = this.#current;
    const { agent } = opened;
    const run = async () => {
      let reason = 'done';
      for await (const event of agent.run(input)) if (event.type === 'run_end') reason = await settle(event);
      return reason;
    };
    this.#run = run()
      .catch((error: unknown) => {
        this.notice({ level: 'error', text: error instanceof Error ? error.message : String(error) });
        return 'failed';
      })
      .then(async (reason) => {
        this.#run = undefined;
        this.consent.allowDuringRun([]);
        await this.refreshContext();
        // A prompt that came while the run was ending.
        const isWaiting = this.view.queue.some(({ text }) => !text.startsWith('! '));
        if (reason === 'done' && isWaiting && !this.#isClosed && this.agent === agent) this.#start({});
      });
  }

  /** Resolves when the agent does nothing. */
  async idle(): Promise<void> {
    while (this.#run) await this.#run;
  }

  /** Runs a command of the user. Its output becomes context of the next request; it has no authority of its own. */
  async runShell(command: string): Promise<void> {
    if (command === '') return;
    const { io } = this.setup;
    const { state } = this.#current;
    const id = `shell:${io.unique()}${io.now()}`;
    const base = { id, at: io.now(), kind: 'shell' as const, command };
    state.put({ ...base, output: '' });
    const { output, exit, message } = await this.#abortable((signal) => runUserCommand({ io, command, signal }));
    state.put({ ...base, output, exit });
    await (this.#run ? this.agent.steer(message) : this.agent.queue(message));
  }

  /** Runs a slash command. Errors are results: the session goes on. */
  async runCommand({
    name,
    text,
  }: {
    readonly name: string;
    readonly text: string;
  }): Promise<readonly CommandResult[]> {
    const command = this.commands.find((each) => each.name === name || each.aliases?.includes(name));
    try {
      if (!command) throw unknownCommand({ name, commands: this.commands });
      // A run that has ended on the screen is over in a moment.
      if (this.#current.state.activity.kind === 'idle') await this.#run;
      if (this.#run && !command.isLive) throw whileWorking(command.name);
      return await this.#abortable((signal) => command.run({ app: this, text, signal }));
    } catch (error) {
      return [errorResult(error)];
    }
  }

  async #abortable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#work = controller;
    try {
      return await work(controller.signal);
    } finally {
      if (this.#work === controller) this.#work = undefined;
    }
  }

  /**
   * Esc: stops the command in progress, else the agent, else the background summary. Messages that were not sent yet are
   * returned, for editing.
   */
  async stop(): Promise<{ readonly stopped: 'command' | 'agent' | 'summary' | 'nothing'; readonly text: string }> {
    if (this.#work) {
      this.#work.abort();
      return { stopped: 'command', text: '' };
    }
    if (this.#run) {
      this.#current.state.act({ kind: 'stopping' });
      const text = await this.withdraw();
      this.agent.abort();
      await this.#run;
      return { stopped: 'agent', text };
    }
    return { stopped: this.session.cancelJob() ? 'summary' : 'nothing', text: '' };
  }

  /** Takes back messages that wait, for editing. */
  async withdraw(): Promise<string> {
    return (await this.agent.withdraw()).map(({ message }) => humanText(message)).join('\n');
  }

  /** Answers a question. Throws if a rule is invalid; the question then stays. */
  async answer(input: { readonly id: string; readonly answer: ConsentAnswer }): Promise<void> {
    await this.consent.answer(input);
    this.#emit({ type: 'status' });
  }

  /** Changes the mode, by default to the next of the cycle. */
  setMode(mode: InteractiveMode = this.consent.nextMode()): InteractiveMode {
    this.consent.setMode(mode);
    this.#emit({ type: 'status' });
    return mode;
  }

  /** Adds the page before the first item; whether there was one. */
  async loadEarlier(): Promise<boolean> {
    const current = this.#current;
    const { handle } = current.state.transcript.items[0] ?? {};
    const handles = current.state.isTrimmed && handle !== undefined ? [handle] : [];
    const [first] = handles.length === 0 ? [] : await this.session.session.read({ handles });
    const before = first ? first.parentId : current.before;
    if (before === null) return false;
    const page = await readTranscriptPage({ session: this.session.session, leaf: before, size: pageSize });
    current.before = page.before;
    current.state.isTrimmed = false;
    current.state.keepMore(page.items.length);
    current.state.transcript.prepend(page.items);
    this.#emit({ type: 'status' });
    return page.items.length > 0;
  }

  /** The whole output of a tool, from the log. */
  async readOutput(id: string): Promise<string> {
    const item = this.#current.state.transcript.find(id);
    if (item?.kind !== 'tool') return '';
    if (item.handle === undefined || !item.isCut) return item.output;
    const entries = await this.session.session.read({ handles: [item.handle] });
    return entries
      .map((entry) => (entry.type === 'message' ? resultText({ ...entry, callId: item.callId }) : ''))
      .join('');
  }

  /** Leaves this session and opens another one, with the same model and mode. */
  async switchSession({ wanted, fork }: { readonly wanted: SessionChoice; readonly fork?: boolean }): Promise<void> {
    const switched = this.#switched.then(async () => {
      await this.idle();
      const before = this.#current;
      this.#current = await this.#openCurrent({ wanted, fork, model: this.agent.model });
      await closeOne(before, this.setup);
      this.#emit({ type: 'reset' });
      void this.#afterOpen();
    });
    this.#switched = switched.catch(() => undefined);
    await switched;
  }

  /** Reads the conversation again, after the session moved to another place. */
  async reload(): Promise<void> {
    const { state, opened } = this.#current;
    const { session } = opened.session;
    state.clear();
    const page = await readTranscriptPage({ session, leaf: session.head.leaf, size: pageSize });
    this.#current.before = page.before;
    state.transcript.prepend(page.items);
    this.#emit({ type: 'reset' });
    await this.refreshContext();
  }

  /** Measures the context again, as the engine counts it. */
  async refreshContext(): Promise<void> {
    const { agent, session } = this;
    try {
      const { snapshot, budget } = await session.size({ model: agent.model });
      const { used, bound, window } = snapshot;
      const { threshold, reserve } = budget;
      const shares = sharesOf(snapshot);
      if (agent === this.agent) this.#current.state.setContext({ used, bound, window, threshold, reserve, shares });
    } catch {
      // The meter is an aid: the next request measures again.
    }
  }

  /** What is not needed for the first screen: facts from notes of the whole log, the size, the branch. */
  async #afterOpen(): Promise<void> {
    const current = this.#current;
    const { session } = current.opened.session;
    const types = ['queued_prompt', 'withdrawn_prompt', 'working_state', 'usage', 'summary_job'];
    const notes = await session.read({ types }).catch(() => []);
    if (current !== this.#current) return;
    const known = new Set(
      (await current.opened.agent.pending().catch(() => undefined))?.messages.map(({ key }) => key),
    );
    current.state.restore(notes.filter((note) => note.type !== 'queued_prompt' || known.has(note.key)));
    await this.refreshCommands();
    this.#branch = await branchOf(this.setup);
    await this.refreshContext();
    this.#emit({ type: 'status' });
  }

  /** Ends everything. A session without a message is removed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#work?.abort();
    this.agent.abort();
    await this.#switched;
    await this.idle();
    await closeOne(this.#current, this.setup);
  }
}

type OpenCurrent = (of: Pick<Parameters<typeof openOne>[0], 'wanted' | 'fork' | 'model'>) => Promise<OpenedSession>;

/** A name or alias that is taken by an earlier command is not used again. */
function withoutTaken(commands: readonly SlashCommand[]): readonly SlashCommand[] {
  const taken = new Set<string>();
  return commands.filter(({ name, aliases = [] }) => {
    if (taken.has(name)) return false;
    for (const each of [name, ...aliases]) taken.add(each);
    return true;
  });
}
