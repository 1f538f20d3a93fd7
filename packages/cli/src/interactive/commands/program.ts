import { LonghaulError } from 'longhaul';
import type { Interactive } from '../app/interactive.ts';
import type { CommandResult } from '../app/result.ts';

/**
 * Runs a command of the program (`longhaul frontier SESSION`) on the store of this session, and returns what it prints.
 *
 * @example
 * return await programText({ app, args: ['frontier', app.session.id] });
 */
export async function programText({
  app,
  args,
  title,
  isWithoutStore = false,
}: {
  readonly app: Pick<Interactive, 'runProgram' | 'setup'>;
  readonly args: readonly string[];
  readonly title?: string;
  /** For commands that use no store. */
  readonly isWithoutStore?: boolean;
}): Promise<readonly CommandResult[]> {
  const { code, stdout, stderr } = await app.runProgram(isWithoutStore ? args : [...args, '--store', app.setup.dir]);
  const text = [stdout.trimEnd(), stderr.trimEnd()].filter((each) => each !== '').join('\n');
  const isError = code !== 0 && stdout.trim() === '';
  return [
    {
      kind: 'text',
      format: 'plain',
      text: isError ? text.replace(/^longhaul: /, '') : text,
      ...(title !== undefined && { title }),
      ...(isError && { level: 'error' as const }),
    },
  ];
}

/** A mistake in the arguments of a slash command. */
export function usageError({ message, hint }: { readonly message: string; readonly hint: string }): LonghaulError {
  return new LonghaulError({ code: 'bad-usage', message, hint });
}
