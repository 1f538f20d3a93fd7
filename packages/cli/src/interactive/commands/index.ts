import type { SlashCommand } from '../app/command.ts';
import { agentCommands } from './agents.ts';
import { basicCommands } from './basics.ts';
import { compactionCommands } from './compaction.ts';
import { contextCommands } from './context.ts';
import { initCommands } from './init.ts';
import { modelCommands } from './model.ts';
import { sessionCommands } from './sessions.ts';
import { settingsCommands } from './settings.ts';
import { treeCommands } from './tree.ts';

export { usageOf } from './basics.ts';

/** All commands of the program, in the order of `/help`. */
export const slashCommands: readonly SlashCommand[] = [
  ...compactionCommands,
  ...contextCommands,
  ...treeCommands,
  ...sessionCommands,
  ...modelCommands,
  ...settingsCommands,
  ...agentCommands,
  ...initCommands,
  ...basicCommands,
];
