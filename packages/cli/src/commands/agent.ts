import { type Command, Option } from 'commander';
import { LonghaulError } from 'longhaul';
import { type Plan, plain } from 'longhaul/agent';
import type { Message } from 'longhaul/message';
import type { Model } from 'longhaul/models';
import type { Store } from 'longhaul/session';
import { holderText } from 'longhaul/session';
import { chooseModelFor } from '../agent/choose-model.ts';
import type { SessionChoice } from '../agent/choose-session.ts';
import { type Consent, type ConsentFlags, consentOf, flagFor } from '../agent/consent.ts';
import { profileOf, readCustomizations, withCommand } from '../agent/customizations.ts';
import { exitCodeOfRun } from '../agent/exit-code.ts';
import { addConsentFlags, consentFlags, type ResumeFlags, resumeCommand } from '../agent/flags.ts';
import type { OpenAgent } from '../agent/open-agent.ts';
import { printJson } from '../agent/print-json.ts';
import { printText, subagentLine } from '../agent/print-text.ts';
import { trackPrintedCalls } from '../agent/printed-calls.ts';
import { trustInProject } from '../agent/project-items.ts';
import { readPlan, readPrompt } from '../agent/prompt.ts';
import { readRememberedRules } from '../agent/remembered-rules.ts';
import { converse, hasPendingWork } from '../agent/run-agent.ts';
import { sandboxStatus, warnWithoutSandbox } from '../agent/sandbox-status.ts';
import { type AgentSetup, completePrompt, startAgent, withEnvironment } from '../agent/start-agent.ts';
import { startTelemetry } from '../agent/telemetry.ts';
import { promptCommand } from '../argv.ts';
import { compactionSettings } from '../compaction/settings.ts';
import { examplesHelp, sessionArgument } from '../help.ts';
import { reportRefusedSettings } from '../hooks/refused.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { inboxLines } from '../memory/agent-memory.ts';
import { wireSettings } from '../models/wire-limits.ts';
import { lastModel } from '../session/model-of.ts';
import { availableName } from '../session/session-name.ts';
import { shortId } from '../session/short-id.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { withStore } from '../store/with-store.ts';
import { printable } from '../text/printable.ts';

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
  /** `true` if the flag has no file. */
  readonly approvePlan?: string | true;
  readonly inputFormat: 'text' | 'stream-json';
  readonly outputFormat: 'text' | 'stream-json';
  readonly streamSchema?: true;
  readonly plain?: true;
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
    .option('--agent <name>', 'run as a custom agent, by its name or the path of its Markdown file')
    .addOption(
      new Option(
        '--input-format <format>',
        'stream-json: prompts, steering and answers as JSON lines on standard input',
      )
        .choices(['text', 'stream-json'])
        .default('text'),
    )
    .addOption(
      new Option('--output-format <format>', 'stream-json: events as JSON, one per line; the same as --json')
        .choices(['text', 'stream-json'])
        .default('text'),
    )
    .option('--stream-schema', 'print the JSON Schema of stream-json and exit')
    .option(
      '--approve-plan [file]',
      'with --continue: approve the proposed plan, or the edited one in a file, and start',
    )
    .option('--system-prompt <text>', 'replace the system prompt; instruction files and skills stay')
    .option('--append-system-prompt <text>', 'add text to the end of the system prompt')
    .option('--max-turns <n>', 'stop after this many requests to the model')
    .option('--max-cost <dollars>', 'stop before a request that would make this run more expensive')
    .option('--plain', 'without -p: a conversation in plain lines, for screen readers and simple terminals')
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
      'mcp.enabled',
      'fetch.enabled',
      'diagnostics.mode',
      'sandbox.mode',
      'sandbox.network',
      'terminal.theme',
      'terminal.vim',
      'terminal.bell',
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
        ['longhaul -p "Port billing to v2" --mode plan', 'read only, and propose a plan'],
        ['longhaul -p --continue --approve-plan', 'carry it out'],
        ['git diff | longhaul -p "Review this" > review.md', 'in a pipeline'],
        ['longhaul -p "Now the docs" --continue', 'in the same session'],
        ['longhaul -p --continue', 'resume an interrupted run'],
        ['longhaul -p "…" --model local/qwen3-coder --json', 'events as JSON, one per line'],
        ['longhaul -p "/review 12"', 'a custom command'],
        ['longhaul -p --input-format stream-json', 'prompts and answers as JSON lines, from another program'],
      ],
    })}\n\nCalls that change files or run commands and are not covered by --yes or a rule need approval: on a\nterminal you are asked, otherwise they are denied. The exit code is 0 when the work is done, 1 when\nthe model failed, 3 when the run stopped early: out of turns, refused, or a call was denied because\nthere was no terminal to ask on.`,
  );
  bind<AgentOptions>({ command, action: work });
}

const work: CommandAction<AgentOptions> = async (invocation) => {
  const { io, options, json } = invocation;
  const isStream = options.inputFormat === 'stream-json';
  if (options.streamSchema) return await printStreamSchema(invocation);
  const resolved = await invocation.settings();
  await reportRefusedSettings({ invocation, resolved });
  const { values } = resolved;
  const wanted = wantedBy(options);
  const maxTurns =
    options.maxTurns === undefined ? undefined : wholeNumber({ flag: '--max-turns', text: options.maxTurns, least: 1 });
  const warn = (text: string) => void io.stderr.write(`${printable(text)}\n`);
  const isAsking = io.stdinIsTerminal && !json;
  const trust = await trustInProject({ io, values, isAsking });
  const custom = await readCustomizations({ io, values, isTrusted: trust.has, onProblem: warn });
  const profile = options.agent === undefined ? undefined : await profileOf({ io, wanted: options.agent, custom });
  const flags = modeOfRun({ flags: await consentFlags({ options, values, io }), options, wanted });
  let { mode } = flags;
  const edited =
    typeof options.approvePlan === 'string' ? await readPlan({ io, file: options.approvePlan }) : undefined;
  const remembered = await readRememberedRules({ io, folder: await io.files.follow(io.cwd) });
  const shown = trackPrintedCalls();
  const stream = isStream ? await import('../agent/stream-json.ts') : undefined;
  const questions = stream && new stream.StreamQuestions();
  const consentIn = ({ cwd, allow }: { readonly cwd: string; readonly allow: readonly string[] }) => {
    const folders = cwd === io.cwd ? flags.folders : [];
    const given = { ...flags, mode, folders, allow: [...flags.allow, ...allow] };
    const approver = questions?.approver;
    return consentOf({ io, flags: given, cwd, isAsking, shown: shown.until, remembered, approver });
  };
  const isInteractive = !isStream && isConversation(invocation);
  const typed = isInteractive
    ? undefined
    : await readPrompt({ io: stream?.withoutInput(io) ?? io, text: textOf(invocation), values });
  if (typed === undefined && wanted === 'new' && !isInteractive && !isStream) throw missingPrompt();
  const { prompt, allow, model: commandModel, isDone } = await withCommand({ prompt: typed, custom, warn });
  if (isDone) return 0;
  let consent = consentIn({ cwd: io.cwd, allow });
  const named = options.model === undefined ? (profile?.model ?? commandModel) : undefined;
  const model = await chooseModelFor({ values, io, named, warn });
  const maxCostUsd = options.maxCost === undefined ? undefined : costLimit({ text: options.maxCost, model });
  return await withStore({
    creates: true,
    invocation,
    purpose: isInteractive ? 'longhaul' : 'longhaul -p',
    work: async ({ store, dir }) => {
      const name = options.name === undefined ? undefined : await availableName({ store, written: options.name });
      const telemetry = await startTelemetry({ values, io });
      const setup: AgentSetup = {
        io,
        resolved,
        store,
        dir,
        flags,
        telemetry,
        trust,
        maxTurns,
        maxCostUsd,
        profile,
        systemPrompt: options.systemPrompt,
        appendSystemPrompt: options.appendSystemPrompt,
        custom,
      };
      if (isInteractive) {
        const { converseInTerminal } = await import('../interactive/start.ts');
        const { fork } = options;
        const isDrawn = !options.plain && io.stdout.isTerminal && io.stdinIsTerminal && io.env.TERM !== 'dumb';
        const show = isDrawn ? (await import('../tui/index.ts')).runTui : undefined;
        return await converseInTerminal({ invocation, setup, model, remembered, wanted, fork, name, show }).finally(
          telemetry.close,
        );
      }
      const opened = await startAgent({
        setup,
        wanted,
        model,
        permissions: { decide: (...call) => consent.permissions.decide(...call) },
        permissionsIn: (cwd) => consentIn({ cwd, allow: [] }).permissions,
        isPlanning: () => mode === 'plan',
        onNotes: (entries) => {
          if (!json) void io.stderr.write(`${inboxLines(entries).join('\n')}\n`);
        },
        onWarning: warn,
        fork: options.fork,
        onWait: options.wait && ((holder) => void io.stderr.write(`Waiting for ${printable(holderText(holder))} …\n`)),
      });
      try {
        const { agent, session } = opened;
        await warnWithoutSandbox({ invocation, state: opened.sandbox });
        const { plans } = opened;
        const isApproving = options.approvePlan !== undefined;
        if (prompt === undefined && !isStream && !isApproving) await requirePendingWork(agent);
        if (name !== undefined) await session.session.append({ type: 'session_info', info: { name } });
        if (wanted !== 'new' && !json)
          await noteOtherModel({ invocation, store, session: session.id, model: model.id });
        if (stream && questions) {
          const setAllow = (rules: readonly string[]) => {
            consent = consentIn({ cwd: io.cwd, allow: rules });
          };
          const endPlanning = () => {
            mode = mode === 'plan' ? 'ask' : mode;
            setAllow([]);
          };
          const of = { io, opened, questions, prompt, custom, values, setAllow, endPlanning, warn };
          const end = await stream.overStream(of);
          if (!end && wanted === 'new') throw missingPrompt();
          return exitCodeOfRun({ reason: end?.reason ?? 'done', missed: 0 });
        }
        const rendered = printText({ invocation, render: custom.extensions.render });
        const print = shown.after(json ? printJson({ io }) : rendered);
        if (!json)
          agent.on((event, from) => void (from.parent && io.stderr.write(subagentLine({ event, invocation }))));
        const { reason, text } = await converse({
          io,
          agent,
          prompt: withEnvironment({ prompt: await messageFor(), opened }),
          print,
          settle: async (end) => {
            if (end.reason === 'done') await plans.takeAnswer(end.text);
            await session.close();
          },
        });
        const plan = flags.mode === 'plan' && !json ? plans.current() : undefined;
        if (plan) await printPlan({ invocation, session: session.id, plan, isPrinted: plan.text === text.trim() });
        if (!json)
          await printNextSteps({
            invocation,
            session: session.id,
            model: model.id,
            consent,
            yes: flags.mode === 'yes',
            isPending: reason !== 'done' && hasPendingWork(await agent.pending()),
            place: sandboxStatus(opened.sandbox),
          });
        return exitCodeOfRun({ reason, missed: consent.missed.length });

        async function messageFor(): Promise<Message | undefined> {
          const message = prompt && (await completePrompt({ prompt, opened }));
          if (!isApproving) return message;
          const approval = await plans.approve({ text: edited });
          return { ...approval, parts: [...approval.parts, ...(message?.parts ?? [])] };
        }
      } finally {
        await opened.close();
        await telemetry.close();
      }
    },
  });
};

/** An approved plan is carried out, so plan mode ends. */
function modeOfRun(of: {
  readonly flags: ConsentFlags;
  readonly options: AgentOptions;
  readonly wanted: SessionChoice;
}): ConsentFlags {
  const { flags, options, wanted } = of;
  if (options.approvePlan === undefined) return flags;
  if (wanted !== 'new' && options.mode !== 'plan') return flags.mode === 'plan' ? { ...flags, mode: 'ask' } : flags;
  throw new LonghaulError({
    code: 'bad-usage',
    message: wanted === 'new' ? '--approve-plan needs the session with the plan.' : '--approve-plan ends plan mode.',
    hint: wanted === 'new' ? 'Add --continue or --session.' : 'Leave --mode plan out.',
  });
}

/** Prints the plan on standard output, so that it can be redirected to a file, and how to approve it. */
async function printPlan(of: {
  readonly invocation: Pick<Invocation, 'io' | 'paint'> & { readonly options: ResumeFlags };
  readonly session: string;
  readonly plan: Plan;
  /** Whether the model has written it as text. */
  readonly isPrinted: boolean;
}): Promise<void> {
  const { io, options } = of.invocation;
  const { mode: _, ...flags } = options;
  const resume = resumeCommand({ session: of.session, flags });
  if (!of.isPrinted) await io.stdout.write(`\n${plain(of.plan.text)}\n`);
  await io.stderr.write(
    `Nothing was changed. Approve the plan: ${printable(resume)} --approve-plan\nWith your changes: save it to a file, edit it, and add the file: --approve-plan plan.md\n`,
  );
}

/** Without a prompt, on a terminal, the agent converses with the user. */
function isConversation({ io, json, options, args }: Parameters<typeof work>[0]): boolean {
  const isTerminal = io.stdinIsTerminal && io.stdout.isTerminal;
  if (options.plain && (options.prompt !== undefined || args.length > 0)) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: '--plain is for a conversation, so it takes no prompt.',
      hint: 'Omit --plain, or omit -p and type the prompt.',
    });
  }
  return (isTerminal || options.plain === true) && !json && options.prompt === undefined && args.length === 0;
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

async function printStreamSchema({ io }: Pick<Invocation, 'io'>): Promise<number> {
  const { streamSchema } = await import('../agent/stream-json.ts');
  await io.stdout.write(`${JSON.stringify(streamSchema(), undefined, 2)}\n`);
  return 0;
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
async function requirePendingWork(agent: OpenAgent['agent']): Promise<void> {
  if (hasPendingWork(await agent.pending())) return;
  throw new LonghaulError({
    code: 'nothing-to-resume',
    message: 'There is no prompt, and nothing in this session was interrupted.',
    hint: 'Give a prompt: longhaul -p "…" --continue',
  });
}

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
  await io.stderr.write(
    `${faint(printable(`${model}, ${of.place}, session ${shortId({ id: of.session })}${resume}`))}\n`,
  );
}
