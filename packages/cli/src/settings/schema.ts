import { type PresetName, presets } from 'longhaul/engine';
import { dialects } from 'longhaul/message';
import { z } from 'zod';

const mebibyte = 1024 * 1024;

/** Commands of the shell for one event; the shape is described in docs/hooks.md. */
function commands(when: string) {
  const command = z.strictObject({
    command: z.string().min(1),
    timeout: z.number().positive().max(3600).optional(),
    matcher: z.string().optional(),
    env: z.array(z.string().min(1)).optional(),
  });
  // Looking at a session in a project from elsewhere must not run its commands.
  return z.array(command).default([]).describe(`Commands to run ${when}.`).meta({ trusted: true });
}

/** A share of the window, or tokens; what lies between is a mistake (features D7). */
const isThreshold = (value: number) => (value > 0 && value <= 1) || value >= 100;

/**
 * Where a conversation is kept or sent, with which key, and what runs, is for its owner to say, and not for a project from
 * elsewhere. Every new setting is either this or one of the harmless ones that `resolve.test.ts` lists.
 */
const trusted = { trusted: true };

/** Caches of package managers and compilers. Credentials and programs are elsewhere in their folders. */
const usualCaches: readonly string[] = [
  '~/.npm',
  '~/.cache',
  '~/.cargo/registry',
  '~/.cargo/git',
  '~/go/pkg',
  '~/.gradle/caches',
  '~/.m2/repository',
  '~/.nuget/packages',
  '~/.local/share/pnpm/store',
  '~/.bun/install/cache',
  '~/.yarn/berry/cache',
  '~/Library/Caches',
];

const endpoint = z
  .strictObject({
    url: z
      .string()
      .default('')
      .describe('Where summaries are asked for: it is sent `{ systemPrompt, prompt }` and answers `{ summary }`.')
      .meta({ flag: '--endpoint', ...trusted }),
    keyVariable: z
      .string()
      .default('')
      .describe('The name of the environment variable that holds its key, sent as `Authorization: Bearer …`.')
      .meta({ flag: '--endpoint-key-variable', ...trusted }),
    timeout: z
      .int()
      .min(1)
      .max(3600)
      .default(120)
      .describe('After so many seconds the summary is made without it.')
      .meta({ flag: '--endpoint-timeout' }),
    window: z
      .int()
      .min(4_000)
      .max(100_000_000)
      .default(128_000)
      .describe('The tokens that it takes; what is longer is sent in pieces.')
      .meta({ flag: '--endpoint-window' }),
  })
  .prefault({})
  .describe('An endpoint of your own that writes summaries.');

/** One model or endpoint that may be asked for summaries, and for which conversations (features D17). */
const candidate = z
  .strictObject({
    model: z.string().min(1).optional(),
    endpoint: z.string().min(1).optional(),
    keyVariable: z.string().min(1).optional(),
    window: z.int().min(4_000).max(100_000_000).optional(),
    when: z.array(z.string().min(1)).min(1).optional(),
  })
  .refine(({ model, endpoint: url }) => (model === undefined) !== (url === undefined));

const compaction = z
  .strictObject({
    preset: z
      .enum(Object.keys(presets) as PresetName[])
      .default('longhaul')
      .describe('When and how a session is compacted; `longhaul presets` tells them apart.')
      .meta({ flag: '--preset' }),
    automatic: z
      .boolean()
      .default(true)
      .describe('Whether anything is compacted unasked; what no longer fits is made to fit all the same.')
      .meta({ flag: '--automatic' }),
    threshold: z
      .number()
      .refine(isThreshold)
      .optional()
      .describe('How much of the window is to be used before it is time, in place of all of it.')
      .meta({ flag: '--threshold', accepts: 'a share above 0 and up to 1, or tokens from 100 on' }),
    reserve: z
      .int()
      .min(0)
      .max(100_000_000)
      .optional()
      .describe(
        "How many tokens of the window are kept free for the answer, in place of the preset's; at most half of it.",
      )
      .meta({ flag: '--reserve' }),
    keepRecent: z
      .int()
      .min(0)
      .max(100_000_000)
      .optional()
      .describe("How many of the newest tokens a compaction keeps verbatim where they fit, in place of the preset's.")
      .meta({ flag: '--keep-recent' }),
    autoContinue: z
      .boolean()
      .optional()
      .describe("Whether the agent continues by itself after a compaction between rounds, in place of the preset's.")
      .meta({ flag: '--auto-continue' }),
    branchSummaries: z
      .enum(['preset', 'off', 'extractive', 'model'])
      .default('preset')
      .describe(
        'Whether a move to another branch leaves a summary there unasked, and how it is made; `preset` means only when asked for, made as other summaries.',
      )
      .meta({ flag: '--branch-summaries', ...trusted }),
    summarizer: z
      .enum(['auto', 'extractive', 'model'])
      .default('auto')
      .describe(
        'How summaries are made: by choosing, without a model, or with the words of one; `auto` means with a model where one is named, and by the model of the agent while it works.',
      )
      .meta({ flag: '--summarizer', ...trusted }),
    mode: z
      .enum(['preset', 'auto', 'full', 'simple'])
      .default('preset')
      .describe(
        'How a model is asked first: with the whole conversation, or with one text; `preset` means as that says.',
      )
      .meta({ flag: '--mode' }),
    model: z
      .string()
      .default('')
      .describe(
        'The model that writes summaries, by its name, e.g. `anthropic/claude-haiku-4-5`; asked before an endpoint.',
      )
      .meta({ flag: '--summary-model', ...trusted }),
    endpoint,
    candidates: z
      .array(candidate)
      .default([])
      .describe('The models and endpoints that are asked for summaries, in order, before those above.')
      .meta(trusted),
  })
  .prefault({})
  .describe('When and how sessions are made smaller.');

/** Whether a provider may compact by itself. */
const providerCompaction = z
  .strictObject({
    anthropic: z.boolean().default(false).describe('Let Anthropic compact the conversation by itself as well.'),
    openai: z.boolean().default(false).describe('Let OpenAI compact the conversation by itself as well.'),
    triggerTokens: z
      .int()
      .min(1_000)
      .max(100_000_000)
      .optional()
      .describe("From how many prompt tokens on a provider compacts; by default the provider's own number."),
  })
  .prefault({})
  .describe('Compaction on the side of the provider, in addition to ours.');

const otel = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Export spans and metrics with OpenTelemetry, to where the standard OTEL_* variables say.')
      .meta({ flag: '--otel', ...trusted }),
    content: z
      .boolean()
      .default(false)
      .describe('Export answers, arguments and results as well, with keys masked.')
      .meta({ flag: '--otel-content', ...trusted }),
  })
  .prefault({})
  .describe('OpenTelemetry; off unless it is turned on.');

/**
 * Every setting there is. A new one is added here and nowhere else: its name in files, its environment variable, its
 * flag, `config show`, `config schema` and the table in docs/settings.md follow from it.
 */
export const settingsSchema = z
  .strictObject({
    model: z
      .string()
      .default('auto')
      .describe(
        'The model that the agent asks, as `PROVIDER/MODEL`; `auto` means the first provider with a key, else a server on this machine.',
      )
      .meta(trusted),
    window: z
      .int()
      .min(1_000)
      .max(100_000_000)
      .optional()
      .describe(
        'The window of that model in tokens, where it is smaller than what is known of it, or nothing is known.',
      ),
    provider: z
      .enum(['auto', ...dialects])
      .default('auto')
      .describe('Whose rules to check by; `auto` means those of the dialect that the conversation is written in.'),
    color: z
      .enum(['auto', 'always', 'never'])
      .default('auto')
      .describe('When to print in color; `auto` means on a terminal, unless NO_COLOR is set.'),
    store: z
      .strictObject({
        dir: z
          .string()
          .min(1)
          .default('auto')
          .describe('The folder that sessions are kept in; `auto` means longhaul in the data folder of this user.')
          .meta({ flag: '--store', ...trusted }),
      })
      .prefault({})
      .describe('Where sessions are kept.'),
    limits: z
      .strictObject({
        fileBytes: z
          .int()
          .min(1)
          // A JavaScript string cannot be much longer.
          .max(500 * mebibyte)
          .default(64 * mebibyte)
          .describe('The largest input to read, in bytes; a larger one is refused unread.'),
        lineBytes: z
          .int()
          .min(1)
          .max(500 * mebibyte)
          .default(64 * mebibyte)
          .describe('The longest line of a session file to read, in bytes; such a file itself may be of any size.'),
        answerBytes: z
          .int()
          .min(1024)
          .max(500 * mebibyte)
          .default(64 * mebibyte)
          .describe('The largest answer of a model to read, in bytes; a larger one is a failure.'),
        idleSeconds: z
          .int()
          .min(1)
          .max(86_400)
          .optional()
          .describe('How long a model may send nothing within an answer; by default 600, and 1800 on this machine.'),
        totalSeconds: z
          .int()
          .min(1)
          .max(604_800)
          .optional()
          .describe('How long one call of a model may take; by default 3600, and 14400 on this machine.'),
      })
      .prefault({})
      .describe('Limits on what is read and waited for.'),
    compaction,
    providerCompaction,
    otel,
    sandbox: z
      .strictObject({
        mode: z
          .enum(['auto', 'required', 'off'])
          .default('auto')
          .describe('Where commands of the agent run: `auto` means in a sandbox where the system has one.')
          .meta({ flag: '--sandbox', ...trusted }),
        network: z.boolean().default(true).describe('Whether commands in the sandbox reach the network.').meta(trusted),
        writable: z
          .array(z.string().min(1))
          .default([...usualCaches])
          .describe('Folders that commands in the sandbox can write, beside the workspace and /tmp.')
          .meta({ accepts: 'a list of folders', ...trusted }),
      })
      .prefault({})
      .describe('What commands of the agent can reach.'),
    workspace: z
      .strictObject({
        search: z.boolean().default(true).describe('Whether the agent has the tool `search_code`.'),
        embeddings: z
          .enum(['auto', 'off'])
          .default('auto')
          .describe('Whether code search compares by meaning; `auto` means where @longhaul/embeddings is installed.'),
        readOutline: z
          .boolean()
          .default(true)
          .describe('Whether `read` gives an outline of a file that is over its cap, in place of its first lines.'),
        tree: z.boolean().default(true).describe('Whether the agent is shown the tree of files when a session begins.'),
      })
      .prefault({})
      .describe('What the agent and the code search know of a folder.'),
    hooks: z
      .strictObject({
        PreCompact: commands('before a compaction; exit code 2 blocks it'),
        Compacting: commands('before its summary is made; what they print is told to the summarizer'),
        PostCompact: commands('after a compaction'),
        PreMove: commands('before a session goes elsewhere in its tree; exit code 2 blocks it'),
        PostMove: commands('after it went there'),
        SessionStart: commands('when the agent begins with a session; what they print is told to the model'),
        UserPromptSubmit: commands('before a prompt is said; exit code 2 blocks it, what they print is put behind it'),
        PreToolUse: commands('before a tool; exit code 2 denies it'),
        PermissionRequest: commands('where somebody has to decide about a call; exit code 2 denies it'),
        PostToolUse: commands('after a tool'),
        PostToolUseFailure: commands('after a tool that failed'),
        SubagentStart: commands('when a sub-agent begins'),
        SubagentStop: commands('when a sub-agent has ended'),
        Stop: commands('when the agent would end; exit code 2 lets it go on'),
        ErrorOccurred: commands('when a run fails'),
        Notification: commands('when there is something that people should know'),
        SessionEnd: commands('when the agent is done with a session'),
      })
      .prefault({})
      .describe('Commands that run when a session is compacted or moved, or an agent works.'),
    debug: z.boolean().default(false).describe('Print everything about a failure: its stack and the causes under it.'),
  })
  .meta({ title: 'Longhaul settings' });

/** The settings after all places that may set them were asked. */
export type Settings = z.output<typeof settingsSchema>;

/**
 * What a schema of settings is, so that tests can bring one with kinds of settings that the real one does not have yet.
 */
export type SettingsSchema = z.ZodType<object, object>;

/**
 * Marks a setting as secret: it is never shown, and has no flag, since flags are visible to every user of a machine.
 *
 * @example
 * z.strictObject({ apiKey: secret(z.string().default('').describe('…')) });
 */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  // JSON Schema's own word for a value that goes in and never comes out.
  return schema.meta({ ...schema.meta(), writeOnly: true });
}
