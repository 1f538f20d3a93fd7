import { type Command, Option } from 'commander';
import type { ConsentFlags } from './consent.ts';

/** Command-line options for permissions and the working directory. */
export interface ConsentOptions {
  readonly yes?: true;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly cwd?: string;
}

/** Adds the flags for permissions and the working directory to a command. */
export function addConsentFlags({ command }: { readonly command: Command }): void {
  const gather = (rule: string, rules: readonly string[] = []) => [...rules, rule];
  command
    .option('--yes', 'let it write in the workspace and run commands; dangerous calls still need a rule')
    .addOption(
      new Option('--allow <rule>', "what it may do, e.g. write or 'bash(npm test:*)'; repeatable").argParser(gather),
    )
    .addOption(new Option('--deny <rule>', 'what it may never do; repeatable').argParser(gather))
    .option('--cwd <dir>', 'the folder to work in and read settings from; default: the current one');
}

export function consentFlags({ yes, allow = [], deny = [] }: ConsentOptions): ConsentFlags {
  return { yes: yes === true, allow, deny };
}
