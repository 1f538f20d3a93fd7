import { codecs, type Dialect, dialects, type JsonObject } from 'longhaul/message';
import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { FakeAgent } from '../fixtures/agent.ts';
import { fileOf, start as startGateway } from '../fixtures/start.ts';
import { recallName } from './filter.ts';

const turns = 14;

const secretLine = 'The early marker is BRAVO-7731.';

/** What a request says about recalls: calls and results of the tool. */
function recallsIn({ dialect, body }: { readonly dialect: Dialect; readonly body: unknown }) {
  const items = (body as Record<string, unknown[]>)[codecs[dialect].itemsKey] ?? [];
  const parts = codecs[dialect].decode(items).flatMap((message) => message.parts);
  const calls = parts.filter((part) => part.type === 'tool_call' && part.name === recallName);
  const ids = new Set(calls.map((part) => (part.type === 'tool_call' ? part.id : '')));
  const results = parts.filter((part) => part.type === 'tool_result' && ids.has(part.callId));
  return { calls: calls.length, results: results.length, text: JSON.stringify(results) };
}

/**
 * A model that reads files, and looks the early marker up as soon as it can: alone, or next to a call of the client's. It
 * reports only what it is sent.
 */
function model({ isParallel, isEager = true }: { readonly isParallel: boolean; readonly isEager?: boolean }) {
  let steps = 0;
  return ({ dialect, wholeBody: body }: LoopbackRequest): LoopbackSpoken => {
    steps += 1;
    const read = { name: 'read', arguments: { path: `src/file-${steps}.ts` } };
    const hasTool = JSON.stringify(body.tools).includes(recallName);
    const { calls, text } = recallsIn({ dialect, body });
    const recall = { name: recallName, arguments: { query: 'early marker' } };
    if (hasTool && isEager && calls === 0)
      return { thinking: 'I look back.', text: 'Looking back.', toolCalls: isParallel ? [recall, read] : [recall] };
    const marker = /BRAVO-\d+/.exec(text)?.[0];
    return { thinking: 'On.', text: marker === undefined ? `Step ${steps}.` : `Marker ${marker}.`, toolCalls: [read] };
  };
}

async function agentAt({ dialect, stream, isParallel }: { dialect: Dialect; stream: boolean; isParallel: boolean }) {
  const at = await startGateway({ recall: true, loopback: { script: model({ isParallel }) } });
  const agent = new FakeAgent({ dialect, url: at.url, stream });
  agent.say('Read all files.');
  const first = await agent.turn();
  agent.answer(first, (path) => `${secretLine}\n${fileOf(path)}`);
  return { at, agent };
}

const cases = dialects.flatMap((dialect) => [
  { dialect, stream: true, isParallel: false },
  { dialect, stream: true, isParallel: true },
  { dialect, stream: false, isParallel: false },
]);

describe.each(cases)('$dialect, streamed $stream, next to a call of the client $isParallel', (each) => {
  it('answers recalls inside the request of the client, and sends them again in their place', async () => {
    const { at, agent } = await agentAt(each);
    await using _ = at;
    const said: string[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const message = await agent.turn();
      said.push(message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
      // The tool is the gateway's own.
      expect(JSON.stringify(agent.history)).not.toContain(recallName);
      expect(message.parts.filter(({ type }) => type === 'tool_call')).toHaveLength(1);
      agent.answer(message, fileOf);
      if (turn === turns - 3) await at.restart();
    }
    const { requests } = at.loopback;
    expect(requests.filter(({ status }) => status !== 200).map(({ verdict }) => verdict)).toEqual([]);
    expect(said.some((text) => text.includes('BRAVO-7731'))).toBe(true);
    // Gemini knows the functions of its first tool only.
    if (each.dialect === 'gemini')
      expect(new Set(requests.map(({ body }) => (body as { tools: unknown[] }).tools.length))).toEqual(new Set([1]));
    const recalls = requests.map(({ body }) => recallsIn({ dialect: each.dialect, body }));
    const from = recalls.findIndex(({ calls }) => calls > 0);
    expect(from).toBeGreaterThan(0);
    // Each call has its result, and both stay until they are compacted away.
    expect(recalls.filter(({ calls, results }) => calls !== results)).toEqual([]);
    expect(recalls[from + 1]?.calls).toBe(1);
    expect(requests.length).toBe(1 + turns + (each.isParallel ? 0 : 1) * recallRounds(recalls));
  });
});

/** How often the model looked back: every compaction that removes it lets it look back again. */
function recallRounds(recalls: readonly { readonly calls: number }[]): number {
  return recalls.filter(({ calls }, at) => calls > (recalls[at - 1]?.calls ?? 0)).length;
}

describe.each([
  { how: 'references', stream: true, isParallel: true },
  { how: 'items with ids', stream: false, isParallel: false },
  { how: 'previous_response_id', stream: true, isParallel: false },
  { how: 'previous_response_id', stream: false, isParallel: true },
])('stored responses, $how, streamed $stream, next to a call of the client $isParallel', (each) => {
  it('what was compacted away is found, and the conversation goes on', async () => {
    await using at = await startGateway({ recall: true, loopback: { script: model(each) } });
    const said: string[] = [];
    let history: unknown[] = [{ role: 'user', content: 'Read all files.' }];
    let previous: string | undefined;
    for (let turn = 0; turn < turns; turn += 1) {
      const { id, output } = await respond({
        url: at.url(),
        stream: each.stream,
        body: {
          input: history as OpenAI.Responses.ResponseInput,
          ...(previous !== undefined && { previous_response_id: previous }),
        },
      });
      expect(JSON.stringify(output)).not.toContain(recallName);
      said.push(JSON.stringify(output));
      const results = output
        .filter((item) => item.type === 'function_call')
        .map(({ call_id, arguments: path }) => ({
          type: 'function_call_output' as const,
          call_id,
          output: turn === 0 ? `${secretLine}\n${fileOf(path)}` : fileOf(path),
        }));
      expect(results).toHaveLength(1);
      const references = output.map((item) => ({ type: 'item_reference' as const, id: item.id ?? '' }));
      if (each.how === 'previous_response_id') [previous, history] = [id, results];
      else history = [...history, ...(each.how === 'references' ? references : output), ...results];
      if (turn === turns - 3) await at.restart();
    }
    const { requests } = at.loopback;
    expect(requests.filter(({ status }) => status !== 200).map(({ verdict }) => verdict)).toEqual([]);
    expect(said.join('\n')).toContain('Marker BRAVO-7731');
    expect(await at.sessions()).toHaveLength(1);
  });
});

/** A response that the server stores; with the id that the first event of a stream has. */
async function respond({
  url,
  stream,
  body,
}: {
  readonly url: string;
  readonly stream: boolean;
  readonly body: Pick<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'input' | 'previous_response_id'>;
}): Promise<Pick<OpenAI.Responses.Response, 'id' | 'output'>> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k', maxRetries: 0 });
  const tools = [{ type: 'function' as const, name: 'read', parameters: { type: 'object' }, strict: false }];
  const request = { model: 'gpt-5', tools, reasoning: { effort: 'low' as const }, ...body };
  if (!stream) return await client.responses.create(request);
  let id = '';
  const events = client.responses.stream(request);
  for await (const event of events) if (event.type === 'response.created') id = event.response.id;
  const { output } = await events.finalResponse();
  return { id, output };
}

it('the tool is not offered before something was compacted away, nor without the option', async () => {
  for (const recall of [true, false]) {
    await using at = await startGateway({ recall, loopback: { script: model({ isParallel: false, isEager: false }) } });
    const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
    agent.say('Read all files.');
    for (let turn = 0; turn < turns; turn += 1) agent.answer(await agent.turn(), fileOf);
    const offered = at.loopback.requests.map(({ text }) => text.includes(`"name":"${recallName}"`));
    expect(offered[0]).toBe(false);
    expect(offered.at(-1)).toBe(recall);
    // Once offered, it stays: tools come first in a provider's cache.
    if (recall) expect(offered.slice(offered.indexOf(true)).every(Boolean)).toBe(true);
  }
});

it('the usage of all rounds is added up', async () => {
  const usage = { input: 100, cacheRead: 40, output: 10 };
  const script = model({ isParallel: false });
  await using at = await startGateway({
    recall: true,
    loopback: { script: (request) => ({ ...script(request), usage }) },
  });
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url, stream: false });
  agent.say('Read all files.');
  const counts: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const response = await (await agent.send()).json();
    const { usage: reported, content } = response as { usage: JsonObject; content: JsonObject[] };
    counts.push(Number(reported.output_tokens));
    agent.history.push({ role: 'assistant', content });
    const [message] = codecs.anthropic.decode([{ role: 'assistant', content }]);
    if (message) agent.answer(message, fileOf);
  }
  expect(new Set(counts)).toEqual(new Set([10, 20]));
});

describe("after the client's own compaction, without an id of the conversation", () => {
  const summary = `Summary: ${Array.from({ length: 14 }, (_, at) => `point ${at} of the work`).join(', ')}.`;
  /** The model summarizes if it has no tools or may not call them; it looks back as soon as it can. */
  const script = ({ dialect, body }: LoopbackRequest): LoopbackSpoken => {
    if (body.tools === undefined || body.tool_choice === 'none') return { text: summary };
    const { calls, text } = recallsIn({ dialect, body });
    if (JSON.stringify(body.tools).includes(recallName) && calls === 0)
      return { toolCalls: [{ name: recallName, arguments: { query: 'early marker' } }] };
    return {
      text: `Marker ${/BRAVO-\d+/.exec(text)?.[0] ?? 'unknown'}, ${/before-\d@\d+/.exec(text)?.[0] ?? 'here'}.`,
    };
  };
  const post = (url: string, body: object) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.text());
  const asked = {
    role: 'user',
    content: `${secretLine} Read all files, one after the other, and tell me what they do.`,
  };
  const answered = { role: 'assistant', content: `${summary.replaceAll('point', 'file')} There is nothing else.` };
  const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object', properties: {} } } }];
  const wanted = { role: 'user', content: 'Summarize.' };

  it.each([
    { how: 'over the same history', request: { tools, tool_choice: 'none', messages: [asked, answered, wanted] } },
    {
      how: 'that quotes it',
      request: { messages: [{ role: 'user', content: `Summarize: ${JSON.stringify([asked, answered])}` }] },
    },
  ])('what was said before is found: a request for a summary $how', async ({ request }) => {
    await using at = await startGateway({ recall: true, loopback: { script } });
    const model = 'gpt-5';
    await post(at.url(), { model, tools, messages: [asked] });
    await post(at.url(), { model, tools, messages: [asked, answered, { role: 'user', content: 'Go on.' }] });
    await post(at.url(), { model, ...request });
    await at.restart();
    const begun = [{ role: 'user', content: `The work so far:\n<summary>\n${summary}\n</summary>\nGo on.` }];
    expect(await post(at.url(), { model, tools, messages: begun })).toMatch(/Marker BRAVO-7731, before-\d@\d+/);
    // Another conversation of the same client has no part in it.
    const other = [{ role: 'user', content: 'What is the early marker?' }];
    expect(await post(at.url(), { model, tools, messages: other })).toContain('Marker unknown');
  });
});
