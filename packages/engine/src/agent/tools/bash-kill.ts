import type { Tool } from '../tool.ts';
import { defineTool, told } from './define.ts';
import type { Shell, Shells } from './shell/shells.ts';
import { shellNamed } from './shell-named.ts';

/** Ends what runs in the background. */
export function bashKillTool({ shells }: { readonly shells: Shells }): Tool {
  return defineTool<Shell>({
    name: 'bash_kill',
    description: 'Ends a command in the background, with everything that it has started.',
    properties: { bash_id: { type: 'string', description: 'The ID that bash gave.' } },
    required: ['bash_id'],
    target: (args) => shellNamed({ shells, id: args.needText('bash_id') }),
    run: async ({ target: shell }) => {
      const before = shell.outcome();
      if (before) return told(`${shell.id} had ended already.`, { id: shell.id, exit: before.exit });
      await shell.stop();
      const { exit } = await shell.ended;
      return told(`${shell.id} was ended.`, { id: shell.id, exit });
    },
  });
}
