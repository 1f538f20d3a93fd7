import { LonghaulError } from '../../errors.ts';
import type { Shell, Shells } from './shell/shells.ts';

/** The command in the background that a model means. */
export function shellNamed({ shells, id }: { readonly shells: Shells; readonly id: string }): Shell {
  const shell = shells.find(id);
  if (shell) return shell;
  const message = `No command runs in the background under ${JSON.stringify(id)}; those of an earlier run have ended.`;
  throw new LonghaulError({ code: 'no-such-command', message, hint: 'Start it with bash and background.' });
}
