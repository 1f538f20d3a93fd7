import { type JudgeDialect, type JudgeResult, judge } from '../judge/index.ts';
import { isArray, isObject, type JsonRecord } from '../judge/json.ts';
import { typeOf } from '../judge/openai-responses-items.ts';
import { bindingsOf } from './binding.ts';
import { PrefixCache } from './cache.ts';
import { sumsOf } from './count.ts';
import { failureOf } from './failures.ts';
import { type ResponseContext, replyOf } from './reply.ts';
import { anthropicEvents, anthropicMessage, anthropicOpening, ThreadMemory } from './respond-anthropic.ts';
import { chatCompletion, chatEvents, chatOpening } from './respond-chat.ts';
import { geminiEvents, geminiResponse } from './respond-gemini.ts';
import {
  compacted,
  compactionBody,
  type ResponsesBody,
  responsesBody,
  responsesEvents,
  responsesFailing,
} from './respond-responses.ts';
import { Sealer } from './seal.ts';
import { asArray, event } from './sse.ts';
import type { Outgoing } from './transport.ts';
import type {
  LoopbackAction,
  LoopbackAnswer,
  LoopbackFailureScript,
  LoopbackOptions,
  LoopbackReplyScript,
  LoopbackRequest,
} from './types.ts';
import { type CacheUnit, chainOf, unitsOf } from './units.ts';
import { errorBody, errorOfFinding, type WireError } from './wire-error.ts';

/** A parsed and routed request. */
export interface ProviderRequest {
  dialect: JudgeDialect;
  action: LoopbackAction;
  model: string;
  stream: boolean;
  /** Gemini: the stream is a JSON array, not events. */
  array?: boolean;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: JsonRecord;
  signal: AbortSignal;
}

interface JudgedRequest {
  verdict: JudgeResult;
  outgoing: Outgoing;
}

const exhausted: LoopbackReplyScript = { text: 'The script has no further answer.' };

/** The provider behind the socket: judges, counts, stores, and answers from the script. */
export class LoopbackProvider {
  readonly sealer: Sealer;
  readonly #options: LoopbackOptions;
  readonly #memory = new ResponsesMemory();
  readonly #threads = new ThreadMemory();
  readonly #cache: PrefixCache;
  readonly #now: () => number;
  #scripted = 0;

  constructor({ options, secret }: { options: LoopbackOptions; secret: string }) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.sealer = new Sealer({ secret });
    this.#cache = new PrefixCache({ now: this.#now, minimum: options.cacheMinimum ?? 1024 });
  }

  async answer(asked: ProviderRequest): Promise<JudgedRequest> {
    const { dialect, action } = asked;
    if (action === 'models') return { verdict: { legal: true }, outgoing: this.#models(dialect) };
    const refusal = dialect === 'anthropic' ? this.#threads.refusal(asked) : undefined;
    if (refusal) return this.#refused({ asked, verdict: refusal });
    const continued = (dialect === 'anthropic' ? this.#threads : this.#memory).continued(asked.body);
    if (!continued) return this.#refused({ asked, verdict: noPrevious(asked.body) });
    const verdict = this.#judge({ ...asked, body: continued });
    if (!verdict.legal) return this.#refused({ asked, verdict });
    const whole = { ...asked, body: this.#memory.resolved(continued) };
    return { verdict, outgoing: await this.#serve({ asked: whole, sent: asked.body }) };
  }

  /** An error in the format of the dialect. */
  error({ dialect, error }: { dialect: JudgeDialect; error: WireError }): Outgoing {
    const requestId = this.sealer.id('req');
    const id = dialect === 'anthropic' ? { 'request-id': requestId } : { 'x-request-id': requestId };
    return {
      status: error.status,
      headers: { 'content-type': 'application/json', ...id, ...error.headers },
      frames: [JSON.stringify(errorBody({ dialect, error, requestId }))],
    };
  }

  #refused({ asked, verdict }: { asked: ProviderRequest; verdict: JudgeResult }): JudgedRequest {
    if (verdict.legal) throw new TypeError('A legal request is not refused.');
    return { verdict, outgoing: this.error({ dialect: asked.dialect, error: errorOfFinding(verdict) }) };
  }

  #judge({ dialect, action, body, headers }: ProviderRequest): JudgeResult {
    const bound = this.#options.bindThinking ? this.#boundTo(body) : undefined;
    return judge({
      dialect,
      body,
      options: {
        ...this.#options.judge,
        endpoint: action === 'count' ? 'count' : 'generate',
        betas: (headers['anthropic-beta'] ?? '').split(',').map((each) => each.trim()),
        verify: ({ signature, text }) =>
          this.sealer.signed({ signature, text }) || (text === '' && this.sealer.sealed(signature)),
        ...(bound ? { bound } : {}),
        knownItems: this.#memory.knownItems,
        requiredReasoning: this.#memory.requiredReasoning,
      },
    });
  }

  /** Whether a thinking block is in its original position. */
  #boundTo(body: JsonRecord): (seal: { signature: string; path: string }) => boolean {
    const bindings = bindingsOf(body);
    return ({ signature, path }) => {
      const binding = bindings.get(path);
      return binding === undefined || this.sealer.boundTo({ signature, binding });
    };
  }

  async #serve({ asked, sent }: { asked: ProviderRequest; sent: JsonRecord }): Promise<Outgoing> {
    const { dialect, action, body } = asked;
    const { count = (text: string) => Math.ceil(text.length / 4), skew = 1, window } = this.#options;
    const units = afterCompaction({ dialect, units: unitsOf({ dialect, body }) });
    const sums = sumsOf({ units, count, skew });
    const tokens = sums.at(-1) ?? 0;
    if (action === 'count') return json(countBody({ dialect, tokens }));
    if (window !== undefined && tokens > window) return this.#fail({ asked, failed: { failure: 'overflow' }, tokens });
    const answer = await this.#next({ asked, sent, tokens });
    if ('failure' in answer && answer.failure !== 'refused') return this.#fail({ asked, failed: answer, tokens });
    const chain = chainOf({ units, seed: asked.model });
    const spokenNow = scriptedReply(answer);
    const binding = this.#options.bindThinking ? bindingsOf(body).get('') : undefined;
    const speech: ResponseContext = {
      model: asked.model,
      body,
      sealer: this.sealer,
      created: Math.floor(this.#now() / 1000),
      reply: replyOf({
        dialect,
        body,
        count,
        skew,
        sealer: this.sealer,
        input: tokens,
        spoken: spokenNow,
        compaction: compactionOf({ dialect, body, spoken: spokenNow, tokens }),
        cache: this.#cache.use({ dialect, units, chain, sums }),
      }),
      ...(binding ? { binding } : {}),
    };
    const spoken = responseBody({ dialect, action, speech });
    if (dialect === 'anthropic') this.#threads.keep({ sent, body, answer: spoken.body });
    if (spoken.responded) this.#memory.keep({ id: String(spoken.body.id), body, output: spoken.responded.output });
    const frames = asked.stream ? responseFrames({ dialect, speech, spoken }) : [JSON.stringify(spoken.body)];
    return this.#shaped({ asked, frames, answer });
  }

  #fail({
    asked,
    failed,
    tokens,
  }: {
    asked: ProviderRequest;
    failed: LoopbackFailureScript;
    tokens: number;
  }): Outgoing {
    const { dialect, model, stream } = asked;
    const { failure } = failed;
    if (failure === 'network' || failure === 'refused') return { status: 0, headers: {}, frames: [], drop: true };
    const error = failureOf({ dialect, failed: { ...failed, failure }, tokens, window: this.#options.window, model });
    const outgoing = this.error({ dialect, error });
    const transport = failed.transport ? { transport: failed.transport } : {};
    if (!failed.late || !stream) return { ...outgoing, ...transport };
    const speech: ResponseContext = {
      model,
      body: asked.body,
      sealer: this.sealer,
      created: Math.floor(this.#now() / 1000),
      reply: {
        thinking: '',
        text: 'This answer stops in the middle.',
        calls: [],
        stop: 'end',
        usage: emptyUsage(tokens),
      },
    };
    const frames = failingFrames({ dialect, speech, error, body: outgoing.frames.join('') });
    return this.#shaped({ asked, frames, answer: failed });
  }

  #shaped({ asked, frames, answer }: { asked: ProviderRequest; frames: string[]; answer: LoopbackAnswer }): Outgoing {
    const id = this.sealer.id('req');
    const events = asked.stream && !asked.array;
    return {
      status: 200,
      headers: {
        'content-type': events ? 'text/event-stream; charset=utf-8' : 'application/json',
        ...(events ? { 'cache-control': 'no-cache' } : {}),
        ...(asked.dialect === 'anthropic' ? { 'request-id': id } : { 'x-request-id': id }),
      },
      frames: asked.array ? asArray(frames) : frames,
      ...(answer.transport ? { transport: answer.transport } : {}),
    };
  }

  async #next({
    asked,
    sent,
    tokens,
  }: {
    asked: ProviderRequest;
    sent: JsonRecord;
    tokens: number;
  }): Promise<LoopbackAnswer> {
    const { script = [] } = this.#options;
    const index = this.#scripted++;
    if (typeof script !== 'function') return script[index] ?? exhausted;
    const request: LoopbackRequest = { ...asked, body: sent, wholeBody: asked.body, index, inputTokens: tokens };
    try {
      return await script(request);
    } catch (error) {
      // An error in the test is reported where it will be read: in the client's error.
      return { failure: 'server', message: error instanceof Error ? error.message : String(error) };
    }
  }

  #models(dialect: JudgeDialect): Outgoing {
    const { models = ['loopback'], window } = this.#options;
    return json(modelsList({ dialect, models, window }));
  }
}

function scriptedReply(answer: LoopbackAnswer): LoopbackReplyScript {
  if (!('failure' in answer)) return answer;
  return { stop: 'refused', text: answer.message ?? "I can't help with that." };
}

function emptyUsage(input: number): ResponseContext['reply']['usage'] {
  return { input, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, output: 0, reasoning: 0 };
}

function json(body: JsonRecord): Outgoing {
  return { status: 200, headers: { 'content-type': 'application/json' }, frames: [JSON.stringify(body)] };
}

function countBody({ dialect, tokens }: { dialect: JudgeDialect; tokens: number }): JsonRecord {
  if (dialect === 'gemini') return { totalTokens: tokens };
  return { ...(dialect === 'openai-responses' && { object: 'response.input_tokens' }), input_tokens: tokens };
}

function noPrevious(body: JsonRecord): JudgeResult {
  return {
    legal: false,
    status: 400,
    type: 'invalid_request_error',
    path: 'previous_response_id',
    code: 'previous_response_not_found',
    param: 'previous_response_id',
    message: `Previous response with id '${String(body.previous_response_id)}' not found.`,
  };
}

/** The model list in the dialect's shape. */
function modelsList({
  dialect,
  models,
  window,
}: {
  dialect: JudgeDialect;
  models: readonly string[];
  window: number | undefined;
}): JsonRecord {
  if (dialect === 'gemini')
    return {
      models: models.map((name) => ({
        name: `models/${name}`,
        displayName: name,
        version: '1',
        outputTokenLimit: 65_536,
        inputTokenLimit: window ?? 1_048_576,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      })),
    };
  if (dialect === 'anthropic')
    return {
      data: models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' })),
      has_more: false,
      first_id: models[0] ?? null,
      last_id: models.at(-1) ?? null,
    };
  return {
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'loopback' })),
  };
}

/** The token threshold from which the provider compacts on its own; `undefined` if not enabled. */
function triggerOf({ dialect, body }: { dialect: JudgeDialect; body: JsonRecord }): number | undefined {
  const { context_management: managed } = body;
  if (dialect === 'openai-responses') {
    const entry = isArray(managed) ? managed.find((each) => isObject(each) && each.type === 'compaction') : undefined;
    if (!isObject(entry)) return undefined;
    return typeof entry.compact_threshold === 'number' ? entry.compact_threshold : Number.POSITIVE_INFINITY;
  }
  if (dialect !== 'anthropic' || !isObject(managed) || !isArray(managed.edits)) return undefined;
  const edit = managed.edits.find((each) => isObject(each) && each.type === 'compact_20260112');
  if (!isObject(edit)) return undefined;
  // "Defaults to 150000 input tokens" (SDK doc).
  return isObject(edit.trigger) ? Number(edit.trigger.value) : 150_000;
}

/** The summary the provider makes before it answers, if any: `null` is a failed one. */
function compactionOf({
  dialect,
  body,
  spoken,
  tokens,
}: {
  dialect: JudgeDialect;
  body: JsonRecord;
  spoken: LoopbackReplyScript;
  tokens: number;
}): string | null | undefined {
  const trigger = triggerOf({ dialect, body });
  if (trigger === undefined) return undefined;
  if (spoken.compaction !== undefined) return spoken.compaction;
  return tokens >= trigger ? `A summary of ${tokens} tokens.` : undefined;
}

/** What the model reads: "all content blocks before the compaction block are dropped"; the head stays. */
function afterCompaction({
  dialect,
  units,
}: {
  dialect: JudgeDialect;
  units: readonly CacheUnit[];
}): readonly CacheUnit[] {
  const last = units.findLastIndex(({ value }) => isCompaction({ dialect, value }));
  if (last < 0) return units;
  return units.filter((unit, at) => at >= last || !unit.isSaid);
}

function isCompaction({ dialect, value }: { dialect: JudgeDialect; value: unknown }): boolean {
  const block = dialect === 'anthropic' && isObject(value) ? value.block : value;
  if (!isObject(block) || block.type !== 'compaction') return false;
  return dialect === 'openai-responses' || typeof block.content === 'string';
}

/** Storage of the Responses server for requests with `store`: conversations by response, and items by id. */
class ResponsesMemory {
  readonly #conversations = new Map<string, JsonRecord[]>();
  readonly #items = new Map<string, JsonRecord>();
  readonly #reasoning = new Map<string, string>();

  /** Ids that an input may refer to. */
  get knownItems(): ReadonlySet<string> {
    return new Set(this.#items.keys());
  }

  /** Item id -> the reasoning it must be sent with. */
  get requiredReasoning(): ReadonlyMap<string, string> {
    return this.#reasoning;
  }

  /** The body with the items it continues from in front; `undefined` if the response is unknown. */
  continued(body: JsonRecord): JsonRecord | undefined {
    const { previous_response_id: previous } = body;
    if (typeof previous !== 'string') return body;
    const before = this.#conversations.get(previous);
    if (!before) return undefined;
    const { previous_response_id: _, ...rest } = body;
    return { ...rest, input: [...before, ...inputOf(body)] };
  }

  /** The body with references resolved. */
  resolved(body: JsonRecord): JsonRecord {
    if (!isArray(body.input)) return body;
    const input = body.input.map((item) =>
      isObject(item) && typeOf(item) === 'item_reference' ? (this.#items.get(String(item.id)) ?? item) : item,
    );
    return { ...body, input };
  }

  keep({ id, body, output }: { id: string; body: JsonRecord; output: readonly JsonRecord[] }): void {
    if (body.store === false) return;
    this.#conversations.set(id, [...inputOf(body), ...output]);
    const reasoning = output.find(({ type }) => type === 'reasoning')?.id;
    for (const item of output) {
      if (typeof item.id !== 'string') continue;
      this.#items.set(item.id, item);
      if (typeof reasoning === 'string' && item.id !== reasoning) this.#reasoning.set(item.id, reasoning);
    }
  }
}

function inputOf({ input }: JsonRecord): JsonRecord[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return isArray(input) ? input.filter(isObject) : [];
}

/** A reply as the dialect's JSON, and what Responses has to store. */
interface ResponseBody {
  body: JsonRecord;
  responded?: ResponsesBody;
}

function responseBody({
  dialect,
  action,
  speech,
}: {
  dialect: JudgeDialect;
  action: LoopbackAction;
  speech: ResponseContext;
}): ResponseBody {
  switch (dialect) {
    case 'anthropic':
      return { body: anthropicMessage(speech) };
    case 'openai-chat':
      return { body: chatCompletion(speech) };
    case 'gemini':
      return { body: geminiResponse(speech) };
    case 'openai-responses': {
      if (action === 'compact') return { body: compacted(speech) };
      const responded = endsInTrigger(speech.body) ? compactionBody(speech) : responsesBody(speech);
      return { body: responded.response, responded };
    }
  }
}

/** The same reply as server-sent events. */
function responseFrames({
  dialect,
  speech,
  spoken,
}: {
  dialect: JudgeDialect;
  speech: ResponseContext;
  spoken: ResponseBody;
}): string[] {
  switch (dialect) {
    case 'anthropic':
      return anthropicEvents(speech);
    case 'openai-chat':
      return chatEvents(speech);
    case 'gemini':
      return geminiEvents(speech);
    case 'openai-responses':
      return spoken.responded ? responsesEvents(spoken.responded) : [JSON.stringify(spoken.body)];
  }
}

/** A stream that starts normally and then reports an error, after its status was sent. */
function failingFrames({
  dialect,
  speech,
  error,
  body,
}: {
  dialect: JudgeDialect;
  speech: ResponseContext;
  error: WireError;
  /** The error as JSON text. */
  body: string;
}): string[] {
  switch (dialect) {
    case 'anthropic':
      return [...anthropicOpening(speech), event({ name: 'error', data: body })];
    case 'openai-chat':
      return [...chatOpening(speech), event({ data: body })];
    case 'gemini':
      return [...geminiEvents(speech).slice(0, 1), event({ data: body })];
    case 'openai-responses':
      return responsesFailing({ response: responsesBody(speech).response, error: { ...error } });
  }
}

function endsInTrigger({ input }: JsonRecord): boolean {
  const last = isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === 'compaction_trigger';
}
