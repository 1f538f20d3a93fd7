import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longhaul } from './longhaul.ts';
import { agentWorld } from './provider.ts';

test('a request export carries the tools that were offered, and stats does not count a denied write', async () => {
  const write = { name: 'write', arguments: { file_path: 'a.txt', content: 'x' } };
  const { call, cwd, server } = await agentWorld({ script: [{ toolCalls: [write] }, { text: 'It was denied.' }] });
  // Without --yes and without a terminal the write is denied.
  expect((await call(['-p', 'Write a.txt'])).code).toBe(3);
  expect((await call(['export', 'last', '-o', 'request.json'])).code).toBe(0);
  const exported = JSON.parse(readFileSync(join(cwd, 'request.json'), 'utf8'));
  const sent = server.requests.at(-1)?.body as { readonly tools: readonly { readonly name: string }[] };
  expect(exported.tools.map(({ name }: { name: string }) => name)).toEqual(sent.tools.map(({ name }) => name));
  const { stdout: context } = await call(['context', 'last', '--json']);
  expect(JSON.parse(context).tools).toEqual(exported.tools);
  const stats = JSON.parse((await call(['stats', 'last', '--json'])).stdout);
  expect(stats.tools).toMatchObject([{ name: 'write', calls: 1, errors: 1 }]);
  expect(stats.files).toEqual([]);
});

test('text on standard input without any flag is a prompt; without text it is explained how to start', async () => {
  const { cwd, env, server } = await agentWorld({ script: [{ text: 'Hello.' }] });
  const bare = (input: string) => longhaul({ args: [], cwd, env: { ...env, LONGHAUL_STORE_DIR: 'store' }, input });
  const piped = await bare('Say hello.');
  expect(piped).toMatchObject({ code: 0, stdout: 'Hello.\n' });
  expect(JSON.stringify(server.requests[0]?.body)).toContain('Say hello.');
  const empty = await bare('');
  expect(empty.code).toBe(2);
  expect(empty.stderr).toContain('longhaul demo');
});

test('a resumed session says if its model differs, and can be found by the name that the run gave it', async () => {
  const { call } = await agentWorld({ script: () => ({ text: 'Yes.' }) });
  expect((await call(['-p', 'Hi', '--name', 'billing', '--model', 'opus'])).code).toBe(0);
  const same = await call(['-p', 'And?', '--continue', '--model', 'opus']);
  expect(same.stderr).not.toContain('This session used');
  const other = await call(['-p', 'And?', '--session', 'billing', '--model', 'haiku']);
  expect(other.stderr).toMatch(
    /^This session used anthropic\/claude-opus-\S+; it continues with anthropic\/claude-haiku-\S+\. To keep/m,
  );
  expect((await call(['-p', 'Hi', '--name', 'billing'])).stderr).toContain('is already named "billing"');
  expect(JSON.parse((await call(['sessions', '--json'])).stdout).sessions).toHaveLength(1);
});

test('an unknown model is refused with the likely name, an unknown provider with those there are', async () => {
  const { call, server } = await agentWorld({});
  const near = await call(['-p', 'Hi', '--model', 'claude-opus-55']);
  expect(near.code).toBe(2);
  expect(near.stderr).toMatch(/Unknown model 'claude-opus-55'\. Did you mean claude-opus-\S+\?\n/);
  const foreign = await call(['-p', 'Hi', '--model', 'foo/bar']);
  expect(foreign.stderr).toMatch(/Unknown provider 'foo'.*\n.*anthropic, openai.*local\/bar\.\n/);
  expect(server.requests).toEqual([]);
});
