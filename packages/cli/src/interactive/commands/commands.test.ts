import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedAnswer } from 'longhaul/testing';
import { describe, expect, test } from 'vitest';
import { createInteractiveWorld, openInteractive, textsOf } from '../app/interactive.fixture.ts';
import type { Interactive } from '../app/interactive.ts';
import type { CommandResult } from '../app/result.ts';
import { slashCommands, usageOf } from './index.ts';

/** The only result, of an expected kind. */
function only<K extends CommandResult['kind']>(results: readonly CommandResult[], kind: K) {
  const [result] = results;
  if (result?.kind !== kind || results.length !== 1)
    throw new Error(`expected ${kind}, got ${JSON.stringify(results)}`);
  return result as Extract<CommandResult, { kind: K }>;
}

const long = (seed: string) =>
  Array.from({ length: 500 }, (_, line) => `${seed} line ${line} of the report`).join('\n');

/** A session with several turns, large enough to be compacted. */
async function conversation() {
  const opened = await openInteractive({
    window: 30_000,
    script: (_, index): ScriptedAnswer => ({ text: long(`answer ${index}`) }),
  });
  for (const prompt of ['First.', 'Second.', 'Third.']) await opened.say(prompt);
  return opened;
}

const slash = async (app: Interactive, line: string) => await app.submit({ text: line });

describe('compaction', () => {
  test('/compact shows what would leave, installs it on consent, and /undo brings it back', async () => {
    const { app } = await conversation();
    const before = JSON.stringify(app.session.context.items);
    const refused = only(await slash(app, '/compact'), 'confirm');
    expect(textsOf(refused.body)).toContain('No longer sent to the model');
    expect(await refused.choices.at(-1)?.run()).toMatchObject([{ text: 'Nothing was compacted.' }]);
    expect(JSON.stringify(app.session.context.items)).toBe(before);
    const confirm = only(await slash(app, '/compact the reports'), 'confirm');
    expect(await confirm.choices[0]?.run()).toEqual([]);
    const item = app.view.items.findLast(({ kind }) => kind === 'compaction');
    expect(item).toMatchObject({ tokensBefore: expect.any(Number), left: expect.stringContaining('answers') });
    expect(app.view.status.job).toBeUndefined();
    expect(textsOf(await slash(app, '/undo'))).toContain('Undone: compaction');
    expect(JSON.stringify(app.session.context.items)).toBe(before);
    expect(textsOf(await slash(app, '/redo'))).toContain('Redone: compaction');
  });

  test('/compact of an empty session says why it does nothing', async () => {
    const { app } = await openInteractive({ script: [] });
    expect(textsOf(await slash(app, '/compact'))).toContain('Nothing was compacted.');
  });

  test('/context maps the window by kind; the parts add up to what is used', async () => {
    const { app } = await conversation();
    const map = only(await slash(app, '/context'), 'map');
    const sum = map.segments.reduce((total, { tokens }) => total + tokens, 0);
    expect(Math.abs(sum - map.used)).toBeLessThan(10);
    expect(map.segments.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['system', 'tools', 'human', 'model']));
    expect(map.goesFirst.join()).toContain('First.');
    expect(map.window).toBe(30_000);
  });
});

describe('the tree', () => {
  test('/tree moves, offers a summary of the branch that is left, labels and forks', async () => {
    const { app } = await conversation();
    const tree = only(await slash(app, '/tree'), 'tree');
    expect(tree.nodes.filter(({ who }) => who === 'user')).toHaveLength(3);
    const second = tree.nodes.find(({ text }) => text.startsWith('Second.'));
    expect(await tree.preview(second?.id ?? '')).toContain('Second.');
    await tree.label(second?.id ?? '', 'here');
    const confirm = only(await tree.move(second?.id ?? ''), 'confirm');
    const moved = await confirm.choices.find(({ key }) => key === 's')?.run();
    expect(moved).toEqual([{ kind: 'edit', text: 'Second.' }]);
    expect(app.view.items.filter(({ kind }) => kind === 'user')).toHaveLength(1);
    expect(app.view.items.at(-1)).toMatchObject({ kind: 'notice', text: expect.stringContaining('Branch summary') });
    const after = only(await slash(app, '/tree'), 'tree');
    expect(after.nodes.find(({ label }) => label === 'here')).toMatchObject({ isOnPath: false });
    const { id } = app.session;
    await after.fork(second?.id ?? '');
    expect(app.session.id).not.toBe(id);
    expect(app.session.session.header.parent?.session).toBe(id);
  });

  test('/rewind goes back to before a prompt and hands it back for editing', async () => {
    const { app } = await conversation();
    const picker = only(await slash(app, '/rewind'), 'picker');
    expect(picker.items.map(({ label }) => label)).toEqual(['Third.', 'Second.', 'First.']);
    expect(await picker.actions[0]?.run(picker.items[0]?.id ?? '', '')).toEqual([{ kind: 'edit', text: 'Third.' }]);
    expect(app.view.items.filter(({ kind }) => kind === 'user')).toHaveLength(2);
    await slash(app, '/undo');
    expect(app.view.items.filter(({ kind }) => kind === 'user')).toHaveLength(3);
    expect(textsOf(await slash(app, '/rewind everything'))).toContain('does not know');
  });

  test('/rewind both puts the files back that the agent changed', async () => {
    const world = createInteractiveWorld();
    writeFileSync(join(world.cwd, 'a.txt'), 'before\n');
    const change = { file_path: 'a.txt', content: 'after\n' };
    const { app, say } = await openInteractive({
      world,
      script: [
        { toolCalls: [{ name: 'read', arguments: { file_path: 'a.txt' } }] },
        { toolCalls: [{ name: 'write', arguments: change }] },
        { text: 'Done.' },
      ],
    });
    app.setMode('auto-edit');
    await say('Change it.');
    expect(readFileSync(join(world.cwd, 'a.txt'), 'utf8')).toBe('after\n');
    const picker = only(await slash(app, '/rewind both'), 'picker');
    const confirm = only((await picker.actions[0]?.run(picker.items[0]?.id ?? '', '')) ?? [], 'confirm');
    expect(textsOf(confirm.body)).toContain('a.txt');
    expect(textsOf((await confirm.choices[0]?.run()) ?? [])).toContain('a.txt');
    expect(readFileSync(join(world.cwd, 'a.txt'), 'utf8')).toBe('before\n');
    expect(app.view.items).toEqual([]);
  });
});

describe('sessions', () => {
  test('/session, /new, /sessions, /fork: rename, search, preview, open, delete', async () => {
    const { app, say, world } = await openInteractive({ script: [{ text: 'One.' }, { text: 'Two.' }] });
    await say('Port the billing module.');
    const first = app.session.id;
    expect(textsOf(await slash(app, '/session rename billing'))).toContain('billing');
    expect(only(await slash(app, '/session'), 'table').rows).toContainEqual(['name', 'billing']);
    expect(textsOf(await slash(app, '/session checkpoints'))).toContain('No compaction is in force.');
    expect(textsOf(await slash(app, '/session explode'))).toContain('does not know');
    await slash(app, '/new');
    expect(app.view.items).toEqual([]);
    await say('Another topic.');
    const second = app.session.id;
    const picker = only(await slash(app, '/sessions bill'), 'picker');
    expect(picker.items).toMatchObject([{ id: first, label: 'billing' }]);
    expect(await picker.preview?.(first)).toContain('Port the billing module.');
    await picker.actions[0]?.run(first, '');
    expect(app.session.id).toBe(first);
    expect(app.view.items).toMatchObject([{ kind: 'user' }, { kind: 'assistant', text: 'One.' }]);
    const all = only(await slash(app, '/resume'), 'picker');
    const ask = only((await all.actions.find(({ key }) => key === 'd')?.run(second, '')) ?? [], 'confirm');
    await ask.choices[0]?.run();
    expect((await world.store.list()).map(({ header }) => header.id)).toEqual([first]);
    await slash(app, '/fork try');
    expect(app.session.session.header.parent?.session).toBe(first);
    expect((await world.store.list()).map(({ name }) => name).toSorted()).toEqual(['billing', 'try']);
    expect(app.history.prompts).toContain('Port the billing module.');
  });

  test('/model with a smaller window shows the preflight, and compacts with the old model first', async () => {
    const { app } = await conversation();
    const before = app.session.context.items.length;
    const small = { ...app.agent.model, id: { provider: 'test', name: 'small' } };
    const create = async () => ({ ...small, info: { ...small.info, window: 8_000, maxOutput: 1_000 } });
    Object.assign(app.setup.io.models, { create });
    const confirm = only(await slash(app, '/model test/small'), 'confirm');
    expect(textsOf(confirm.body)).toMatch(/It has [\d,]+ tokens .* takes [\d,]+/);
    await confirm.choices[0]?.run();
    expect(app.view.status.model).toBe('test/small');
    expect(app.session.context.items.length).toBeLessThan(before);
    expect(app.view.status.context?.window).toBe(8_000);
    const picker = only(await slash(app, '/model'), 'picker');
    expect(picker.items.some(({ label, detail }) => label.includes('claude') && detail?.includes('per million'))).toBe(
      true,
    );
    expect(picker.items.find(({ label }) => label.includes('claude'))?.disabled).toContain('not set');
  });
});

test('/pin, /unpin, /recall, /search', async () => {
  const { app, say } = await openInteractive({ script: [{ text: 'The unsigned char overflowed.' }] });
  await say('What happened?');
  const pinned = textsOf(await slash(app, '/pin Never push to main.'));
  const [, handle = ''] = /Pinned as (@\d+)/.exec(pinned) ?? [];
  expect(textsOf(await slash(app, '/pin'))).toContain('Never push to main.');
  expect(only(await slash(app, '/unpin'), 'picker').items).toMatchObject([{ label: 'Never push to main.' }]);
  expect(textsOf(await slash(app, `/unpin ${handle}`))).toContain('no longer a rule');
  const found = only(await slash(app, '/recall unsigned'), 'picker');
  expect(await found.preview?.(found.items[0]?.id ?? '')).toBe('The unsigned char overflowed.');
  const [item] = found.items;
  expect(textsOf(await slash(app, `/recall ${item?.detail}`))).toBe('The unsigned char overflowed.');
  expect(only(await slash(app, '/search overflowed'), 'picker').items).toHaveLength(1);
  expect(textsOf(await slash(app, '/search'))).toContain('empty');
  expect(textsOf(await slash(app, '/frontier'))).not.toBe('');
  expect(textsOf(await slash(app, '/cost'))).toBe('No model has reported usage yet.');
});

test('/permissions, /mode, /settings, /theme, /skills, /hooks, /memory', async () => {
  const { app } = await openInteractive({ script: [] });
  expect(textsOf(await slash(app, '/mode read-only'))).toContain('Mode read-only');
  expect(app.view.status.mode).toBe('read-only');
  expect(textsOf(await slash(app, '/mode reckless'))).toContain('There is no mode');
  await slash(app, '/permissions allow bash(npm test:*)');
  expect(only(await slash(app, '/permissions'), 'table').rows).toEqual([['allowed', 'bash(npm test:*)']]);
  expect(textsOf(await slash(app, '/permissions allow bash('))).toContain('neither TOOL nor TOOL(PATTERN)');
  expect(textsOf(await slash(app, '/settings compaction.preset'))).toContain('longhaul');
  expect(textsOf(await slash(app, '/theme'))).toContain('no colors');
  let theme = 'dark';
  const setTheme = (name: string) => {
    theme = name;
  };
  app.appearance = { themes: ['dark', 'light'], theme: () => theme, setTheme };
  await slash(app, '/theme light');
  expect(theme).toBe('light');
  expect(textsOf(await slash(app, '/theme neon'))).toContain('There is no theme');
  expect(only(await slash(app, '/skills'), 'table').empty).toContain('SKILL.md');
  expect(only(await slash(app, '/hooks'), 'table').rows).toEqual([]);
  expect(textsOf(await slash(app, '/memory'))).toContain('Memory is off');
});

test('/init writes AGENTS.md from the folder after showing it, and never over one that exists', async () => {
  const { app, world } = await openInteractive({ script: [] });
  const file = join(world.cwd, 'AGENTS.md');
  const scripts = { test: 'vitest run', build: 'tsc' };
  world.io.content.set(join(world.cwd, 'package.json'), Buffer.from(JSON.stringify({ name: 'billing', scripts })));
  const confirm = only(await slash(app, '/init'), 'confirm');
  expect(textsOf(confirm.body)).toContain('- `npm test`: `vitest run`');
  expect(world.io.content.has(file)).toBe(false);
  await confirm.choices[0]?.run();
  expect(Buffer.from(world.io.content.get(file) ?? []).toString()).toContain('# billing');
  expect(only(await slash(app, '/init'), 'confirm').title).toContain('exists already');
});

test('/help lists every command; an unknown one names the nearest; a path is a prompt', async () => {
  const { app, model } = await openInteractive({ script: [{ text: 'Ok.' }] });
  const help = only(await slash(app, '/help'), 'table');
  expect(help.rows).toHaveLength(app.commands.length);
  expect(only(await slash(app, '/help compact'), 'table').rows).toHaveLength(1);
  expect(textsOf(await slash(app, '/compct'))).toContain('Did you mean /compact?');
  await slash(app, '/usr/bin/env is what?');
  await app.idle();
  expect(model.requests).toHaveLength(1);
  expect(await slash(app, '/exit')).toEqual([{ kind: 'exit' }]);
  expect(existsSync(join(app.setup.io.cwd, 'AGENTS.md'))).toBe(false);
});

test('names and aliases are unique, and every command has one line of help', async () => {
  const { app } = await openInteractive({ script: [] });
  const names = app.commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  for (const { help } of app.commands) expect(help).toMatch(/^[A-Z][^\n]{10,110}[^.]$/);
});

test('the table of commands in docs/slash-commands.md is made from the registry', () => {
  const rows = slashCommands.map(
    (command) =>
      `| \`${usageOf(command).replaceAll('|', '\\|')}\`${(command.aliases ?? []).map((alias) => `, \`/${alias}\``).join('')} | ${command.help.replaceAll('|', '\\|')} |`,
  );
  const table = ['| command | what it does |', '|---|---|', ...rows].join('\n');
  const page = readFileSync(new URL('../../../../../docs/slash-commands.md', import.meta.url), 'utf8');
  expect(page, `the table should be:\n${table}`).toContain(table);
});

describe('/plan', () => {
  const text = '# Goal\n\n1. Write a.txt\n2. Check it';
  const write = { name: 'write', arguments: { file_path: 'a.txt', content: '42' } };
  /** A session whose agent tries to write, then proposes a plan, and works when it is approved. */
  const planned = async () => {
    const opened = await openInteractive({
      script: [
        { toolCalls: [write] },
        { toolCalls: [{ name: 'plan', arguments: { text } }] },
        { text: 'Please read it.' },
        { toolCalls: [write] },
        { text: 'Done.' },
      ],
    });
    await slash(opened.app, '/plan Write the answer.');
    await opened.app.idle();
    return { ...opened, file: join(opened.world.cwd, 'a.txt') };
  };
  const sent = ({ model }: Pick<Awaited<ReturnType<typeof openInteractive>>, 'model'>, at: number) =>
    JSON.stringify(model.requests.at(at)?.items);

  test('shows the proposed plan; approved, it is carried out in mode ask', async () => {
    const { app, model, file } = await planned();
    expect(sent({ model }, 0)).toContain('Plan mode is on');
    expect(sent({ model }, 1)).toContain('until the user has approved a plan');
    expect(JSON.stringify(app.view.items)).toContain('A plan was proposed. /plan shows it');
    const confirm = only(await slash(app, '/plan'), 'confirm');
    expect(textsOf(confirm.body)).toBe(text);
    expect(textsOf((await confirm.choices.at(-1)?.run()) ?? [])).toContain('Mode plan');
    expect([app.opened.plans.current()?.status, app.view.status.mode]).toEqual(['proposed', 'plan']);
    expect(textsOf((await confirm.choices[0]?.run()) ?? [])).toContain('The plan is approved. Mode ask');
    await expect.poll(() => app.view.questions.length).toBe(1);
    await app.answer({ id: app.view.questions[0]?.id ?? '', answer: { kind: 'yes' } });
    await app.idle();
    expect(existsSync(file)).toBe(true);
    expect(sent({ model }, -1)).toContain('I approve this plan');
    expect(sent({ model }, -1).split('Plan mode is on')).toHaveLength(2);
    expect(app.opened.plans.current()?.status).toBe('approved');
  });

  test('approve FILE takes the edited plan; without a plan or a file it is one sentence', async () => {
    const { app, model, world } = await planned();
    expect(textsOf(await slash(app, '/plan approve none.md'))).toContain('none.md');
    expect([app.opened.plans.current()?.status, app.view.status.mode]).toEqual(['proposed', 'plan']);
    const edited = new TextEncoder().encode(text.replace('Check it', 'Check it twice'));
    world.io.content.set(join(world.cwd, 'plan.md'), edited);
    app.setMode('auto-edit');
    expect(textsOf(await slash(app, '/plan approve plan.md'))).toContain('Mode auto-edit');
    await app.idle();
    expect(sent({ model }, -1)).toContain('Check it twice');
    const { app: other } = await openInteractive({ script: [] });
    expect(textsOf(await slash(other, '/plan approve'))).toContain('no plan to approve');
  });
});
