import type { Agent } from 'longhaul/agent';
import type { EngineSession } from 'longhaul/engine';
import { secretsOf } from '../agent/secrets-of.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';

/** What observes a command. */
export interface Telemetry {
  readonly observeAgent: (agent: Agent) => void;
  readonly observeSession: (session: EngineSession) => void;
  /** Exports what is left. A collector that does not answer delays the end of the command, and fails nothing. */
  readonly close: () => Promise<void>;
}

/** What is needed of OpenTelemetry, loaded only when it is asked for. */
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
 * Starts OpenTelemetry where the settings ask for it. The SDK decides by the standard OTEL_* variables what is exported
 * and to where. Its packages are optional: without them one line says so, and the command runs as usual.
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
