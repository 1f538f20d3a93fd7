/**
 * OpenAI Agents: a session for its runner, with the input filter that keeps every request inside the model's window.
 *
 * @module
 */
import {
  type AgentInputItem,
  type CallModelInputFilter,
  type FunctionTool,
  type RunContext,
  type Session,
  tool,
} from '@openai/agents';
import { recallDefinition } from '../engine/internal.ts';
import { type Json, type JsonObject, without } from '../json.ts';
import { type Message, type Part, semanticKey, system } from '../message/index.ts';
import {
  engineOf,
  type HostFormat,
  HostHistory,
  type HostOptions,
  type HostSession,
  hostModel,
  recallFor,
} from './host-history.ts';

/** A session of the runner. `inputFilter` makes requests fit; `recallTool` lets agents read what is no longer sent. */
export interface AgentsSession extends Session {
  /** The runner passes its context, which has the usage. */
  readonly acceptsRunContext: true;
  readonly inputFilter: CallModelInputFilter;
  readonly recallTool: FunctionTool;
}

/**
 * Keeps a conversation of the runner in a session. The stored history stays complete; the input filter sends less of it. Pass
 * both to `run`: items are matched by content, so what the runner stores after a filtered request is not stored twice.
 *
 * @example
 * import { Agent, run } from '@openai/agents';
 * const opened = await createLonghaul({ dir: '.longhaul' });
 * const memory = longhaulSession(await opened.open('port-billing'));
 * const agent = new Agent({ name: 'Engineer', instructions: 'Be brief.', tools: [memory.recallTool] });
 * await run(agent, 'Fix the failing test', { session: memory, callModelInputFilter: memory.inputFilter });
 */
export function longhaulSession(session: HostSession, { window, model: fixed }: HostOptions = {}): AgentsSession {
  const engine = engineOf(session);
  const followed = new HostHistory({ session: engine, format });
  /** Items that the filter appended and the runner has not stored yet, and items that the filter made. */
  const appended = new Map<string, number>();
  const made = new Set<string>();
  const reported = new WeakMap<object, number>();
  let model = fixed ?? targetOf({ name: undefined, window });

  const stored = async (): Promise<AgentInputItem[]> => {
    const path = await engine.session.path();
    return path.flatMap((entry) =>
      entry.type === 'message' && entry.message.role !== 'system' ? itemsOf(entry.message) : [],
    );
  };

  const inputFilter: CallModelInputFilter = async ({ modelData, agent }) => {
    const { input, instructions } = modelData;
    const before = (await stored()).map(keyOf);
    if (isContinuation({ input, before })) return modelData;
    if (!fixed) model = targetOf({ name: typeof agent.model === 'string' ? agent.model : undefined, window });
    const rules = input.filter((item) => 'role' in item && item.role === 'system');
    const { groups } = await followed.view({
      history: input,
      model,
      ...(instructions !== undefined && { head: [system(instructions)] }),
      tools: agent.tools.flatMap((each) =>
        each.type === 'function'
          ? [{ name: each.name, description: each.description, inputSchema: each.parameters as unknown as JsonObject }]
          : [],
      ),
    });
    const known = new Set(input);
    for (const key of input.map(keyOf)) if (!before.includes(key)) appended.set(key, 1);
    for (const item of groups.flat()) if (!known.has(item)) made.add(keyOf(item));
    return { input: [...rules, ...groups.flat()], ...(instructions !== undefined && { instructions }) };
  };

  return {
    acceptsRunContext: true,
    inputFilter: Object.assign(inputFilter, { preserveInputIdentity: true }),
    recallTool: tool({
      name: recallDefinition.name,
      description: recallDefinition.description,
      parameters: { ...recallDefinition.inputSchema, type: 'object', required: [], additionalProperties: true },
      strict: false,
      execute: (input: unknown) => recallFor(engine).run({ arguments: JSON.stringify(input) }),
    }),
    getSessionId: async () => engine.id,
    async getItems(limit?: number) {
      const items = await stored();
      return limit === undefined ? items : items.slice(Math.max(0, items.length - limit));
    },
    async addItems(items: AgentInputItem[], context?: RunContext<unknown>) {
      const fresh = items.filter((item) => {
        const key = keyOf(item);
        const count = appended.get(key) ?? 0;
        if (count > 0) appended.set(key, count - 1);
        return count === 0 && !made.has(key);
      });
      await reportUsage(context);
      if (fresh.length > 0) await followed.record({ history: [...(await stored()), ...fresh], model });
    },
    async popItem() {
      const path = await engine.session.path();
      const last = path.findLast((entry) => entry.type === 'message' && entry.message.role !== 'system');
      if (last?.type !== 'message') return undefined;
      await engine.session.move({ to: last.parentId });
      return itemsOf(last.message).at(-1);
    },
    async clearSession() {
      await engine.session.move({ to: null });
    },
  };

  /** The newest request that the runner counted. */
  async function reportUsage(context: RunContext<unknown> | undefined): Promise<void> {
    const entries = context?.usage.requestUsageEntries ?? [];
    const last = entries.at(-1);
    if (!context || !last || reported.get(context) === entries.length) return;
    reported.set(context, entries.length);
    const cacheRead = Number(last.inputTokensDetails?.cached_tokens ?? 0);
    const { inputTokens, outputTokens: output } = last;
    await followed.report({ input: Math.max(0, inputTokens - cacheRead), output, cacheRead, cacheWrite: 0 });
  }
}

function targetOf({
  name = 'gpt-4.1',
  window,
}: {
  readonly name: string | undefined;
  readonly window: number | undefined;
}) {
  const [provider, ...rest] = name.includes('/') ? name.split('/') : ['openai', name];
  return hostModel({ provider, name: rest.join('/'), dialect: 'openai-responses', window });
}

/**
 * Whether the provider holds the conversation (`previousResponseId`, `conversationId`) and gets only what is new: input that
 * does not begin as the stored history does, or results without their calls.
 */
function isContinuation({
  input,
  before,
}: {
  readonly input: readonly AgentInputItem[];
  readonly before: readonly string[];
}): boolean {
  const said = input.filter((item) => !('role' in item) || item.role !== 'system');
  const calls = new Set(said.flatMap((item) => (item.type === 'function_call' ? [item.callId] : [])));
  const hasOrphan = said.some((item) => item.type === 'function_call_result' && !calls.has(item.callId));
  const [first] = said;
  return hasOrphan || (first !== undefined && before.length > 0 && keyOf(first) !== before[0]);
}

function itemsOf(message: Message): readonly AgentInputItem[] {
  return format.write({ item: message, model: hostModel({ name: 'unknown' }) });
}

/** Equal for items that say the same; items without text, calls or results by all that they have. */
function keyOf(item: AgentInputItem): string {
  const message = format.read({ message: item, model: hostModel({ name: 'unknown' }) });
  const events = message ? semanticKey([message]) : [];
  return events.length > 0 ? events.join('\n') : JSON.stringify(item);
}

const kind = 'openai-agents';

const format: HostFormat<AgentInputItem> = {
  name: kind,
  read({ message, model: { dialect } }) {
    const item = JSON.parse(JSON.stringify(message)) as JsonObject;
    const wire = (known: readonly string[]) => ({
      wire: { dialect, metadata: { [kind]: without(item, known) ?? {} } },
    });
    const { role, callId, name } = item;
    if (role === 'system') return undefined;
    if (item.type === 'function_call')
      return assistant({
        type: 'tool_call',
        origin: 'model',
        id: String(callId),
        name: String(name),
        arguments: String(item.arguments),
        ...wire(['callId', 'name', 'arguments']),
      });
    if (item.type === 'function_call_result') {
      const text = textOf(item.output);
      const content = [{ type: 'text', origin: 'tool', text }] as const;
      const result = {
        type: 'tool_result',
        origin: 'tool',
        callId: String(callId),
        name: String(name),
        content,
      } as const;
      const known = ['callId', 'name', ...(item.output === text ? ['output'] : [])];
      return { role: 'tool', parts: [{ ...result, ...wire(known) }] };
    }
    if (item.type === 'reasoning')
      return assistant({ type: 'thinking', origin: 'model', text: textOf(item.content), ...wire([]) });
    const text = textOf(item.content);
    if ((role !== 'user' && role !== 'assistant') || text === '')
      return assistant({ type: 'opaque', origin: role === 'user' ? 'human' : 'model', dialect, kind, value: item });
    const known = typeof item.content === 'string' ? ['content'] : [];
    const origin = role === 'user' ? 'human' : 'model';
    return { role, parts: [{ type: 'text', origin, text, ...wire(known) }] };
  },
  write: ({ item: { role, parts } }) =>
    parts.map((part) => {
      const rest = part.wire?.metadata?.[kind];
      return {
        ...(part.type === 'thinking' && rest ? {} : baseOf({ part, role })),
        ...rest,
      } as unknown as AgentInputItem;
    }),
};

function assistant(part: Part): Message {
  return { role: part.origin === 'human' ? 'user' : 'assistant', parts: [part] };
}

function baseOf({ part, role }: { readonly part: Part; readonly role: string }): object {
  if (part.type === 'opaque') return part.value as object;
  if (part.type === 'tool_call')
    return { type: 'function_call', callId: part.id, name: part.name, arguments: part.arguments, status: 'completed' };
  if (part.type === 'tool_result') {
    const output = part.content.map((each) => (each.type === 'text' ? each.text : `[${each.type}]`)).join('\n');
    return { type: 'function_call_result', callId: part.callId, name: part.name ?? '', status: 'completed', output };
  }
  const text = part.type === 'text' || part.type === 'thinking' ? part.text : `[${part.type}]`;
  if (role === 'assistant')
    return { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text }] };
  return { type: 'message', role: 'user', content: text };
}

/** The text of a string, of a text part or of a list of them. */
function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  const list = Array.isArray(content) ? content : [content];
  return list.flatMap((each) => (typeof each?.text === 'string' ? [each.text] : [])).join('\n');
}
