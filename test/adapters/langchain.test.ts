import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { createLonghaul } from 'longhaul';
import { createMemoryStore } from 'longhaul/session';
import { type LoopbackOptions, startLoopback } from 'longhaul/testing';
import { expect, it } from 'vitest';
import { createAgent } from '../../examples/langchain/agent.ts';
import { longRun } from './long-run.ts';

function chatModel(url: string): ChatOpenAI {
  return new ChatOpenAI({ model: 'gpt-4.1', apiKey: 'k', maxRetries: 0, configuration: { baseURL: `${url}/v1` } });
}

async function start({ window, ...options }: LoopbackOptions = {}) {
  const loopback = await startLoopback(options);
  const store = createMemoryStore();
  const sessions = await createLonghaul({ store });
  const model = chatModel(loopback.url);
  const open = (thread: string) => createAgent({ model, sessions, thread, ...(window !== undefined && { window }) });
  return { loopback, sessions, store, open, [Symbol.asyncDispose]: () => loopback.close() };
}

it('works through many tool turns', async () => {
  const figures = await longRun(({ url, session, ...input }) =>
    createAgent({ model: chatModel(url), sessions: session, thread: 'long-run', ...input }),
  );
  console.log(`langchain: ${figures}`);
  expect(figures).toContain('requests');
});

it('each thread has a session with its id, and a request only what its thread said', async () => {
  await using at = await start({ script: ({ index }) => ({ text: `Answer ${index}.` }) });
  const [a, b] = [at.open('thread-a'), at.open('thread-b')];
  await a.ask('The color is red.');
  await b.ask('The color is blue.');
  await a.ask('Which color?');
  expect((await at.sessions.sessions()).map(({ header }) => header.id).toSorted()).toEqual(['thread-a', 'thread-b']);
  expect(at.loopback.requests.at(-1)?.text).toContain('red');
  expect(at.loopback.requests.at(-1)?.text).not.toContain('blue');
});

it('a call without a thread says what to do', async () => {
  await using at = await start();
  const { agent } = at.open('any');
  const unsaved = { ...agent.options };
  expect(unsaved.middleware).toHaveLength(1);
  const { createAgent: create } = await import('langchain');
  const { longhaulMiddleware } = await import('longhaul/adapters/langchain');
  const plain = create({ model: chatModel(at.loopback.url), tools: [], middleware: [longhaulMiddleware(at.sessions)] });
  await expect(plain.invoke({ messages: [new HumanMessage('Hi')] })).rejects.toThrow('names no thread');
});

it('a reduction that fails leaves the checkpointed history as it was', async () => {
  const details = 'Details. '.repeat(600);
  await using at = await start({ window: 8_000, script: ({ index }) => ({ text: `Answer ${index}. ${details}` }) });
  const agent = at.open('thread');
  for (let n = 0; n < 3; n += 1) await agent.ask(`Question ${n}. ${details}`);
  const config = { configurable: { thread_id: 'thread' } };
  const before = (await agent.agent.graph.getState(config)).values.messages;
  expect(before).toHaveLength(6);
  const { append } = at.store;
  at.store.append = () => Promise.reject(new Error('disk full'));
  await expect(agent.ask('One more.')).rejects.toThrow('disk full');
  const after = (await agent.agent.graph.getState(config)).values.messages;
  expect(after.slice(0, 6)).toEqual(before);
  at.store.append = append;
  expect(await agent.ask('Again.')).toContain('Answer 3.');
  expect((await agent.agent.graph.getState(config)).values.messages.slice(0, 6)).toEqual(before);
});

it('an error of the provider passes through, and the thread goes on', async () => {
  await using at = await start({ script: [{ failure: 'auth' }, { text: 'Fine.' }] });
  const agent = at.open('thread');
  await expect(agent.ask('Hi')).rejects.toMatchObject({ cause: { status: 401 } });
  expect(await agent.ask('Hi again')).toBe('Fine.');
});

it('an abort passes through, and the thread goes on', async () => {
  await using at = await start({
    script: ({ index }) => ({
      text: 'Slow. '.repeat(40),
      transport: index === 0 ? { delayMs: 30, chunkBytes: 20 } : {},
    }),
  });
  const agent = at.open('thread');
  const controller = new AbortController();
  const running = agent.ask('Go.', { signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  await expect(running).rejects.toThrow();
  expect(await agent.ask('Go on.')).toContain('Slow.');
  const path = await (await at.sessions.open('thread')).engine.session.path();
  expect(JSON.stringify(path)).toContain('Go on.');
});

it('a request that the provider calls too long is sent once more, smaller', async () => {
  await using at = await start({
    script: ({ index }) => (index === 4 ? { failure: 'overflow', limit: 8_000 } : { text: 'And so on. '.repeat(500) }),
  });
  const agent = at.open('thread');
  for (let n = 0; n < 4; n += 1) await agent.ask(`Question ${n}. ${'Details. '.repeat(500)}`);
  expect(await agent.ask('One more.')).toContain('And so on.');
  const [refused, retried] = at.loopback.requests.slice(-2);
  expect(retried?.text.length).toBeLessThan(refused?.text.length ?? 0);
});

it('content blocks that are not text reach the model as LangChain has them', async () => {
  await using at = await start({ script: [{ text: 'A cat.' }] });
  const { agent } = at.open('thread');
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  const asked = new HumanMessage({
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url } },
    ],
  });
  const { messages } = await agent.invoke({ messages: [asked] }, { configurable: { thread_id: 'thread' } });
  expect(messages.at(-1)).toBeInstanceOf(AIMessage);
  expect(at.loopback.requests[0]?.text).toContain(url);
});
