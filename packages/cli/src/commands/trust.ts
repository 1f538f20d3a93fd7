import type { Command } from 'commander';
import { projectItems } from '../agent/project-items.ts';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { itemLine, readTrust } from '../trust/trust.ts';

interface TrustOptions {
  readonly yes?: true;
  readonly revoke?: true;
}

/** `longhaul trust`. */
export function addTrustCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('trust')
    .description(
      'Shows what this project would run or add to the agent, such as MCP servers, and saves your consent. Without it they are off. A changed item needs consent again.',
    )
    .usage('[options]')
    .option('--yes', 'trust everything that is listed, without a question')
    .option('--revoke', 'withdraw the consent for this project');
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul trust', 'list, and ask on a terminal'],
        ['longhaul trust --yes', 'in a script, for a project you know'],
        ['longhaul trust --revoke', 'everything is off again'],
      ],
    })}`,
  );
  bind<TrustOptions>({ command, action: trustProject });
}

const trustProject: CommandAction<TrustOptions> = async (invocation) => {
  const { io, options, json } = invocation;
  const { values } = await invocation.settings();
  const trust = await readTrust({ io });
  const items = await projectItems({ io, values });
  const unknown = items.filter((item) => !trust.has(item));
  if (options.revoke) await trust.clear();
  else if (unknown.length > 0 && (options.yes || (await isConfirmed()))) await trust.add(unknown);
  await printResult({
    invocation,
    value: {
      folder: trust.folder,
      items: items.map((item) => ({
        kind: item.kind,
        name: item.name,
        summary: item.summary,
        trusted: trust.has(item),
      })),
    },
    lines: () =>
      items.length === 0
        ? ['This project has nothing that needs trust.']
        : [trust.folder, ...items.map((item) => `${itemLine(item)}  ${trust.has(item) ? 'trusted' : 'off'}`)],
  });
  return 0;

  async function isConfirmed(): Promise<boolean> {
    if (json) return false;
    const answer = await io.ask(`${unknown.map(itemLine).join('\n')}\nTrust it? y = yes; n = no: `);
    return answer !== undefined && /^\s*(?:y|yes)\s*$/i.test(answer);
  }
};
