import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dialect } from 'longhaul/message';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FakeAgent } from './fixtures/agent.ts';
import { breaksIn, start, work } from './fixtures/start.ts';
import { addNotes, type EndedConversation } from './memory.ts';

const dialects: readonly Dialect[] = ['anthropic', 'openai-chat', 'openai-responses', 'gemini'];
const itemsKey = { anthropic: 'messages', 'openai-chat': 'messages', 'openai-responses': 'input', gemini: 'contents' };
const notes = '<memory>\nRun `make check`.\n</memory>';

/** Everything of a request but its items: what a provider caches first. */
function headOf(body: unknown, dialect: Dialect): string {
  const { [itemsKey[dialect]]: items, ...rest } = body as Record<string, unknown>;
  const leading = (items as { readonly role?: string }[]).filter(
    ({ role }) => role === 'system' || role === 'developer',
  );
  return JSON.stringify({ ...rest, leading });
}

async function world({ folder = true, isDelivering = true }: { folder?: boolean; isDelivering?: boolean } = {}) {
  const project = mkdtempSync(join(tmpdir(), 'longhaul-project-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const asked: { readonly folder: string; readonly request: string; readonly instructions: string }[] = [];
  const delivered: string[] = [];
  const ended: EndedConversation[] = [];
  const gateway = await start({
    memory: {
      ...(isDelivering && {
        notes: async (of: (typeof asked)[number]) => {
          asked.push(of);
          return { text: notes, delivered: (session: string) => void delivered.push(session) };
        },
      }),
      ended: (conversations) => void ended.push(...conversations),
    },
  });
  const system = `You are a careful agent.${folder ? `\nWorking directory: ${project}\nPlatform: linux` : ''}`;
  return { gateway, project, asked, delivered, ended, system };
}

describe('memory of a gateway', () => {
  test.each(dialects)('%s: notes are frozen into the head of a new conversation', async (dialect) => {
    const { gateway: opened, project, asked, delivered, ended, system } = await world();
    await using gateway = opened;
    const agent = new FakeAgent({ dialect, url: gateway.url, system });
    agent.say('<system-reminder>Be short.</system-reminder>Fix the login test.');
    await work({ agent, turns: 2 });
    await gateway.restart();
    await work({ agent, turns: 2 });
    const bodies = gateway.loopback.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(4);
    expect(new Set(bodies.map((body) => headOf(body, dialect))).size).toBe(1);
    expect(headOf(bodies[0], dialect)).toContain('Run `make check`.');
    expect(asked).toMatchObject([{ folder: project, request: 'Fix the login test.' }]);
    expect(asked[0]?.instructions).toContain('You are a careful agent.');
    const [session, ...others] = await gateway.sessions();
    expect(others).toEqual([]);
    expect(session?.header).toMatchObject({ cwd: project });
    expect(delivered).toEqual([session?.header.id]);
    // The ledger counts them: they are part of the head in the log.
    expect(JSON.stringify(session?.entries.filter(({ type }) => type === 'message'))).toContain('make check');
    expect(new Set(ended.map((one) => one.session))).toEqual(new Set(delivered));
    await gateway.gateway().close();
    expect(ended.at(-1)).toEqual({ session: session?.header.id, folder: project });
  });

  test('without notes every request arrives as it was sent, and the conversation is still reported as ended', async () => {
    const { gateway: opened, project, ended, system } = await world({ isDelivering: false });
    await using gateway = opened;
    const agent = new FakeAgent({ dialect: 'anthropic', url: gateway.url, system });
    agent.say('Fix it.');
    const sent = JSON.stringify(agent.body());
    agent.answer(await agent.turn(), () => 'ok');
    expect(JSON.stringify(gateway.loopback.requests[0]?.body)).toBe(sent);
    await gateway.gateway().close();
    expect(ended).toMatchObject([{ folder: project }]);
  });

  test('a client that names no folder, and a conversation that began before the gateway, get no notes', async () => {
    const { gateway: opened, asked, ended, system } = await world({ folder: false });
    await using gateway = opened;
    const unknown = new FakeAgent({ dialect: 'openai-chat', url: gateway.url, system });
    unknown.say('Fix that.');
    await unknown.turn();
    const old = new FakeAgent({
      dialect: 'openai-chat',
      url: gateway.url,
      system: `Working directory: ${tmpdir()}`,
    });
    old.say('Fix it.');
    old.add({ role: 'assistant', parts: [{ type: 'text', origin: 'model', text: 'Done.' }] });
    old.say('Go on.');
    await old.turn();
    expect(asked).toEqual([]);
    expect(JSON.stringify(gateway.loopback.requests)).not.toContain('make check');
    await gateway.gateway().close();
    expect(ended).toMatchObject([{ folder: tmpdir() }]);
  });

  test('a compaction keeps the notes and changes only the items', async () => {
    const { gateway: opened, system } = await world();
    await using gateway = opened;
    const agent = new FakeAgent({ dialect: 'anthropic', url: gateway.url, system });
    agent.say('Read all files.');
    await work({ agent, turns: 14 });
    const { requests: exchanges } = gateway.loopback;
    expect(breaksIn(exchanges)).toBeGreaterThan(0);
    expect(new Set(exchanges.map(({ body }) => headOf(body, 'anthropic'))).size).toBe(1);
    expect(exchanges.every(({ body }) => JSON.stringify(body).includes('make check'))).toBe(true);
  });
});

test.each([
  ['anthropic', '{"messages":[]}', '{"system":[{"type":"text","text":"N"}],"messages":[]}'],
  ['anthropic', '{"system":"a","x":1}', '{"system":[{"type":"text","text":"a"},{"type":"text","text":"N"}],"x":1}'],
  ['openai-chat', '{"messages":[{"role":"user"}]}', '{"messages":[{"role":"system","content":"N"},{"role":"user"}]}'],
  [
    'openai-chat',
    '{"messages":[{"role":"system","content":"a"}]}',
    '{"messages":[{"role":"system","content":"a\\n\\nN"}]}',
  ],
  ['openai-responses', '{"input":"a"}', '{"instructions":"N","input":"a"}'],
  ['openai-responses', '{"instructions":null}', '{"instructions":"N"}'],
  [
    'gemini',
    '{"system_instruction":{"parts":[{"text":"a"}]}}',
    '{"system_instruction":{"parts":[{"text":"a"},{"text":"N"}]}}',
  ],
] as const)('%s: notes in %s', (dialect, body, expected) => {
  expect(addNotes({ body: Buffer.from(body), dialect, text: 'N' })?.toString()).toBe(expected);
});
