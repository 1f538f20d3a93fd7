import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  assistant,
  BudgetExceededError,
  collect,
  createLonghaul,
  createMemoryStore,
  createModel,
  openSqliteStore,
  system,
  toolResult,
  user,
} from 'longhaul';
import { observeAgent } from 'longhaul/adapters/otel-agent';
import { createAgent, findInstructions, findSkills, systemPrompt } from 'longhaul/agent';
import { combineHooks } from 'longhaul/engine';
import { sameItem, turns } from 'longhaul/message';
import { retryDelay } from 'longhaul/models';
import { withRetry } from 'longhaul/models/clients';
import {
  ConflictError,
  createSession,
  DamageError,
  MissingSessionError,
  openSession,
  RejectedAppendError,
  SessionExistsError,
  StoreWriteError,
} from 'longhaul/session';
import { characterTokenizer, scriptedModel, startLoopback } from 'longhaul/testing';
import { afterEach, describe, expect, it } from 'vitest';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'longhaul-api-'));
  folders.push(made);
  return made;
}

describe('longhaul', () => {
  it('runs a loop of your own with a model by name over a store in a folder', async () => {
    const loopback = await startLoopback({ script: [{ text: 'Green again.' }] });
    const model = await createModel({ name: 'anthropic/claude-opus-5', baseUrl: loopback.url, apiKey: 'k', env: {} });
    const store = await openSqliteStore({ dir: folder() });
    const longhaul = await createLonghaul({ store, model });
    const session = await longhaul.open('port-billing');
    const request = await session.prepare({ system: 'Be brief.', messages: 'Fix the failing test' });
    const { entry } = await session.commit(await collect(model.stream(request)));
    expect(entry).toBeDefined();
    await longhaul.close();
    await loopback.close();
    const log = await openSession({ store, id: 'port-billing' });
    expect(log.context.items.map(({ message }) => message.role)).toEqual(['system', 'user', 'assistant']);
    await store.close();
  });

  it('names what does not fit when the system prompt alone is larger than the window', async () => {
    const model = scriptedModel({ window: 4_000, script: () => ({ text: '' }) });
    const session = await (await createLonghaul({ store: createMemoryStore(), model })).open();
    const system = 'A rule that nobody can leave out. '.repeat(4_000);
    await expect(session.prepare({ system, messages: 'Hello' })).rejects.toBeInstanceOf(BudgetExceededError);
  });
});

describe('longhaul/session', () => {
  it('has a class for each failure of a store', async () => {
    const store = createMemoryStore();
    const session = await createSession({ store, header: { id: 'one' } });
    await expect(createSession({ store, header: { id: 'one' } })).rejects.toBeInstanceOf(SessionExistsError);
    await expect(openSession({ store, id: 'two' })).rejects.toBeInstanceOf(MissingSessionError);
    const other = await openSession({ store, id: 'one' });
    await session.append({
      type: 'message',
      message: { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'a' }] },
    });
    const late = other.append({
      type: 'message',
      message: { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'b' }] },
    });
    await expect(late).rejects.toBeInstanceOf(ConflictError);
    const rest = [DamageError, RejectedAppendError, StoreWriteError].map((type) => type.prototype);
    expect(rest.every((prototype) => prototype instanceof Error)).toBe(true);
  });
});

describe('longhaul/models', () => {
  it('retries what may succeed later, and waits as the provider asks', async () => {
    const failure = { kind: 'rate', message: 'slow down', retryable: true, delayMs: 1_500 } as const;
    expect(retryDelay({ attempt: 1, failure, random: () => 0 })).toBe(1_500);
    const loopback = await startLoopback({ script: [{ failure: 'overloaded' }, { text: 'Yes.' }] });
    const once = await createModel({
      name: 'openai/gpt-5',
      baseUrl: `${loopback.url}/v1`,
      apiKey: 'k',
      env: {},
      retry: false,
    });
    const patient = withRetry(once, { clock: { sleep: async () => undefined } });
    const ask = { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'Hi' }] } as const;
    const { end } = await collect(patient.stream({ head: [], items: [ask], tools: [], options: {} }));
    await loopback.close();
    expect(end.reason).toBe('stop');
  });
});

describe('longhaul/message', () => {
  it('compares items as providers do, and reads turns off a list', () => {
    const text = { role: 'user', content: 'Hi' };
    expect(sameItem(text, { role: 'user', content: [{ type: 'text', text: 'Hi' }] })).toBe(true);
    const ask = { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'Hi' }] } as const;
    const answer = { role: 'assistant', parts: [{ type: 'text', origin: 'model', text: 'Hello' }] } as const;
    expect(turns([ask, answer, ask])).toHaveLength(2);
  });

  it('makes messages with their origins', () => {
    const made = [system('Be brief.'), user('Hi'), assistant('Hello'), toolResult({ callId: 'c1', text: '42' })];
    expect(made.map(({ role, parts }) => [role, parts[0]?.origin])).toEqual([
      ['system', 'engine'],
      ['user', 'human'],
      ['assistant', 'model'],
      ['tool', 'tool'],
    ]);
  });
});

describe('longhaul/engine and longhaul/agent', () => {
  it('combines hooks: one that throws is reported and skipped', async () => {
    const failures: string[] = [];
    const broken = {
      async beforeCompaction(): Promise<never> {
        throw new Error('out of ideas');
      },
    };
    const asked = {
      async beforeCompaction() {
        return { cancel: 'not now' };
      },
    };
    const hooks = combineHooks({ hooks: [broken, asked], onFailure: ({ why }) => failures.push(why) });
    const longhaul = await createLonghaul({ model: scriptedModel({ script: () => ({ text: 'x' }) }), hooks });
    const session = await longhaul.open();
    for (let n = 0; n < 4; n += 1) {
      await session.prepare({ messages: `Question ${n}. ${'More. '.repeat(500)}` });
      await session.commit({
        role: 'assistant',
        parts: [{ type: 'text', origin: 'model', text: 'And so on. '.repeat(500) }],
      });
    }
    expect(await session.compact()).toMatchObject({ installed: false });
    expect(failures).toEqual([expect.stringContaining('out of ideas')]);
  });

  it('finds instruction files and skills, and observes an agent', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'AGENTS.md'), 'Use tabs.\n');
    mkdirSync(join(cwd, '.claude/skills/release'), { recursive: true });
    writeFileSync(
      join(cwd, '.claude/skills/release/SKILL.md'),
      '---\nname: release\ndescription: How to release.\n---\nTag it.\n',
    );
    expect((await findInstructions({ cwd })).files.map(({ text }) => text)).toEqual(['Use tabs.\n']);
    expect((await findSkills({ cwd })).map(({ name }) => name)).toEqual(['release']);
    expect(systemPrompt).toContain('tools');
    expect(characterTokenizer.count('abc')).toBe(3);
    const session = await (await createLonghaul()).open();
    const model = scriptedModel({ script: () => ({ text: 'Done.' }) });
    const agent = await createAgent({ session: session.engine, model, cwd });
    const stop = observeAgent({ agent });
    for await (const _ of agent.run({ prompt: 'Hello' }));
    stop();
    await agent.close();
  });
});
