import { describe, expect, it } from 'vitest';
import { connect } from './fixtures/clients.ts';

describe('a Gemini stream', () => {
  const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] });
  const text = 'A text that is long enough for several chunks.';

  it.each([
    ['', 'application/json'],
    ['?alt=json', 'application/json'],
    ['?alt=sse', 'text/event-stream; charset=utf-8'],
  ])('asked for with "%s" is %s', async (query, type) => {
    await using at = await connect({ script: [{ text }] });
    const url = `${at.loopback.url}/v1beta/models/m:streamGenerateContent${query}`;
    const answer = await fetch(url, { method: 'POST', body });
    expect(answer.headers.get('content-type')).toBe(type);
    const sent = await answer.text();
    const json =
      type === 'application/json' ? sent : `[${sent.trim().replaceAll('\n\n', ',').replaceAll('data: ', '')}]`;
    const chunks = JSON.parse(json) as { candidates: { content: { parts: { text: string }[] } }[] }[];
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.map((chunk) => chunk.candidates[0]?.content.parts[0]?.text).join('')).toBe(text);
  });

  it('that fails late has the error as its last entry', async () => {
    await using at = await connect({ script: [{ failure: 'server', late: true }] });
    const url = `${at.loopback.url}/v1beta/models/m:streamGenerateContent`;
    const answer = await fetch(url, { method: 'POST', body });
    expect(await answer.json()).toMatchObject([{ candidates: [{}] }, { error: { code: 500 } }]);
  });
});

describe('a response of the Responses API', () => {
  const ask = { model: 'gpt-5.6', input: 'hi' };

  it.each([
    ['end', 'completed', null],
    ['length', 'incomplete', { reason: 'max_output_tokens' }],
    ['refused', 'incomplete', { reason: 'content_filter' }],
  ])('that stops for "%s" is %s, and so is its message', async (stop, status, incomplete_details) => {
    await using at = await connect({ script: [{ text: 'So far', stop }], now: () => 5000 });
    const response = await at.openai.responses.create(ask);
    expect(response).toMatchObject({ status, incomplete_details, output: [{ type: 'message', status }] });
    expect(response.completed_at).toBe(status === 'completed' ? 5 : null);
  });

  it.each(['end', 'length'])('that stops for "%s" was not completed while it was in progress', async (stop) => {
    await using at = await connect({ script: [{ text: 'So far', stop }] });
    const ends: unknown[] = [];
    for await (const event of await at.openai.responses.create({ ...ask, stream: true }))
      if ('response' in event) ends.push([event.type, event.response.status, event.response.completed_at === null]);
    const last = stop === 'end' ? 'completed' : 'incomplete';
    expect(ends).toEqual([
      ['response.created', 'in_progress', true],
      ['response.in_progress', 'in_progress', true],
      [`response.${last}`, last, stop !== 'end'],
    ]);
  });
});
