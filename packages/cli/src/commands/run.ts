import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createMemoryStore } from 'longhaul/session';
import { consentOf } from '../agent/consent.ts';
import { converse } from '../agent/converse.ts';
import { exitCodeOfRun } from '../agent/ended.ts';
import { addConsentFlags, type ConsentOptions, consentFlags } from '../agent/flags.ts';
import { openAgent } from '../agent/open-agent.ts';
import { jsonLine, printJson } from '../agent/print-json.ts';
import { printText } from '../agent/print-text.ts';
import { warnWithoutSandbox } from '../agent/sandbox-status.ts';
import { createActor } from '../agent/script/actor.ts';
import { readScript } from '../agent/script/read-script.ts';
import { scriptReport } from '../agent/script/report.ts';
import { type AgentScript, scriptJsonSchema } from '../agent/script/schema.ts';
import { createShown } from '../agent/shown.ts';
import { added, emptyTally } from '../agent/tally.ts';
import { examplesHelp } from '../help.ts';
import { tellRefused } from '../hooks/refused.ts';
import type { Action, Bind, Invocation } from '../invocation.ts';
import { addSettingFlags } from '../settings/flags.ts';
import type { Settings } from '../settings/schema.ts';
import { withStore } from '../store/with-store.ts';
import { indexFolderOf } from '../workspace/code-index.ts';

interface RunOptions extends ConsentOptions {
  readonly schema?: true;
  readonly store?: string;
}

/** `longhaul run SCRIPT`. */
export function addRunCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('run')
    .summary('drive the agent with a script in place of a model')
    .description(
      'Drives the agent with a script in place of a model: the loop, the tools, the permissions and the engine are the real ones. For demos and tests. Nothing is kept, unless --store names a folder.',
    )
    .usage('SCRIPT [options]')
    .argument('[SCRIPT]', 'a JSON file; - is standard input')
    .option('--schema', 'print the JSON Schema of a script');
  addConsentFlags({ command });
  addSettingFlags({
    command,
    keys: ['window', 'store.dir', 'compaction.preset', 'limits.fileBytes', 'sandbox.mode', 'sandbox.network'],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul run fix.json --yes --cwd scratch', 'let it write and run commands in that folder'],
        ['longhaul run fix.json --json', 'one event a line, and a report at the end'],
        ['longhaul run fix.json --window 32000', 'in a smaller window than the script says'],
        ['longhaul run --schema > script.schema.json', 'for an editor'],
      ],
    })}\n\nThe exit code is 1 when the run failed or answers of the script were not asked for.`,
  );
  bind<RunOptions>({ command, action: runScript });
}

const runScript: Action<RunOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  if (options.schema) {
    await io.stdout.write(`${JSON.stringify(scriptJsonSchema(), undefined, 2)}\n`);
    return 0;
  }
  const [name] = args;
  if (name === undefined) throw noScript();
  const resolved = await invocation.settings();
  await tellRefused({ invocation, resolved });
  const { values } = resolved;
  // A script is named from where the person stands, and not from where the agent works.
  const script = await readScript({ io: { ...io, cwd: invocation.cwd() }, name, values });
  const indexFolder = indexFolderOf({ io, resolved });
  if (options.store === undefined)
    return await perform({ invocation, script, values, indexFolder, store: createMemoryStore() });
  return await withStore({
    invocation,
    work: ({ store }) => perform({ invocation, script, values, indexFolder, store }),
  });
};

async function perform(of: {
  readonly invocation: Invocation & { readonly options: RunOptions };
  readonly script: AgentScript;
  readonly values: Settings;
  readonly store: Parameters<typeof openAgent>[0]['store'];
  readonly indexFolder: string;
}): Promise<number> {
  const { invocation, script, values, store } = of;
  const { io, json, options, paint } = invocation;
  const flags = consentFlags(options);
  const shown = createShown();
  const consent = consentOf({
    ...{ io, flags, cwd: io.cwd, isAsking: io.stdinIsTerminal && !json, shown: shown.until },
  });
  const actor = await createActor({ script, window: values.window ?? script.window });
  const opened = await openAgent({
    ...{ io, values, store, model: actor.model, wanted: 'new', permissions: consent.permissions },
    ...{ summarizer: undefined, deny: flags.deny, indexFolder: of.indexFolder },
  });
  await warnWithoutSandbox({ invocation, state: opened.sandbox });
  const print = shown.after(json ? printJson({ io }) : printText({ invocation }));
  let [tally, unused, code, said] = [emptyTally, 0, 0, 0];
  try {
    for (const prompt of script.prompts) {
      said += 1;
      actor.begin(prompt);
      const { reason } = await converse({
        ...{ io, agent: opened.agent, prompt: prompt.say },
        print: async (event) => {
          tally = added({ tally, event });
          await print(event);
        },
      });
      unused += actor.unused();
      code = Math.max(code, exitCodeOfRun({ reason, missed: consent.missed.length }));
      if (reason !== 'done') break;
    }
  } finally {
    await opened.close();
  }
  const report = {
    prompts: said,
    ofPrompts: script.prompts.length,
    requests: actor.requests(),
    unused,
    denied: consent.missed.length,
    ...tally,
  };
  if (json) await io.stdout.write(jsonLine({ type: 'report', ...report }));
  else await io.stderr.write(`${scriptReport({ report, paint: paint('stderr') }).join('\n')}\n`);
  return code === 0 && unused > 0 ? 1 : code;
}

function noScript(): LonghaulError {
  return new LonghaulError({
    code: 'missing-argument',
    message: 'no script is named.',
    hint: 'Name a file, or print what may stand in one with `longhaul run --schema`.',
  });
}
