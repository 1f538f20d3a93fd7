import { basename, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { LonghaulError } from 'longhaul';
import { type AgentProfile, readProfile } from 'longhaul/agent';
import { chooseModel } from '../agent/choose-model.ts';
import type { Wanted } from '../agent/choose-session.ts';
import { type Consent, consentOf, flagFor } from '../agent/consent.ts';
import { converse } from '../agent/converse.ts';
import { exitCodeOfRun } from '../agent/ended.ts';
import { addConsentFlags, type ConsentOptions, consentFlags } from '../agent/flags.ts';
import { openAgent } from '../agent/open-agent.ts';
import { printJson } from '../agent/print-json.ts';
import { printText } from '../agent/print-text.ts';
import { readPrompt } from '../agent/read-prompt.ts';
import { sandboxStatus, warnWithoutSandbox } from '../agent/sandbox-status.ts';
import { createShown } from '../agent/shown.ts';
import { promptCommand } from '../agent/with-prompt.ts';
import { compactionSettings } from '../compaction/settings.ts';
import { summarizerOf } from '../compaction/summarizer-of.ts';
import { examplesHelp } from '../help.ts';
import { tellRefused } from '../hooks/refused.ts';
import { readText } from '../input/read-text.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Action, Bind, Invocation } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { wireSettings } from '../models/wire-limits.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { withStore } from '../store/with-store.ts';
import { startTelemetry } from '../telemetry/start-telemetry.ts';
import { printable } from '../text/printable.ts';
import { indexFolderOf } from '../workspace/code-index.ts';

interface AgentOptions extends ConsentOptions {
  /** `true` where the flag has no text. */
  readonly prompt?: string | true;
  readonly continue?: true;
  readonly session?: string;
  readonly maxTurns?: string;
  readonly agent?: string;
}

/** `longhaul -p "…"`. */
export function addAgentCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command(promptCommand, { hidden: true })
    .description(
      'Lets an agent work in this folder until it is done: its words go to standard output as they come, what its tools do to standard error. The session is kept, however it ends; --continue goes on with it.',
    )
    .usage('"…" [options]')
    .argument('[PROMPT]', 'what is to be done, where it does not follow -p at once')
    .addOption(new Option('-p, --prompt [text]', 'what is to be done; a text on standard input is put behind it'))
    .option('-c, --continue', 'go on with the newest session of this folder, and with what was interrupted in it')
    .option('--session <session>', 'the same with this one: its id, the beginning of its id, its name, or last')
    .option('--agent <file>', 'the custom agent to be: a Markdown file with name, description and instructions')
    .option('--max-turns <n>', 'stop after so many requests to the model')
    .option('--config <file>', 'a settings file to trust, its hooks and its endpoint too');
  addConsentFlags({ command });
  addSettingFlags({
    command,
    keys: [
      'model',
      'window',
      'store.dir',
      'compaction.automatic',
      'compaction.autoContinue',
      ...compactionSettings,
      'providerCompaction.anthropic',
      'providerCompaction.openai',
      'providerCompaction.triggerTokens',
      'otel.enabled',
      'otel.content',
      'sandbox.mode',
      'sandbox.network',
      ...wireSettings,
    ],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul -p "What does this project do?"', 'reading here needs no consent'],
        ['longhaul -p "Fix the failing test" --yes', 'let it write here and run commands'],
        ['longhaul -p "Fix it" --allow write --allow \'bash(npm test:*)\'', 'or only some'],
        ['git diff | longhaul -p "Review this" > review.md', 'a pipe in, a pipe out'],
        ['longhaul -p "Now the docs" --continue', 'in the same session'],
        ['longhaul -p --continue', 'what was interrupted goes on'],
        ['longhaul -p "…" --model local/qwen3-coder --json', 'events for a program, one a line'],
      ],
    })}\n\nWithout --yes and rules, what changes files or runs commands is asked for on a terminal, and denied\nelsewhere. The exit code is 0 when it is done, 1 when the model failed, 3 when it stopped before\nthat: out of turns, refused, or denied something because nobody could be asked.`,
  );
  bind<AgentOptions>({ command, action: work });
}

const work: Action<AgentOptions> = async (invocation) => {
  const { io, options, json } = invocation;
  const resolved = await invocation.settings();
  await tellRefused({ invocation, resolved });
  const { values } = resolved;
  const wanted = wantedBy(options);
  const maxTurns =
    options.maxTurns === undefined ? undefined : wholeNumber({ flag: '--max-turns', text: options.maxTurns, least: 1 });
  const profile = options.agent === undefined ? undefined : await profileIn({ io, file: options.agent });
  const flags = consentFlags(options);
  const shown = createShown();
  const consent = consentOf({
    ...{ io, flags, cwd: io.cwd, isAsking: io.stdinIsTerminal && !json, shown: shown.until },
  });
  const prompt = await readPrompt({ io, text: textOf(invocation), values });
  if (prompt === undefined && wanted === 'new') throw nothingToSay();
  const model = await chooseModel({ values, io });
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const { permissions } = consent;
      const summarizer = await summarizerOf({ values, io, conversation: () => model, isWorking: true });
      const telemetry = await startTelemetry({ values, io });
      const { deny } = flags;
      const opened = await openAgent({
        io,
        values,
        store,
        model,
        wanted,
        permissions,
        deny,
        summarizer,
        maxTurns,
        profile,
        indexFolder: indexFolderOf({ io, resolved }),
      });
      try {
        const { agent, session } = opened;
        telemetry.observeAgent(agent);
        await warnWithoutSandbox({ invocation, state: opened.sandbox });
        if (prompt === undefined) await refuseInVain(agent);
        const print = shown.after(json ? printJson({ io }) : printText({ invocation }));
        const { reason } = await converse({ io, agent, prompt, print });
        if (!json)
          await tellWhatNext({
            ...{ invocation, session: session.id, model: model.id, reason, consent, yes: flags.yes },
            place: sandboxStatus(opened.sandbox),
          });
        return exitCodeOfRun({ reason, missed: consent.missed.length });
      } finally {
        await opened.close();
        await telemetry.close();
      }
    },
  });
};

/** The custom agent in a file. */
async function profileIn({
  io,
  file,
}: {
  readonly io: Pick<Io, 'cwd' | 'files'>;
  readonly file: string;
}): Promise<AgentProfile> {
  const limit = { bytes: 200_000, hint: 'Shorten the instructions of the agent.' };
  const text = await readText({ name: file, from: { files: io.files, path: resolve(io.cwd, file) }, limit });
  return readProfile({ text, name: basename(file).replace(/(?:\.agent)?\.md$/, '') });
}

/** The prompt may stand behind other flags: `longhaul -p --yes "…"`. */
function textOf({ options: { prompt }, args: [behind] }: Parameters<typeof work>[0]): string | undefined {
  if (typeof prompt !== 'string') return behind;
  if (behind === undefined) return prompt;
  throw new LonghaulError({
    code: 'too-many-arguments',
    message: `there are two prompts: "${prompt}" and "${behind}".`,
    hint: 'Put what belongs together between quotes.',
  });
}

function wantedBy({ continue: newest, session }: AgentOptions): Wanted {
  if (newest && session !== undefined) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: '--continue means the newest session of this folder, and --session another one.',
      hint: 'Give one of the two.',
    });
  }
  return session !== undefined ? { session } : newest ? 'newest' : 'new';
}

/** Without a prompt something has to be there to go on with. */
async function refuseInVain(agent: { readonly pending: () => Promise<Pending> }): Promise<void> {
  const { calls, needsAnswer: isAsked, messages: waiting } = await agent.pending();
  if (calls.length > 0 || isAsked || waiting.length > 0) return;
  throw new LonghaulError({
    code: 'nothing-to-resume',
    message: 'nothing was interrupted in this session, and there is nothing to say.',
    hint: 'Give a prompt: longhaul -p "…" --continue',
  });
}

type Pending = Pick<
  Awaited<ReturnType<Parameters<typeof converse>[0]['agent']['pending']>>,
  'calls' | 'needsAnswer' | 'messages'
>;

function nothingToSay(): LonghaulError {
  return new LonghaulError({
    code: 'missing-prompt',
    message: 'there is nothing to say: -p has no text, and nothing came on standard input.',
    hint: 'Give a prompt, as in longhaul -p "What is this?", or --continue to go on with what was interrupted.',
  });
}

/** What a person may want to type next. */
async function tellWhatNext(of: {
  readonly invocation: Pick<Invocation, 'io' | 'paint'>;
  readonly session: string;
  readonly model: { readonly provider: string; readonly name: string };
  readonly reason: string;
  readonly consent: Pick<Consent, 'missed'>;
  readonly yes: boolean;
  readonly place: string;
}): Promise<void> {
  const { io, paint } = of.invocation;
  const { faint, bad } = paint('stderr');
  const [first, ...more] = of.consent.missed;
  if (first) {
    const others = more.length > 0 ? ` (and ${more.length} more)` : '';
    const flag = flagFor({ request: first, cwd: io.cwd, io, yes: of.yes });
    await io.stderr.write(`${bad('Denied, since nobody could be asked:')} ${printable(first.summary)}${others}\n`);
    await io.stderr.write(`  Allow it with ${printable(flag)}.\n`);
  }
  const goOn = of.reason === 'done' ? '' : `; longhaul -p --session ${of.session.slice(0, 13)} goes on with it`;
  await io.stderr.write(
    `${faint(`${printable(`${of.model.provider}/${of.model.name}`)}, ${of.place}, session ${of.session}${goOn}`)}\n`,
  );
}
