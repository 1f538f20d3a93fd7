import { basename, isAbsolute, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { LonghaulError } from 'longhaul';
import { type AgentProfile, readProfile } from 'longhaul/agent';
import { dataPart, type Message, type TextPart } from 'longhaul/message';
import type { Model } from 'longhaul/models';
import type { Store } from 'longhaul/session';
import { holderText } from 'longhaul/session';
import { chooseModel } from '../agent/choose-model.ts';
import type { SessionChoice } from '../agent/choose-session.ts';
import { type Consent, consentOf, flagFor } from '../agent/consent.ts';
import { exitCodeOfRun } from '../agent/exit-code.ts';
import { addConsentFlags, consentFlags, type ResumeFlags, resumeCommand } from '../agent/flags.ts';
import { type OpenAgent, openAgent } from '../agent/open-agent.ts';
import { printJson } from '../agent/print-json.ts';
import { printText, subagentLine } from '../agent/print-text.ts';
import { trackPrintedCalls } from '../agent/printed-calls.ts';
import { readRememberedRules } from '../agent/remembered-rules.ts';
import { converse } from '../agent/run-agent.ts';
import { sandboxStatus, warnWithoutSandbox } from '../agent/sandbox-status.ts';
import { startTelemetry } from '../agent/telemetry.ts';
import { promptCommand } from '../argv.ts';
import { compactionSettings } from '../compaction/settings.ts';
import { summarizerOf } from '../compaction/summarizer-of.ts';
import { examplesHelp, sessionArgument } from '../help.ts';
import { reportRefusedSettings } from '../hooks/refused.ts';
import { readText } from '../input/read-text.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { inboxLines } from '../memory/agent-memory.ts';
import { wireLimitsOf, wireSettings } from '../models/wire-limits.ts';
import { lastModel } from '../session/model-of.ts';
import { availableName } from '../session/session-name.ts';
import { addSettingFlags } from '../settings/flags.ts';
import type { Settings } from '../settings/schema.ts';
import { withStore } from '../store/with-store.ts';
import { printable } from '../text/printable.ts';
import { indexFolderOf } from '../workspace/code-index.ts';

/** After this many milliseconds without input on a pipe, a note says what the command is waiting for. */
const pipeNoticeMs = 3_000;

/**
 * Reads the prompt: the text of the flag with the files it mentions, and piped text. Piped text alone is the prompt;
 * together with a flag it is attached as data, which has no authority. `undefined` if there is neither.
 *
 * @example
 * await readPrompt({ io, text: 'What is wrong here?', values }); // human: the question; data: the log
 */
async function readPrompt({
  io,
  text,
  values,
}: {
  readonly io: Pick<Io, 'stdin' | 'stdinIsTerminal' | 'stderr' | 'sleep' | 'cwd' | 'files'>;
  readonly text: string | undefined;
  readonly values: Pick<Settings, 'limits'>;
}): Promise<Message | undefined> {
  const piped = io.stdinIsTerminal ? '' : await readPipe({ io, values });
  const isPiped = piped.trim() !== '';
  if (text === undefined || text.trim() === '') return isPiped ? { role: 'user', parts: [typed(piped)] } : undefined;
  const data = isPiped ? [dataPart({ from: 'pipe', text: piped })] : [];
  return { role: 'user', parts: [typed(text), ...(await mentionedFiles({ io, text })), ...data] };
}

function typed(text: string): TextPart {
  return { type: 'text', origin: 'human', text };
}

async function readPipe({
  io,
  values,
}: {
  readonly io: Pick<Io, 'stdin' | 'stderr' | 'sleep'>;
  readonly values: Pick<Settings, 'limits'>;
}): Promise<string> {
  const come = new AbortController();
  // A pipe that is never closed would look like an agent that hangs.
  void io.sleep({ ms: pipeNoticeMs, signal: come.signal }).then(async () => {
    if (!come.signal.aborted)
      await io.stderr.write('Waiting for the end of standard input. If there is no input, add </dev/null.\n');
  });
  try {
    const limit = { bytes: values.limits.fileBytes, hint: 'Name a file in the prompt instead; the agent can read it.' };
    return await readText({ name: 'standard input', from: { stream: io.stdin() }, limit });
  } catch (error) {
    if (LonghaulError.is(error) && error.code === 'file-empty') return '';
    throw error;
  } finally {
    come.abort();
  }
}

/** Larger mentioned files are left to the agent's tools, which read them in pages. */
const maxBytes = 256 * 1024;

/** At most this many files are attached to one prompt. */
const maxFiles = 20;

/** `@path` at the start of a word; a path with spaces is quoted: `@"my notes.md"`. */
const mention = /(?<![^\s([{,;])@(?:"([^"\n]{1,1000})"|([^\s"@]{1,1000}))/gu;

/**
 * Reads the files that a prompt mentions as `@path`, as data. Anything but a regular text file of moderate size is left
 * as plain text. Only typed text is searched for mentions, never piped text or other files.
 *
 * @example
 * await mentionedFiles({ io, text: 'Compare @old.md with @new.md.' });
 */
async function mentionedFiles({
  io,
  text,
}: {
  readonly io: Pick<Io, 'cwd' | 'files'>;
  readonly text: string;
}): Promise<TextPart[]> {
  const names = [...text.matchAll(mention)].flatMap(([, quoted, bare]) => quoted ?? candidates(bare ?? ''));
  const parts = new Map<string, TextPart>();
  for (const name of new Set(names)) {
    const path = isAbsolute(name) ? name : resolve(io.cwd, name);
    if (parts.size >= maxFiles) break;
    if (parts.has(path)) continue;
    const part = await attach({ io, name, path });
    if (part) parts.set(path, part);
  }
  return [...parts.values()];
}

/** A mention may be followed by punctuation. */
function candidates(word: string): string[] {
  const bare = word.replace(/[.,;:!?)\]}]{1,8}$/u, '');
  return bare === word || bare === '' ? [word] : [word, bare];
}

async function attach({
  io,
  name,
  path,
}: {
  readonly io: Pick<Io, 'files'>;
  readonly name: string;
  readonly path: string;
}): Promise<TextPart | undefined> {
  const facts = await io.files.stat(path).catch(() => undefined);
  if (facts?.kind !== 'file' || facts.bytes > maxBytes) return undefined;
  const limit = { bytes: maxBytes, hint: '' };
  const text = await readText({ name, from: { files: io.files, path }, limit }).catch(() => undefined);
  return text === undefined || text.includes('\0') ? undefined : dataPart({ from: 'file', path: name, text });
}

interface AgentOptions extends ResumeFlags {
  /** `true` if the flag has no text. */
  readonly prompt?: string | true;
  readonly continue?: true;
  readonly session?: string;
  readonly wait?: true;
  readonly fork?: true;
  readonly name?: string;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly maxTurns?: string;
  readonly maxCost?: string;
  readonly agent?: string;
}

/** `longhaul -p "…"`. */
export function addAgentCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command(promptCommand, { hidden: true })
    .description(
      'Runs an agent in this folder until it is done. Its text goes to standard output as it streams, tool activity to standard error. The session is always saved; --continue resumes it.',
    )
    .usage('"…" [options]')
    .argument('[PROMPT]', 'the prompt, if it does not directly follow -p')
    .addOption(new Option('-p, --prompt [text]', 'the prompt; text on standard input is attached to it'))
    .option('-c, --continue', 'resume the newest session of this folder')
    .option('--session <session>', `resume this session: ${sessionArgument}`)
    .option('--wait', 'if another process is working on the session, wait for it instead of failing')
    .option('--fork', 'continue in a copy of the session')
    .option('--name <name>', 'name the session; every command accepts the name in place of the id')
    .option('--agent <file>', 'run as a custom agent: a Markdown file with name, description and instructions')
    .option('--system-prompt <text>', 'replace the system prompt; instruction files and skills stay')
    .option('--append-system-prompt <text>', 'add text to the end of the system prompt')
    .option('--max-turns <n>', 'stop after this many requests to the model')
    .option('--max-cost <dollars>', 'stop before a request that would make this run more expensive')
    .option('--config <file>', 'a trusted settings file, including its hooks and endpoint');
  addConsentFlags({ command });
  addSettingFlags({
    command,
    keys: [
      'model',
      'window',
      'effort',
      'store.dir',
      'compaction.automatic',
      'compaction.autoContinue',
      ...compactionSettings,
      'providerCompaction.anthropic',
      'providerCompaction.openai',
      'providerCompaction.triggerTokens',
      'memory.enabled',
      'memory.consolidate',
      'memory.inRepo',
      'otel.enabled',
      'otel.content',
      'permissions.mode',
      'sandbox.mode',
      'sandbox.network',
      ...wireSettings,
    ],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul -p "What does this project do?"', 'reading this folder needs no permission'],
        ['longhaul -p "Fix the failing test" --yes', 'allow writing here and running commands'],
        ['longhaul -p "Fix the failing test" --mode auto-edit', 'allow writing here; ask before commands'],
        ['longhaul -p "Fix it" --allow write --allow \'bash(npm test:*)\'', 'or only some of it'],
        ['git diff | longhaul -p "Review this" > review.md', 'in a pipeline'],
        ['longhaul -p "Now the docs" --continue', 'in the same session'],
        ['longhaul -p --continue', 'resume an interrupted run'],
        ['longhaul -p "…" --model local/qwen3-coder --json', 'events as JSON, one per line'],
      ],
    })}\n\nCalls that change files or run commands and are not covered by --yes or a rule need approval: on a\nterminal you are asked, otherwise they are denied. The exit code is 0 when the work is done, 1 when\nthe model failed, 3 when the run stopped early: out of turns, refused, or a call was denied because\nthere was no terminal to ask on.`,
  );
  bind<AgentOptions>({ command, action: work });
}

const work: CommandAction<AgentOptions> = async (invocation) => {
  const { io, options, json } = invocation;
  const resolved = await invocation.settings();
  await reportRefusedSettings({ invocation, resolved });
  const { values } = resolved;
  const wanted = wantedBy(options);
  const maxTurns =
    options.maxTurns === undefined ? undefined : wholeNumber({ flag: '--max-turns', text: options.maxTurns, least: 1 });
  const profile = options.agent === undefined ? undefined : await profileIn({ io, file: options.agent });
  const flags = await consentFlags({ options, values, io });
  const shown = trackPrintedCalls();
  const consent = consentOf({
    io,
    flags,
    cwd: io.cwd,
    isAsking: io.stdinIsTerminal && !json,
    shown: shown.until,
    remembered: await readRememberedRules({ io, folder: await io.files.follow(io.cwd) }),
  });
  const prompt = await readPrompt({ io, text: textOf(invocation), values });
  if (prompt === undefined && wanted === 'new') throw missingPrompt();
  const model = await chooseModel({ values, io });
  const maxCostUsd = options.maxCost === undefined ? undefined : costLimit({ text: options.maxCost, model });
  return await withStore({
    invocation,
    purpose: 'longhaul -p',
    work: async ({ store, dir }) => {
      const name = options.name === undefined ? undefined : await availableName({ store, written: options.name });
      const { permissions } = consent;
      const summarizer = await summarizerOf({ values, io, conversation: () => model, isWorking: true });
      const telemetry = await startTelemetry({ values, io });
      const { deny, folders } = flags;
      const opened = await openAgent({
        io,
        values,
        store,
        model,
        wanted,
        permissions,
        deny,
        folders,
        summarizer,
        maxTurns,
        maxCostUsd,
        profile,
        systemPrompt: options.systemPrompt,
        appendSystemPrompt: options.appendSystemPrompt,
        sessionFolder: (id) => join(dir, 'sessions', id),
        previousModel: async (id) => await otherModel({ io, values, store, session: id, model: model.id }),
        indexFolder: indexFolderOf({ io, resolved }),
        storeFolder: dir,
        onNotes: (entries) => {
          if (!json) void io.stderr.write(`${inboxLines(entries).join('\n')}\n`);
        },
        onWarning: (text) => void io.stderr.write(`${printable(text)}\n`),
        fork: options.fork,
        onWait: options.wait && ((holder) => void io.stderr.write(`Waiting for ${printable(holderText(holder))} …\n`)),
      });
      try {
        const { agent, session } = opened;
        telemetry.observeAgent(agent);
        await warnWithoutSandbox({ invocation, state: opened.sandbox });
        if (prompt === undefined) await requirePendingWork(agent);
        if (name !== undefined) await session.session.append({ type: 'session_info', info: { name } });
        if (wanted !== 'new' && !json)
          await noteOtherModel({ invocation, store, session: session.id, model: model.id });
        const print = shown.after(json ? printJson({ io }) : printText({ invocation }));
        if (!json)
          agent.on((event, from) => void (from.parent && io.stderr.write(subagentLine({ event, invocation }))));
        const { reason } = await converse({
          io,
          agent,
          prompt: withEnvironment({ prompt, opened }),
          print,
          settle: () => session.close(),
        });
        if (!json)
          await printNextSteps({
            invocation,
            session: session.id,
            model: model.id,
            consent,
            yes: flags.mode === 'yes',
            isPending: reason !== 'done' && isPending(await agent.pending()),
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

/** A changed environment travels with the prompt, since the head stays the same. */
function withEnvironment(of: {
  readonly prompt: Message | undefined;
  readonly opened: Pick<OpenAgent, 'environmentChange'>;
}): Message | undefined {
  const { prompt, opened } = of;
  if (!prompt || opened.environmentChange === undefined) return prompt;
  return { ...prompt, parts: [...prompt.parts, { type: 'text', origin: 'engine', text: opened.environmentChange }] };
}

/** A limit that cannot be checked would protect from nothing. */
function costLimit({ text, model }: { readonly text: string; readonly model: Model }): number {
  const dollars = Number(text.replace(/^\$/, ''));
  if (!(dollars > 0) || !Number.isFinite(dollars)) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: `--max-cost must be an amount in dollars, not ${JSON.stringify(text)}.`,
      hint: 'For example: --max-cost 0.50',
    });
  }
  if (model.info.prices !== undefined) return dollars;
  throw new LonghaulError({
    code: 'bad-usage',
    message: `The prices of ${model.id.provider}/${model.id.name} are unknown, so --max-cost cannot be checked.`,
    hint: 'Omit --max-cost, or limit the run with --max-turns.',
  });
}

/** The model that a session used last, if it is another one that can still be used. */
async function otherModel(of: {
  readonly io: Pick<Io, 'env' | 'models'>;
  readonly values: Settings;
  readonly store: Store;
  readonly session: string;
  readonly model: Model['id'];
}): Promise<Model | undefined> {
  const before = await lastModel({ store: of.store, id: of.session });
  if (before === undefined || before === `${of.model.provider}/${of.model.name}`) return undefined;
  const limits = wireLimitsOf(of.values);
  return await of.io.models.create({ name: before, env: of.io.env, limits, retry: false }).catch(() => undefined);
}

/** Says so if a resumed session continues with another model than it used last. */
async function noteOtherModel(of: {
  readonly invocation: Pick<Invocation, 'io' | 'paint'>;
  readonly store: Store;
  readonly session: string;
  readonly model: { readonly provider: string; readonly name: string };
}): Promise<void> {
  const before = await lastModel({ store: of.store, id: of.session });
  const now = `${of.model.provider}/${of.model.name}`;
  if (before === undefined || before === now) return;
  const { io, paint } = of.invocation;
  const text = `This session used ${before}; it continues with ${now}. To keep the model: --model ${before}`;
  await io.stderr.write(`${paint('stderr').faint(printable(text))}\n`);
}

/** Reads a custom agent from a file. */
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

/** The prompt may follow other flags: `longhaul -p --yes "…"`. */
function textOf({ options: { prompt }, args: [behind] }: Parameters<typeof work>[0]): string | undefined {
  if (typeof prompt !== 'string') return behind;
  if (behind === undefined) return prompt;
  throw new LonghaulError({
    code: 'too-many-arguments',
    message: `Two prompts were given: "${prompt}" and "${behind}".`,
    hint: 'Quote a prompt that has spaces.',
  });
}

function wantedBy({ continue: newest, session, wait, fork }: AgentOptions): SessionChoice {
  if ((wait || fork) && !newest && session === undefined) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: `${wait ? '--wait' : '--fork'} needs an existing session.`,
      hint: 'Add --continue or --session.',
    });
  }
  if (newest && session !== undefined) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: '--continue and --session were both given; each chooses a session.',
      hint: 'Use one of them.',
    });
  }
  return session !== undefined ? { session } : newest ? 'newest' : 'new';
}

/** Without a prompt there must be something to resume. */
async function requirePendingWork(agent: { readonly pending: () => Promise<InterruptedWork> }): Promise<void> {
  if (isPending(await agent.pending())) return;
  throw new LonghaulError({
    code: 'nothing-to-resume',
    message: 'There is no prompt, and nothing in this session was interrupted.',
    hint: 'Give a prompt: longhaul -p "…" --continue',
  });
}

function isPending({ calls, needsAnswer, messages }: InterruptedWork): boolean {
  return calls.length > 0 || needsAnswer || messages.length > 0;
}

type InterruptedWork = Pick<
  Awaited<ReturnType<Parameters<typeof converse>[0]['agent']['pending']>>,
  'calls' | 'needsAnswer' | 'messages'
>;

function missingPrompt(): LonghaulError {
  return new LonghaulError({
    code: 'missing-prompt',
    message: 'There is no prompt: -p has no text, and standard input is empty.',
    hint: 'Give a prompt, e.g. longhaul -p "What is this?", or use --continue to resume an interrupted run.',
  });
}

/** Prints denied calls and how to continue. */
async function printNextSteps(of: {
  readonly invocation: Pick<Invocation, 'io' | 'paint'> & { readonly options: ResumeFlags };
  readonly session: string;
  readonly model: { readonly provider: string; readonly name: string };
  /** Whether there is work to resume. */
  readonly isPending: boolean;
  readonly consent: Pick<Consent, 'missed'>;
  readonly yes: boolean;
  readonly place: string;
}): Promise<void> {
  const { io, paint, options } = of.invocation;
  const { faint, bad } = paint('stderr');
  const [first, ...more] = of.consent.missed;
  if (first) {
    const others = more.length > 0 ? ` (and ${more.length} more)` : '';
    const flag = flagFor({ request: first, cwd: io.cwd, io, yes: of.yes });
    await io.stderr.write(`${bad('Denied (no terminal to ask on):')} ${printable(first.summary)}${others}\n`);
    await io.stderr.write(`  Allow it with ${printable(flag)}.\n`);
  }
  const resume = of.isPending ? `; resume it with: ${resumeCommand({ session: of.session, flags: options })}` : '';
  const model = `${of.model.provider}/${of.model.name}`;
  await io.stderr.write(`${faint(printable(`${model}, ${of.place}, session ${of.session}${resume}`))}\n`);
}
