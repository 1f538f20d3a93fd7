import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { appendFileSync, constants, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { command, environment, folder, longhaul, makePipe } from './longhaul.ts';

const time = '2026-01-02T03:04:05.000Z';
const header = `${JSON.stringify({ type: 'session', version: 3, id: 'outside-in', timestamp: time, cwd: '/repo' })}\n`;
const line = (number: number) =>
  `${JSON.stringify({
    type: 'message',
    id: String(number),
    parentId: number === 0 ? null : String(number - 1),
    timestamp: time,
    message: { role: 'user', content: [{ type: 'text', text: `message ${number}` }], timestamp: 1 },
  })}\n`;

/** Starts the command, and leaves it running. */
function start({
  cwd,
  args,
  stdin = 'ignore',
}: {
  cwd: string;
  args: readonly string[];
  stdin?: number | 'ignore';
}): ChildProcessByStdio<null, Readable, Readable> {
  const [program, ...first] = command;
  return spawn(program, [...first, ...args, '--store', 'store'], {
    cwd,
    env: environment({ home: cwd }),
    stdio: [stdin, 'pipe', 'pipe'],
  }) as unknown as ChildProcessByStdio<null, Readable, Readable>;
}

const ended = (child: ReturnType<typeof start>) =>
  new Promise<{ code: number | null; stderr: string }>((resolve) => {
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('close', (code) => resolve({ code, stderr }));
  });

test.skipIf(process.platform === 'win32')('Ctrl-C in the middle of an import leaves nothing of it', async () => {
  const cwd = folder();
  const path = join(cwd, 'pipe');
  makePipe({ path });
  const reading = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const pipe = await open(path, 'w');
  const child = start({ cwd, args: ['import', '/dev/stdin'], stdin: reading.fd });
  await reading.close();
  const end = ended(child);
  // It is taken when the command reads, and the command reads no further than what is written.
  await pipe.write(header + Array.from({ length: 5000 }, (_, index) => line(index)).join(''));
  child.kill('SIGINT');
  await pipe.write(line(5000)).catch(() => undefined);
  await pipe.close();
  const { code, stderr } = await end;
  expect(code).toBe(130);
  expect(stderr).toMatch(/^longhaul: Interrupted before the end of \/dev\/stdin: no session was created\.\n/);
  const { stdout } = await longhaul({ args: ['sessions', '--json', '--store', 'store'], cwd });
  expect(JSON.parse(stdout)).toEqual({ sessions: [] });
  expect(readdirSync(join(cwd, 'store', 'sessions'))).toEqual([]);
});

test.skipIf(process.platform === 'win32')('a session that is going on is followed until Ctrl-C', async () => {
  const cwd = folder();
  const path = join(cwd, 'live.jsonl');
  writeFileSync(path, header + line(0));
  const child = start({ cwd, args: ['import', 'live.jsonl', '--watch', '--json'] });
  const end = ended(child);
  const reports: { added: number; entries: number }[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    reports.push(JSON.parse(text));
    const { entries = 0 } = reports.at(-1) ?? {};
    if (entries < 4) appendFileSync(path, entries === 1 ? line(1) : line(2) + line(3));
    else child.kill('SIGINT');
  }
  expect(await end).toEqual({ code: 0, stderr: '' });
  expect(reports).toMatchObject([
    { added: 1, entries: 1 },
    { added: 1, entries: 2 },
    { added: 2, entries: 4 },
  ]);
});

test('the sessions in a home folder are found, imported, and known again', async () => {
  const home = folder();
  const place = join(home, 'no-home', '.pi', 'agent', 'sessions', '--repo--');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'one.jsonl'), header + line(0));
  const scan = async (...args: readonly string[]) => {
    const { stdout } = await longhaul({ args: ['import', '--scan', '--json', '--store', 'store', ...args], cwd: home });
    return JSON.parse(stdout);
  };
  expect((await scan()).sessions).toMatchObject([{ agent: 'pi', title: 'message 0', status: 'new' }]);
  expect(await scan('--all')).toMatchObject([{ added: 1 }]);
  expect((await scan()).sessions).toMatchObject([{ status: 'imported' }]);
  appendFileSync(join(place, 'one.jsonl'), line(1));
  expect((await scan()).sessions).toMatchObject([{ status: 'grown' }]);
});

test('a file with times in the year 9999 neither breaks the list nor stays the newest session', async () => {
  const cwd = folder();
  const dated = (text: string) => text.replaceAll(time, '9999-12-31T23:59:59.999Z').replaceAll('outside-in', 'future');
  writeFileSync(join(cwd, 'future.jsonl'), dated(header + line(0) + line(1)));
  writeFileSync(join(cwd, 'chat.json'), JSON.stringify([{ role: 'user', content: 'The later one.' }]));
  const call = (...args: string[]) => longhaul({ args: [...args, '--store', 'store'], cwd });
  const { code, stdout } = await call('import', 'future.jsonl', '--json');
  expect({ code, warnings: JSON.parse(stdout).warnings }).toMatchObject({
    code: 0,
    warnings: [{ code: 'absurd-time' }],
  });
  await call('import', 'chat.json');
  const listed = await call('sessions');
  expect(listed.code).toBe(0);
  expect(listed.stdout).not.toMatch(/9999|NaN/);
  expect((await call('show', 'last')).stdout).toContain('The later one.');
});
