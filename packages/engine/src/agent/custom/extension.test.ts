import { expect, test } from 'vitest';
import { all, begin, endOf } from '../fixtures/agent.ts';
import { activateExtensions, defineExtension } from './extension.ts';

const good = defineExtension({
  name: 'good',
  tools: [
    { name: 'clock', description: 'Tells the time.', run: () => 'noon' },
    {
      name: 'broken',
      description: 'Throws.',
      run: () => {
        throw new Error('no clock');
      },
    },
    { name: 'read', description: 'Taken.', run: () => '' },
  ],
  commands: [
    { name: 'todo', description: 'Counts.', run: ({ arguments: words, cwd }) => `Count ${words} in ${cwd}.` },
    { name: 'quiet', description: 'Sends nothing.', run: () => undefined },
  ],
  hooks: { preToolUse: ({ tool }) => (tool === 'broken' ? { context: ['Careful.'] } : undefined) },
  renderers: {
    clock: ({ text }) => `It is ${text}\u001b[2J`,
    bash: () => {
      throw new Error('bad renderer');
    },
  },
});

function activate(...loaded: readonly unknown[]) {
  const problems: string[] = [];
  const active = activateExtensions({
    loaded: loaded.map((extension, at) => ({ file: `/e${at}.ts`, exports: { extension } })),
    cwd: '/p',
    taken: ['read'],
    onProblem: (text) => void problems.push(text),
  });
  return { active, problems };
}

test('an extension adds tools, commands, hooks and renderers', async () => {
  const { active, problems } = activate(good);
  expect(problems).toEqual([
    expect.stringMatching(/^The tool read of the extension good is not used: the name is taken/),
  ]);
  const { agent, model } = await begin({
    tools: active.tools,
    hooks: active.hooks,
    script: [{ toolCalls: [{ name: 'clock' }, { name: 'broken' }] }, { text: 'Done.' }],
  });
  expect(endOf(await all(agent.run({ prompt: 'Go.' })))).toMatchObject({ reason: 'done' });
  const sent = JSON.stringify(model.requests[1]?.items);
  expect(sent).toContain('noon');
  expect(sent).toContain('It failed: no clock');
  expect(sent).toContain('Careful.');
  const [todo, quiet] = active.commands;
  expect(await todo?.expand({ arguments: 'all' })).toEqual({ text: 'Count all in /p.' });
  expect(await quiet?.expand({ arguments: '' })).toBeUndefined();
});

test('a renderer cannot control the terminal, and one that throws is off after one line', () => {
  const { active, problems } = activate(good);
  const call = { input: {}, text: 'noon', isError: false };
  expect(active.render({ ...call, tool: 'clock' })).toBe('It is noon');
  expect(active.render({ ...call, tool: 'ls' })).toBeUndefined();
  for (const _ of [1, 2]) expect(active.render({ ...call, tool: 'bash' })).toBeUndefined();
  expect(problems.filter((text) => text.includes('bad renderer'))).toHaveLength(1);
});

test.each([
  ['nothing', undefined],
  ['no name', {}],
  ['a function', () => undefined],
])('%s is one line and costs nothing else', (_, extension) => {
  const { active, problems } = activate(extension, good);
  expect(problems[0]).toMatch(/must export `extension`/);
  expect(active.names).toEqual(['good']);
});

test('invalid parts are reported one by one', () => {
  const { active, problems } = activate({
    name: 'odd',
    tools: [{ name: 'a b' }, { name: 'ok', description: 'x' }, null, 'text'],
    commands: [{ name: '../x', description: 'x', run: () => '' }, { name: 'c' }],
    hooks: 'none',
    renderers: { ls: 3 },
  });
  expect(problems).toHaveLength(4);
  expect([active.tools, active.commands, active.hooks]).toEqual([[], [], []]);
});
