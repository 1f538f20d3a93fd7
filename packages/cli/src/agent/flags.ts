import { type Command, Option } from 'commander';
import type { ConsentFlags } from './consent.ts';

/** What flags say of who may do what, and where. */
export interface ConsentOptions {
  readonly yes?: true;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly cwd?: string;
}

/** Gives a command the flags that say what an agent may do, and where it works. */
export function addConsentFlags({ command }: { readonly command: Command }): void {
  const gather = (rule: string, rules: readonly string[] = []) => [...rules, rule];
  command
    .option('--yes', 'let it write in the workspace and run commands; what is dangerous still needs a rule')
    .addOption(
      new Option('--allow <rule>', "what it may do, e.g. write or 'bash(npm test:*)'; repeatable").argParser(gather),
    )
    .addOption(new Option('--deny <rule>', 'what it may never do; repeatable').argParser(gather))
    .option('--cwd <dir>', 'the folder it works in, and whose settings hold; by default this one');
}

export function consentFlags({ yes, allow = [], deny = [] }: ConsentOptions): ConsentFlags {
  return { yes: yes === true, allow, deny };
}
