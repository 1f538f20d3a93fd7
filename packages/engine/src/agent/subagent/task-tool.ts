import type { EngineSession } from '../../engine/index.ts';
import type { Model } from '../../models/index.ts';
import type { SessionId } from '../../session/index.ts';
import type { AgentEvent, EventSource } from '../event.ts';
import type { RunAgentHooks } from '../hooks/run-hooks.ts';
import { engineMessage } from '../loop/queued-message.ts';
import type { Tool, ToolOutcome, ToolRun } from '../tool.ts';
import type { Agent, AgentInput, SubagentInput } from '../types.ts';

/** What the tool needs from its agent. */
export interface TaskParent {
  readonly session: EngineSession;
  readonly model: () => Model;
  /** Creates the sub-agent with the shared permissions, folder, hooks and clock. */
  readonly make: (
    of: Pick<AgentInput, 'session' | 'model' | 'maxTurns' | 'briefing'> & { readonly tools?: readonly Tool[] },
  ) => Promise<Agent>;
  readonly emit: (event: AgentEvent) => void;
  /** Receives the events of the sub-agent. */
  readonly forward: (event: AgentEvent, from: EventSource) => void;
  readonly runHooks: RunAgentHooks;
}

const definition = {
  name: 'task',
  description:
    'Delegates a task to another agent with the same tools and an empty conversation, and returns its final answer. Good for searches and checks whose details are not needed afterwards. Include everything it needs to know: it cannot see this conversation.',
  inputSchema: {
    type: 'object',
    properties: {
      description: { type: 'string', description: 'The task in three to six words.' },
      prompt: { type: 'string', description: 'What to do, what is known, and what to return.' },
    },
    required: ['description', 'prompt'],
  },
} as const;

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
  return {
    definition,
    access: () => ({ kind: 'none' }),
    // No direct effects, but the sub-agent may have had some.
    isOnce: true,
    async run(call) {
      const { prompt, description } = call.input;
      if (typeof prompt !== 'string' || prompt.trim() === '') return toolError('Give a `prompt` that says what to do.');
      const task = typeof description === 'string' ? description : prompt.slice(0, 60);
      const owner = { session: parent.session.id, call: call.callId };
      const { cwd } = parent.session.session.header;
      const session = await subagents.engine.create({ owner, name: task, ...(cwd !== undefined && { cwd }) });
      return await runSubagent({ parent, subagents, call, session, prompt, task });
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
}): Promise<ToolOutcome> {
  const { parent, subagents, call, session, task } = of;
  const { model = parent.model(), maxTurns = 50 } = subagents;
  const tools = await subagents.tools?.(session);
  const briefing = `Another agent delegated this task to you. It stays here while you work on it:\n\n${of.prompt}`;
  const agent = await parent.make({ session, model, maxTurns, briefing, ...(tools && { tools }) });
  const source: EventSource = { session: session.id, parent: { session: parent.session.id, callId: call.callId } };
  agent.on((event, from) => parent.forward(event, from.parent ? from : source));
  const about = { session: session.id, callId: call.callId, task };
  const stop = () => agent.abort();
  call.signal.addEventListener('abort', stop, { once: true });
  parent.emit({ type: 'subagent_start', ...about });
  const { context = [] } = await parent.runHooks('subagentStart', { child: session.id, task }, call.signal);
  let outcome: ToolOutcome = toolError('The agent returned nothing.');
  try {
    if (call.signal.aborted) return toolError('It was stopped before it started.');
    for await (const event of agent.run({ prompt: engineMessage([startPrompt, ...context].join('\n\n')) })) {
      if (event.type === 'text') call.onOutput?.(event.delta);
      if (event.type === 'run_end') outcome = outcomeOf({ event, child: session.id });
    }
    const [first] = outcome.content;
    const text = first?.type === 'text' ? first.text : '';
    await parent.runHooks('subagentStop', { child: session.id, task, text }, call.signal);
    return outcome;
  } finally {
    call.signal.removeEventListener('abort', stop);
    // First: a background summary that is cancelled reports its cost to the agent.
    await session.close();
    await agent.close();
    parent.emit({ type: 'subagent_end', ...about });
  }
}

/** The task was written by a model: it has no authority of a person. It is in the head so that compactions keep it. */
const startPrompt = 'Do the task that was delegated to you. The other agent gets your last answer and nothing else.';

function outcomeOf({
  event: { reason, text, turns, failure },
  child,
}: {
  readonly event: Extract<AgentEvent, { type: 'run_end' }>;
  readonly child: SessionId;
}): ToolOutcome {
  const details = { session: child, turns, reason };
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
