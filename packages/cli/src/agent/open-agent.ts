import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Agent,
  type AgentProfile,
  createAgent,
  createTools,
  openSandbox,
  type Permissions,
  type SandboxState,
} from 'longhaul/agent';
import { createEngine, type EngineSession, type Summarizer } from 'longhaul/engine';
import type { Model, ModelOptions } from 'longhaul/models';
import type { LeasedStore } from 'longhaul/session';
import { createTokenizer } from 'longhaul/tokens';
import { policyOf } from '../compaction/policy-of.ts';
import { agentHooksOf, hooksOf } from '../hooks/configured.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { agentWorkspace } from '../workspace/agent-workspace.ts';
import { chooseSession, type LeaseOptions, type SessionChoice } from './choose-session.ts';
import { secretsOf } from './secrets-of.ts';

/** Skill folders of the user: ours and Claude Code's. */
const userSkills = ['.config/longhaul/skills', '.claude/skills'];

/** An agent that is ready to run, and a function that closes it and everything it started. */
export interface OpenAgent {
  readonly agent: Agent;
  readonly session: EngineSession;
  /** The sandbox of its commands. */
  readonly sandbox: SandboxState;
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
  indexFolder,
  onWait,
  fork,
}: LeaseOptions & {
  readonly io: Pick<Io, 'cwd' | 'env' | 'home' | 'now' | 'runCommand'>;
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
  /** Where code indexes are kept; without it the agent has no `search_code`. */
  readonly indexFolder?: string | undefined;
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
  const toolsFor = (of: EngineSession) =>
    createTools({
      cwd,
      folders,
      session: of,
      env,
      secrets,
      deny,
      home,
      count,
      sandbox: sandbox.sandbox,
      searchCode,
      outline,
    });
  const agent = await createAgent({
    session,
    model,
    tools: toolsFor(session),
    permissions,
    cwd,
    memory: {},
    hooks: agentHooksOf({ io, values }),
    skills: { folders: userSkills.map((folder) => join(home, folder)) },
    // Sub-agents recall from their own sessions.
    subagents: { engine, tools: toolsFor },
    options: optionsFor({ values, model }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(profile && { profile }),
    ...(tree !== undefined && { tree }),
  });
  return {
    agent,
    session,
    sandbox,
    async close() {
      await agent.close();
      await session.close();
    },
  };
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
