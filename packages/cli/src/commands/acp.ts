import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import type { Command } from 'commander';
import {
  type AgentEvent,
  createPermissions,
  type PermissionAnswer,
  type PermissionMode,
  type PermissionRequest,
  type Permissions,
} from 'longhaul/agent';
import { dataPart, type Message, type Part, type TextPart } from 'longhaul/message';
import type { Model } from 'longhaul/models';
import packageFile from '../../package.json' with { type: 'json' };
import { chooseModel } from '../agent/choose-model.ts';
import type { SessionChoice } from '../agent/choose-session.ts';
import { addConsentFlags, type ConsentOptions, consentFlags } from '../agent/flags.ts';
import { type OpenAgent, openAgent } from '../agent/open-agent.ts';
import { compactionSettings } from '../compaction/settings.ts';
import { summarizerOf } from '../compaction/summarizer-of.ts';
import { asLonghaulError } from '../errors/family.ts';
import { examplesHelp } from '../help.ts';
import { isRecord } from '../input/is-record.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { pathOf } from '../io/path-of.ts';
import { inboxLines } from '../memory/agent-memory.ts';
import { memoryWords } from '../memory/edit-board.ts';
import { wireSettings } from '../models/wire-limits.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { type Opened, withStore } from '../store/with-store.ts';
import { indexFolderOf } from '../workspace/code-index.ts';

/** `longhaul acp`. */
export function addAcpCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('acp')
    .description(
      'Runs the agent inside an editor: the Agent Client Protocol over standard input and output. The editor shows text, tool calls and diffs as they come, asks for approval, and can cancel, list and reopen sessions.',
    )
    .usage('[options]');
  addConsentFlags({ command });
  addSettingFlags({
    command,
    keys: [
      'model',
      'window',
      'effort',
      'store.dir',
      ...compactionSettings,
      'permissions.mode',
      'memory.enabled',
      'memory.consolidate',
      'memory.inRepo',
      ...wireSettings,
    ],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        [
          'longhaul acp',
          'started by the editor; Zed: "agent_servers": { "Longhaul": { "command": "longhaul", "args": ["acp"] } }',
        ],
      ],
    })}`,
  );
  bind<ConsentOptions>({ command, action: serveAcp });
}

const serveAcp: CommandAction<ConsentOptions> = async (invocation) =>
  await withStore({
    creates: true,
    invocation,
    purpose: 'longhaul acp',
    work: async (opened) => {
      const sessions = new Map<string, EditorSession>();
      const app = createApp({ invocation, opened, sessions });
      const stream = acp.ndJsonStream(
        Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
        Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
      );
      const connection = app.connect(stream);
      const forget = invocation.io.onInterrupt(() => connection.close());
      await connection.closed;
      forget();
      for (const session of sessions.values()) await session.open.close();
      return 0;
    },
  });

/** A session that an editor works with. */
interface EditorSession {
  readonly open: OpenAgent;
  /** Switches between the permissions of each mode. */
  mode: PermissionMode;
  isCancelled: boolean;
}

const modes: readonly { readonly id: PermissionMode; readonly name: string; readonly description: string }[] = [
  { id: 'ask', name: 'Ask', description: 'Asks before writing files and running commands.' },
  { id: 'auto-edit', name: 'Auto-edit', description: 'Writes files in the workspace; asks before running commands.' },
  { id: 'read-only', name: 'Read-only', description: 'Reads only.' },
  { id: 'yes', name: 'Yes', description: 'Writes and runs commands in the workspace; dangerous calls still ask.' },
];

/** The agent's side of the protocol. */
function createApp({
  invocation,
  opened,
  sessions,
}: {
  readonly invocation: Invocation & { readonly options: ConsentOptions };
  readonly opened: Opened;
  readonly sessions: Map<string, EditorSession>;
}): acp.AgentApp {
  const { store, dir } = opened;
  let model: Promise<Model> | undefined;
  return acp
    .agent({ name: 'longhaul' })
    .onRequest(acp.methods.agent.initialize, () => ({
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: 'longhaul', title: 'Longhaul', version: packageFile.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        sessionCapabilities: { list: {} },
      },
      authMethods: [],
    }))
    .onRequest(acp.methods.agent.session.new, async ({ params, client }) => {
      const { open, mode } = await start({ cwd: params.cwd, wanted: 'new', client });
      announceCommands({ open, client });
      return { sessionId: open.session.id, modes: modeState(mode) };
    })
    .onRequest(acp.methods.agent.session.load, async ({ params, client }) => {
      const { sessionId } = params;
      const session =
        sessions.get(sessionId) ?? (await start({ cwd: params.cwd, wanted: { session: sessionId }, client }));
      for (const update of await historyOf(session.open)) {
        await client.notify(acp.methods.client.session.update, { sessionId, update });
      }
      announceCommands({ open: session.open, client });
      return { modes: modeState(session.mode) };
    })
    .onRequest(acp.methods.agent.session.list, async ({ params: { cwd } }) => ({
      sessions: (await store.list({ sort: 'updated', limit: mostListed, ...(cwd && { cwd }) })).flatMap(
        ({ header, name, title, updatedAt }) =>
          header.cwd === undefined || header.owner
            ? []
            : [
                {
                  sessionId: header.id,
                  cwd: header.cwd,
                  title: name ?? title ?? null,
                  updatedAt: new Date(updatedAt).toISOString(),
                },
              ],
      ),
    }))
    .onRequest(acp.methods.agent.session.setMode, ({ params }) => {
      const mode = modes.find(({ id }) => id === params.modeId)?.id;
      if (mode === undefined) throw acp.RequestError.invalidParams(undefined, `Unknown mode "${params.modeId}".`);
      sessionOf(params.sessionId).mode = mode;
      return {};
    })
    .onRequest(acp.methods.agent.session.prompt, async ({ params, client }) => {
      const session = sessionOf(params.sessionId);
      session.isCancelled = false;
      return await runPrompt({ session, params, client, invocation });
    })
    .onNotification(acp.methods.agent.session.cancel, ({ params }) => {
      const session = sessions.get(params.sessionId);
      if (!session) return;
      session.isCancelled = true;
      session.open.agent.abort();
    });

  function sessionOf(id: string): EditorSession {
    const session = sessions.get(id);
    if (!session) throw acp.RequestError.invalidParams(undefined, `Session ${id} is not open; load it first.`);
    return session;
  }

  async function start(of: {
    readonly cwd: string;
    readonly wanted: SessionChoice;
    readonly client: acp.AgentContext;
  }): Promise<EditorSession> {
    try {
      return await startSession(of);
    } catch (error) {
      const { message, hint } = asLonghaulError(error);
      throw acp.RequestError.internalError(undefined, `${message} ${hint}`);
    }
  }

  async function startSession({
    cwd,
    wanted,
    client,
  }: {
    readonly cwd: string;
    readonly wanted: SessionChoice;
    readonly client: acp.AgentContext;
  }): Promise<EditorSession> {
    const resolved = await invocation.settings();
    const { values } = resolved;
    const io = { ...invocation.io, cwd };
    const flags = await consentFlags({ options: invocation.options, values, io });
    model ??= chooseModel({ values, io });
    const current = await model;
    const ask = async (request: PermissionRequest, signal: AbortSignal) =>
      await askEditor({ client, sessionId: session.open.session.id, request, signal, cwd });
    const byMode = new Map<PermissionMode, Permissions>();
    const permissionsFor = (mode: PermissionMode): Permissions => {
      const known = byMode.get(mode);
      if (known) return known;
      const { allow, deny, folders } = flags;
      const created = createPermissions({ mode, allow, deny, folders, cwd, home: io.home, approver: ask });
      byMode.set(mode, created);
      return created;
    };
    const open = await openAgent({
      io,
      values,
      store,
      model: current,
      wanted,
      permissions: { decide: async (...args) => await permissionsFor(session.mode).decide(...args) },
      deny: flags.deny,
      folders: flags.folders,
      summarizer: await summarizerOf({ values, io, conversation: () => current, isWorking: true }),
      indexFolder: indexFolderOf({ io, resolved }),
      storeFolder: dir,
      onNotes: (entries) => {
        const content = { type: 'text', text: `${inboxLines(entries).join('\n')}\n` } as const;
        const update = { sessionUpdate: 'agent_thought_chunk', content } as const;
        void client.notify(acp.methods.client.session.update, { sessionId: session.open.session.id, update });
      },
    });
    const session: EditorSession = { open, mode: flags.mode, isCancelled: false };
    sessions.set(open.session.id, session);
    return session;
  }
}

const mostListed = 200;

function modeState(mode: PermissionMode): acp.SessionModeState {
  return { currentModeId: mode, availableModes: [...modes] };
}

/** Once the editor knows the session: commands are announced after the answer that names it. */
function announceCommands({ open, client }: { readonly open: OpenAgent; readonly client: acp.AgentContext }): void {
  if (!open.memory) return;
  const command = {
    name: 'memory',
    description: 'What earlier sessions learned about this repository',
    input: { hint: Object.keys(memoryWords).join(' | ') },
  };
  const update = { sessionUpdate: 'available_commands_update', availableCommands: [command] } as const;
  setTimeout(() => void client.notify(acp.methods.client.session.update, { sessionId: open.session.id, update }), 0);
}

/** Runs a prompt and reports its events until it ends. */
async function runPrompt({
  session,
  params: { sessionId, prompt },
  client,
  invocation,
}: {
  readonly session: EditorSession;
  readonly params: acp.PromptRequest;
  readonly client: acp.AgentContext;
  readonly invocation: Pick<Invocation, 'io'>;
}): Promise<acp.PromptResponse> {
  const { agent, memory } = session.open;
  const [first] = prompt;
  const line = first?.type === 'text' ? /^\/memory\b([\s\S]*)$/.exec(first.text.trim())?.[1] : undefined;
  if (memory && line !== undefined) {
    const text = `${memory.perform(line).join('\n')}\n`;
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } as const;
    await client.notify(acp.methods.client.session.update, { sessionId, update });
    return { stopReason: 'end_turn' };
  }
  let stopReason: acp.StopReason = 'end_turn';
  let failure: string | undefined;
  for await (const event of agent.run({ prompt: promptMessage(prompt) })) {
    const update = await updateFor({ event, io: invocation.io });
    if (update) await client.notify(acp.methods.client.session.update, { sessionId, update });
    if (event.type !== 'run_end') continue;
    if (event.reason === 'failed') failure = event.failure?.message ?? 'The model failed.';
    stopReason = stopReasons[event.reason];
  }
  if (session.isCancelled) return { stopReason: 'cancelled' };
  if (failure !== undefined) throw acp.RequestError.internalError(undefined, failure);
  return { stopReason };
}

const stopReasons: Readonly<Record<Extract<AgentEvent, { type: 'run_end' }>['reason'], acp.StopReason>> = {
  done: 'end_turn',
  aborted: 'cancelled',
  failed: 'end_turn',
  max_turns: 'max_turn_requests',
  max_cost: 'max_turn_requests',
  refused: 'refusal',
};

/** What the user typed is human; what the editor attached is data. */
function promptMessage(blocks: readonly acp.ContentBlock[]): Message {
  const parts = blocks.flatMap((block): TextPart[] => {
    if (block.type === 'text') return [{ type: 'text', origin: 'human', text: block.text }];
    if (block.type === 'resource_link') return [{ type: 'text', origin: 'human', text: `@${pathIn(block.uri)}` }];
    if (block.type === 'resource' && 'text' in block.resource) {
      return [dataPart({ from: 'file', path: pathIn(block.resource.uri), text: block.resource.text })];
    }
    return [];
  });
  return { role: 'user', parts };
}

function pathIn(uri: string): string {
  const url = URL.parse(uri);
  return url?.protocol === 'file:' ? decodeURIComponent(url.pathname) : uri;
}

const kinds: Readonly<Record<string, acp.ToolKind>> = {
  read: 'read',
  ls: 'read',
  write: 'edit',
  edit: 'edit',
  grep: 'search',
  find: 'search',
  search_code: 'search',
  recall: 'search',
  bash: 'execute',
  todo: 'think',
};

/** What an editor shows for an event. */
async function updateFor({
  event,
  io,
}: {
  readonly event: AgentEvent;
  readonly io: Invocation['io'];
}): Promise<acp.SessionUpdate | undefined> {
  switch (event.type) {
    case 'text':
      return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: event.delta } };
    case 'thinking':
      return { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: event.delta } };
    case 'tool_start':
      return {
        sessionUpdate: 'tool_call',
        toolCallId: event.callId,
        title: event.summary,
        kind: kinds[event.tool] ?? 'other',
        status: 'in_progress',
        rawInput: event.input,
        ...(await changeShown({ tool: event.tool, input: event.input, cwd: io.cwd, io })),
      };
    case 'tool_end':
      return {
        sessionUpdate: 'tool_call_update',
        toolCallId: event.callId,
        status: event.isError ? 'failed' : 'completed',
        // The diff of an edit stays; other tools show their output.
        ...(kinds[event.tool] === 'edit' && !event.isError ? {} : { content: [shownText(event.text)] }),
      };
    case 'notice':
      return { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: `${event.text}\n` } };
    default:
      return undefined;
  }
}

const longestShown = 20_000;

function shownText(text: string): acp.ToolCallContent {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}\n[…]` : text;
  return { type: 'content', content: { type: 'text', text: shown } };
}

/** The file that a call changes, with a diff where the call says what it writes. */
async function changeShown({
  tool,
  input,
  cwd,
  io,
}: {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string;
  readonly io: Pick<Invocation['io'], 'files' | 'platform'>;
}): Promise<Pick<acp.ToolCall, 'content' | 'locations'>> {
  if (!isRecord(input) || typeof input.file_path !== 'string') return {};
  const path = pathOf(io).resolve(cwd, input.file_path);
  const locations = [{ path }];
  if (tool === 'write' && typeof input.content === 'string') {
    const oldText = await textOf({ io, path });
    return { locations, content: [{ type: 'diff', path, oldText: oldText ?? null, newText: input.content }] };
  }
  const { edits } = input;
  const content = (Array.isArray(edits) ? edits : [input]).flatMap((item): acp.ToolCallContent[] =>
    isRecord(item) && typeof item.old_string === 'string' && typeof item.new_string === 'string'
      ? [{ type: 'diff', path, oldText: item.old_string, newText: item.new_string }]
      : [],
  );
  return { locations, ...(content.length > 0 && { content }) };
}

const longestOld = 256 * 1024;

async function textOf({
  io,
  path,
}: {
  readonly io: Pick<Invocation['io'], 'files'>;
  readonly path: string;
}): Promise<string | undefined> {
  const facts = await io.files.stat(path).catch(() => undefined);
  if (facts?.kind !== 'file' || facts.bytes > longestOld) return undefined;
  return Buffer.from(await io.files.head({ path, bytes: longestOld })).toString('utf8');
}

/** Asks the person in front of the editor. */
async function askEditor({
  client,
  sessionId,
  request,
  signal,
  cwd,
}: {
  readonly client: acp.AgentContext;
  readonly sessionId: string;
  readonly request: PermissionRequest;
  readonly signal: AbortSignal;
  readonly cwd: string;
}): Promise<PermissionAnswer> {
  const { access, callId, tool, input, summary, reason, preview } = request;
  const shown = [access.kind === 'execute' ? access.command : undefined, reason, preview].filter(
    (text) => text !== undefined && text !== '',
  );
  const { outcome } = await client.request(
    acp.methods.client.session.requestPermission,
    {
      sessionId,
      toolCall: {
        toolCallId: callId,
        title: summary,
        kind: kinds[tool] ?? 'other',
        status: 'pending',
        rawInput: input,
        content: [shownText(shown.join('\n\n'))],
        ...(access.kind === 'execute' && { locations: [{ path: cwd }] }),
      },
      options: [
        { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
        { optionId: 'always', name: 'Allow always in this session', kind: 'allow_always' },
        { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
      ],
    },
    { cancellationSignal: signal },
  );
  if (outcome.outcome === 'cancelled') return { deny: 'the user cancelled' };
  if (outcome.optionId === 'allow' || outcome.optionId === 'always') return outcome.optionId;
  return { deny: 'the user said no' };
}

/** The conversation so far, for an editor that opens a session again. */
async function historyOf({ session }: OpenAgent): Promise<acp.SessionUpdate[]> {
  const entries = await session.session.path();
  return entries.flatMap((entry) =>
    entry.type === 'message'
      ? entry.message.parts.flatMap((part) => updatesOf({ part, role: entry.message.role }))
      : [],
  );
}

function updatesOf({ part, role }: { readonly part: Part; readonly role: string }): acp.SessionUpdate[] {
  if (part.type === 'text' && role === 'user' && part.origin === 'human') {
    return [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: part.text } }];
  }
  if (part.type === 'text' && role === 'assistant') {
    return [{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: part.text } }];
  }
  if (part.type === 'tool_call') {
    const { id: toolCallId, name: title } = part;
    return [{ sessionUpdate: 'tool_call', toolCallId, title, kind: kinds[title] ?? 'other', status: 'completed' }];
  }
  return [];
}
