import { type Dialect, judge, type Verdict } from '../judge/index.ts';
import type { Json } from '../judge/json.ts';
import { bindingsOf } from './binding.ts';
import { PrefixCache } from './cache.ts';
import { afterCompaction, compactionOf } from './compacting.ts';
import { sumsOf } from './count.ts';
import { failureOf } from './failures.ts';
import { modelsList } from './models-list.ts';
import { replyOf, type Speech } from './reply.ts';
import { ResponsesMemory } from './responses-memory.ts';
import { Sealer } from './seal.ts';
import { speak, speakFailing, speakFrames } from './speak.ts';
import { asArray } from './sse.ts';
import type { Outgoing } from './transport.ts';
import type { Action, Answer, Failed, LoopbackOptions, LoopbackRequest, Spoken } from './types.ts';
import { chainOf, unitsOf } from './units.ts';
import { errorBody, errorOfVerdict, type WireError } from './wire-error.ts';

/** A request that was read and routed. */
export interface Asked {
  dialect: Dialect;
  action: Action;
  model: string;
  stream: boolean;
  /** Gemini: the stream is a JSON array, not events. */
  array?: boolean;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Json;
  signal: AbortSignal;
}

interface Judged {
  verdict: Verdict;
  outgoing: Outgoing;
}

const exhausted: Spoken = { text: 'The script has no further answer.' };

/** The provider behind the socket: judges, counts, remembers, and says what the script says. */
export class Provider {
  readonly sealer: Sealer;
  readonly #options: LoopbackOptions;
  readonly #memory = new ResponsesMemory();
  readonly #cache: PrefixCache;
  readonly #now: () => number;
  #scripted = 0;

  constructor({ options, secret }: { options: LoopbackOptions; secret: string }) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.sealer = new Sealer({ secret });
    this.#cache = new PrefixCache({ now: this.#now, minimum: options.cacheMinimum ?? 1024 });
  }

  async answer(asked: Asked): Promise<Judged> {
    const { dialect, action } = asked;
    if (action === 'models') return { verdict: { legal: true }, outgoing: this.#models(dialect) };
    const continued = dialect === 'openai-responses' ? this.#memory.continued(asked.body) : asked.body;
    if (!continued) return this.#refused({ asked, verdict: noPrevious(asked.body) });
    const verdict = this.#judge({ ...asked, body: continued });
    if (!verdict.legal) return this.#refused({ asked, verdict });
    const whole = { ...asked, body: this.#memory.resolved(continued) };
    return { verdict, outgoing: await this.#serve({ asked: whole, sent: asked.body }) };
  }

  /** An error in the dialect's shape. */
  error({ dialect, error }: { dialect: Dialect; error: WireError }): Outgoing {
    const requestId = this.sealer.id('req');
    const id = dialect === 'anthropic' ? { 'request-id': requestId } : { 'x-request-id': requestId };
    return {
      status: error.status,
      headers: { 'content-type': 'application/json', ...id, ...error.headers },
      frames: [JSON.stringify(errorBody({ dialect, error, requestId }))],
    };
  }

  #refused({ asked, verdict }: { asked: Asked; verdict: Verdict }): Judged {
    if (verdict.legal) throw new TypeError('A legal request is not refused.');
    return { verdict, outgoing: this.error({ dialect: asked.dialect, error: errorOfVerdict(verdict) }) };
  }

  #judge({ dialect, action, body, headers }: Asked): Verdict {
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

  /** Whether a thinking block stands where it was made. */
  #boundTo(body: Json): (seal: { signature: string; path: string }) => boolean {
    const bindings = bindingsOf(body);
    return ({ signature, path }) => {
      const binding = bindings.get(path);
      return binding === undefined || this.sealer.boundTo({ signature, binding });
    };
  }

  async #serve({ asked, sent }: { asked: Asked; sent: Json }): Promise<Outgoing> {
    const { dialect, action, body } = asked;
    const { count = (text: string) => Math.ceil(text.length / 4), skew = 1, window } = this.#options;
    const units = afterCompaction({ dialect, units: unitsOf({ dialect, body }) });
    const sums = sumsOf({ units, count, skew });
    const tokens = sums.at(-1) ?? 0;
    if (action === 'count') return json(dialect === 'gemini' ? { totalTokens: tokens } : { input_tokens: tokens });
    if (window !== undefined && tokens > window) return this.#fail({ asked, failed: { failure: 'overflow' }, tokens });
    const answer = await this.#next({ asked: { ...asked, body: sent }, tokens });
    if ('failure' in answer && answer.failure !== 'refused') return this.#fail({ asked, failed: answer, tokens });
    const chain = chainOf({ units, seed: asked.model });
    const spokenNow = spokenOf(answer);
    const binding = this.#options.bindThinking ? bindingsOf(body).get('') : undefined;
    const speech: Speech = {
      ...{ model: asked.model, body, sealer: this.sealer, created: Math.floor(this.#now() / 1000) },
      reply: replyOf({
        ...{ dialect, body, count, skew, sealer: this.sealer, input: tokens, spoken: spokenNow },
        compaction: compactionOf({ dialect, body, spoken: spokenNow, tokens }),
        cache: this.#cache.use({ dialect, units, chain, sums }),
      }),
      ...(binding ? { binding } : {}),
    };
    const spoken = speak({ dialect, action, speech });
    if (spoken.responded) this.#memory.keep({ id: String(spoken.body.id), body, output: spoken.responded.output });
    const frames = asked.stream ? speakFrames({ dialect, speech, spoken }) : [JSON.stringify(spoken.body)];
    return this.#shaped({ asked, frames, answer });
  }

  #fail({ asked, failed, tokens }: { asked: Asked; failed: Failed; tokens: number }): Outgoing {
    const { dialect, model, stream } = asked;
    const { failure } = failed;
    if (failure === 'network' || failure === 'refused') return { status: 0, headers: {}, frames: [], drop: true };
    const error = failureOf({ dialect, failed: { ...failed, failure }, tokens, window: this.#options.window, model });
    const outgoing = this.error({ dialect, error });
    const transport = failed.transport ? { transport: failed.transport } : {};
    if (!failed.late || !stream) return { ...outgoing, ...transport };
    const speech: Speech = {
      ...{ model, body: asked.body, sealer: this.sealer, created: Math.floor(this.#now() / 1000) },
      reply: {
        thinking: '',
        text: 'This answer breaks off in the middle.',
        calls: [],
        stop: 'end',
        usage: emptyUsage(tokens),
      },
    };
    const frames = speakFailing({ dialect, speech, error, body: outgoing.frames.join('') });
    return this.#shaped({ asked, frames, answer: failed });
  }

  #shaped({ asked, frames, answer }: { asked: Asked; frames: string[]; answer: Answer }): Outgoing {
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

  async #next({ asked, tokens }: { asked: Asked; tokens: number }): Promise<Answer> {
    const { script = [] } = this.#options;
    const index = this.#scripted++;
    if (typeof script !== 'function') return script[index] ?? exhausted;
    const request: LoopbackRequest = { ...asked, index, inputTokens: tokens };
    try {
      return await script(request);
    } catch (error) {
      // A fault of the test, told where it will be read: in the client's error.
      return { failure: 'server', message: error instanceof Error ? error.message : String(error) };
    }
  }

  #models(dialect: Dialect): Outgoing {
    const { models = ['loopback'], window } = this.#options;
    return json(modelsList({ dialect, models, window }));
  }
}

function spokenOf(answer: Answer): Spoken {
  if (!('failure' in answer)) return answer;
  return { stop: 'refused', text: answer.message ?? "I can't help with that." };
}

function emptyUsage(input: number): Speech['reply']['usage'] {
  return { input, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, output: 0, reasoning: 0 };
}

function json(body: Json): Outgoing {
  return { status: 200, headers: { 'content-type': 'application/json' }, frames: [JSON.stringify(body)] };
}

function noPrevious(body: Json): Verdict {
  return {
    ...{ legal: false, status: 400, type: 'invalid_request_error', path: 'previous_response_id' },
    ...{ code: 'previous_response_not_found', param: 'previous_response_id' },
    message: `Previous response with id '${String(body.previous_response_id)}' not found.`,
  };
}
