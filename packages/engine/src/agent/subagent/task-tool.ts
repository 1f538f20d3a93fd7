import type { EngineSession } from '../../engine/index.ts';
import type { Model } from '../../models/index.ts';
import type { SessionId } from '../../session/index.ts';
import type { AgentEvent, EventSource } from '../event.ts';
import type { AskHooks } from '../hooks/run-hooks.ts';
import { remark } from '../loop/queued-message.ts';
import type { Tool, ToolOutcome, ToolRun } from '../tool.ts';
import type { Agent, AgentInput, SubagentInput } from '../types.ts';

/** What the tool needs of the agent that it belongs to. */
export interface TaskParent {
  readonly session: EngineSession;
  readonly model: () => Model;
  /** Makes the other agent with what the two share: permissions, folder, hooks, clock. */
  readonly make: (
    of: Pick<AgentInput, 'session' | 'model' | 'maxTurns' | 'briefing'> & { readonly tools?: readonly Tool[] },
  ) => Promise<Agent>;
  readonly tell: (event: AgentEvent) => void;
  /** Hears what the other agent tells. */
  readonly pass: (event: AgentEvent, from: EventSource) => void;
  readonly ask: AskHooks;
}

const definition = {
  name: 'task',
  description:
    'Hands a piece of work to another agent with the same tools and an empty conversation, and gives back its final answer. Good for searches and checks whose details nobody needs afterwards. Say everything it has to know: it sees nothing of this conversation.',
  inputSchema: {
    type: 'object',
    properties: {
      description: { type: 'string', description: 'The work in three to six words.' },
      prompt: { type: 'string', description: 'What is to be done, what is known, and what to give back.' },
    },
    required: ['description', 'prompt'],
  },
} as const;

/**
 * The tool by which an agent hands work to another one. The other one has a session of its own that names this one as its
 * owner; what it may do is decided by the same permissions.
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
    // It touches nothing itself, but what the other agent did is done.
    isOnce: true,
    async run(call) {
      const { prompt, description } = call.input;
      if (typeof prompt !== 'string' || prompt.trim() === '')
        return wrong('It needs a `prompt` that says what is to be done.');
      const task = typeof description === 'string' ? description : prompt.slice(0, 60);
      const owner = { session: parent.session.id, call: call.callId };
      const { cwd } = parent.session.session.header;
      const session = await subagents.engine.create({ owner, name: task, ...(cwd !== undefined && { cwd }) });
      try {
        return await work({ parent, subagents, call, session, prompt, task });
      } finally {
        await session.close();
      }
    },
  };
}

async function work(of: {
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
  const briefing = `Another agent hands you this work. It stands here for as long as you work on it:\n\n${of.prompt}`;
  const agent = await parent.make({ session, model, maxTurns, briefing, ...(tools && { tools }) });
  const source: EventSource = { session: session.id, parent: { session: parent.session.id, callId: call.callId } };
  agent.on((event, from) => parent.pass(event, from.parent ? from : source));
  const about = { session: session.id, callId: call.callId, task };
  const stop = () => agent.abort();
  call.signal.addEventListener('abort', stop, { once: true });
  parent.tell({ type: 'subagent_start', ...about });
  const { context = [] } = await parent.ask('subagentStart', { child: session.id, task }, call.signal);
  let outcome: ToolOutcome = wrong('The other agent said nothing.');
  try {
    if (call.signal.aborted) return wrong('It was stopped before it began.');
    for await (const event of agent.run({ prompt: remark([begin, ...context].join('\n\n')) })) {
      if (event.type === 'text') call.onOutput?.(event.delta);
      if (event.type === 'run_end') outcome = outcomeOf({ event, child: session.id });
    }
    const [first] = outcome.content;
    const text = first?.type === 'text' ? first.text : '';
    await parent.ask('subagentStop', { child: session.id, task, text }, call.signal);
    return outcome;
  } finally {
    call.signal.removeEventListener('abort', stop);
    await agent.close();
    parent.tell({ type: 'subagent_end', ...about });
  }
}

/** The work itself was written by a model: it has no authority of a person, and stands in the head to outlive compactions. */
const begin =
  'Do the work that was handed to you. Your last answer is what the other agent gets, and all that it gets.';

function outcomeOf({
  event: { reason, text, turns, failure },
  child,
}: {
  readonly event: Extract<AgentEvent, { type: 'run_end' }>;
  readonly child: SessionId;
}): ToolOutcome {
  const details = { session: child, turns, reason };
  const words = text.trim() === '' ? '(It said nothing.)' : text;
  if (reason === 'done') return { content: [{ type: 'text', origin: 'tool', text: words }], details };
  const why = {
    aborted: 'It was stopped.',
    max_turns: 'It came to the end of its turns.',
    refused: 'It refused.',
    failed: 'It failed.',
  }[reason];
  return { ...wrong(`${why}${failure ? ` ${failure.message}` : ''} The last that it said: ${words}`), details };
}

function wrong(text: string): ToolOutcome {
  return { content: [{ type: 'text', origin: 'tool', text }], isError: true };
}
