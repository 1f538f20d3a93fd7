import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import type { Command } from 'commander';
import {
  type AgentEvent,
  createPermissions,
  type PermissionMode,
  type PermissionRequest,
  type Permissions,
} from 'longhaul/agent';
import type { Model } from 'longhaul/models';
import packageFile from '../../package.json' with { type: 'json' };
import { askEditor, historyOf, promptMessage, updateFor } from '../agent/acp-updates.ts';
import { chooseModelFor } from '../agent/choose-model.ts';
import type { SessionChoice } from '../agent/choose-session.ts';
import { type Customizations, profileOf, readCustomizations, withCommand } from '../agent/customizations.ts';
import { addConsentFlags, type ConsentOptions, consentFlags } from '../agent/flags.ts';
import { type OpenAgent, openAgent } from '../agent/open-agent.ts';
import { trustInProject } from '../agent/project-items.ts';
import { completePrompt, withEnvironment } from '../agent/start-agent.ts';
import { compactionSettings } from '../compaction/settings.ts';
import { summarizerOf } from '../compaction/summarizer-of.ts';
import { asLonghaulError } from '../errors/family.ts';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { inboxLines } from '../memory/agent-memory.ts';
import { memoryWords } from '../memory/edit-board.ts';
import { wireSettings } from '../models/wire-limits.ts';
import { addSettingFlags } from '../settings/flags.ts';
import type { Settings } from '../settings/schema.ts';
import { mcpServerName, mcpServerSchema } from '../settings/tools.ts';
import { type Opened, withStore } from '../store/with-store.ts';
import { printable } from '../text/printable.ts';
import { indexFolderOf } from '../workspace/code-index.ts';

/** `longhaul acp`. */
export function addAcpCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('acp')
    .description(
      'Runs the agent inside an editor: the Agent Client Protocol over standard input and output. The editor shows text, tool calls and diffs as they come, asks for approval, and can cancel, list and reopen sessions.',
    )
    .usage('[options]')
    .option('--agent <name>', 'run as a custom agent, by its name or the path of its Markdown file');
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
        ['longhaul acp --agent reviewer', 'the same as a custom agent'],
      ],
    })}`,
  );
  bind<AcpOptions>({ command, action: serveAcp });
}

interface AcpOptions extends ConsentOptions {
  readonly agent?: string;
  readonly model?: string;
}

const serveAcp: CommandAction<AcpOptions> = async (invocation) =>
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
  /** What the user and a trusted project add to the agent of this folder. */
  readonly custom: Customizations;
  /** With the folder of the session. */
  readonly io: Invocation['io'];
  readonly warn: (text: string) => void;
  /** The model that a command names, or the usual one. */
  readonly modelFor: (named: string | undefined) => Promise<Model>;
  /** What the command of the current prompt allows. */
  allow: readonly string[];
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

/** What the permissions of a call depend on. */
type PermissionsKey = Pick<EditorSession, 'mode' | 'allow'> & { readonly cwd: string };

/** The agent's side of the protocol. */
function createApp({
  invocation,
  opened,
  sessions,
}: {
  readonly invocation: Invocation & { readonly options: AcpOptions };
  readonly opened: Opened;
  readonly sessions: Map<string, EditorSession>;
}): acp.AgentApp {
  const { store, dir } = opened;
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
      const { open, mode, custom } = await start({ ...params, wanted: 'new', client });
      await announceCommands({ open, custom, client });
      return { sessionId: open.session.id, modes: modeState(mode) };
    })
    .onRequest(acp.methods.agent.session.load, async ({ params, client }) => {
      const { sessionId } = params;
      const session = sessions.get(sessionId) ?? (await start({ ...params, wanted: { session: sessionId }, client }));
      for (const update of await historyOf(session.open)) {
        await client.notify(acp.methods.client.session.update, { sessionId, update });
      }
      await announceCommands({ ...session, client });
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
      if (session.open.agent.state === 'running')
        throw acp.RequestError.invalidRequest(undefined, 'The agent is still working on a prompt; cancel it first.');
      session.isCancelled = false;
      return await clearly(() => runPrompt({ session, params, client }));
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

  async function start(of: Parameters<typeof startSession>[0]): Promise<EditorSession> {
    return await clearly(() => startSession(of));
  }

  async function startSession({
    cwd,
    mcpServers,
    wanted,
    client,
  }: {
    readonly cwd: string;
    readonly mcpServers: readonly acp.McpServer[];
    readonly wanted: SessionChoice;
    readonly client: acp.AgentContext;
  }): Promise<EditorSession> {
    const resolved = await invocation.settings();
    const io = { ...invocation.io, cwd };
    const values = withEditorServers({ values: resolved.values, servers: mcpServers });
    const flags = await consentFlags({ options: invocation.options, values, io });
    const warn = (text: string) => void io.stderr.write(`${printable(text)}\n`);
    // Standard input belongs to the editor: what is new in a project is trusted with `longhaul trust`.
    const trust = await trustInProject({ io, values, isAsking: false });
    const custom = await readCustomizations({ io, values, isTrusted: trust.has, onProblem: warn });
    const { agent, model } = invocation.options;
    const profile = agent === undefined ? undefined : await profileOf({ io, wanted: agent, custom });
    const modelFor = (named: string | undefined) => chooseModelFor({ values, io, named, warn });
    const current = await modelFor(model === undefined ? profile?.model : undefined);
    const ask = async (request: PermissionRequest, signal: AbortSignal) =>
      await askEditor({ client, sessionId: session.open.session.id, request, signal, cwd });
    const created = new Map<string, Permissions>();
    const permissionsFor = ({ mode, allow: more, cwd: folder }: PermissionsKey): Permissions => {
      const key = JSON.stringify([mode, more, folder]);
      const known = created.get(key);
      if (known) return known;
      const { deny } = flags;
      const [allow, folders] = [[...flags.allow, ...more], folder === cwd ? flags.folders : []];
      const next = createPermissions({ mode, allow, deny, folders, cwd: folder, home: io.home, approver: ask });
      created.set(key, next);
      return next;
    };
    const decideIn = (folder: string): Permissions => ({
      decide: async (...args) => await permissionsFor({ ...session, cwd: folder }).decide(...args),
    });
    const open = await openAgent({
      io,
      values,
      store,
      model: current,
      wanted,
      permissions: decideIn(cwd),
      permissionsIn: decideIn,
      custom,
      profile,
      trust,
      onWarning: warn,
      deny: flags.deny,
      folders: flags.folders,
      summarizer: await summarizerOf({ values, io, agentModel: () => current }),
      indexFolder: indexFolderOf({ io, resolved }),
      storeFolder: dir,
      onNotes: (entries) => {
        const content = { type: 'text', text: `${inboxLines(entries).join('\n')}\n` } as const;
        const update = { sessionUpdate: 'agent_thought_chunk', content } as const;
        void client.notify(acp.methods.client.session.update, { sessionId: session.open.session.id, update });
      },
    });
    const session: EditorSession = {
      open,
      custom,
      io,
      warn,
      modelFor,
      allow: [],
      mode: flags.mode,
      isCancelled: false,
    };
    sessions.set(open.session.id, session);
    return session;
  }
}

const mostListed = 200;

/** MCP servers that the user has set up in the editor, as if they were in the settings; those take precedence. */
function withEditorServers({
  values,
  servers,
}: {
  readonly values: Settings;
  readonly servers: readonly acp.McpServer[];
}): Settings {
  const record = (list: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  const added = servers.flatMap((server) => {
    const definition =
      'command' in server
        ? { command: server.command, args: server.args, env: record(server.env) }
        : 'url' in server
          ? { type: server.type, url: server.url, headers: record(server.headers) }
          : undefined;
    const parsed = mcpServerSchema.safeParse(definition);
    // Editors allow any text as a name.
    const name = server.name.replace(/[^A-Za-z\d-]+/g, '-').slice(0, 32);
    return parsed.success && mcpServerName.safeParse(name).success ? [[name, parsed.data] as const] : [];
  });
  return { ...values, mcp: { ...values.mcp, servers: { ...Object.fromEntries(added), ...values.mcp.servers } } };
}

function modeState(mode: PermissionMode): acp.SessionModeState {
  return { currentModeId: mode, availableModes: [...modes] };
}

/** An error as one clear sentence of the protocol. */
async function clearly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof acp.RequestError) throw error;
    const { message, hint } = asLonghaulError(error);
    throw acp.RequestError.internalError(undefined, `${message} ${hint}`);
  }
}

/** Once the editor knows the session: commands are announced after the answer that names it. */
async function announceCommands({
  open,
  custom,
  client,
}: Pick<EditorSession, 'open' | 'custom'> & { readonly client: acp.AgentContext }): Promise<void> {
  const memory = {
    name: 'memory',
    description: 'What earlier sessions learned about this repository',
    input: { hint: Object.keys(memoryWords).join(' | ') },
  };
  const own = custom.commands.map(({ name, description, argumentHint = 'arguments' }) => ({
    name,
    description,
    input: { hint: argumentHint },
  }));
  const prompts = (await open.mcp?.prompts().catch(() => [])) ?? [];
  const ofServers = prompts.map(({ name, description, arguments: given }) => ({
    name,
    description: description === '' ? 'Prompt of an MCP server' : description,
    ...(given.length > 0 && { input: { hint: given.map((each) => each.name).join(' ') } }),
  }));
  const availableCommands = [...(open.memory ? [memory] : []), ...own, ...ofServers];
  if (availableCommands.length === 0) return;
  const update = { sessionUpdate: 'available_commands_update', availableCommands } as const;
  setTimeout(() => void client.notify(acp.methods.client.session.update, { sessionId: open.session.id, update }), 0);
}

/** Runs a prompt and reports its events until it ends. */
async function runPrompt({
  session,
  params: { sessionId, prompt },
  client,
}: {
  readonly session: EditorSession;
  readonly params: acp.PromptRequest;
  readonly client: acp.AgentContext;
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
  const { custom, io, open: opened, warn } = session;
  const expanded = await withCommand({ prompt: promptMessage(prompt), custom, warn });
  if (expanded.isDone || !expanded.prompt) return { stopReason };
  const message = await completePrompt({ prompt: withEnvironment({ prompt: expanded.prompt, opened }), opened });
  const usual = agent.model;
  session.allow = expanded.allow;
  try {
    if (expanded.model !== undefined) await agent.switchModel(await session.modelFor(expanded.model));
    for await (const event of agent.run({ prompt: message })) {
      const update = await updateFor({ event, io });
      if (update) await client.notify(acp.methods.client.session.update, { sessionId, update });
      if (event.type !== 'run_end') continue;
      if (event.reason === 'failed') failure = event.failure?.message ?? 'The model failed.';
      stopReason = stopReasons[event.reason];
    }
  } finally {
    session.allow = [];
    if (agent.model !== usual) await agent.switchModel(usual);
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
