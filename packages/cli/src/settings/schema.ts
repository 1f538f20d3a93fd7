import { type PresetName, presets } from 'longhaul/engine';
import { dialects } from 'longhaul/message';
import { z } from 'zod';
import { diagnosticsSettings, fetchSettings, mcpSettings } from './tools.ts';

const mebibyte = 1024 * 1024;

/** Shell commands for one hook event; see docs/hooks.md. */
function commands(when: string) {
  const command = z.strictObject({
    command: z.string().min(1),
    timeout: z.number().positive().max(3600).optional(),
    matcher: z.string().optional(),
    env: z.array(z.string().min(1)).optional(),
  });
  // Claude Code's format: commands grouped by matcher.
  const group = z.strictObject({
    matcher: z.string().optional(),
    hooks: z.array(
      z.strictObject({
        type: z.literal('command').default('command'),
        command: z.string().min(1),
        timeout: z.number().positive().max(3600).optional(),
      }),
    ),
  });
  // Opening a session in an untrusted project must not run its commands.
  return z
    .array(z.union([command, group]))
    .default([])
    .describe(`Commands to run ${when}.`)
    .meta({ accepts: 'a list of objects with command, timeout, matcher, env', trusted: true });
}

/** A share of the window, or tokens; values in between are mistakes (features D7). */
const isThreshold = (value: number) => (value > 0 && value <= 1) || value >= 100;

/**
 * Settings about storage, endpoints, keys and commands belong to the user, not to an untrusted project. Every new setting
 * is either marked with this or listed as harmless in `resolve.test.ts`.
 */
const trusted = { trusted: true };

/** Cache folders of package managers and compilers; credentials and programs are elsewhere. */
const defaultCaches: readonly string[] = [
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
      .describe('The address that writes summaries: it receives `{ systemPrompt, prompt }` and returns `{ summary }`.')
      .meta({ flag: '--endpoint', ...trusted }),
    keyVariable: z
      .string()
      .default('')
      .describe('The environment variable with its key, sent as `Authorization: Bearer …`.')
      .meta({ flag: '--endpoint-key-variable', ...trusted }),
    timeout: z
      .int()
      .min(1)
      .max(3600)
      .default(120)
      .describe('Timeout in seconds; after it an extractive summary is made.')
      .meta({ flag: '--endpoint-timeout' }),
    window: z
      .int()
      .min(4_000)
      .max(100_000_000)
      .default(128_000)
      .describe('The maximum number of tokens per request; longer input is sent in parts.')
      .meta({ flag: '--endpoint-window' }),
  })
  .prefault({})
  .describe('Your own endpoint for summaries.');

/** A model or endpoint for summaries, and the conversations it is used for (features D17). */
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
      .describe('When and how sessions are compacted; `longhaul presets` compares the presets.')
      .meta({ flag: '--preset' }),
    automatic: z
      .boolean()
      .default(true)
      .describe('Whether sessions are compacted automatically. What exceeds the window is cut in any case.')
      .meta({ flag: '--automatic' }),
    threshold: z
      .number()
      .refine(isThreshold)
      .optional()
      .describe('How much of the window is used before compaction, instead of all of it.')
      .meta({ flag: '--threshold', accepts: 'a share above 0 and up to 1, or tokens from 100 on' }),
    reserve: z
      .int()
      .min(0)
      .max(100_000_000)
      .optional()
      .describe('Tokens of the window reserved for the answer, overriding the preset; at most half of it.')
      .meta({ flag: '--reserve' }),
    keepRecent: z
      .int()
      .min(0)
      .max(100_000_000)
      .optional()
      .describe('How many of the newest tokens a compaction keeps verbatim if they fit, overriding the preset.')
      .meta({ flag: '--keep-recent' }),
    autoContinue: z
      .boolean()
      .optional()
      .describe('Whether the agent continues after a compaction between rounds, overriding the preset.')
      .meta({ flag: '--auto-continue' }),
    branchSummaries: z
      .enum(['preset', 'off', 'extractive', 'model'])
      .default('preset')
      .describe(
        'Whether a move to another branch adds a summary automatically, and how it is made; `preset` means only on request, made like other summaries.',
      )
      .meta({ flag: '--branch-summaries', ...trusted }),
    summarizer: z
      .enum(['auto', 'extractive', 'model'])
      .default('auto')
      .describe(
        'How summaries are made: `extractive` without a model, `model` with one; `auto` uses a model if one is configured, and the model of the agent while it runs.',
      )
      .meta({ flag: '--summarizer', ...trusted }),
    mode: z
      .enum(['preset', 'auto', 'full', 'simple'])
      .default('preset')
      .describe(
        'How a model is asked first: with the whole conversation or with one text; `preset` leaves it to the preset.',
      )
      .meta({ flag: '--summary-mode' }),
    model: z
      .string()
      .default('')
      .describe('The model that writes summaries, e.g. `anthropic/claude-haiku-4-5`; tried before the endpoint.')
      .meta({ flag: '--summary-model', ...trusted }),
    endpoint,
    candidates: z
      .array(candidate)
      .default([])
      .describe('Models and endpoints for summaries, tried in order before those above.')
      .meta(trusted),
  })
  .prefault({})
  .describe('When and how sessions are compacted.');

/** Compaction by the provider. */
const providerCompaction = z
  .strictObject({
    anthropic: z.boolean().default(false).describe('Let Anthropic compact the conversation too.'),
    openai: z.boolean().default(false).describe('Let OpenAI compact the conversation too.'),
    triggerTokens: z
      .int()
      .min(1_000)
      .max(100_000_000)
      .optional()
      .describe("The number of prompt tokens from which a provider compacts; default: the provider's own."),
  })
  .prefault({})
  .describe('Server-side compaction, in addition to ours.');

const otel = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Export spans and metrics with OpenTelemetry, as configured by the standard OTEL_* variables.')
      .meta({ flag: '--otel', ...trusted }),
    content: z
      .boolean()
      .default(false)
      .describe('Also export answers, arguments and results, with secrets masked.')
      .meta({ flag: '--otel-content', ...trusted }),
  })
  .prefault({})
  .describe('OpenTelemetry; off by default.');

const memory = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Whether the agent gets notes of earlier sessions of the repository, and the tool `context_board`.')
      .meta({ flag: '--memory' }),
    consolidate: z
      .boolean()
      .default(false)
      .describe('Whether the learnings of a session go to memory when the agent ends, in a process of their own.')
      .meta({ flag: '--memory-consolidate', ...trusted }),
    refine: z
      .boolean()
      .default(false)
      .describe('Whether a model drops useless candidates when a session is consolidated.')
      .meta({ flag: '--memory-refine', ...trusted }),
    inRepo: z
      .boolean()
      .default(false)
      .describe('Whether memory is kept in the file .longhaul/memory.md of the repository instead of the store.')
      .meta({ flag: '--in-repo', ...trusted }),
    inboxTokens: z
      .int()
      .min(100)
      .max(20_000)
      .default(1_000)
      .describe('The maximum number of tokens of notes that a new session gets.'),
    entries: z
      .int()
      .min(10)
      .max(10_000)
      .default(200)
      .describe('The maximum number of entries on the board; the least useful ones go to the archive.'),
    tokens: z.int().min(500).max(1_000_000).default(8_000).describe('The maximum number of tokens of the board.'),
  })
  .prefault({})
  .describe('Memory across sessions of a repository.');

/**
 * All settings. Adding one here is enough: its name in files, environment variable, flag, `config show`, `config schema`
 * and the table in docs/settings.md are derived from it.
 */
export const settingsSchema = z
  .strictObject({
    model: z
      .string()
      .default('auto')
      .describe(
        'The model of the agent, as `PROVIDER/MODEL`; `auto` means the first provider with a key, otherwise a local server.',
      )
      .meta(trusted),
    window: z
      .int()
      .min(1_000)
      .max(100_000_000)
      .optional()
      .describe('The context window of that model in tokens, if it is smaller than the known one, or unknown.'),
    effort: z
      .enum(['auto', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
      .default('auto')
      .describe(
        'How much the model thinks before it answers; the next lower level where the model does not know one. `auto` means the default of the provider.',
      ),
    provider: z
      .enum(['auto', ...dialects])
      .default('auto')
      .describe('The provider whose rules are checked; `auto` means the dialect of the conversation.'),
    color: z
      .enum(['auto', 'always', 'never'])
      .default('auto')
      .describe('When to print in color; `auto` means on a terminal, unless NO_COLOR is set.'),
    terminal: z
      .strictObject({
        theme: z
          .enum(['auto', 'dark', 'light'])
          .default('auto')
          .describe('Colors of the terminal interface; `auto` asks the terminal for its background.'),
        vim: z.boolean().default(false).describe('Whether the input of the terminal interface has vim keys.'),
        bell: z
          .boolean()
          .default(true)
          .describe('Whether the terminal interface rings the bell when it waits for the user.'),
      })
      .prefault({}),
    store: z
      .strictObject({
        dir: z
          .string()
          .min(1)
          .default('auto')
          .describe('The folder for sessions; `auto` means longhaul in the data folder of the user.')
          .meta({ flag: '--store', ...trusted }),
        transcripts: z
          .boolean()
          .default(true)
          .describe('Whether the agent keeps a readable transcript with the session; hooks and summaries name it.'),
        checkpoints: z
          .boolean()
          .default(true)
          .describe('Whether the agent keeps the summaries in force as Markdown files with the session.'),
      })
      .prefault({})
      .describe('Where sessions are stored.'),
    limits: z
      .strictObject({
        fileBytes: z
          .int()
          .min(1)
          // Close to the maximum length of a JavaScript string.
          .max(500 * mebibyte)
          .default(64 * mebibyte)
          .describe('The maximum input size in bytes; larger input is rejected without reading it.'),
        lineBytes: z
          .int()
          .min(1)
          .max(500 * mebibyte)
          .default(64 * mebibyte)
          .describe('The maximum line length of a session file in bytes; the file itself may be of any size.'),
        answerBytes: z
          .int()
          .min(1024)
          .max(500 * mebibyte)
          .default(64 * mebibyte)
          .describe('The maximum size of a model response in bytes.'),
        idleSeconds: z
          .int()
          .min(1)
          .max(86_400)
          .optional()
          .describe('Seconds without data after which a model response fails; default 600, 1800 for local servers.'),
        totalSeconds: z
          .int()
          .min(1)
          .max(604_800)
          .optional()
          .describe('The maximum duration of a model request in seconds; default 3600, 14400 for local servers.'),
      })
      .prefault({})
      .describe('Limits on input and on waiting.'),
    compaction,
    providerCompaction,
    memory,
    otel,
    rollback: z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe('Whether files are kept before the agent changes them, so that `rewind --files` can put them back.')
          .meta(trusted),
        fileBytes: z
          .int()
          .min(1)
          .max(500 * mebibyte)
          .default(20 * mebibyte)
          .describe('Larger files are not kept. Bytes.')
          .meta(trusted),
      })
      .prefault({})
      .describe('Earlier versions of files.'),
    custom: z
      .strictObject({
        agents: z
          .boolean()
          .default(true)
          .describe('Whether custom agents are read from .longhaul/agents, .claude/agents and your own folders.')
          .meta(trusted),
        commands: z
          .boolean()
          .default(true)
          .describe('Whether custom commands are read from .longhaul/commands, .claude/commands and your own folders.')
          .meta(trusted),
        extensions: z
          .boolean()
          .default(true)
          .describe('Whether extensions are loaded from .longhaul/extensions and ~/.config/longhaul/extensions.')
          .meta(trusted),
      })
      .prefault({})
      .describe('What files of yours and of a trusted project add to the agent.'),
    permissions: z
      .strictObject({
        mode: z
          .enum(['ask', 'auto-edit', 'read-only', 'plan', 'yes'])
          .default('ask')
          .describe(
            'What the agent may do without asking: `ask` nothing but reading, `auto-edit` also changing files of the workspace, `yes` also running commands; `read-only` denies both; `plan` denies both until you have approved a plan.',
          )
          .meta({ flag: '--mode', ...trusted }),
        allow: z
          .array(z.string().min(1))
          .default([])
          .describe('Rules for calls that are allowed, e.g. `bash(npm test:*)`, in addition to those of --allow.')
          .meta({ accepts: 'a list of rules', ...trusted }),
        deny: z
          .array(z.string().min(1))
          .default([])
          .describe('Rules for calls that are denied, e.g. `read(secrets/**)`, in addition to those of --deny.')
          // A list in a project would replace that of the user.
          .meta({ accepts: 'a list of rules', ...trusted }),
        folders: z
          .array(z.string().min(1))
          .default([])
          .describe('Further folders that belong to the workspace, in addition to those of --add-dir.')
          .meta({ accepts: 'a list of folders', ...trusted }),
      })
      .prefault({})
      .describe('What the agent may do.'),
    sandbox: z
      .strictObject({
        mode: z
          .enum(['auto', 'required', 'off'])
          .default('auto')
          .describe('Where commands of the agent run: `auto` means in a sandbox if the system has one.')
          .meta({ flag: '--sandbox', ...trusted }),
        network: z
          .boolean()
          .default(true)
          .describe('Whether commands in the sandbox have network access.')
          .meta(trusted),
        writable: z
          .array(z.string().min(1))
          .default([...defaultCaches])
          .describe('Folders that commands in the sandbox can write to, in addition to the workspace and /tmp.')
          .meta({ accepts: 'a list of folders', ...trusted }),
      })
      .prefault({})
      .describe('Restrictions on commands of the agent.'),
    mcp: mcpSettings,
    fetch: fetchSettings,
    diagnostics: diagnosticsSettings,
    workspace: z
      .strictObject({
        search: z.boolean().default(true).describe('Whether the agent has the tool `search_code`.'),
        embeddings: z
          .enum(['auto', 'off'])
          .default('auto')
          .describe('Whether code search uses embeddings; `auto` means if @longhaul/embeddings is installed.'),
        readOutline: z
          .boolean()
          .default(true)
          .describe('Whether `read` returns an outline of a file that exceeds its limit, instead of its first lines.'),
        tree: z.boolean().default(true).describe('Whether the agent gets the file tree when a session starts.'),
      })
      .prefault({})
      .describe('What the agent and code search use of a folder.'),
    hooks: z
      .strictObject({
        PreCompact: commands('before a compaction; exit code 2 blocks it'),
        Compacting: commands('before the summary is made; their output is added to the instructions of the summarizer'),
        PostCompact: commands('after a compaction'),
        PreMove: commands('before a session moves in its tree; exit code 2 blocks it'),
        PostMove: commands('after it moved'),
        SessionStart: commands('when the agent starts with a session; their output is sent to the model'),
        UserPromptSubmit: commands('before a prompt is sent; exit code 2 blocks it, their output is appended to it'),
        PreToolUse: commands('before a tool; exit code 2 denies it'),
        PermissionRequest: commands('when a call needs approval; exit code 2 denies it'),
        PostToolUse: commands('after a tool'),
        PostToolUseFailure: commands('after a tool that failed'),
        SubagentStart: commands('when a sub-agent starts'),
        SubagentStop: commands('when a sub-agent has ended'),
        Stop: commands('when the agent is about to stop; exit code 2 makes it continue'),
        ErrorOccurred: commands('when a run fails'),
        Notification: commands('when there is something the user should know'),
        SessionEnd: commands('when the agent ends its work on a session'),
      })
      .prefault({})
      .describe('Commands that run when a session is compacted or moved, or while an agent works.'),
    debug: z.boolean().default(false).describe('Print full details of an error: stack and causes.'),
  })
  .meta({ title: 'Longhaul settings' });

/** The resolved settings. */
export type Settings = z.output<typeof settingsSchema>;

/**
 * The type of a settings schema, so that tests can use one with other kinds of settings.
 */
export type SettingsSchema = z.ZodType<object, object>;

/**
 * Marks a setting as secret: it is never printed and has no flag, since flags are visible to all users of a machine.
 *
 * @example
 * z.strictObject({ apiKey: secret(z.string().default('').describe('…')) });
 */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  // JSON Schema's term for a value that is written but never read back.
  return schema.meta({ ...schema.meta(), writeOnly: true });
}
