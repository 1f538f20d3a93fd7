import { onTestFinished } from 'vitest';
import { command, environment, folder } from '../cli/longhaul.ts';
import { type PseudoTerminal, startTerminal, type TerminalOptions } from './pseudo-terminal.ts';

export { keys } from './pseudo-terminal.ts';

/**
 * Starts a program in a pseudo-terminal, by default the command from source. It is ended with the test, if it has not ended
 * before.
 *
 * @example
 * const terminal = openTerminal({ args: ['--version'] });
 * await terminal.until(/\d+\.\d+/);
 */
export function openTerminal({
  cwd = folder(),
  program = command,
  env,
  ...options
}: Partial<TerminalOptions> = {}): PseudoTerminal {
  const terminal = startTerminal({ cwd, program, env: { ...environment({ home: cwd }), ...env }, ...options });
  onTestFinished(terminal.close);
  return terminal;
}
