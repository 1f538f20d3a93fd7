import { join } from 'node:path';
import type { AgentProfile, Permissions } from 'longhaul/agent';
import type { Message } from 'longhaul/message';
import type { Model } from 'longhaul/models';
import type { Store } from 'longhaul/session';
import { summarizerOf } from '../compaction/summarizer-of.ts';
import type { Io } from '../io/io.ts';
import { wireLimitsOf } from '../models/wire-limits.ts';
import { lastModel } from '../session/model-of.ts';
import type { Resolved } from '../settings/resolve.ts';
import type { Settings, settingsSchema } from '../settings/schema.ts';
import type { Opened } from '../store/with-store.ts';
import type { FolderTrust } from '../trust/trust.ts';
import { indexFolderOf } from '../workspace/code-index.ts';
import type { LeaseOptions, SessionChoice } from './choose-session.ts';
import type { ConsentFlags } from './consent.ts';
import type { Customizations } from './customizations.ts';
import { type OpenAgent, openAgent } from './open-agent.ts';
import type { Telemetry } from './telemetry.ts';

/** What all agents of a command share. */
export interface AgentSetup extends Pick<Opened, 'store' | 'dir'> {
  readonly io: Io;
  readonly resolved: Resolved<typeof settingsSchema>;
  readonly flags: ConsentFlags;
  readonly telemetry: Telemetry;
  /** What the user trusts in this project. */
  readonly trust: FolderTrust;
  readonly maxTurns: number | undefined;
  readonly maxCostUsd: number | undefined;
  readonly profile: AgentProfile | undefined;
  readonly systemPrompt: string | undefined;
  readonly appendSystemPrompt: string | undefined;
  /** Agents, commands and extensions. */
  readonly custom: Customizations;
}

/**
 * Opens an agent in the store of a command, with everything that the settings ask for.
 *
 * @example
 * const opened = await startAgent({ setup, wanted: 'new', model, permissions, onNotes, onWarning });
 */
export async function startAgent({
  setup,
  wanted,
  model,
  permissions,
  permissionsIn,
  isPlanning = () => setup.flags.mode === 'plan',
  onBackground,
  onNotes,
  onWarning,
  onWait,
  fork,
}: LeaseOptions & {
  readonly setup: AgentSetup;
  readonly wanted: SessionChoice;
  readonly model: Model;
  readonly permissions: Permissions;
  /** The permissions of a sub-agent that works in another folder; without it sub-agents have no worktrees. */
  readonly permissionsIn?: ((cwd: string) => Permissions) | undefined;
  /** Whether the agent must propose a plan first; default: in the mode of the flags. */
  readonly isPlanning?: () => boolean;
  readonly onBackground?: Parameters<typeof openAgent>[0]['onBackground'];
  /** Called with the notes of earlier sessions that the agent gets. */
  readonly onNotes: NonNullable<Parameters<typeof openAgent>[0]['onNotes']>;
  readonly onWarning: (text: string) => void;
}): Promise<OpenAgent> {
  const { io, resolved, store, dir, flags, telemetry } = setup;
  const { values } = resolved;
  const { maxTurns, maxCostUsd, profile, systemPrompt, appendSystemPrompt, custom } = setup;
  const { deny, folders } = flags;
  let current = () => model;
  const opened = await openAgent({
    io,
    values,
    store,
    model,
    wanted,
    permissions,
    deny,
    folders,
    // The model may be switched later.
    summarizer: await summarizerOf({ values, io, agentModel: () => current() }),
    maxTurns,
    maxCostUsd,
    profile,
    custom,
    permissionsIn,
    systemPrompt,
    appendSystemPrompt,
    sessionFolder: (id) => join(dir, 'sessions', id),
    previousModel: async (id) => await otherModel({ io, values, store, session: id, model: model.id }),
    indexFolder: indexFolderOf({ io, resolved }),
    storeFolder: dir,
    trust: setup.trust,
    isPlanning,
    onBackground,
    onNotes,
    onWarning,
    fork,
    onWait,
  });
  current = () => opened.agent.model;
  telemetry.observeAgent(opened.agent);
  return opened;
}

/** The model that a session used last, if it is another one that can still be used. */
async function otherModel(of: {
  readonly io: Pick<Io, 'env' | 'models'>;
  readonly values: Settings;
  readonly store: Store;
  readonly session: string;
  readonly model: Model['id'];
}): Promise<Model | undefined> {
  const before = await lastModel({ store: of.store, id: of.session });
  if (before === undefined || before === `${of.model.provider}/${of.model.name}`) return undefined;
  const limits = wireLimitsOf(of.values);
  return await of.io.models.create({ name: before, env: of.io.env, limits, retry: false }).catch(() => undefined);
}

/**
 * A changed environment travels with the prompt, since the head stays the same.
 *
 * @example
 * withEnvironment({ prompt, opened });
 */
export function withEnvironment<M extends Message | undefined>(of: {
  readonly prompt: M;
  readonly opened: Pick<OpenAgent, 'environmentChange'>;
}): M {
  const { prompt, opened } = of;
  if (!prompt || opened.environmentChange === undefined) return prompt;
  return { ...prompt, parts: [...prompt.parts, { type: 'text', origin: 'engine', text: opened.environmentChange }] };
}

/**
 * A prompt with what it takes from MCP servers (the text of `/mcp__SERVER__PROMPT …`, resources mentioned as `@SERVER:URI`),
 * and with the instructions of plan mode while it is on.
 *
 * @example
 * await completePrompt({ prompt, opened });
 */
export async function completePrompt(of: {
  readonly prompt: Message;
  readonly opened: Pick<OpenAgent, 'mcp' | 'plans'>;
}): Promise<Message> {
  const { mcp, plans } = of.opened;
  if (!mcp) return plans.prompt(of.prompt);
  const { withServerContent } = await import('../mcp/servers.ts');
  return plans.prompt(await withServerContent({ message: of.prompt, servers: mcp }));
}
