import { setTimeout } from 'node:timers/promises';
import { LonghaulError } from 'longhaul';
import { dialects } from 'longhaul/message';
import type { Model } from 'longhaul/models';
import type { ScriptedAnswer } from 'longhaul/testing';
import { z } from 'zod';
import { parseJsonText } from '../input/parse-json.ts';
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import type { Settings } from '../settings/schema.ts';

const tokens = z.int().min(0);

const call = z.strictObject({
  name: z.string().min(1).describe('A tool: read, write, edit, bash, grep, find, ls, todo, recall, …'),
  arguments: z.record(z.string(), z.json()).default({}).describe('The arguments of the tool.'),
  id: z.string().min(1).optional().describe('The id of the call; generated if omitted.'),
});

const answer = z
  .strictObject({
    thinking: z.string().optional().describe('Thinking of the model before its text.'),
    text: z.string().optional().describe('Text of the model.'),
    toolCalls: z.array(call).optional().describe('Tool calls. The tools are real.'),
    failure: z
      .enum(['overflow', 'rate', 'quota', 'auth', 'network', 'refused', 'invalid', 'unknown'])
      .optional()
      .describe('Fails with this kind of failure after the parts above were sent.'),
    reason: z
      .enum(['stop', 'length', 'tool_calls', 'refused', 'paused'])
      .optional()
      .describe('The stop reason; defaults to `tool_calls` if there are calls, otherwise `stop`.'),
    usage: z
      .strictObject({ input: tokens, output: tokens, cacheRead: tokens.default(0), cacheWrite: tokens.default(0) })
      .optional()
      .describe('The usage that the provider reports.'),
    delayMs: z.int().min(0).max(600_000).optional().describe('Milliseconds until the first token.'),
  })
  .refine(({ thinking, text, toolCalls, failure }) => thinking || text || toolCalls?.length || failure, {
    error: 'must have text, toolCalls or a failure',
  });

const prompt = z.strictObject({
  say: z.string().min(1).describe('The message of the user.'),
  answers: z.array(answer).min(1).describe('The answers of the model, one per request.'),
});

/** The schema of a script for `longhaul run`. */
const scriptSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Location of this schema, for editors.'),
    description: z.string().optional().describe('What the script demonstrates.'),
    window: z.int().min(1_000).max(100_000_000).default(200_000).describe('The context window of the model in tokens.'),
    dialect: z.enum(dialects).default('anthropic').describe('The provider format whose rules apply.'),
    prompts: z.array(prompt).min(1).describe('The prompts of one session, in order.'),
  })
  .meta({ title: 'A script for longhaul run' });

export type AgentScript = z.output<typeof scriptSchema>;

/** The script schema as JSON Schema, for editors and other programs. */
export function scriptJsonSchema(): object {
  return z.toJSONSchema(scriptSchema, { io: 'input' });
}

/**
 * Reads and validates a script; the error names the first invalid place.
 *
 * @example
 * const { prompts } = await readScript({ io, name: 'fix.json', values });
 */
export async function readScript({
  io,
  name,
  values,
}: {
  readonly io: Pick<Io, 'files' | 'stdin' | 'cwd' | 'platform'>;
  /** As given; `-` is standard input. */
  readonly name: string;
  readonly values: Pick<Settings, 'limits'>;
}): Promise<AgentScript> {
  const shown = name === '-' ? 'standard input' : name;
  const from = name === '-' ? { stream: io.stdin() } : { files: io.files, path: pathOf(io).resolve(io.cwd, name) };
  const limit = { bytes: values.limits.fileBytes, hint: 'Make the script shorter, or raise --limits-file-bytes.' };
  const text = await readText({ name: shown, from, limit });
  const parsed = scriptSchema.safeParse(parseJsonText({ name: shown, text }));
  if (parsed.success) return parsed.data;
  throw badScript({ name: shown, issue: parsed.error.issues[0] });
}

function badScript({ name, issue }: { readonly name: string; readonly issue: z.core.$ZodIssue | undefined }) {
  const place = placeOf(issue?.path ?? []);
  return new LonghaulError({
    code: 'bad-script',
    message: `${name} is not a valid script: ${place} ${describeIssue(issue)}.`,
    hint: 'Correct it; `longhaul run --schema` prints the schema of a script.',
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the document';
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`))
    .join('');
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case 'unrecognized_keys':
      return `has unknown members: ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return issue.origin === 'array' || issue.origin === 'string'
        ? 'must not be empty'
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    default:
      return issue?.message ?? 'cannot be read';
  }
}

function withArticle(kind: string): string {
  const names: Readonly<Record<string, string>> = {
    array: 'a list',
    object: 'an object',
    string: 'a text',
    int: 'an integer',
  };
  return names[kind] ?? `a ${kind}`;
}

type ScriptPrompt = AgentScript['prompts'][number];

/** A model that gives the answers of a script. */
export interface Actor {
  readonly model: Model;
  /** Sets the answers for the next prompt. */
  readonly begin: (prompt: ScriptPrompt) => void;
  /** Answers to the current prompt that were not requested. */
  readonly unused: () => number;
  readonly requests: () => number;
}

/**
 * Creates the model of a script.
 *
 * @example
 * const actor = await createActor({ script, window: script.window });
 */
export async function createActor({
  script,
  window,
}: {
  readonly script: Pick<AgentScript, 'dialect'>;
  readonly window: number;
}): Promise<Actor> {
  const { scriptedModel } = await import('longhaul/testing');
  let waiting: ScriptedAnswer[] = [];
  let [prompt, given, requests] = ['', 0, 0];
  const model = scriptedModel({
    window,
    dialect: script.dialect,
    script: () => {
      requests += 1;
      given += 1;
      return waiting.shift() ?? exhausted({ prompt, given });
    },
    clock: {
      sleep: async (ms, signal) => void (await setTimeout(ms, undefined, signal ? { signal } : {})),
    },
  });
  return {
    model,
    begin({ say, answers }) {
      waiting = answers.map(answerOf);
      [prompt, given] = [say, 0];
    },
    unused: () => waiting.length,
    requests: () => requests,
  };
}

function exhausted({ prompt, given }: { readonly prompt: string; readonly given: number }): ScriptedAnswer {
  const message = `The script has ${given - 1} answers to ${JSON.stringify(prompt.slice(0, 40))}, but another one was requested.`;
  return { failure: { kind: 'invalid', message, retryable: false } };
}

/** Drops members that are undefined. */
function answerOf({ toolCalls, ...answer }: ScriptPrompt['answers'][number]): ScriptedAnswer {
  const calls = toolCalls?.map(({ name, arguments: input, id }) => ({
    name,
    arguments: input,
    ...(id !== undefined && { id }),
  }));
  const rest = Object.entries(answer).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(rest), ...(calls && { toolCalls: calls }) };
}
