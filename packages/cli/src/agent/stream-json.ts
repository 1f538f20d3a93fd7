import type { Agent, Approver, PermissionAnswer, PermissionRequest } from 'longhaul/agent';
import type { Message } from 'longhaul/message';
import { z } from 'zod';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { type Customizations, withCommand } from './customizations.ts';
import type { RunEnded } from './exit-code.ts';
import type { OpenAgent } from './open-agent.ts';
import { jsonLine } from './print-json.ts';
import { readPrompt } from './prompt.ts';
import { hasPendingWork } from './run-agent.ts';
import { completePrompt, withEnvironment } from './start-agent.ts';

/** The version of the protocol. Within a version, members and kinds of lines are only added. */
const protocol = 1;

const text = z.string().min(1);
const id = z.string().min(1).max(200);

/** A message in the form of Claude Code's `stream-json`. */
const userMessage = z.looseObject({
  type: z.literal('user'),
  message: z.looseObject({
    role: z.literal('user'),
    content: z.union([text, z.array(z.looseObject({ type: z.literal('text'), text: z.string() })).min(1)]),
  }),
  uuid: id.optional(),
});

const input = z.discriminatedUnion('type', [
  z
    .strictObject({ type: z.literal('prompt'), text, id: id.optional() })
    .describe('A prompt. It runs when those before it have ended. With an id it runs once, however often it is sent.'),
  userMessage.describe('A prompt in the form of Claude Code.'),
  z
    .strictObject({ type: z.literal('steer'), text })
    .describe('A message for the run in progress, before its next request.'),
  z
    .strictObject({
      type: z.literal('permission'),
      callId: id,
      answer: z.enum(['allow', 'always', 'deny']),
      reason: z.string().optional(),
    })
    .describe('The answer to a permission_request.'),
  z
    .strictObject({ type: z.literal('approve_plan'), text: text.optional() })
    .describe('Approves the proposed plan, or the edited text in its place: plan mode ends and the work begins.'),
  z.strictObject({ type: z.literal('interrupt') }).describe('Ends the run in progress.'),
]);

type InputLine = z.output<typeof input>;

const event = (type: string, members: z.core.$ZodLooseShape) => z.looseObject({ type: z.literal(type), ...members });
const count = z.int().min(0);

/** What is written, beyond the events of docs/agent.md, of which the most used are here as well. */
const output = z.union([
  event('stream_start', {
    protocol: z.literal(protocol),
    session: id,
    model: text,
    cwd: text,
    commands: z.array(text),
    agents: z.array(text),
  }),
  event('accepted', { line: count, id: id.optional(), isDuplicate: z.boolean() }),
  event('input_error', { line: count, message: text, hint: text }),
  event('permission_request', {
    callId: id,
    tool: text,
    input: z.record(z.string(), z.unknown()),
    summary: text,
    reason: z.string().optional(),
    preview: z.string().optional(),
  }),
  event('plan_proposed', { text, steps: z.array(z.string()) }),
  event('run_start', { session: id, model: text, cwd: text, resumed: z.boolean() }),
  event('said', { how: z.enum(['prompt', 'steered', 'queued', 'continuation']), text: z.string() }),
  event('text', { delta: z.string() }),
  event('tool_start', { callId: id, tool: text, input: z.record(z.string(), z.unknown()), summary: z.string() }),
  event('tool_end', { callId: id, tool: text, isError: z.boolean(), text: z.string() }),
  event('run_end', {
    reason: z.enum(['done', 'aborted', 'failed', 'max_turns', 'max_cost', 'refused']),
    turns: count,
    text: z.string(),
    costUsd: z.number().optional(),
  }),
  z.looseObject({ type: text }).describe('Any other event of docs/agent.md. Ignore types that you do not know.'),
]);

/**
 * The JSON Schema of the lines in both directions.
 *
 * @example
 * console.log(JSON.stringify(streamSchema(), undefined, 2));
 */
export function streamSchema(): object {
  return {
    title: `longhaul stream-json, version ${protocol}`,
    protocol,
    input: z.toJSONSchema(input, { io: 'input' }),
    output: z.toJSONSchema(output, { io: 'output' }),
  };
}

/** A line that cannot be used. */
interface BadLine {
  readonly message: string;
  readonly hint: string;
}

/**
 * Reads one line of input.
 *
 * @example
 * readInputLine('{"type":"steer","text":"Stop at the tests."}'); // { type: 'steer', text: … }
 */
function readInputLine(line: string): InputLine | BadLine {
  const hint = 'See docs/agent.md, or print the schema with `longhaul -p --stream-schema`.';
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { message: 'The line is not JSON.', hint };
  }
  const parsed = input.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join('.') ?? '';
  const types = input.options.map((option) => option.shape.type.value).join(', ');
  if (place === 'type' || place === '') {
    const type =
      typeof value === 'object' && value !== null && 'type' in value ? JSON.stringify(value.type) : 'missing';
    if (issue?.code === 'unrecognized_keys') return { message: `Unknown members: ${issue.keys.join(', ')}.`, hint };
    return { message: `The type is ${type}; it must be one of ${types}.`, hint };
  }
  return { message: `${place}: ${issue?.message ?? 'invalid'}.`, hint };
}

/** Questions that wait for an answer on standard input. */
export class StreamQuestions {
  readonly #open = new Map<string, (answer: PermissionAnswer) => void>();
  #isOver = false;
  #write: (line: object) => Promise<void> = async () => undefined;

  connect(write: (line: object) => Promise<void>): void {
    this.#write = write;
  }

  readonly approver: Approver = async (request, signal) => {
    if (this.#isOver) throw new Error('standard input has ended, so that it could not be answered');
    const answer = new Promise<PermissionAnswer>((resolve, reject) => {
      this.#open.set(request.callId, resolve);
      signal.addEventListener('abort', () => reject(new Error('the run ended before the question was answered')), {
        once: true,
      });
    });
    // The rejection is handled below; without this it would count as unhandled while the line is written.
    answer.catch(() => undefined);
    await this.#write({ type: 'permission_request', ...questionOf(request) });
    return await answer.finally(() => this.#open.delete(request.callId));
  };

  /** Whether there was such a question. */
  answer({ callId, answer }: { readonly callId: string; readonly answer: PermissionAnswer }): boolean {
    const resolve = this.#open.get(callId);
    resolve?.(answer);
    return resolve !== undefined;
  }

  /** No more answers come. */
  end(): void {
    this.#isOver = true;
    for (const resolve of this.#open.values()) resolve({ deny: 'standard input ended without an answer' });
  }
}

function questionOf({ callId, tool, input: given, summary, reason, preview }: PermissionRequest) {
  return {
    callId,
    tool,
    input: given,
    summary,
    ...(reason !== undefined && { reason }),
    ...(preview !== undefined && { preview }),
  };
}

/** What a prompt becomes before it is sent; `undefined` if there is nothing to send. */
export type MakeMessage = (text: string) => Promise<Message | undefined>;

/** Approves the plan of the session; returns the message that starts the work. */
type ApprovePlan = (edited: string | undefined) => Promise<Message>;

/**
 * Works on prompts from standard input until it ends, one run per prompt. Returns the end of the last run; `undefined` if
 * there was none.
 *
 * @example
 * const end = await converseOverStream({ io, agent, first, messageFor, approvePlan, settle, write, questions, about, limit, signal });
 */
async function converseOverStream({
  io,
  agent,
  first,
  messageFor,
  approvePlan,
  settle,
  write,
  questions,
  about,
  limit,
  signal,
}: {
  readonly io: Pick<Io, 'stdin'>;
  readonly agent: Agent;
  /** A prompt of the command line, or `resume` for interrupted work. */
  readonly first: Message | 'resume' | undefined;
  readonly messageFor: MakeMessage;
  readonly approvePlan: ApprovePlan;
  /** Called at the end of each run. */
  readonly settle: (end: RunEnded) => Promise<void>;
  readonly write: (line: object) => Promise<void>;
  readonly questions: StreamQuestions;
  readonly about: {
    readonly model: string;
    readonly cwd: string;
    readonly commands: readonly string[];
    readonly agents: readonly string[];
  };
  /** The maximum length of a line in bytes. */
  readonly limit: number;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}): Promise<RunEnded | undefined> {
  questions.connect(write);
  await write({ type: 'stream_start', protocol, session: agent.session.id, ...about });
  const queue: { readonly message?: Message; readonly key?: string }[] = [];
  /** The id of the prompt that is being run; it is not in the log until the run has appended it. */
  let running: string | undefined;
  let wake: () => void = () => undefined;
  let [isOver, last] = [false, undefined as RunEnded | undefined];
  const add = (item: (typeof queue)[number]) => {
    queue.push(item);
    wake();
  };
  if (first !== undefined) add(first === 'resume' ? {} : { message: first });
  signal.addEventListener('abort', () => {
    agent.abort();
    isOver = true;
    wake();
  });
  void read().finally(() => {
    isOver = true;
    questions.end();
    wake();
  });
  for (;;) {
    const next = queue.shift();
    if (next && !signal.aborted) last = (await runOne(next)) ?? last;
    else if (isOver) return last;
    else await new Promise<void>((resolve) => (wake = resolve));
  }

  async function runOne({ message, key }: (typeof queue)[number]): Promise<RunEnded | undefined> {
    let end: RunEnded | undefined;
    running = key;
    const prompt = { ...(message && { prompt: message }), ...(key !== undefined && { key }) };
    for await (const one of agent.run(prompt)) {
      await write(one);
      if (one.type === 'run_end') end = one;
    }
    if (end) await settle(end);
    return end;
  }

  async function read(): Promise<void> {
    let at = 0;
    for await (const line of linesOf({ chunks: io.stdin(), limit, signal })) {
      at += 1;
      if (line === undefined)
        await fail({ at, message: `The line is longer than ${limit} bytes.`, hint: 'Name a file instead.' });
      else if (line.trim() !== '') await take({ at, line });
    }
  }

  async function fail({ at, ...why }: BadLine & { readonly at: number }): Promise<void> {
    await write({ type: 'input_error', line: at, ...why });
  }

  async function take({ at, line }: { readonly at: number; readonly line: string }): Promise<void> {
    const found = readInputLine(line);
    if (!('type' in found)) return await fail({ at, ...found });
    switch (found.type) {
      case 'prompt':
        return await prompt({ at, given: found.id, make: () => messageFor(found.text) });
      case 'user': {
        const { content } = found.message;
        const written = typeof content === 'string' ? content : content.map((part) => part.text).join('\n');
        return await prompt({ at, given: found.uuid, make: () => messageFor(written) });
      }
      case 'steer':
        return await agent.steer(found.text).then(() => {
          if (agent.state === 'idle') add({});
        });
      case 'permission': {
        const { callId, answer, reason = 'the user said no' } = found;
        const isKnown = questions.answer({ callId, answer: answer === 'deny' ? { deny: reason } : answer });
        const hint = 'Answer each permission_request once.';
        return isKnown ? undefined : await fail({ at, message: `No question about ${callId} is open.`, hint });
      }
      case 'approve_plan':
        return await prompt({ at, given: undefined, make: () => approvePlan(found.text) });
      case 'interrupt':
        agent.abort();
    }
  }

  async function prompt(of: {
    readonly at: number;
    readonly given: string | undefined;
    readonly make: () => Promise<Message | undefined>;
  }) {
    const { at, given, make } = of;
    const named = given === undefined ? {} : { id: given };
    try {
      const known = given === undefined ? [] : await agent.session.session.read({ keys: [`${given}:0`] });
      const isQueued = given !== undefined && (running === given || queue.some(({ key }) => key === given));
      const isDuplicate = known.length > 0 || isQueued;
      const message = isDuplicate ? undefined : await make();
      await write({ type: 'accepted', line: at, ...named, isDuplicate });
      if (message) add({ message, ...(given !== undefined && { key: given }) });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      await fail({ at, message: why, hint: 'The prompt was not sent.' });
    }
  }
}

/** Lines of a stream; `undefined` for one that is too long, whose bytes are not kept. */
async function* linesOf({
  chunks,
  limit,
  signal,
}: {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly limit: number;
  readonly signal: AbortSignal;
}): AsyncGenerator<string | undefined> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const taken = () => {
    const line = size > limit ? undefined : Buffer.concat(parts).toString('utf8');
    [parts, size] = [[], 0];
    return line;
  };
  for await (const chunk of chunks) {
    if (signal.aborted) return;
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      yield taken();
    }
    keep(chunk.subarray(start));
  }
  if (size > 0) yield taken();

  function keep(bytes: Uint8Array): void {
    size += bytes.length;
    if (size > limit) parts = [];
    else if (bytes.length > 0) parts.push(bytes);
  }
}

/**
 * Standard input belongs to the stream, not to the prompt.
 *
 * @example
 * await readPrompt({ io: withoutInput(io), text, values });
 */
export function withoutInput(io: Io): Pick<Io, 'stdin' | 'stdinIsTerminal' | 'stderr' | 'sleep' | 'cwd' | 'files'> {
  const { stdin, stderr, sleep, cwd, files } = io;
  return { stdin, stderr, sleep, cwd, files, stdinIsTerminal: true };
}

/**
 * Prompts, steering and answers over standard input, events over standard output.
 *
 * @example
 * const end = await overStream({ io, opened, questions, prompt, custom, values, setAllow, endPlanning, warn });
 */
export async function overStream(of: {
  readonly io: Io;
  readonly opened: OpenAgent;
  readonly questions: StreamQuestions;
  readonly prompt: Message | undefined;
  readonly custom: Customizations;
  readonly values: Settings;
  readonly setAllow: (rules: readonly string[]) => void;
  /** Ends plan mode, after the plan was approved. */
  readonly endPlanning: () => void;
  readonly warn: (text: string) => void;
}) {
  const { io, opened, questions, custom, values, setAllow, endPlanning, warn } = of;
  const { agent, plans } = opened;
  const write = async (line: object) => await io.stdout.write(jsonLine(line));
  let shownPlan = plans.current();
  const complete = (prompt: Message) => completePrompt({ prompt, opened });
  const isResumed = of.prompt === undefined && hasPendingWork(await agent.pending());
  return await abortOnInterrupt({
    io,
    work: async (signal) =>
      await converseOverStream({
        io,
        agent,
        first: isResumed ? 'resume' : withEnvironment({ prompt: of.prompt && (await complete(of.prompt)), opened }),
        async messageFor(text) {
          const typed = await readPrompt({ io: withoutInput(io), text, values });
          const { prompt, allow, isDone } = await withCommand({ prompt: typed, custom, warn });
          if (allow.length > 0) setAllow(allow);
          return isDone || !prompt ? undefined : await complete(prompt);
        },
        async approvePlan(edited) {
          const approval = await plans.approve({ text: edited });
          endPlanning();
          return await complete(approval);
        },
        settle: async ({ reason, text }) => {
          if (reason === 'done') await plans.takeAnswer(text);
          const plan = plans.current();
          if (plan?.status === 'proposed' && plan !== shownPlan)
            await write({ type: 'plan_proposed', text: plan.text, steps: plan.steps.map(({ content }) => content) });
          shownPlan = plan;
        },
        write,
        questions,
        about: {
          model: `${agent.model.id.provider}/${agent.model.id.name}`,
          cwd: io.cwd,
          commands: custom.commands.map(({ name }) => name),
          agents: custom.agents.map(({ name }) => name),
        },
        limit: values.limits.lineBytes,
        signal,
      }),
  });
}
