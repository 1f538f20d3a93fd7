import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { collect, type Model, type ModelFailure } from '../models/index.ts';
import { scriptedModel } from '../testing/index.ts';
import { createLonghaul, type LonghaulSession } from './index.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function answering(text: string, window = 32_000): Model {
  return scriptedModel({ window, script: () => ({ text }) });
}

async function textsOf(session: LonghaulSession): Promise<string[]> {
  const path = await session.engine.session.path();
  return path.flatMap((entry) =>
    entry.type === 'message' ? entry.message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
}

describe('createLonghaul', () => {
  it('opens a session by its id, creates it when it is missing, and finds it again after a restart', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'longhaul-'));
    folders.push(dir);
    const first = await createLonghaul({ dir, model: answering('Done.') });
    const session = await first.open('port-billing');
    for await (const _ of session.send('Fix the failing test'));
    expect(await first.open('port-billing')).toBe(session);
    await first.close();

    const second = await createLonghaul({ dir, model: answering('Again.') });
    const reopened = await second.open('port-billing');
    expect(await textsOf(reopened)).toEqual(expect.arrayContaining(['Fix the failing test', 'Done.']));
    expect((await second.sessions()).map(({ header }) => header.id)).toEqual(['port-billing']);
    await second.close();
  });

  it('rejects a folder together with a store, in one sentence', async () => {
    const { store } = await createLonghaul();
    await expect(createLonghaul({ dir: 'anywhere', store })).rejects.toThrow('both `dir` and `store`');
  });

  it('names the missing model when a session needs one', async () => {
    const session = await (await createLonghaul()).open();
    await expect(session.prepare({ messages: 'Hello' })).rejects.toMatchObject({ code: 'no-model' });
  });
});

describe('session.send', () => {
  it('runs the agent to its end and reports it as events', async () => {
    const longhaul = await createLonghaul({ model: answering('All green.'), system: 'Be brief.' });
    const session = await longhaul.open();
    const events = [];
    for await (const event of session.send('Run the tests')) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'run_end', reason: 'done', text: 'All green.' });
    expect(session.engine.context.items.some(({ message }) => message.role === 'system')).toBe(true);
    await longhaul.close();
  });

  it('ends when its signal aborts', async () => {
    const longhaul = await createLonghaul({ model: answering('Never read.') });
    const session = await longhaul.open();
    const events = [];
    for await (const event of session.send('Go', { signal: AbortSignal.abort() })) events.push(event);
    expect(events).toEqual([]);
    await longhaul.close();
  });
});

describe('session.prepare and session.commit', () => {
  it('keep a loop of your own inside the window for as long as it runs', async () => {
    const window = 16_000;
    const model = answering('And so on. '.repeat(400), window);
    const session = await (await createLonghaul({ model })).open();
    let compactions = 0;
    for (let n = 0; n < 20; n += 1) {
      const request = await session.prepare({ messages: `Question ${n}`, key: `question-${n}` });
      expect(request.bound).toBeLessThanOrEqual(window);
      compactions += request.report.compaction?.installed ? 1 : 0;
      const { entry, retry } = await session.commit(await collect(model.stream(request)));
      expect(entry).toBeDefined();
      expect(retry).toBe(false);
    }
    expect(compactions).toBeGreaterThan(0);
    expect((await session.recall({ handle: '@2' })).text).toContain('Question 0');
  });

  it('reasoning that the provider rejects is not sent again', async () => {
    const session = await (await createLonghaul({ model: answering('x') })).open();
    await session.prepare({ messages: 'Hello.' });
    const thinking = { type: 'thinking', origin: 'model', text: 'Hm.', signature: 'of another account' } as const;
    const words = { type: 'text', origin: 'model', text: 'Hi.' } as const;
    await session.commit({ role: 'assistant', parts: [thinking, words] });
    await session.prepare({ messages: 'Again.' });
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
    const failure: ModelFailure = { kind: 'invalid', message, retryable: false, rejectsThinking: true };
    expect(await session.commit({ failure })).toEqual({ failure, retry: true });
    const { items } = await session.prepare();
    expect(items.flatMap(({ parts }) => parts.map(({ type }) => type))).toEqual(['text', 'text', 'text']);
    expect(await session.commit({ failure })).toEqual({ failure, retry: false });
  });

  it('an answer that overflowed is not appended, and the next request is smaller', async () => {
    const model = answering('Fine.');
    const session = await (await createLonghaul({ model })).open();
    for (let n = 0; n < 6; n += 1) {
      const request = await session.prepare({ messages: `Question ${n}. ${'Details. '.repeat(800)}` });
      await session.commit(await collect(model.stream(request)));
    }
    const before = await session.prepare({ messages: 'One more' });
    const failure: ModelFailure = { kind: 'overflow', message: 'prompt is too long', retryable: false, limit: 6_000 };
    const entries = session.engine.session.head.last;
    expect(await session.commit({ failure })).toEqual({ failure, retry: true });
    expect((await textsOf(session)).at(-1)).toBe('One more');
    expect(session.engine.session.head.last).toBeGreaterThanOrEqual(entries);
    const after = await session.prepare();
    expect(after.tokens).toBeLessThan(before.tokens);
    expect(after.items.at(-1)?.parts.at(-1)).toMatchObject({ text: 'One more' });
  });

  it('an empty answer leaves no empty message in the log', async () => {
    const session = await (await createLonghaul({ model: answering('x') })).open();
    await session.prepare({ messages: 'Hello' });
    expect(await session.commit({ role: 'assistant', parts: [] })).toEqual({ retry: false });
    expect(await textsOf(session)).toEqual(['Hello']);
  });

  it('of an aborted answer only its text is kept', async () => {
    const session = await (await createLonghaul({ model: answering('x') })).open();
    await session.prepare({ messages: 'Hello' });
    const message = {
      role: 'assistant',
      parts: [
        { type: 'text', origin: 'model', text: 'I will look.' },
        { type: 'tool_call', origin: 'model', id: 'c1', name: 'read', arguments: '{"pa' },
      ],
    } as const;
    await session.commit({ message, usage: undefined, end: { type: 'end', reason: 'aborted', message } });
    const request = await session.prepare({ messages: 'Go on' });
    expect(request.items.flatMap(({ parts }) => parts.map(({ type }) => type))).toEqual(['text', 'text', 'text']);
  });

  it('system, tools and options travel in the request as the model takes it', async () => {
    const model = answering('Yes.');
    const session = await (await createLonghaul({ model })).open();
    const tool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } } as const;
    const request = await session.prepare({
      system: 'Be brief.',
      messages: 'Hello',
      tools: [tool],
      options: { temperature: 0 },
    });
    expect(request).toMatchObject({ tools: [tool], options: { temperature: 0 } });
    expect(request.head.at(0)?.parts.at(0)).toMatchObject({ text: 'Be brief.' });
    expect((await collect(model.stream(request))).end.reason).toBe('stop');
  });
});
