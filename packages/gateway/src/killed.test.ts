import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { FakeAgent } from './fixtures/agent.ts';
import { breaksIn, shrinks, start, work } from './fixtures/start.ts';

const root = join(import.meta.dirname, '../../..');

/** `longhaul gateway` in a process of its own. */
async function command({ dir, upstream }: { readonly dir: string; readonly upstream: string }) {
  const main = join(root, 'packages/cli/src/main.ts');
  const flags = ['--port', '0', '--store', dir, '--window', '12k', '--upstream', `anthropic=${upstream}`, '--json'];
  const child: ChildProcess = spawn(process.execPath, ['--conditions=longhaul-source', main, 'gateway', ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (!child.stdout) throw new Error('The command has no output.');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url } = JSON.parse(line) as { readonly url: string };
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await once(child, 'exit');
  };
  return { url, end };
}

it('goes on with the same bytes after kill -9, and loses no answer that was sent whole', async () => {
  await using at = await start();
  await at.gateway().close();
  let running = await command({ dir: at.dir, upstream: at.loopback.url });
  const agent = new FakeAgent({ dialect: 'anthropic', url: () => running.url });
  agent.say('Read all files.');
  await work({ agent, turns: 10 });
  await running.end('SIGKILL');
  const before = (await at.sessions())[0]?.entries ?? [];
  expect(before.filter((entry) => entry.type === 'message' && entry.message.role === 'assistant')).toHaveLength(10);
  running = await command({ dir: at.dir, upstream: at.loopback.url });
  await work({ agent, turns: 4 });
  await running.end('SIGINT');
  const [session, ...others] = await at.sessions();
  expect(others).toEqual([]);
  const { requests } = at.loopback;
  expect(requests.every(({ status }) => status === 200)).toBe(true);
  expect(shrinks(session?.entries ?? [])).toBeGreaterThan(0);
  expect(breaksIn(requests)).toBeLessThanOrEqual(shrinks(session?.entries ?? []));
});
