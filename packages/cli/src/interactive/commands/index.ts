import { basicCommands } from './basics.ts';
import type { SlashCommand } from './command.ts';

export { usageOf } from './basics.ts';

/** All commands of the program, in the order of `/help`. */
export const slashCommands: readonly SlashCommand[] = [...basicCommands];
