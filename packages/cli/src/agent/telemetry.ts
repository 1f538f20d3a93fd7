import type { Agent } from 'longhaul/agent';
import type { EngineSession } from 'longhaul/engine';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { secretsOf } from './secrets-of.ts';

/** Observers of a command. */
export interface Telemetry {
  readonly observeAgent: (agent: Agent) => void;
  readonly observeSession: (session: EngineSession) => void;
  /** Flushes pending exports. A collector that does not respond delays the end of the command but fails nothing. */
  readonly close: () => Promise<void>;
}

/** The OpenTelemetry packages, loaded only if enabled. */
export interface TelemetryModules {
  readonly agent: Pick<typeof import('longhaul/adapters/otel-agent'), 'observeAgent'>;
  readonly session: Pick<typeof import('longhaul/adapters/otel'), 'observe'>;
  /** `@opentelemetry/sdk-node`: reads the standard OTEL_* variables. */
  readonly sdk: { readonly NodeSDK: new () => { start(): void; shutdown(): Promise<void> } };
}

const off: Telemetry = {
  observeAgent: () => undefined,
  observeSession: () => undefined,
  close: async () => undefined,
};

/**
 * Starts OpenTelemetry if the settings enable it. The standard OTEL_* variables configure what is exported and where. Its
 * packages are optional: if they are missing, a warning is printed and the command runs normally.
 *
 * @example
 * const telemetry = await startTelemetry({ values, io });
 * telemetry.observeAgent(agent);
 * await telemetry.close();
 */
export async function startTelemetry({
  values: { otel },
  io,
}: {
  readonly values: Pick<Settings, 'otel'>;
  readonly io: Pick<Io, 'env' | 'stderr' | 'importTelemetry'>;
}): Promise<Telemetry> {
  if (!otel.enabled || /^true$/i.test(io.env.OTEL_SDK_DISABLED?.trim() ?? '')) return off;
  const modules = await io.importTelemetry().catch(() => undefined);
  if (!modules) {
    await io.stderr.write(`${notInstalled}\n`);
    return off;
  }
  const sdk = new modules.sdk.NodeSDK();
  sdk.start();
  const content = otel.content ? { content: { secrets: secretsOf(io.env) } } : {};
  const stops: (() => void)[] = [];
  return {
    observeAgent: (agent) => void stops.push(modules.agent.observeAgent({ agent, ...content })),
    observeSession: (session) => void stops.push(modules.session.observe({ session })),
    async close() {
      for (const stop of stops) stop();
      await sdk.shutdown().catch(() => undefined);
    },
  };
}

const notInstalled =
  'OpenTelemetry is on, but its packages are not installed, so nothing is exported: npm install -g @opentelemetry/api @opentelemetry/sdk-node';
