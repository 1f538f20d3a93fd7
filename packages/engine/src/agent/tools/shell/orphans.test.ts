import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { folderWith, toolsIn } from '../tools.fixture.ts';

const running = (mark: string) => {
  try {
    return (
      execFileSync('pgrep', ['-f', `^sleep ${mark}$`])
        .toString()
        .trim() !== ''
    );
  } catch {
    return false;
  }
};

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !isSo(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isSo()).toBe(true);
}

/** The tools of an agent in a separate process, with a background command that left its group. */
function agentIn({ cwd, mark }: { readonly cwd: string; readonly mark: string }) {
  const shells = new URL('./shells.ts', import.meta.url);
  const code = `
    const { createShells } = await import(${JSON.stringify(shells.href)});
    const shells = createShells({ env: process.env, scratch: ${JSON.stringify(cwd)}, sandbox: undefined });
    shells.background({ command: 'setsid sleep ${mark} & sleep ${mark}', cwd: ${JSON.stringify(cwd)}, isOutside: false });
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['--conditions=longhaul-source', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

test.skipIf(process.platform !== 'linux')(
  'leftovers of a killed agent end when the next one starts, and those of a running one do not',
  async () => {
    const [killed, alive] = [
      agentIn({ cwd: folderWith(), mark: '7161' }),
      agentIn({ cwd: folderWith(), mark: '7162' }),
    ];
    await until(() => running('7161') && running('7162'));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(running('7161')).toBe(true);
    toolsIn({ cwd: folderWith() });
    await until(() => !running('7161'));
    expect(running('7162')).toBe(true);
    alive.kill('SIGKILL');
    await once(alive, 'exit');
    toolsIn({ cwd: folderWith() });
    await until(() => !running('7162'));
  },
);
