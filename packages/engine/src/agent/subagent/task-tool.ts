import type { EngineSession } from '../../engine/index.ts';
import type { ToolDefinition } from '../../message/index.ts';
import type { Model } from '../../models/index.ts';
import type { SessionId } from '../../session/index.ts';
import type { AgentEvent, EventSource } from '../event.ts';
import type { RunAgentHooks } from '../hooks/run-hooks.ts';
import { engineMessage } from '../loop/queued-message.ts';
import type { Tool, ToolOutcome, ToolRun, ToolSource } from '../tool.ts';
import type { Agent, AgentInput, AgentProfile, IsolatedWork, SubagentInput } from '../types.ts';

/** What the tool needs from its agent. */
export interface TaskParent {
  readonly session: EngineSession;
  readonly model: () => Model;
  /** Creates the sub-agent with the shared permissions, folder, hooks and clock. */
  readonly make: (
    of: Pick<AgentInput, 'session' | 'model' | 'maxTurns' | 'briefing' | 'profile' | 'cwd' | 'permissions' | 'tools'>,
  ) => Promise<Agent>;
  readonly emit: (event: AgentEvent) => void;
  /** Receives the events of the sub-agent. */
  readonly forward: (event: AgentEvent, from: EventSource) => void;
  readonly runHooks: RunAgentHooks;
}

function definitionFor({ agents = [], isolate }: SubagentInput): ToolDefinition {
  const list = agents.map(({ name, description = '' }) => `- ${name}: ${oneLine(description)}`).join('\n');
  const several = 'Several tasks in one answer run at the same time.';
  return {
    name: 'task',
    description: `Delegates a task to another agent with ${agents.length > 0 ? 'its own tools' : 'the same tools'} and an empty conversation, and returns its final answer. Good for searches and checks whose details are not needed afterwards. Include everything it needs to know: it cannot see this conversation.${agents.length > 0 ? ` ${several} Agents:\n${list}` : ''}`,
    inputSchema: {
      type: 'object',
      properties: {
        description: { type: 'string', description: 'The task in three to six words.' },
        prompt: { type: 'string', description: 'What to do, what is known, and what to return.' },
        ...(agents.length > 0 && {
          agent: {
            type: 'string',
            enum: agents.map(({ name }) => name),
            description: 'The agent to use; default: a general one with the tools of this conversation.',
          },
        }),
        ...(isolate && {
          worktree: {
            type: 'boolean',
            description:
              'Work in a separate git worktree, so that several agents can change files at the same time. It starts from the last commit.',
          },
        }),
      },
      required: ['description', 'prompt'],
    },
  };
}

/** Limit of a description in the list, in characters. */
const longest = 400;

function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/**
 * The tool that delegates a task to a sub-agent. The sub-agent has its own session, owned by this one, and the same
 * permissions.
 */
export function createTaskTool({
  parent,
  subagents,
}: {
  readonly parent: TaskParent;
  readonly subagents: SubagentInput;
}): Tool {
  const { agents = [], isolate } = subagents;
  return {
    definition: definitionFor(subagents),
    access: () => ({ kind: 'none' }),
    // No direct effects, but the sub-agent may have had some.
    isOnce: true,
    async run(call) {
      const { prompt, description, agent: wanted, worktree } = call.input;
      if (typeof prompt !== 'string' || prompt.trim() === '') return toolError('Give a `prompt` that says what to do.');
      const profile = agents.find(({ name }) => name === wanted);
      if (typeof wanted === 'string' && wanted !== '' && !profile)
        return toolError(`Unknown agent. Available: ${agents.map(({ name }) => name).join(', ') || 'none'}.`);
      const isIsolated = worktree === true || profile?.isolation === 'worktree';
      if (isIsolated && !isolate) return toolError('Worktrees are not available here.');
      const task = typeof description === 'string' ? description : prompt.slice(0, 60);
      const owner = { session: parent.session.id, call: call.callId };
      const { cwd } = parent.session.session.header;
      const session = await subagents.engine.create({ owner, name: task, ...(cwd !== undefined && { cwd }) });
      const isolated = isIsolated ? await isolate?.(session) : undefined;
      return await runSubagent({ parent, subagents, call, session, prompt, task, profile, isolated });
    },
  };
}

async function runSubagent(of: {
  readonly parent: TaskParent;
  readonly subagents: SubagentInput;
  readonly call: ToolRun;
  readonly session: EngineSession;
  readonly prompt: string;
  readonly task: string;
  readonly profile: AgentProfile | undefined;
  readonly isolated: IsolatedWork | undefined;
}): Promise<ToolOutcome> {
  const { parent, subagents, call, session, task, profile, isolated } = of;
  const { model: usual = parent.model() } = subagents;
  const maxTurns = profile?.maxTurns ?? subagents.maxTurns ?? 50;
  const model = await modelOf({ parent, subagents, profile, usual });
  const tools = isolated?.tools ?? (await subagents.tools?.(session));
  const briefing = `Another agent delegated this task to you. It stays here while you work on it:\n\n${of.prompt}`;
  const agent = await parent.make({
    session,
    model,
    maxTurns,
    briefing,
    ...(tools && { tools }),
    ...(profile && { profile }),
    ...(isolated && { cwd: isolated.cwd, permissions: isolated.permissions }),
  });
  const source: EventSource = { session: session.id, parent: { session: parent.session.id, callId: call.callId } };
  agent.on((event, from) => parent.forward(event, from.parent ? from : source));
  const about = { session: session.id, callId: call.callId, task, ...(profile && { agent: profile.name }) };
  const stop = () => agent.abort();
  call.signal.addEventListener('abort', stop, { once: true });
  parent.emit({ type: 'subagent_start', ...about });
  const { context = [] } = await parent.runHooks('subagentStart', { child: session.id, task }, call.signal);
  let outcome: ToolOutcome = toolError('The agent returned nothing.');
  let cost: { readonly costUsd?: number } = {};
  try {
    if (call.signal.aborted) return toolError('It was stopped before it started.');
    for await (const event of agent.run({ prompt: engineMessage([startPrompt, ...context].join('\n\n')) })) {
      if (event.type === 'text') call.onOutput?.(event.delta);
      if (event.type !== 'run_end') continue;
      outcome = outcomeOf({ event, child: session.id, agent: profile?.name });
      cost = event.costUsd === undefined ? {} : { costUsd: event.costUsd };
    }
    if (isolated) outcome = withNote({ outcome, note: await isolated.finish() });
    const [first] = outcome.content;
    const text = first?.type === 'text' ? first.text : '';
    await parent.runHooks('subagentStop', { child: session.id, task, text }, call.signal);
    return outcome;
  } finally {
    call.signal.removeEventListener('abort', stop);
    // First: a background summary that is cancelled reports its cost to the agent.
    await session.close();
    await agent.close();
    parent.emit({ type: 'subagent_end', ...about, ...cost });
  }
}

/** The model that the custom agent names, if it can be used. */
async function modelOf(of: {
  readonly parent: TaskParent;
  readonly subagents: SubagentInput;
  readonly profile: AgentProfile | undefined;
  readonly usual: Model;
}): Promise<Model> {
  const { parent, subagents, profile, usual } = of;
  if (profile?.model === undefined) return usual;
  const model = await subagents.modelFor?.(profile.model);
  if (model) return model;
  const text = `The model ${profile.model} of the agent ${profile.name} cannot be used; it runs with ${usual.id.name}.`;
  parent.emit({ type: 'notice', text });
  return usual;
}

function withNote({ outcome, note }: { readonly outcome: ToolOutcome; readonly note: string }): ToolOutcome {
  return { ...outcome, content: [...outcome.content, { type: 'text', origin: 'tool', text: note }] };
}

/** The task was written by a model: it has no authority of a person. It is in the head so that compactions keep it. */
const startPrompt = 'Do the task that was delegated to you. The other agent gets your last answer and nothing else.';

function outcomeOf({
  event: { reason, text, turns, failure, costUsd },
  child,
  agent,
}: {
  readonly event: Extract<AgentEvent, { type: 'run_end' }>;
  readonly child: SessionId;
  readonly agent: string | undefined;
}): ToolOutcome {
  const details = {
    session: child,
    turns,
    reason,
    ...(agent !== undefined && { agent }),
    ...(costUsd !== undefined && { costUsd }),
  };
  const words = text.trim() === '' ? '(no output)' : text;
  if (reason === 'done') return { content: [{ type: 'text', origin: 'tool', text: words }], details };
  const why = {
    aborted: 'It was stopped.',
    max_turns: 'It reached its limit of turns.',
    max_cost: 'It reached the cost limit.',
    refused: 'It refused.',
    failed: 'It failed.',
  }[reason];
  return { ...toolError(`${why}${failure ? ` ${failure.message}` : ''} Its last output: ${words}`), details };
}

function toolError(text: string): ToolOutcome {
  return { content: [{ type: 'text', origin: 'tool', text }], isError: true };
}

/** The tools that a sub-agent gets from its parent, which still owns and closes them. */
export function inheritedTools(tools: readonly Tool[]): Tool[] {
  return tools.filter(({ isBound }) => !isBound).map(withoutLifecycle);
}

function withoutLifecycle(tool: Tool): Tool {
  const { definition, isOnce } = tool;
  return {
    definition,
    access: (input) => tool.access(input),
    run: (call) => tool.run(call),
    ...(tool.preview && { preview: async (input) => await tool.preview?.(input) }),
    ...(isOnce && { isOnce }),
  };
}

/** The tool sources of the parent, with the tools that a sub-agent may use. */
export function inheritedSources(of: {
  readonly sources: readonly ToolSource[];
  readonly isTool: (name: string) => boolean;
}): ToolSource[] {
  return of.sources.map((source) => ({
    tools: (request) =>
      source.tools(request).filter(({ isBound, definition }) => !isBound && of.isTool(definition.name)),
  }));
}
