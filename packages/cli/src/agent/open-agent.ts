import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Agent,
  type AgentProfile,
  createAgent,
  createFileHistory,
  createTools,
  type IsolatedWork,
  isToolOf,
  openPlanMode,
  openSandbox,
  type Permissions,
  type PlanMode,
  type SandboxState,
  type ToolsInput,
} from 'longhaul/agent';
import { createEngine, type EngineSession, type Summarizer } from 'longhaul/engine';
import type { MemoryEntry } from 'longhaul/memory';
import type { Model, ModelOptions } from 'longhaul/models';
import type { LeasedStore } from 'longhaul/session';
import { createTokenizer } from 'longhaul/tokens';
import { policyOf } from '../compaction/policy-of.ts';
import { agentHooksOf, hooksOf } from '../hooks/configured.ts';
import type { Io } from '../io/io.ts';
import { configuredServers } from '../mcp/config.ts';
import type { McpServers } from '../mcp/servers.ts';
import { type AgentMemory, openAgentMemory } from '../memory/agent-memory.ts';
import { wireLimitsOf } from '../models/wire-limits.ts';
import { versionsOf } from '../session/rewind.ts';
import type { Settings } from '../settings/schema.ts';
import type { FolderTrust } from '../trust/trust.ts';
import { agentWorkspace } from '../workspace/agent-workspace.ts';
import { chooseSession, type LeaseOptions, type SessionChoice } from './choose-session.ts';
import { type Customizations, userSkillFolders } from './customizations.ts';
import { diagnosticsFor } from './diagnostics.ts';
import { readEnvironment } from './environment.ts';
import { secretsOf } from './secrets-of.ts';
import { openWorktree } from './worktree.ts';

/** Instruction files of the user: Claude Code's and ours. */
const userInstructions = ['.claude/CLAUDE.md', '.config/longhaul/AGENTS.md'];

/** An agent that is ready to run, and a function that closes it and everything it started. */
export interface OpenAgent {
  readonly agent: Agent;
  readonly session: EngineSession;
  /** Changes of the environment since its last description. */
  readonly environmentChange: string | undefined;
  /** The sandbox of its commands. */
  readonly sandbox: SandboxState;
  /** Absent if memory is off or not available. */
  readonly memory: AgentMemory | undefined;
  /** Absent if no MCP server is configured. */
  readonly mcp: McpServers | undefined;
  /** The plan of the session, and how it is approved. */
  readonly plans: PlanMode;
  readonly close: () => Promise<void>;
}

/**
 * Creates an agent from the settings: engine, store, hooks, summarizer, tools and sandbox.
 *
 * @example
 * const { agent, close } = await openAgent({ io, values, store, model, wanted: 'new', permissions, summarizer: undefined });
 */
export async function openAgent({
  io,
  values,
  store,
  model,
  wanted,
  permissions,
  deny = [],
  folders = [],
  summarizer,
  maxTurns,
  maxCostUsd,
  profile,
  custom,
  permissionsIn,
  indexFolder,
  systemPrompt,
  appendSystemPrompt,
  sessionFolder,
  previousModel,
  storeFolder,
  onNotes,
  trust,
  isPlanning = () => false,
  onBackground,
  onWarning,
  onWait,
  fork,
}: LeaseOptions & {
  readonly io: Pick<
    Io,
    | 'cwd'
    | 'env'
    | 'home'
    | 'models'
    | 'now'
    | 'platform'
    | 'runCommand'
    | 'openMemory'
    | 'startDetached'
    | 'files'
    | 'folder'
    | 'stderr'
  >;
  readonly values: Settings;
  readonly store: LeasedStore;
  readonly model: Model;
  readonly wanted: SessionChoice;
  readonly permissions: Permissions;
  /** Deny rules, for tools that search folders. */
  readonly deny?: readonly string[];
  /** Further folders of the workspace. */
  readonly folders?: readonly string[];
  readonly summarizer: Summarizer | undefined;
  readonly maxTurns?: number | undefined;
  /** Dollars that a run may cost. */
  readonly maxCostUsd?: number | undefined;
  /** The custom agent to run as. */
  readonly profile?: AgentProfile | undefined;
  /** Agents and extensions; without them none are used. */
  readonly custom?: Pick<Customizations, 'agents' | 'extensions'> | undefined;
  /** The permissions of a sub-agent that works in another folder; without it sub-agents have no worktrees. */
  readonly permissionsIn?: ((cwd: string) => Permissions) | undefined;
  /** The folder of a session, for its transcript and checkpoints; without it none are kept. */
  readonly sessionFolder?: ((session: string) => string) | undefined;
  /** The model that an existing session used last, if it is another one and available. */
  readonly previousModel?: ((session: string) => Promise<Model | undefined>) | undefined;
  /** Replaces our system prompt. */
  readonly systemPrompt?: string | undefined;
  /** Added to the end of the head. */
  readonly appendSystemPrompt?: string | undefined;
  /** Where code indexes are kept; without it the agent has no `search_code`. */
  readonly indexFolder?: string | undefined;
  /** The folder of the store, where memory and earlier versions of files are kept; without it there are none. */
  readonly storeFolder?: string | undefined;
  /** Called with the notes of earlier sessions that a prompt brought. */
  readonly onNotes?: (entries: readonly MemoryEntry[]) => void;
  /** What the user trusts in this project; without it, nothing of the project is used. */
  readonly trust?: FolderTrust | undefined;
  /** Whether the agent must propose a plan before it works. */
  readonly isPlanning?: () => boolean;
  /** Follows the background commands of the agent, not those of sub-agents. */
  readonly onBackground?: ToolsInput['onBackground'];
  readonly onWarning?: (text: string) => void;
}): Promise<OpenAgent> {
  const { cwd, env, home } = io;
  const sandbox = openSandbox({
    settings: { ...values.sandbox, writable: [...values.sandbox.writable, ...folders] },
    root: realPath(cwd),
    home,
    env,
  });
  const secrets = secretsOf(env);
  const tokenizer = await createTokenizer('o200k_base');
  const engine = await createEngine({
    store,
    tokenizer,
    secrets,
    clock: { now: io.now },
    hooks: hooksOf({ io, values }),
    policy: policyOf({ values, env }),
    ...(summarizer && { summarizer }),
  });
  const session = await chooseSession({ engine, store, wanted, cwd, onWait, fork });
  const count = (text: string) => tokenizer.count(text);
  const { searchCode, outline, tree } = await agentWorkspace({ cwd, folder: indexFolder, values, session });
  const environment = await readEnvironment({ io, session });
  const added = custom?.extensions.tools ?? [];
  const common = { env, secrets, deny, home, count, outline, fetch: fetchFor(values) };
  const toolsIn = (place: Pick<ToolsInput, 'cwd' | 'folders' | 'sandbox' | 'searchCode'>, of: EngineSession) => [
    ...createTools({ ...common, ...place, session: of, onBackground: of === session ? onBackground : undefined }),
    ...added,
  ];
  const withDiagnostics = diagnosticsFor({ io, cwd, values, permissions, onNotice: (text) => onWarning?.(text) });
  const toolsFor = (of: EngineSession) =>
    toolsIn({ cwd, folders, sandbox: sandbox.sandbox, searchCode }, of).map(withDiagnostics);
  const before = wanted === 'new' ? undefined : await previousModel?.(session.id);
  const memory = await memoryFor();
  const plans = await openPlanMode({ session, isPlanning });
  const mcp = await mcpFor();
  const agent = await createAgent({
    session,
    model,
    previousModel: before,
    tools: [...toolsFor(session), ...(memory ? [memory.tool] : [])].filter(
      ({ definition }) => !profile || isToolOf({ profile, tool: definition.name }),
    ),
    permissions,
    cwd,
    ...(storeFolder !== undefined && values.rollback.enabled && { fileHistory: fileHistoryIn(storeFolder) }),
    memory: {},
    hooks: [...agentHooksOf({ io, values }), ...(memory ? [memory.hooks] : []), ...(custom?.extensions.hooks ?? [])],
    skills: { folders: userSkillFolders(io) },
    // Sub-agents recall from their own sessions.
    subagents: {
      engine,
      tools: toolsFor,
      agents: custom?.agents ?? [],
      modelFor: (name) =>
        io.models
          .create({ name, env, limits: wireLimitsOf(values), retry: false, verify: true })
          .catch(() => undefined),
      ...(storeFolder !== undefined && permissionsIn && { isolate: isolateIn({ storeFolder, permissionsIn }) }),
    },
    toolSources: [plans, ...(mcp ? [mcp] : [])],
    options: optionsFor({ values, model }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(profile && { profile }),
    ...(tree !== undefined && { tree }),
    ...(environment.head !== undefined && { environment: environment.head }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(appendSystemPrompt !== undefined && { appendedPrompt: appendSystemPrompt }),
    userInstructions: userInstructions.map((file) => join(home, file)),
    ...(memory && { briefing: memory.briefing }),
  });
  const kept = await keepFiles({ session, values, folder: sessionFolder?.(session.id) });
  return {
    agent,
    session,
    sandbox,
    environmentChange: environment.change,
    memory,
    mcp,
    plans,
    async close() {
      await agent.close();
      await mcp?.close();
      for (const file of kept) await file.close();
      await session.close();
      memory?.close();
    },
  };

  /** A worktree with tools, sandbox and permissions of its own. */
  function isolateIn(at: { readonly storeFolder: string; readonly permissionsIn: (cwd: string) => Permissions }) {
    return async (of: EngineSession): Promise<IsolatedWork> => {
      const dir = join(at.storeFolder, 'worktrees');
      const { cwd: copy, finish } = await openWorktree({ cwd, dir, name: of.id });
      const own = openSandbox({ settings: values.sandbox, root: realPath(copy), home, env });
      const tools = toolsIn({ cwd: copy, sandbox: own.sandbox }, of);
      return {
        cwd: copy,
        tools,
        permissions: at.permissionsIn(copy),
        async finish() {
          for (const tool of tools) await tool.close?.().catch(() => undefined);
          return await finish();
        },
      };
    };
  }

  function fileHistoryIn(dir: string) {
    const versions = versionsOf({ io, dir, header: session.session.header });
    return createFileHistory({ session: session.session, versions, limits: { fileBytes: values.rollback.fileBytes } });
  }

  /** Nothing of MCP is loaded if no server is configured. */
  async function mcpFor(): Promise<McpServers | undefined> {
    if (!values.mcp.enabled) return undefined;
    const { servers, problems } = await configuredServers({ io, values });
    for (const problem of problems) onWarning?.(problem);
    const configured = servers.filter(
      (server) => !server.definition.disabled && (!server.trust || trust?.has(server.trust)),
    );
    if (configured.length === 0) return undefined;
    const { openServers } = await import('../mcp/servers.ts');
    return await openServers({ io, configured, values, count, onNotice: (text) => onWarning?.(text) });
  }

  /** Memory is an aid: the agent works without it if it cannot be opened. */
  async function memoryFor(): Promise<AgentMemory | undefined> {
    if (storeFolder === undefined || !values.memory.enabled) return undefined;
    try {
      return await openAgentMemory({ io, dir: storeFolder, values, session, onNotes });
    } catch (error) {
      onWarning?.(
        `Memory of earlier sessions is not available: ${error instanceof Error ? error.message : String(error)}`,
      );
      return undefined;
    }
  }
}

/** Settings of the tool `fetch`; absent if it is off. */
function fetchFor({ fetch }: Pick<Settings, 'fetch'>) {
  if (!fetch.enabled) return undefined;
  return { privateHosts: fetch.privateHosts, timeoutMs: fetch.seconds * 1000, maxBytes: fetch.bytes };
}

/** Transcript and checkpoints. They are derived from the log, so a disk that refuses them stops nothing. */
async function keepFiles(of: {
  readonly session: EngineSession;
  readonly values: Settings;
  readonly folder: string | undefined;
}): Promise<readonly { readonly close: () => Promise<unknown> }[]> {
  const { session, folder } = of;
  if (folder === undefined) return [];
  const { transcripts, checkpoints } = of.values.store;
  const transcript = transcripts
    ? await session.follow({ file: join(folder, 'transcript.jsonl') }).catch(() => undefined)
    : undefined;
  const mirror = checkpoints ? session.mirror({ dir: folder }) : undefined;
  return [transcript, mirror].flatMap((file) =>
    file ? [{ close: async () => await file.close().catch(() => undefined) }] : [],
  );
}

/** Options sent to the provider with each request. */
function optionsFor({ values, model }: { readonly values: Settings; readonly model: Model }): ModelOptions {
  const { effort } = values;
  const { anthropic, openai, triggerTokens } = values.providerCompaction;
  const compacts = { anthropic, openai }[model.id.provider] ?? false;
  return {
    ...(effort !== 'auto' && { thinking: effort === 'none' ? ('off' as const) : { effort } }),
    ...(compacts && { providerCompaction: triggerTokens === undefined ? {} : { triggerTokens } }),
  };
}

/** A missing folder has no commands to run. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
