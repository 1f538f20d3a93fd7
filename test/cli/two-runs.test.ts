import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { expect, test } from 'vitest';
import { agentWorld, eventsOf } from './provider.ts';

/** The first prompt starts a command that runs until a file appears; everything else is answered at once. */
function script({ body }: LoopbackRequest): LoopbackSpoken {
  const text = JSON.stringify(body);
  if (text.includes('"Second."') || text.includes('"Third."')) return { text: 'Noted.' };
  if (text.includes('tool_result')) return { text: 'The command is done.' };
  return { toolCalls: [{ name: 'bash', arguments: { command: 'sh wait.sh' } }] };
}

const waiting = 'echo begun > begun; while [ ! -e go ]; do sleep 0.05; done; echo the output of the first run\n';

test.skipIf(process.platform === 'win32')(
  'two runs on one session: the second refuses, forks or waits, and nothing of the first is lost',
  async () => {
    const { call, start, cwd, server } = await agentWorld({ script });
    writeFileSync(join(cwd, 'wait.sh'), waiting);
    const first = call(['-p', 'First.', '--yes', '--json']);
    await expect.poll(() => existsSync(join(cwd, 'begun')), { timeout: 30_000 }).toBe(true);

    const refused = await call(['-p', 'Second.', '--continue']);
    const sentence =
      /^longhaul: Session (\S+) is in use by process \d+ on \S+ \(longhaul -p\)\. Nothing was written\.\n/;
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) });
    expect(refused.stderr).toContain('--wait');
    const session = sentence.exec(refused.stderr)?.[1] ?? '';

    const [forked, pin, tree] = await Promise.all([
      call(['-p', 'Third.', '--session', session, '--fork', '--json']),
      call(['pin', session, 'Never touch main.']),
      call(['tree', session]),
    ]);
    expect(forked.code).toBe(0);
    expect(eventsOf(forked.stdout)[0]?.session).not.toBe(session);
    expect(pin).toMatchObject({ code: 2, stderr: expect.stringMatching(sentence) });
    expect(tree).toMatchObject({ code: 0, stdout: expect.stringContaining('First.') });

    const second = start(['-p', 'Second.', '--session', session, '--wait', '--json']);
    await expect
      .poll(() => second.stderr(), { timeout: 30_000 })
      .toMatch(/^Waiting for process \d+ on \S+ \(longhaul -p\) …\n$/);
    writeFileSync(join(cwd, 'go'), '');
    const done = await first;
    expect(done.code).toBe(0);
    expect(eventsOf(done.stdout)[0]?.session).toBe(session);
    expect(await second.ended).toBe(0);
    // The waiting run saw the result of the first one, which was recorded once and not as interrupted.
    const last = server.requests.findLast(({ text }) => text.includes('"Second."'))?.text ?? '';
    expect(last.split('the output of the first run')).toHaveLength(2);
    expect(last).not.toContain('interrupted');
    expect(last).toContain('The command is done.');
    expect(server.requests.every(({ verdict }) => verdict?.legal !== false)).toBe(true);
  },
);
