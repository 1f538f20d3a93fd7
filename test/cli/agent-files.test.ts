import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longhaul } from './longhaul.ts';
import { agentWorld, eventsOf, resultsIn } from './provider.ts';

test('a session has its transcript, which hooks are given, and lines of sub-agents are printed', async () => {
  const { call, cwd } = await agentWorld({
    script: ({ body }) => {
      const text = JSON.stringify(body);
      if (text.includes('Another agent delegated this task to you'))
        return resultsIn(body) === 0 ? { toolCalls: [{ name: 'ls', arguments: {} }] } : { text: 'Seen.' };
      const task = { name: 'task', arguments: { description: 'Look', prompt: 'Look around.' } };
      return resultsIn(body) === 0 ? { toolCalls: [task] } : { text: 'Done.' };
    },
  });
  const hooks = { Stop: [{ command: 'cat > stop.json' }] };
  writeFileSync(join(cwd, 'mine.json'), JSON.stringify({ hooks }));
  const { code, stderr } = await call(['-p', 'Remember the word heliotrope.', '--config', 'mine.json']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/> sub-agent: Look\n {4}> ls \.\n/);
  const { transcript_path: path, session_id: id } = JSON.parse(readFileSync(join(cwd, 'stop.json'), 'utf8'));
  expect(path).toBe(join(cwd, 'store', 'sessions', id, 'transcript.jsonl'));
  expect(readFileSync(path, 'utf8')).toContain('heliotrope');
  await call(['delete', id, '--yes']);
  expect(existsSync(path)).toBe(false);
});

test.skipIf(process.platform !== 'linux')('after kill -9 the next start removes the scratch folder', async () => {
  const { cwd, env, start } = await agentWorld({
    script: ({ body }) =>
      resultsIn(body) === 0
        ? { toolCalls: [{ name: 'bash', arguments: { command: 'echo begun > begun; sleep 30' } }] }
        : { text: 'Done.' },
    isTemporary: true,
  });
  const folders = () => readdirSync(join(cwd, 'tmp')).filter((name) => /^longhaul-\d+-\d+-\d+-/.test(name));
  const run = start(['-p', 'Go.', '--yes', '--json']);
  await expect.poll(() => existsSync(join(cwd, 'begun')), { timeout: 30_000 }).toBe(true);
  expect(folders()).toHaveLength(1);
  run.child.kill('SIGKILL');
  await run.ended;
  const next = await longhaul({ args: ['-p', '--continue', '--json', '--store', 'store'], cwd, env });
  expect(eventsOf(next.stdout).at(-1)).toMatchObject({ type: 'run_end', reason: 'done' });
  expect(folders()).toEqual([]);
});
