import Anthropic from '@anthropic-ai/sdk';
import { ApiError } from '@google/genai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { type Clients, collect, connect, errorOf } from './fixtures/clients.ts';
import type { LoopbackFailureKind, LoopbackFailureScript } from './types.ts';

type HttpFailure = Exclude<LoopbackFailureKind, 'refused' | 'network'>;

const messages = [{ role: 'user' as const, content: 'hi' }];
const calls = {
  anthropic: ({ anthropic }: Clients) => anthropic.messages.create({ model: 'm', max_tokens: 8, messages }),
  chat: ({ openai }: Clients) => openai.chat.completions.create({ model: 'm', messages }),
  responses: ({ openai }: Clients) => openai.responses.create({ model: 'm', input: 'hi' }),
  gemini: ({ gemini }: Clients) => gemini.models.generateContent({ model: 'm', contents: 'hi' }),
};

type Class = new (...args: never[]) => Error;
type Row = [HttpFailure, Class, number, string];

const anthropic: Row[] = [
  ['overflow', Anthropic.BadRequestError, 400, 'prompt is too long: 101 tokens > 100 maximum'],
  ['rate', Anthropic.RateLimitError, 429, 'rate_limit_error'],
  ['quota', Anthropic.BadRequestError, 400, 'Your credit balance is too low'],
  ['auth', Anthropic.AuthenticationError, 401, 'invalid x-api-key'],
  ['invalid', Anthropic.BadRequestError, 400, 'invalid_request_error'],
  ['server', Anthropic.InternalServerError, 500, 'Internal server error'],
  ['overloaded', Anthropic.APIError, 529, 'overloaded_error'],
];
const chat: Row[] = [
  ['overflow', OpenAI.BadRequestError, 400, "This model's maximum context length is 100 tokens."],
  ['rate', OpenAI.RateLimitError, 429, 'Please try again in 3s.'],
  ['quota', OpenAI.RateLimitError, 429, 'You exceeded your current quota'],
  ['auth', OpenAI.AuthenticationError, 401, 'Incorrect API key provided'],
  ['invalid', OpenAI.BadRequestError, 400, 'Invalid request.'],
  ['server', OpenAI.InternalServerError, 500, 'The server had an error'],
  ['overloaded', OpenAI.InternalServerError, 503, 'currently overloaded'],
];
const responses: Row[] = chat.map((row) =>
  row[0] === 'overflow' ? [row[0], row[1], row[2], 'Your input exceeds the context window of this model.'] : row,
);
const gemini: Row[] = [
  ['overflow', ApiError, 400, 'The input token count (101) exceeds the maximum number of tokens allowed (100).'],
  ['rate', ApiError, 429, '"retryDelay":"3s"'],
  ['quota', ApiError, 429, 'PerDay'],
  ['auth', ApiError, 400, 'API_KEY_INVALID'],
  ['invalid', ApiError, 400, 'INVALID_ARGUMENT'],
  ['server', ApiError, 500, 'INTERNAL'],
  ['overloaded', ApiError, 503, 'The model is overloaded.'],
];
const rows = Object.entries({ anthropic, chat, responses, gemini }).flatMap(([client, list]) =>
  list.map(([failure, kind, status, text]) => ({ client: client as keyof typeof calls, failure, kind, status, text })),
);

describe('a scripted failure', () => {
  it.each(rows)('$failure is the $client SDK’s own error', async ({ client, failure, kind, status, text }) => {
    const failed: LoopbackFailureScript = { failure, limit: 100, retryAfter: 3 };
    await using at = await connect({ script: [failed] });
    const error = await errorOf(calls[client](at));
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status });
    expect(String(error)).toContain(text);
  });

  it('has a retry delay', async () => {
    const failed: LoopbackFailureScript = { failure: 'rate', retryAfter: 3 };
    await using at = await connect({ script: [failed, failed] });
    const limited = [await errorOf(calls.anthropic(at)), await errorOf(calls.chat(at))];
    const waits = limited.map((error) => (error as { headers: Headers }).headers.get('retry-after'));
    expect(waits).toEqual(['3', '3']);
  });

  it('has OpenAI’s codes', async () => {
    await using at = await connect({ script: [{ failure: 'overflow' }, { failure: 'quota' }, { failure: 'rate' }] });
    const codes = [];
    for (const call of [calls.responses, calls.chat, calls.chat]) codes.push(await errorOf(call(at)));
    expect(codes).toMatchObject([
      { code: 'context_length_exceeded', param: 'input' },
      { code: 'insufficient_quota', type: 'insufficient_quota' },
      { code: 'rate_limit_exceeded' },
    ]);
  });

  it('has the message of the script', async () => {
    await using at = await connect({ script: [{ failure: 'server', message: 'Out of paper.' }] });
    await expect(calls.chat(at)).rejects.toThrow('Out of paper.');
  });

  it.each(Object.keys(calls) as (keyof typeof calls)[])('of the network closes the connection: %s', async (client) => {
    await using at = await connect({ script: [{ failure: 'network' }] });
    const error = await errorOf(calls[client](at));
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toHaveProperty('status', expect.any(Number));
    await expect(at.loopback.requests[0]?.done).resolves.toBe('cut');
  });
});

describe('a refusal of the model', () => {
  it('is a stop reason, not an HTTP error', async () => {
    await using at = await connect({ script: () => ({ failure: 'refused' as const, message: 'No.' }) });
    expect(await calls.anthropic(at)).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' } });
    expect(await calls.chat(at)).toMatchObject({ choices: [{ finish_reason: 'content_filter' }] });
    expect(await calls.responses(at)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [{ content: [{ type: 'refusal', refusal: 'No.' }] }],
    });
    const blocked = await calls.gemini(at);
    expect(blocked.candidates).toMatchObject([{ finishReason: 'SAFETY', safetyRatings: [{ blocked: true }] }]);
    const stream = await at.openai.responses.create({ model: 'm', input: 'hi', stream: true });
    expect((await collect(stream)).at(-1)?.type).toBe('response.incomplete');
  });
});

describe('a failure after the first event', () => {
  const late: LoopbackFailureScript = { failure: 'overloaded', late: true };

  it('is an error event of the protocol', async () => {
    await using at = await connect({ script: () => late });
    const ask = { model: 'm', max_tokens: 8, messages, stream: true as const };
    const fromAnthropic = await errorOf(collect(await at.anthropic.messages.create(ask)));
    expect(fromAnthropic).toMatchObject({ type: 'overloaded_error' });
    const { max_tokens: _, ...asked } = ask;
    const fromChat = await errorOf(collect(await at.openai.chat.completions.create(asked)));
    expect(String(fromChat)).toContain('currently overloaded');
    const fromResponses = await errorOf(
      collect(await at.openai.responses.create({ model: 'm', input: 'hi', stream: true })),
    );
    expect(String(fromResponses)).toContain('currently overloaded');
    const fromGemini = await errorOf(
      at.gemini.models.generateContentStream({ model: 'm', contents: 'hi' }).then((stream) => collect(stream)),
    );
    expect(String(fromGemini)).toContain('The model is overloaded.');
    expect(at.loopback.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

describe('the window', () => {
  it('rejects larger prompts by the server’s own count, and serves what fits', async () => {
    const script = () => ({ text: 'ok' });
    await using at = await connect({ window: 10, count: (text) => text.length, skew: 1.5, script });
    const ask = (length: number) =>
      at.anthropic.messages.create({
        model: 'm',
        max_tokens: 8,
        messages: [{ role: 'user', content: 'x'.repeat(length) }],
      });
    await expect(ask(6)).resolves.toMatchObject({ usage: { input_tokens: 9 } });
    await expect(ask(7)).rejects.toThrow('prompt is too long: 11 tokens > 10 maximum');
  });
});
