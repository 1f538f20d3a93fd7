import { isArray, isObject, type Json, type JsonObject, parseJson, without } from '../../json.ts';
import { codecs, type Message, type Part, type ToolResultPart } from '../../message/index.ts';
import type { Draft, UsageEntry } from '../../session/index.ts';
import { chatParts, thinkingParts } from '../content-parts.ts';
import type { DocumentFormat } from '../format.ts';
import { digestOf } from '../ids.ts';
import { liteLlmName } from '../litellm-name.ts';
import type { ParsedSession } from '../parsed-session.ts';
import { readRuns, type SessionRun } from '../session-runs.ts';
import { createSkipCounter, type SkipCounter } from '../skip-counter.ts';
import { usageNote } from '../usage.ts';
import type { WarningList } from '../warnings.ts';

/** A trajectory of SWE-agent (`.traj`): one attempt, or those of an agent that retries. */
export const sweAgent: DocumentFormat = {
  kind: 'document',
  name: 'swe-agent',
  isDocument: (value) => attemptsOf(value).length > 0,
  read: ({ value, warnings }) => readSweAgent({ attempts: attemptsOf(value), warnings }),
};

/** In addition to its attempts, a file repeats the best one at the top level. */
function attemptsOf(value: Json): readonly JsonObject[] {
  if (!isObject(value)) return [];
  const listed = isArray(value.attempts) ? value.attempts.filter(isAttempt) : [];
  return listed.length > 0 ? listed : [value].filter(isAttempt);
}

function isAttempt(value: Json): value is JsonObject {
  return isObject(value) && isArray(value.history) && isArray(value.trajectory);
}

/**
 * Attempts of SWE-agent, each a session. The file has no times, so every entry has that of the first import, and is
 * written anew after each step, so an attempt is known by what it began with.
 *
 * @example
 * const reading = readSweAgent({ attempts: [JSON.parse(text)], warnings });
 */
function readSweAgent({
  attempts,
  warnings,
}: {
  readonly attempts: readonly JsonObject[];
  readonly warnings: WarningList;
}): ParsedSession {
  const skips = createSkipCounter({ warnings });
  const runs = attempts.map((attempt, index) => runOf({ attempt, index, skips, warnings }));
  const { key = '', header = {} } = runs[0] ?? {};
  return {
    format: 'swe-agent',
    key,
    header,
    async *entries({ createdAt }) {
      yield* readRuns({ format: 'swe-agent', runs, createdAt, warnings });
      skips.report();
    },
  };
}

function runOf(of: {
  readonly attempt: JsonObject;
  readonly index: number;
  readonly skips: SkipCounter;
  readonly warnings: WarningList;
}): SessionRun {
  const { attempt, index, skips, warnings } = of;
  const history = isArray(attempt.history) ? attempt.history : [];
  const steps = isArray(attempt.trajectory) ? attempt.trajectory : [];
  const config = typeof attempt.replay_config === 'string' ? parseJson(attempt.replay_config) : undefined;
  const name = textAt({ value: config, path: ['problem_statement', 'id'] });
  const by = liteLlmName(textAt({ value: config, path: ['agent', 'model', 'name'] }));
  const used = usageOf(attempt.info);
  return {
    key: `${index}/${digestOf([attempt.environment ?? null, attempt.replay_config ?? null, opening(history)])}`,
    header: {
      ...(name !== undefined && { name }),
      details: { 'swe-agent': without(attempt, ['history', 'trajectory']) ?? {} },
    },
    *build({ builder, createdAt: at }) {
      const turnOf = createTurns();
      for (const item of history) {
        const message = turnOf(item);
        if (!message) {
          warnings.add({
            code: 'unknown-kind',
            message: 'An item of the history is no message; it was kept as it is.',
          });
          yield* builder.append({ draft: { type: 'unknown', kind: 'swe-agent:history', value: { item } }, at });
          continue;
        }
        const isAnswer = message.role === 'assistant' && !(isObject(item) && item.is_demo === true);
        yield* builder.append({ draft: { type: 'message', message, ...(isAnswer && by && { by }) }, at });
      }
      for (const _ of steps) skips.skip('steps of the trajectory, which repeats the history');
      if (used) yield* builder.append({ draft: { ...used, ...(by && { model: by }) }, at });
    },
  };
}

/** What an attempt begins with: everything up to the task. */
function opening(history: readonly Json[]): Json {
  return history.slice(0, history.findIndex(isTask) + 1);
}

/** What the whole attempt consumed, once it has ended; until then the numbers still grow. */
function usageOf(info: Json | undefined): Draft<UsageEntry> | undefined {
  if (!isObject(info) || !isObject(info.model_stats) || typeof info.exit_status !== 'string') return undefined;
  const { tokens_sent: input, tokens_received: output, ...rest } = info.model_stats;
  const note = usageNote({ input, output });
  return note && { ...note, purpose: 'session', details: { 'swe-agent': rest } };
}

function textAt({ value, path }: { readonly value: Json | undefined; readonly path: readonly string[] }) {
  const found = path.reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : undefined), value);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** Whether an item of a history is the task: the first thing said to the model that is no example. */
function isTask(item: Json): boolean {
  return isObject(item) && item.role === 'user' && item.is_demo !== true;
}

/**
 * Reads the items of a history in order; `undefined` for items that are no message. Without function calling the model
 * writes a command at the end of its text, and the shell's output is sent in the user role: both are converted to a call
 * and its result, so that they are not mistaken for human messages.
 *
 * @example
 * const turnOf = createTurns();
 * const messages = history.map(turnOf);
 */
function createTurns(): (item: Json) => Message | undefined {
  let commands = 0;
  /** The command that waits for its output. */
  let running: string | undefined;
  return (item) => {
    const message = isObject(item) ? read(item) : undefined;
    return message && isObject(item) && item.is_demo === true ? shown(message) : message;
  };

  function read(item: JsonObject): Message | undefined {
    const { role, content } = item;
    switch (role) {
      case 'system':
        return { role, parts: chatParts({ content, origin: 'engine' }) };
      case 'assistant':
        return { role, parts: answerParts(item) };
      case 'tool':
        return { role, parts: [result({ callId: firstOf(item.tool_call_ids), content })] };
      case 'user': {
        if (running === undefined) return { role, parts: chatParts({ content, origin: 'human' }) };
        const parts = [result({ callId: running, content })];
        running = undefined;
        return { role: 'tool', parts };
      }
      default:
        return undefined;
    }
  }

  function answerParts(item: JsonObject): Part[] {
    const { content, thought, action, tool_calls: calls } = item;
    const thinking = thinkingParts({ blocks: item.thinking_blocks });
    running = undefined;
    if (isArray(calls) && calls.length > 0) {
      const [called] = codecs['openai-chat'].decode([{ role: 'assistant', tool_calls: calls }]);
      return [...thinking, ...chatParts({ content, origin: 'model' }), ...(called?.parts ?? [])];
    }
    if (typeof action !== 'string' || action.trim() === '') {
      return [...thinking, ...chatParts({ content, origin: 'model' })];
    }
    commands += 1;
    running = `command-${commands}`;
    const said = typeof thought === 'string' && isBefore({ thought, content, action }) ? thought : content;
    const call = { type: 'tool_call', origin: 'model', id: running, name: 'bash' } as const;
    return [
      ...thinking,
      ...chatParts({ content: said, origin: 'model' }),
      { ...call, arguments: JSON.stringify({ command: action }) },
    ];
  }
}

/** Whether a text is nothing but the thought and then the command, however that is fenced. */
function isBefore(of: { readonly thought: string; readonly content: Json | undefined; readonly action: string }) {
  const { thought, content, action } = of;
  if (typeof content !== 'string' || !content.startsWith(thought)) return false;
  const [before = '', after = ''] = content.slice(thought.length).split(action.trim(), 2);
  return content.includes(action.trim(), thought.length) && /^[\s`<>/a-z]*$/.test(before + after);
}

function result({ callId, content }: { readonly callId: string; readonly content: Json | undefined }): ToolResultPart {
  return { type: 'tool_result', origin: 'tool', callId, content: chatParts({ content, origin: 'tool' }) };
}

/** SWE-agent allows one call an answer. */
function firstOf(ids: Json | undefined): string {
  const [id] = isArray(ids) ? ids : [];
  return typeof id === 'string' ? id : '';
}

/** A demonstration in the prompt, not part of the actual conversation. */
function shown({ role, parts }: Message): Message {
  return {
    role,
    parts: parts.map((part): Part => {
      if (part.type !== 'tool_result') return { ...part, origin: 'engine' };
      return { ...part, origin: 'engine', content: part.content.map((inner) => ({ ...inner, origin: 'engine' })) };
    }),
  };
}
