import type { Tool } from '../tool.ts';
import { defineTool, told } from './define.ts';
import type { Shell, Shells } from './shell/shells.ts';
import { shellNamed } from './shell-named.ts';

/** Looks at what runs in the background. */
export function bashOutputTool({ shells }: { readonly shells: Shells }): Tool {
  return defineTool<{ readonly shell: Shell; readonly seconds: number }>({
    name: 'bash_output',
    description:
      'Gives what a command in the background has printed since the last look, and whether it has ended. With wait it looks again only when the command has ended or the seconds are over.',
    properties: {
      bash_id: { type: 'string', description: 'The ID that bash gave.' },
      wait: { type: 'integer', minimum: 0, maximum: 300, description: 'Seconds to wait for its end.' },
    },
    required: ['bash_id'],
    target: (args) => ({
      shell: shellNamed({ shells, id: args.needText('bash_id') }),
      seconds: args.whole({ name: 'wait', least: 0, most: 300 }) ?? 0,
    }),
    run: async ({ target: { shell, seconds }, signal }) => {
      if (seconds > 0) await waited({ shell, seconds, signal });
      const { text, chars, file } = await shell.fresh();
      const outcome = shell.outcome();
      const said = text.trimEnd() || '(Nothing new.)';
      const state = outcome ? `Command exited with code ${outcome.exit}` : `[${shell.id} is still running.]`;
      const details = {
        id: shell.id,
        chars,
        ...(file !== undefined && { file }),
        ...(outcome && { exit: outcome.exit }),
      };
      return told(`${said}\n${state}`, details);
    },
  });
}

async function waited(of: { readonly shell: Shell; readonly seconds: number; readonly signal: AbortSignal }) {
  const { shell, seconds, signal } = of;
  let over = () => {};
  const end = new Promise<void>((resolve) => {
    over = resolve;
  });
  const timer = setTimeout(over, seconds * 1000);
  signal.addEventListener('abort', over, { once: true });
  if (signal.aborted) over();
  await Promise.race([shell.ended, end]);
  clearTimeout(timer);
  signal.removeEventListener('abort', over);
}
