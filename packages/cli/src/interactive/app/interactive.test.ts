import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedAnswer } from 'longhaul/testing';
import { describe, expect, test } from 'vitest';
import { createInteractiveWorld, openInteractive } from './interactive.fixture.ts';
import { readTranscriptPage } from './transcript.ts';
import type { InteractiveEvent, TranscriptItem } from './view.ts';

const write: ScriptedAnswer = {
  text: 'I write it.',
  toolCalls: [{ name: 'write', arguments: { file_path: 'a.txt', content: 'hello\n' } }],
};

/** What the log must say as well: everything but ids, times and the summaries of running calls. */
const essence = (items: readonly TranscriptItem[]) =>
  items.flatMap((item): { readonly kind: string; readonly [member: string]: unknown }[] => {
    if (item.kind === 'notice') return [];
    if (item.kind === 'tool') return [{ kind: item.kind, tool: item.tool, state: item.state, output: item.output }];
    return [{ kind: item.kind, ...('text' in item && { text: item.text }) }];
  });

const until = async (events: readonly InteractiveEvent[], type: InteractiveEvent['type']) => {
  for (let tries = 0; !events.some((event) => event.type === type); tries += 1) {
    if (tries > 400) throw new Error(`no ${type}: ${JSON.stringify(events.map((event) => event.type))}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

describe('a conversation', () => {
  test('what is shown while it happens is what the log shows later', async () => {
    const { app, say, events } = await openInteractive({
      script: [{ thinking: 'Hm.', ...write }, { text: 'Done \u001b[31mred\u001b[0m.' }, { text: 'Twice.' }],
    });
    app.setMode('auto-edit');
    await say('Write it.');
    await say('Again?');
    const { session } = app.session;
    const page = await readTranscriptPage({ session, leaf: session.head.leaf, size: 100 });
    expect(essence(app.view.items)).toEqual(essence(page.items));
    expect(essence(page.items).map(({ kind }) => kind)).toEqual([
      'user',
      'thinking',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(JSON.stringify(page.items)).toContain('Done red.');
    expect(new Set(app.view.items.map(({ id }) => id)).size).toBe(app.view.items.length);
    expect(events.filter(({ type }) => type === 'finished')).toHaveLength(2);
    expect(app.view.status.activity.kind).toBe('idle');
    expect(app.view.status.context?.used).toBeGreaterThan(0);
  });

  test('an item keeps its id from the first delta to the entry of the log', async () => {
    const { app, events, say } = await openInteractive({ script: [{ text: 'A long answer in several pieces.' }] });
    await say('Go.');
    const added = events.find((event) => event.type === 'item' && event.item.kind === 'assistant');
    const last = app.view.items.find(({ kind }) => kind === 'assistant');
    expect(added?.type === 'item' && added.item.id).toBe(last?.id);
    expect(last).toMatchObject({ isStreaming: false, handle: expect.any(Number) });
    expect(events.filter(({ type }) => type === 'delta').length).toBeGreaterThan(0);
  });

  test('a prompt while the agent works is sent at its next step, and stop gives back what was not sent', async () => {
    const { app, model, events } = await openInteractive({
      script: async (_, index) => {
        if (index === 0) return { toolCalls: [{ name: 'write', arguments: { file_path: 'a.txt', content: 'x' } }] };
        return { text: 'Fine.' };
      },
    });
    await app.submit({ text: 'Start.' });
    await until(events, 'question');
    await app.submit({ text: 'And the docs.' });
    expect(app.view.queue).toMatchObject([{ text: 'And the docs.', how: 'steered' }]);
    const { stopped, text } = await app.stop();
    expect({ stopped, text }).toEqual({ stopped: 'agent', text: 'And the docs.' });
    expect(app.view.queue).toEqual([]);
    expect(app.view.questions).toEqual([]);
    expect(app.view.items.find(({ kind }) => kind === 'tool')).toMatchObject({
      state: 'failed',
      output: expect.stringContaining('not run'),
    });
    expect(model.requests).toHaveLength(1);
    await app.submit({ text: 'Go on.' });
    await app.idle();
    expect(JSON.stringify(model.requests.at(-1)?.items)).not.toContain('And the docs.');
  });

  test('a command of the user runs at once, without keys, and is context of the next prompt', async () => {
    const { app, say, model, world } = await openInteractive({
      script: [{ text: 'I see.' }],
      commands: { 'exec 2>&1\nnpm test': '2 failed: never use tabs' },
    });
    await app.submit({ text: '!npm test' });
    expect(app.view.items.at(-1)).toMatchObject({ kind: 'shell', command: 'npm test', exit: 0 });
    expect(model.requests).toHaveLength(0);
    await say('What failed?');
    const sent = model.requests[0]?.items.flatMap(({ parts }) => parts) ?? [];
    expect(sent).toContainEqual(expect.objectContaining({ origin: 'human', text: '! npm test' }));
    expect(sent).toContainEqual(expect.objectContaining({ origin: 'data', text: expect.stringContaining('2 failed') }));
    expect(world.io.ranCommands.every(({ env }) => !('ANTHROPIC_API_KEY' in env))).toBe(true);
    const { session } = app.session;
    const page = await readTranscriptPage({ session, leaf: session.head.leaf, size: 100 });
    expect(page.items[0]).toMatchObject({ kind: 'shell', command: 'npm test', output: '2 failed: never use tabs' });
  });

  test('mentioned files, images and pastes travel with the prompt', async () => {
    const world = createInteractiveWorld();
    const { app, say, model } = await openInteractive({ script: [{ text: 'Ok.' }], world });
    world.io.content.set(join(world.cwd, 'notes.md'), new TextEncoder().encode('remember'));
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
    world.io.content.set(join(world.cwd, 'a.png'), png);
    const paste = app.pastes.add('line\n'.repeat(214));
    expect(paste).toBe('[paste 1: 214 lines]');
    await say(`Look at @notes.md and @a.png: ${paste}`);
    const parts = model.requests[0]?.items.flatMap((item) => item.parts) ?? [];
    expect(parts.filter(({ type }) => type === 'image')).toHaveLength(1);
    expect(JSON.stringify(parts)).toContain('remember');
    expect(parts.some((part) => part.type === 'text' && part.text.includes('line\n'.repeat(214)))).toBe(true);
    expect(app.view.items[0]).toMatchObject({ kind: 'user', attachments: ['notes.md', 'image'] });
    await expect(app.prompt({ text: 'x', images: [new Uint8Array([1, 2])] })).rejects.toThrow('no PNG');
  });
});

describe('consent', () => {
  const open = async () => {
    const opened = await openInteractive({ script: [write, { text: 'Done.' }] });
    await opened.app.submit({ text: 'Write.' });
    await until(opened.events, 'question');
    const [question] = opened.app.view.questions;
    if (!question) throw new Error('There is no question.');
    const file = join(opened.world.cwd, 'a.txt');
    return { ...opened, question, file };
  };

  test('a question is a value with the change and a rule; nothing happens before the answer', async () => {
    const { app, question, file } = await open();
    expect(question).toMatchObject({ kind: 'change', tool: 'write', rule: 'write(a.txt)' });
    expect(question.diff).toContain('+hello');
    expect(existsSync(file)).toBe(false);
    expect(app.view.status.activity.kind).toBe('waiting');
    expect(app.view.items.find(({ kind }) => kind === 'tool')).toMatchObject({ state: 'waiting' });
    await app.answer({ id: question.id, answer: { kind: 'yes' } });
    await app.idle();
    expect(readFileSync(file, 'utf8')).toBe('hello\n');
    expect(app.view.items.find(({ kind }) => kind === 'tool')).toMatchObject({
      state: 'done',
      diff: expect.stringContaining('+hello'),
    });
  });

  test('no tells the model why', async () => {
    const { app, question, file, model } = await open();
    await app.answer({ id: question.id, answer: { kind: 'no', reason: 'use b.txt' } });
    await app.idle();
    expect(existsSync(file)).toBe(false);
    expect(JSON.stringify(model.requests[1]?.items)).toContain('use b.txt');
  });

  test('an edited rule allows the call and is shown; an invalid one leaves the question open', async () => {
    const { app, question, file } = await open();
    const bad = app.answer({ id: question.id, answer: { kind: 'always', rule: 'write(' } });
    await expect(bad).rejects.toThrow('neither TOOL nor TOOL(PATTERN)');
    expect(app.view.questions).toHaveLength(1);
    await app.answer({ id: question.id, answer: { kind: 'always', rule: 'write(*.txt)' } });
    await app.idle();
    expect(existsSync(file)).toBe(true);
    expect(app.consent.rules).toEqual(['write(*.txt)']);
  });

  test('a rule that does not cover the call is added, and the question is asked again', async () => {
    const { app, question, events, file } = await open();
    await app.answer({ id: question.id, answer: { kind: 'always', rule: 'write(*.md)' } });
    await expect.poll(() => events.filter(({ type }) => type === 'question').length).toBe(2);
    expect(existsSync(file)).toBe(false);
  });

  test('a changed mode decides open questions again', async () => {
    const { app, file } = await open();
    expect(app.setMode()).toBe('auto-edit');
    await app.idle();
    expect(existsSync(file)).toBe(true);
    expect([app.setMode(), app.setMode(), app.setMode()]).toEqual(['plan', 'read-only', 'ask']);
  });
});

describe('sessions', () => {
  test('a session that was left is resumed as it was, with what waits in its queue', async () => {
    const world = createInteractiveWorld();
    const first = await openInteractive({ script: [{ text: 'One.' }], world });
    await first.say('First prompt.');
    await first.app.submit({ text: '!true' });
    const { id } = first.app.session;
    const shown = essence(first.app.view.items.slice(0, 2));
    await first.app.close();
    const second = await openInteractive({ script: [{ text: 'Two.' }], world, wanted: { session: id } });
    expect(essence(second.app.view.items)).toEqual(shown);
    await expect.poll(() => second.app.view.queue.length).toBe(1);
    await second.say('Second prompt.');
    expect(JSON.stringify(second.model.requests[0]?.items)).toContain('First prompt.');
    expect(second.app.view.queue).toEqual([]);
  });

  test('a session without a message is removed when it is left', async () => {
    const world = createInteractiveWorld();
    const { app } = await openInteractive({ script: [], world });
    await app.close();
    expect(await world.store.list()).toEqual([]);
  });

  test('opening reads one page of a long session; earlier items come on demand, each once', async () => {
    const world = createInteractiveWorld();
    const seed = await openInteractive({ script: [{ text: 'Hi.' }], world });
    await seed.say('Start.');
    const { session } = seed.app.session;
    const turns = 1_500;
    for (let turn = 0; turn < turns; turn += 100) {
      await session.appendBatch(
        Array.from({ length: 100 }, (_, index) => ({
          type: 'message' as const,
          message: {
            role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
            parts: [
              {
                type: 'text' as const,
                origin: index % 2 === 0 ? ('human' as const) : ('model' as const),
                text: `${turn + index}`,
              },
            ],
          },
        })),
      );
    }
    const { id } = session;
    await seed.app.close();
    const { app } = await openInteractive({ script: [], world, wanted: { session: id } });
    expect(app.view.items.length).toBeLessThan(300);
    let read = 0;
    const live = app.session.session;
    const counting: Pick<typeof live, 'read' | 'head'> = {
      head: live.head,
      read: async (query) => {
        const entries = await live.read(query);
        read += entries.length;
        return entries;
      },
    };
    await readTranscriptPage({ session: counting, leaf: live.head.leaf, size: 200 });
    expect(read).toBeLessThan(300);
    expect(app.view.hasEarlier).toBe(true);
    while (await app.loadEarlier());
    expect(app.view.hasEarlier).toBe(false);
    const texts = app.view.items.map((item) => ('text' in item ? item.text : ''));
    expect(texts.slice(-turns)).toEqual(Array.from({ length: turns }, (_, index) => `${index}`));
    expect(new Set(app.view.items.map((item) => item.id)).size).toBe(app.view.items.length);
  });

  test('prompts are remembered across sessions, as they were typed', async () => {
    const world = createInteractiveWorld();
    const first = await openInteractive({ script: [{ text: 'Ok.' }], world });
    await first.say('token=hunter2 is typed');
    await first.app.close();
    const second = await openInteractive({ script: [], world });
    expect(second.app.history.prompts).toEqual(['token=hunter2 is typed']);
  });
});

test('a failed request is a notice, and the session goes on', async () => {
  const { app, say, events } = await openInteractive({ script: [{ failure: 'auth' }, { text: 'Better.' }] });
  await say('Go.');
  expect(app.view.items.at(-1)).toMatchObject({ kind: 'notice', level: 'error' });
  expect(events).toContainEqual(expect.objectContaining({ type: 'finished', reason: 'failed' }));
  await say('Again.');
  expect(app.view.items.at(-1)).toMatchObject({ kind: 'assistant', text: 'Better.' });
});
