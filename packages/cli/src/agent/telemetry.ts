import type { GatewayTelemetry } from '@longhaul/gateway';
import type { Agent } from 'longhaul/agent';
import type { EngineSession } from 'longhaul/engine';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { secretsOf } from './secrets-of.ts';

/** Observers of a command. */
export interface Telemetry {
  readonly observeAgent: (agent: Agent) => void;
  readonly observeSession: (session: EngineSession) => void;
  /** The observer of a gateway; `undefined` where nothing is exported. */
  readonly gateway: () => GatewayTelemetry | undefined;
  /** Flushes pending exports. A collector that does not respond delays the end of the command but fails nothing. */
  readonly close: () => Promise<void>;
}

/** The OpenTelemetry packages, loaded only if enabled. */
export interface TelemetryModules {
  readonly agent: Pick<typeof import('longhaul/adapters/otel-agent'), 'observeAgent'>;
  readonly session: Pick<typeof import('longhaul/adapters/otel'), 'observe'>;
  readonly gateway: Pick<typeof import('@longhaul/gateway/otel'), 'gatewayTelemetry'>;
  /** `@opentelemetry/sdk-node`: reads the standard OTEL_* variables. */
  readonly sdk: {
    readonly NodeSDK: new (options: {
      readonly resourceDetectors: readonly { detect(): { readonly attributes: Readonly<Record<string, string>> } }[];
    }) => { start(): void; shutdown(): Promise<void> };
  };
}

const off: Telemetry = {
  observeAgent: () => undefined,
  observeSession: () => undefined,
  gateway: () => undefined,
  close: async () => undefined,
};

/**
 * Starts OpenTelemetry if the settings enable it, or a standard variable names where to export to. The standard OTEL_*
 * variables configure everything else. Its packages are optional: if they are missing, a warning is printed and the
 * command runs normally.
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
  const isOn = otel.enabled || exporterVariables.some((name) => isExporter(io.env[name]));
  if (!isOn || /^true$/i.test(io.env.OTEL_SDK_DISABLED?.trim() ?? '')) return off;
  const modules = await io.importTelemetry().catch(() => undefined);
  if (!modules) {
    await io.stderr.write(`${notInstalled}\n`);
    return off;
  }
  // The SDK's own detectors would export the command line, which has the prompt in it.
  const attributes = resourceAttributes(io.env);
  const sdk = new modules.sdk.NodeSDK({ resourceDetectors: [{ detect: () => ({ attributes }) }] });
  sdk.start();
  const content = otel.content ? { content: { secrets: secretsOf(io.env) } } : {};
  const stops: (() => void)[] = [];
  return {
    observeAgent: (agent) => void stops.push(modules.agent.observeAgent({ agent, ...content })),
    gateway: () => modules.gateway.gatewayTelemetry(),
    observeSession: (session) => void stops.push(modules.session.observe({ session })),
    async close() {
      for (const stop of stops) stop();
      await sdk.shutdown().catch(() => undefined);
    },
  };
}

/** What the standard variables say about this program. */
function resourceAttributes({ OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: list = '' }: Io['env']) {
  const pairs = list.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]] : [];
  });
  return { 'service.name': 'longhaul', ...Object.fromEntries(pairs), ...(name && { 'service.name': name }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The standard variables by which a user asks for an export. */
const exporterVariables = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_METRICS_EXPORTER',
];

function isExporter(value: string | undefined): boolean {
  const text = value?.trim() ?? '';
  return text !== '' && text !== 'none';
}

const notInstalled =
  'OpenTelemetry is on, but its packages are not installed, so nothing is exported: npm install -g @opentelemetry/api @opentelemetry/sdk-node';
