import { expect, test } from 'vitest';
import { longhaul } from './longhaul.ts';
import { agentWorld } from './provider.ts';

test('an edited message and the summary of a branch that was left are in the next request', async () => {
  const { server, call } = await agentWorld({
    script: ({ body }) =>
      JSON.stringify(body).includes('amaranth') ? { text: 'Seen.' } : { text: 'The word is heliotrope.' },
  });
  const sent = () => JSON.stringify(server.requests.at(-1)?.body);
  expect((await call(['-p', 'Choose a word.'])).code).toBe(0);
  expect((await call(['-p', '--continue', 'Write it into notes/amaranth.md.'])).code).toBe(0);
  expect(sent()).toContain('heliotrope');
  const answer = (await call(['tree', 'last'])).stdout.match(/(@\d+) assistant {2}The word is heliotrope\./)?.[1] ?? '';
  expect((await call(['edit', 'last', answer, 'The word is marigold.'])).code).toBe(0);
  expect((await call(['-p', '--continue', 'And now?'])).code).toBe(0);
  expect(sent()).toContain('marigold');
  expect(sent()).not.toContain('heliotrope');
  expect((await call(['branch', 'last', '--to', answer, '--branch-summaries', 'extractive'])).code).toBe(0);
  expect((await call(['-p', '--continue', 'Try it in another way.'])).code).toBe(0);
  // Two answers stayed on the branch; its summary names the file.
  expect(sent().match(/"role":"assistant"/g)).toHaveLength(1);
  expect(sent()).toContain('notes/amaranth.md');
});

test('a switch to a smaller model has the old model compact first, and says so', async () => {
  const { server, key, env, cwd, call } = await agentWorld({
    script: () => ({ text: `<summary>The fruit is quince. ${'Apples were counted. '.repeat(50)}</summary>` }),
  });
  const lines = Array.from({ length: 400 }, (_, at) => `Line ${at} has ${at * 7} apples and pears.`).join('\n');
  expect((await call(['-p', 'The fruit is quince.', '--model', 'anthropic/claude-sonnet-4-5'])).code).toBe(0);
  for (const name of ['one', 'two'])
    expect((await call(['-p', name, '--continue', '--model', 'anthropic/claude-sonnet-4-5'], lines)).code).toBe(0);
  const before = server.requests.length;
  const { code, stderr } = await longhaul({
    args: ['-p', 'Go on.', '--continue', '--model', 'openai/gpt-4', '--store', 'store'],
    cwd,
    env: { ...env, OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: key },
  });
  expect(code).toBe(0);
  expect(stderr).toMatch(/compacted \(fork\): [\d,]+ -> [\d,]+ tokens/);
  expect(stderr).toContain('from anthropic/claude-sonnet-4-5 to openai/gpt-4');
  const asked = server.requests.slice(before).map(({ body }) => (body as { readonly model?: string }).model);
  expect(asked).toEqual(['claude-sonnet-4-5', 'gpt-4']);
});
