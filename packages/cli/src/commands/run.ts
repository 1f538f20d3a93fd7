import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createMemoryStore, leasedStore } from 'longhaul/session';
import { consentOf } from '../agent/consent.ts';
import { exitCodeOfRun } from '../agent/exit-code.ts';
import { addConsentFlags, type ConsentOptions, consentFlags } from '../agent/flags.ts';
import { openAgent } from '../agent/open-agent.ts';
import { jsonLine, printJson } from '../agent/print-json.ts';
import { printText } from '../agent/print-text.ts';
import { trackPrintedCalls } from '../agent/printed-calls.ts';
import { converse } from '../agent/run-agent.ts';
import { warnWithoutSandbox } from '../agent/sandbox-status.ts';
import { type AgentScript, createActor, readScript, scriptJsonSchema } from '../agent/script.ts';
import { addEvent, emptyTally, type RunTally } from '../agent/tally.ts';
import { examplesHelp } from '../help.ts';
import { reportRefusedSettings } from '../hooks/refused.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { addSettingFlags } from '../settings/flags.ts';
import type { Settings } from '../settings/schema.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns, fitLines } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';
import { indexFolderOf } from '../workspace/code-index.ts';

interface RunOptions extends ConsentOptions {
  readonly schema?: true;
  readonly store?: string;
}

/** `longhaul run SCRIPT`. */
export function addRunCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('run')
    .description(
      'Runs the agent with scripted model answers: loop, tools, permissions and engine are real. For demos and tests. Nothing is stored unless --store names a folder.',
    )
    .usage('SCRIPT [options]')
    .argument('[SCRIPT]', 'a JSON file; - is standard input')
    .option('--schema', 'print the JSON Schema of a script');
  addConsentFlags({ command });
  addSettingFlags({
    command,
    keys: [
      'window',
      'store.dir',
      'compaction.preset',
      'limits.fileBytes',
      'permissions.mode',
      'sandbox.mode',
      'sandbox.network',
    ],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul run fix.json --yes --cwd scratch', 'allow writing and commands in that folder'],
        ['longhaul run fix.json --json', 'events as JSON, one per line, and a report'],
        ['longhaul run fix.json --window 32000', 'with a smaller window than in the script'],
        ['longhaul run --schema > script.schema.json', 'for an editor'],
      ],
    })}\n\nThe exit code is 1 when the run failed or answers of the script were left over.`,
  );
  bind<RunOptions>({ command, action: runScript });
}

const runScript: CommandAction<RunOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  if (options.schema) {
    await io.stdout.write(`${JSON.stringify(scriptJsonSchema(), undefined, 2)}\n`);
    return 0;
  }
  const [name] = args;
  if (name === undefined) throw noScript();
  const resolved = await invocation.settings();
  await reportRefusedSettings({ invocation, resolved });
  const { values } = resolved;
  // The script path is relative to the caller's folder, not to --cwd.
  const script = await readScript({ io: { ...io, cwd: invocation.cwd() }, name, values });
  const indexFolder = indexFolderOf({ io, resolved });
  const purpose = 'longhaul run';
  if (options.store === undefined) {
    const store = leasedStore({ store: createMemoryStore(), purpose });
    return await perform({ invocation, script, values, indexFolder, store });
  }
  return await withStore({
    creates: true,
    invocation,
    purpose,
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
  const flags = await consentFlags({ options, values, io });
  const shown = trackPrintedCalls();
  const consent = consentOf({
    io,
    flags,
    cwd: io.cwd,
    isAsking: io.stdinIsTerminal && !json,
    shown: shown.until,
  });
  const actor = await createActor({ script, window: values.window ?? script.window });
  const opened = await openAgent({
    io,
    values,
    store,
    model: actor.model,
    wanted: 'new',
    permissions: consent.permissions,
    summarizer: undefined,
    deny: flags.deny,
    folders: flags.folders,
    indexFolder: of.indexFolder,
  });
  await warnWithoutSandbox({ invocation, state: opened.sandbox });
  const print = shown.after(json ? printJson({ io }) : printText({ invocation }));
  let [tally, unused, code, prompts] = [emptyTally, 0, 0, 0];
  try {
    for (const prompt of script.prompts) {
      prompts += 1;
      actor.begin(prompt);
      const { reason } = await converse({
        io,
        agent: opened.agent,
        prompt: prompt.say,
        print: async (event) => {
          tally = addEvent({ tally, event });
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
    prompts,
    ofPrompts: script.prompts.length,
    requests: actor.requests(),
    unused,
    denied: consent.missed.length,
    ...tally,
  };
  if (json) await io.stdout.write(jsonLine({ type: 'report', ...report }));
  else {
    const lines = scriptReport({ report, paint: paint('stderr') });
    await io.stderr.write(`${fitLines({ lines, width: tableWidth(io) }).join('\n')}\n`);
  }
  return code === 0 && unused > 0 ? 1 : code;
}

function noScript(): LonghaulError {
  return new LonghaulError({
    code: 'missing-argument',
    message: 'No script was given.',
    hint: 'Name a file; `longhaul run --schema` prints its schema.',
  });
}

/** The result of a scripted run. */
interface ScriptReport extends RunTally {
  /** Prompts sent, of those in the script. */
  readonly prompts: number;
  readonly ofPrompts: number;
  readonly requests: number;
  /** Answers that were not requested. */
  readonly unused: number;
  readonly denied: number;
}

/**
 * The text output.
 *
 * @example
 * scriptReport({ report, paint }).join('\n');
 */
function scriptReport({ report, paint }: { readonly report: ScriptReport; readonly paint: Paint }): string[] {
  const { ended = 'failed', prompts, ofPrompts, requests, calls, failedCalls, denied, compactions, unused } = report;
  const names = Object.entries(calls).map(([tool, times]) => `${printable(tool)} ${times}`);
  const all = Object.values(calls).reduce((sum, times) => sum + times, 0);
  const rows = [
    ['ended', (ended === 'done' ? paint.good : paint.bad)(ended)],
    ['prompts', `${prompts} of ${ofPrompts}`],
    ['requests', number(requests)],
    ['tool calls', names.length === 0 ? '0' : `${all} (${names.join(', ')})`],
    ['failed calls', failedCalls === 0 ? '0' : `${failedCalls}${denied > 0 ? `, ${denied} of them denied` : ''}`],
    ['compactions', number(compactions)],
    ...(unused > 0 ? [['left over', paint.bad(`${count({ amount: unused, of: 'answer' })} of the script`)]] : []),
  ];
  return columns({ rows });
}
