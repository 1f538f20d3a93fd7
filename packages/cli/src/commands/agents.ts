import type { Command } from 'commander';
import { findSkills } from 'longhaul/agent';
import { customizationRows, readCustomizations, userSkillFolders } from '../agent/customizations.ts';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import { readTrust } from '../trust/trust.ts';

/** `longhaul agents`. */
export function addAgentsCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('agents')
    .description(
      'Lists the custom agents, commands, skills and extensions of this folder and of the user, and which of them are off because the project is not trusted.',
    )
    .usage('[options]');
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul agents', 'what adds to the agent here'],
        ['longhaul trust', 'trust those of this project'],
        ['longhaul -p "Look at my last commit" --agent reviewer', 'run as one of the agents'],
      ],
    })}`,
  );
  bind({ command, action: listCustomizations });
}

const listCustomizations: CommandAction<object> = async (invocation) => {
  const { io } = invocation;
  const { values } = await invocation.settings();
  const trust = await readTrust({ io });
  const onProblem = (text: string) => void io.stderr.write(`${printable(text)}\n`);
  const custom = await readCustomizations({ io, values, isTrusted: trust.has, onProblem });
  const skills = await findSkills({ cwd: io.cwd, folders: userSkillFolders(io), onSkipped: onProblem });
  const rows = customizationRows({ custom, skills });
  await printResult({
    invocation,
    value: { items: rows },
    lines: () =>
      rows.length === 0
        ? ['There are none. docs/agents.md says how to write them.']
        : columns({
            rows: rows.map(({ kind, name, state, description }) =>
              [kind, name, state, description].map((cell) => printable(cell)),
            ),
          }),
  });
  return 0;
};
