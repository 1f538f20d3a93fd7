import { expect, test } from 'vitest';
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
