import { LonghaulError } from 'longhaul';
import { closest } from '../../text/closest.ts';
import type { SlashCommand } from './command.ts';
import type { CommandResult } from './result.ts';

/**
 * An error as a result: the session goes on.
 *
 * @example
 * return [errorResult(new Error('The disk is full.'))];
 */
export function errorResult(error: unknown): CommandResult {
  const hint = LonghaulError.is(error) ? ` ${error.hint}` : '';
  const text = `${error instanceof Error ? error.message : String(error)}${hint}`;
  return { kind: 'text', format: 'plain', level: 'error', text };
}

export function unusableImage(): never {
  throw new LonghaulError({
    code: 'bad-image',
    message: 'The image is no PNG, JPEG, GIF or WebP file of at most 5 MiB.',
    hint: 'Convert it, or make it smaller.',
  });
}

export function unknownCommand({
  name,
  commands,
}: {
  readonly name: string;
  readonly commands: readonly SlashCommand[];
}) {
  const near = closest({ word: name, candidates: commands.flatMap((each) => [each.name, ...(each.aliases ?? [])]) });
  return new LonghaulError({
    code: 'unknown-command',
    message: `There is no command /${name}.${near === undefined ? '' : ` Did you mean /${near}?`}`,
    hint: '/help lists the commands.',
  });
}

export function whileWorking(name: string): LonghaulError {
  return new LonghaulError({
    code: 'agent-busy',
    message: `/${name} cannot run while the agent works.`,
    hint: 'Wait, or press Esc to stop the agent.',
  });
}
