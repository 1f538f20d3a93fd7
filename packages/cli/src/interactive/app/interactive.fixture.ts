import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore, leasedStore } from 'longhaul/session';
import { type Script, scriptedModel } from 'longhaul/testing';
import { onTestFinished } from 'vitest';
import type { SessionChoice } from '../../agent/choose-session.ts';
import { readCustomizations } from '../../agent/customizations.ts';
import type { AgentSetup } from '../../agent/start-agent.ts';
import { startTelemetry } from '../../agent/telemetry.ts';
import { memoryIo } from '../../io/memory-io.ts';
import { run } from '../../run.ts';
import { knownSettings } from '../../settings/known.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import { settingsSchema } from '../../settings/schema.ts';
import { readTrust } from '../../trust/trust.ts';
import { slashCommands } from '../commands/index.ts';
import { Interactive } from './interactive.ts';
import type { CommandResult } from './result.ts';
import type { InteractiveEvent } from './view.ts';

/** An interactive session with a scripted model in an empty folder; files are real, the store is in memory. */
export async function openInteractive({
  script,
  window = 200_000,
  wanted = 'new',
  commands = {},
  world = createInteractiveWorld({ commands }),
}: {
  readonly script: Script;
  readonly window?: number;
  readonly wanted?: SessionChoice;
  /** Output of shell commands, by command. */
  readonly commands?: Readonly<Record<string, string>>;
  readonly world?: InteractiveWorld;
}) {
  const { io, store, dir } = world;
  const env = { ...io.env };
  const resolved = await resolveSettings({
    settings: knownSettings,
    loadSchema: async () => settingsSchema,
    io,
    flags: {},
  });
  const values = {
    ...resolved.values,
    compaction: { ...resolved.values.compaction, summarizer: 'extractive' as const },
    memory: { ...resolved.values.memory, enabled: false },
    workspace: { ...resolved.values.workspace, tree: false, search: false },
  };
  const model = scriptedModel({ script, window });
  const setup: AgentSetup = {
    io,
    resolved: { ...resolved, values },
    store: { ...store, doctor: async () => ({ sound: true, sessions: [], problems: [], leftovers: [] }) },
    dir,
    flags: { mode: 'ask', allow: [], deny: [], folders: [] },
    telemetry: await startTelemetry({ values, io }),
    maxTurns: undefined,
    maxCostUsd: undefined,
    profile: undefined,
    systemPrompt: 'You are a test.',
    appendSystemPrompt: undefined,
    trust: await readTrust({ io }),
    custom: await readCustomizations({ io, values, isTrusted: () => true, onProblem: () => undefined }),
  };
  const app = await Interactive.open({
    input: {
      setup,
      model,
      commands: slashCommands,
      runProgram: async (args) => {
        const quiet = memoryIo({ env, cwd: io.cwd, stdin: '' });
        quiet.stores.set(dir, setup.store);
        const code = await run({ argv: args, io: quiet });
        return { code, ...quiet.printed };
      },
    },
    wanted,
  });
  onTestFinished(() => app.close());
  const events: InteractiveEvent[] = [];
  app.on((event) => void events.push(event));
  /** Sends a prompt and waits until the agent is done. */
  const say = async (text: string) => {
    await app.submit({ text });
    await app.idle();
  };
  return { app, model, events, say, world };
}

export type InteractiveWorld = ReturnType<typeof createInteractiveWorld>;

/** A folder and a store that several sessions share. */
export function createInteractiveWorld({
  commands = {},
}: {
  readonly commands?: Readonly<Record<string, string>>;
} = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'longhaul-interactive-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const io = memoryIo({ cwd, commands });
  const store = { ...leasedStore({ store: createMemoryStore(), purpose: 'test' }), close: async () => undefined };
  return { io, store, dir: join(cwd, 'store'), cwd };
}

/** The texts of results, for assertions. */
export function textsOf(results: readonly CommandResult[]): string {
  return results.map((result) => ('text' in result ? result.text : JSON.stringify(result))).join('\n');
}
