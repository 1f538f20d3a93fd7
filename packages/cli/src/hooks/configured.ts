import { type ShellCommand, type ShellEvent, shellEvents } from 'longhaul/engine';
import type { Settings } from '../settings/schema.ts';

/** A command with the event that it runs for. */
export interface Configured {
  readonly event: ShellEvent;
  readonly command: ShellCommand;
}

export const eventsOfShell = Object.keys(shellEvents) as ShellEvent[];

/**
 * The hooks of the settings in force, in the order in which they would run.
 *
 * @example
 * configuredHooks(values).map(({ event, command }) => `${event}: ${command.command}`);
 */
export function configuredHooks({ hooks }: Pick<Settings, 'hooks'>): Configured[] {
  return eventsOfShell.flatMap((event) => hooks[event].map((command) => ({ event, command: withoutGaps(command) })));
}

type Written = Settings['hooks'][ShellEvent][number];

/** A member that is not there is not one that is undefined. */
export function withoutGaps({ command, timeout, matcher, env }: Written): ShellCommand {
  return {
    command,
    ...(timeout !== undefined && { timeout }),
    ...(matcher !== undefined && { matcher }),
    ...(env && { env }),
  };
}
