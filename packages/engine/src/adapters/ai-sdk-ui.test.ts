import { createOpenAI } from '@ai-sdk/openai';
import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  DefaultChatTransport,
  stepCountIs,
  streamText,
  type ToolSet,
  tool,
  type UIMessage,
  wrapLanguageModel,
} from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLonghaul, type LonghaulSession } from '../longhaul/index.ts';
import { assistant, toolResult } from '../message/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { type LoopbackOptions, scriptedModel, startLoopback } from '../testing/index.ts';
import { longhaul } from './ai-sdk.ts';
import { type ChatOptions, createChatHandler, toUIMessages } from './ai-sdk-ui.ts';

const api = 'http://chat.test/api/chat';

interface Setup extends LoopbackOptions {
  readonly look?: (at: number) => string | Promise<string>;
  readonly chat?: Pick<ChatOptions<LonghaulSession, ToolSet>, 'authorize' | 'bodyBytes'>;
}

/** What `useChat` drives, without React. */
class PageChat extends AbstractChat<UIMessage> {
  constructor({ messages, ...init }: ChatInit<UIMessage>) {
    const list: UIMessage[] = [...(messages ?? [])];
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages: list,
      pushMessage: (message) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (at, message) => void state.messages.splice(at, 1, structuredClone(message)),
      snapshot: structuredClone,
    };
    super({ ...init, state });
  }
}

/** A server of chats with a model behind it, and pages that use it. */
async function start({ look = (at) => `Line ${at}.`, chat = {}, ...options }: Setup = {}) {
  const loopback = await startLoopback(options);
  const store = createMemoryStore();
  const model = createOpenAI({ baseURL: `${loopback.url}/v1`, apiKey: 'k' }).chat('gpt-4.1');
  const inputSchema = z.object({ at: z.number() });
  /** As after a restart: the store is all that is left. */
  const serve = async () => {
    const sessions = await createLonghaul({ store });
    const handler = createChatHandler({
      ...chat,
      sessions,
      respond: ({ session, messages, signal, writer, body }) => {
        if (body.topic !== undefined) writer.write({ type: 'data-topic', data: body.topic });
        const middleware = longhaul(session, { ...(options.window !== undefined && { window: options.window }) });
        return streamText({
          model: wrapLanguageModel({ model, middleware }),
          messages,
          tools: {
            look: tool({
              description: 'Looks.',
              inputSchema,
              execute: async ({ at }) => ({ at, line: await look(at) }),
            }),
          },
          stopWhen: stepCountIs(9),
          maxRetries: 0,
          abortSignal: signal,
          onError: () => undefined,
        });
      },
    });
    const get = async (path: string) => await handler(new Request(`${api}${path}`));
    const post = async (path: string, init: RequestInit = {}) =>
      await handler(new Request(`${api}${path}`, { method: 'POST', ...init }));
    /** What a page does when it is loaded. */
    const page = async ({ id = 'chat', isShort = false } = {}) => {
      const messages = (await (await get(`/${id}`)).json()) as UIMessage[];
      const transport = new DefaultChatTransport({
        api,
        fetch: async (url, init) => await handler(new Request(String(url), init)),
        ...(isShort && {
          prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
            body: { id, trigger, messageId, ...(trigger === 'submit-message' && { message: messages.at(-1) }) },
          }),
        }),
      });
      return new PageChat({ id, messages, transport });
    };
    return { sessions, page, get, post };
  };
  return { ...(await serve()), loopback, restart: serve, [Symbol.asyncDispose]: () => loopback.close() };
}

/** The conversation in the log: texts, and the types of other parts. */
async function said(session: LonghaulSession): Promise<string[]> {
  const path = await session.engine.session.path();
  return path.flatMap((entry) =>
    entry.type === 'message' && entry.message.role !== 'system'
      ? entry.message.parts.map((part) => (part.type === 'text' ? part.text : part.type))
      : [],
  );
}

const oneLook = [{ text: 'I look.', toolCalls: [{ name: 'look', arguments: { at: 1 } }] }, { text: 'Done.' }];

describe('createChatHandler', () => {
  it.each([false, true])(
    'a page that is loaded again has every message as it was (last message only: %s)',
    async (isShort) => {
      await using at = await start({ script: [...oneLook, { text: 'You are welcome.' }] });
      const first = await at.page({ isShort });
      await first.sendMessage({ text: 'Look.', metadata: { from: 'test' } }, { body: { topic: 'lines' } });
      expect(first.messages[1]?.parts.map(({ type }) => type)).toContain(isShort ? 'tool-look' : 'data-topic');
      const { page, sessions } = await at.restart();
      const second = await page({ isShort });
      expect(second.messages).toEqual(JSON.parse(JSON.stringify(first.messages)));
      await second.sendMessage({ text: 'Thanks.' });
      const log = await said(await sessions.open('chat'));
      expect(log).toEqual(['Look.', 'I look.', 'tool_call', 'tool_result', 'Done.', 'Thanks.', 'You are welcome.']);
      expect((await page()).messages).toEqual(JSON.parse(JSON.stringify(second.messages)));
      expect(at.loopback.requests.every(({ verdict }) => verdict?.legal)).toBe(true);
    },
  );

  it('a page that is loaded in the middle of an answer continues it; the page before was closed', async () => {
    const gate = Promise.withResolvers<string>();
    await using at = await start({ script: oneLook, look: () => gate.promise });
    const first = await at.page();
    void first.sendMessage({ text: 'Look.' });
    await expect.poll(() => JSON.stringify(first.messages)).toContain('input-available');
    await first.stop();
    const second = await at.page();
    expect(second.messages.map(({ role }) => role)).toEqual(['user']);
    const resumed = second.resumeStream();
    await expect.poll(() => JSON.stringify(second.messages)).toContain('I look.');
    gate.resolve('The line.');
    await resumed;
    expect(second.messages.at(-1)?.parts.at(-1)).toMatchObject({ text: 'Done.' });
    expect(await said(await at.sessions.open('chat'))).toEqual([
      'Look.',
      'I look.',
      'tool_call',
      'tool_result',
      'Done.',
    ]);
    expect((await at.page()).messages).toEqual(JSON.parse(JSON.stringify(second.messages)));
    expect((await at.get('/chat/stream')).status).toBe(204);
  });

  it('an answer that ends between the load of a page and its request for the stream is not lost', async () => {
    const gate = Promise.withResolvers<string>();
    await using at = await start({ script: oneLook, look: () => gate.promise });
    const first = await at.page();
    const sent = first.sendMessage({ text: 'Look.' });
    await expect.poll(() => JSON.stringify(first.messages)).toContain('input-available');
    const second = await at.page();
    gate.resolve('The line.');
    await sent;
    await second.resumeStream();
    expect(second.messages.at(-1)?.parts.at(-1)).toMatchObject({ text: 'Done.' });
    expect((await at.get('/chat/stream')).status).toBe(204);
  });

  it('an answer that was stopped is kept as far as it came', async () => {
    await using at = await start({
      script: ({ index }) =>
        index === 0
          ? { text: 'And so on. '.repeat(200), transport: { chunkBytes: 200, delayMs: 20 } }
          : { text: 'As you wish.' },
    });
    const chat = await at.page();
    const sent = chat.sendMessage({ text: 'Tell me.' });
    await expect.poll(() => JSON.stringify(chat.messages)).toContain('And so on.');
    expect((await at.post('/chat/stop')).status).toBe(204);
    await sent;
    const again = await at.page();
    expect(again.messages).toHaveLength(2);
    await again.sendMessage({ text: 'Never mind.' });
    const [question, part, next, last] = await said(await at.sessions.open('chat'));
    expect([question, next, last]).toEqual(['Tell me.', 'Never mind.', 'As you wish.']);
    expect(part).toMatch(/^And so on\. /);
    expect(part?.length).toBeLessThan(2_000);
  });

  it.each([false, true])(
    'an answer that is asked for again replaces the first (last message only: %s)',
    async (isShort) => {
      await using at = await start({ script: [{ text: 'One.' }, { text: 'Two.' }] });
      const chat = await at.page({ isShort });
      await chat.sendMessage({ text: 'Count.', metadata: { n: 1 } });
      await chat.regenerate();
      expect(await said(await at.sessions.open('chat'))).toEqual(['Count.', 'Two.']);
      const { page } = await at.restart();
      expect((await page()).messages).toEqual(JSON.parse(JSON.stringify(chat.messages)));
    },
  );

  it('a conversation that was compacted is complete in the page', async () => {
    const details = 'Details. '.repeat(500);
    await using at = await start({ window: 12_000, script: ({ index }) => ({ text: `Answer ${index}. ${details}` }) });
    const chat = await at.page({ isShort: true });
    for (let n = 0; n < 8; n += 1) await chat.sendMessage({ text: `Question ${n}. ${details}` });
    const session = await at.sessions.open('chat');
    const path = await session.engine.session.path();
    expect(path.filter(({ type }) => type === 'compaction').length).toBeGreaterThan(0);
    const { messages } = await (await at.restart()).page();
    expect(messages).toHaveLength(16);
    expect(JSON.stringify(messages[0])).toContain('Question 0.');
    expect(at.loopback.requests.every(({ status }) => status === 200)).toBe(true);
  });

  it('an error reaches the page without its details, and the question stays', async () => {
    await using at = await start({ script: [{ failure: 'auth' }, { text: 'Hello.' }] });
    const chat = await at.page();
    await chat.sendMessage({ text: 'Hi.' });
    expect(chat.error?.message).toBe('An error occurred.');
    const again = await at.page();
    expect(again.messages.map(({ role }) => role)).toEqual(['user']);
    await again.regenerate();
    expect(await said(await at.sessions.open('chat'))).toEqual(['Hi.', 'Hello.']);
  });

  it('a new question ends an answer that is still running', async () => {
    const gate = Promise.withResolvers<string>();
    await using at = await start({ script: [...oneLook.slice(0, 1), { text: 'Later.' }], look: () => gate.promise });
    const first = await at.page();
    void first.sendMessage({ text: 'Look.' });
    await expect.poll(() => JSON.stringify(first.messages)).toContain('input-available');
    const second = await at.page();
    await second.sendMessage({ text: 'Forget it.' });
    expect(JSON.stringify(second.messages)).toContain('Later.');
    expect(await said(await at.sessions.open('chat'))).toContain('Forget it.');
  });

  it('refuses what is no chat, and reading creates no session', async () => {
    await using at = await start({ chat: { bodyBytes: 1_000, authorize: ({ id }) => id !== 'hers' } });
    const json = { 'content-type': 'application/json' };
    const post = async (body: string, headers: Record<string, string> = json) => {
      const response = await at.post('', { body, headers });
      return [response.status, await response.text()];
    };
    expect(await post('{}', { 'content-type': 'text/plain' })).toEqual([415, expect.stringContaining('content type')]);
    expect(await post('{')).toEqual([400, expect.stringContaining('JSON')]);
    expect(await post('{}')).toEqual([400, expect.stringContaining('`id` is missing')]);
    expect(await post('{"id":"a","messages":[]}')).toEqual([400, expect.stringContaining('not valid')]);
    expect(await post('{"id":"a","messages":[{"id":"1","role":"ghost","parts":[]}]}')).toEqual([
      400,
      expect.stringContaining('not valid'),
    ]);
    expect(await post(`{"id":"${'a'.repeat(2_000)}"}`)).toEqual([413, expect.stringContaining('1000 bytes')]);
    expect(await post('{"id":"../../etc","messages":[]}')).toEqual([400, expect.any(String)]);
    expect((await at.get('/hers')).status).toBe(403);
    expect((await at.get('/%E0%A4%A')).status).toBe(400);
    expect(await (await at.get('/unknown')).json()).toEqual([]);
    expect((await at.get('/unknown/stream')).status).toBe(204);
    expect((await at.sessions.sessions()).map(({ header }) => header.id)).not.toContain('unknown');
  });
});

describe('toUIMessages', () => {
  it('shows a session that began elsewhere, and the page continues it without writing anything twice', async () => {
    await using at = await start({ script: [{ text: 'Hello again.' }] });
    const model = scriptedModel({ script: () => ({ text: 'Unused.' }) });
    const session = await (await createLonghaul({ store: at.sessions.store, model })).open('chat');
    await session.prepare({ system: 'Be brief.', messages: 'Which files?' });
    const call = { type: 'tool_call', origin: 'model', id: 'c1', name: 'list', arguments: '{"dir":"."}' } as const;
    await session.commit({ role: 'assistant', parts: [call] });
    await session.prepare({ messages: toolResult({ callId: 'c1', text: '["a.ts","b.ts"]' }) });
    await session.commit(assistant('Two files.'));
    const before = await said(session);
    const chat = await at.page();
    expect(chat.messages).toEqual(await toUIMessages(session));
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const shown = chat.messages[1]?.parts.find(({ type }) => type === 'tool-list');
    expect(shown).toMatchObject({ state: 'output-available', input: { dir: '.' }, output: ['a.ts', 'b.ts'] });
    await chat.sendMessage({ text: 'Hello.' });
    expect(await said(await at.sessions.open('chat'))).toEqual([...before, 'Hello.', 'Hello again.']);
  });
});
