import { createShellHooks, type Hooks } from 'longhaul/engine';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { configuredHooks, eventsOfShell } from './configured.ts';

/**
 * The hooks of the settings in force, for an engine.
 *
 * @example
 * const engine = await createEngine({ store, hooks: hooksOf({ io, values }) });
 */
export function hooksOf({
  io,
  values,
}: {
  readonly io: Pick<Io, 'cwd' | 'env' | 'runCommand'>;
  readonly values: Pick<Settings, 'hooks'>;
}): Hooks {
  const all = configuredHooks(values);
  if (all.length === 0) return {};
  const commands = eventsOfShell.map((name) => [
    name,
    all.filter(({ event }) => event === name).map(({ command }) => command),
  ]);
  return createShellHooks({
    ...{ commands: Object.fromEntries(commands), cwd: io.cwd, environment: io.env, run: io.runCommand },
  });
}
