import type { Dialect, Message, Part, ToolCallPart } from '../message/index.ts';
import {
  type FailureKind,
  type Model,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  modelInfo,
  type Usage,
} from '../models/index.ts';
import type { FakeClock } from './clock.ts';

/** One answer of a scripted model. */
export interface ScriptedAnswer {
  readonly thinking?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedCall[];
  readonly usage?: Usage;
  /** End reason; default: `tool_calls` if there are calls, else `stop`. */
  readonly reason?: 'stop' | 'length' | 'tool_calls' | 'refused' | 'paused';
  /** Ends with this failure, after the content. */
  readonly failure?: FailureKind | ModelFailure;
  /** Delay before the first text, on the clock. */
  readonly delayMs?: number;
}

export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  /** An object, or its JSON text, which may be invalid. */
  readonly arguments?: object | string;
}

export type Script =
  | readonly ScriptedAnswer[]
  | ((request: ModelRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** A model that answers from a script, with the same contract as real ones. */
export interface ScriptedModel extends Model {
  /** All requests, in order. */
  readonly requests: readonly ModelRequest[];
}

/**
 * Creates a model from a script. An exhausted list fails with an error, since a test that sends more requests than
 * planned is wrong.
 *
 * @example
 * const model = scriptedModel({ script: [{ text: 'Hello.' }] });
 * const { message } = await collect(model.stream({ head: [], items: [], tools: [], options: {} }));
 */
export function scriptedModel(input: {
  readonly script: Script;
  readonly name?: string;
  readonly dialect?: Dialect;
  readonly window?: number;
  /** Characters per delta. */
  readonly chunk?: number;
  readonly clock?: Pick<FakeClock, 'sleep'>;
}): ScriptedModel {
  const { script, name = 'scripted', dialect = 'anthropic', chunk = 16, clock } = input;
  const requests: ModelRequest[] = [];
  const info = modelInfo({ name, extra: [{ match: [name], window: input.window ?? 200_000 }] });
  return {
    id: { provider: 'test', name },
    dialect,
    info,
    requests,
    async *stream(request) {
      const index = requests.push(request) - 1;
      yield* perform({ answer: await answerOf(script, request, index), request, index, chunk, clock });
    },
  };
}

async function* perform(input: {
  readonly answer: ScriptedAnswer;
  readonly request: ModelRequest;
  readonly index: number;
  readonly chunk: number;
  readonly clock: Pick<FakeClock, 'sleep'> | undefined;
}): AsyncGenerator<ModelEvent> {
  const { answer, chunk, clock } = input;
  const { signal } = input.request;
  const parts: Part[] = [];
  const message = (): Message => ({ role: 'assistant', parts: [...parts] });
  if (answer.delayMs && clock) await clock.sleep(answer.delayMs, signal).catch(() => undefined);
  for (const type of ['thinking', 'text'] as const) {
    const whole = answer[type] ?? '';
    for (let at = 0; at < whole.length && !signal?.aborted; at += chunk) {
      if (at > 0) parts.pop();
      parts.push({ type, origin: 'model', text: whole.slice(0, at + chunk) });
      yield { type, delta: whole.slice(at, at + chunk) };
    }
  }
  for (const [position, call] of (answer.toolCalls ?? []).entries()) {
    if (signal?.aborted) break;
    const part = callPart(call, `call_${input.index}_${position}`);
    yield { type: 'tool_call_start', id: part.id, name: part.name };
    for (const delta of pieces(part.arguments, chunk)) yield { type: 'tool_call_delta', id: part.id, delta };
    parts.push(part);
    yield { type: 'tool_call', call: part };
  }
  if (signal?.aborted) return yield { type: 'end', reason: 'aborted', message: message() };
  if (answer.usage) yield { type: 'usage', usage: answer.usage };
  if (answer.failure) {
    return yield { type: 'end', reason: 'failed', message: message(), failure: failureOf(answer.failure) };
  }
  yield {
    type: 'end',
    reason: answer.reason ?? (answer.toolCalls?.length ? 'tool_calls' : 'stop'),
    message: message(),
  };
}

function callPart(call: ScriptedCall, id: string): ToolCallPart {
  const args = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
  return { type: 'tool_call', origin: 'model', id: call.id ?? id, name: call.name, arguments: args };
}

function* pieces(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

function failureOf(failure: FailureKind | ModelFailure): ModelFailure {
  if (typeof failure !== 'string') return failure;
  return {
    kind: failure,
    message: `The script says: ${failure}.`,
    retryable: failure === 'rate' || failure === 'network',
  };
}

/** Failures are values in the contract, including those of a script. */
async function answerOf(script: Script, request: ModelRequest, index: number): Promise<ScriptedAnswer> {
  const fails = (message: string): ScriptedAnswer => ({ failure: { kind: 'invalid', message, retryable: false } });
  try {
    const answer = typeof script === 'function' ? await script(request, index) : script[index];
    return answer ?? fails(`The script has no answer for request ${index + 1}.`);
  } catch (error) {
    return fails(`The script failed at request ${index + 1}: ${String(error)}`);
  }
}
