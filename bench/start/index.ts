/** `npm run bench -- start`: CPU time until the built command has printed, or has sent its first request. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bin = join(import.meta.dirname, '../../packages/cli/bin/longhaul.cjs');
const rounds = 11;

interface Case {
  readonly name: string;
  readonly args: readonly string[];
  /** The accepted multiple of the CPU time of a bare Node. */
  readonly most?: number;
  /** Whether it ends with the first byte of a request to a provider. */
  readonly sends?: true;
}

const cases: readonly Case[] = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'longhaul --version', args: [bin, '--version'], most: 2 },
  { name: 'longhaul --help', args: [bin, '--help'], most: 2 },
  { name: 'longhaul sessions', args: [bin, 'sessions'] },
  { name: 'longhaul -p, to the first request', args: [bin, '-p', 'Hello'], most: 8, sends: true },
];

/** Runs the cases in turns, so that a change of the machine's load affects all of them. */
export async function run(): Promise<void> {
  if (!existsSync(join(bin, '../../dist/prepared.json'))) {
    console.error('Build first: npm run -s build');
    process.exitCode = 2;
    return;
  }
  const home = mkdtempSync(join(tmpdir(), 'longhaul-bench-'));
  const times = new Map(cases.map((each) => [each, [] as number[]]));
  try {
    // A complete run fills the cache of compiled code, as every run of a user does.
    for (const each of cases) if (each.sends) await measure({ each: { ...each, args: [bin, 'stats'] }, home });
    for (const each of cases) if (each.sends) await measure({ each, home, answer: true });
    for (let round = 0; round < rounds; round += 1) {
      for (const each of cases) times.get(each)?.push(await measure({ each, home }));
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  const bare = median([...times.values()][0] ?? []);
  console.log(`start: CPU ms, median of ${rounds}`);
  for (const [{ name, most }, all] of times) {
    const ms = median(all);
    const limit = most === undefined ? '' : ms / bare <= most ? `  (at most ${most} x)` : `  MORE THAN ${most} x`;
    console.log(`  ${name.padEnd(36)} ${String(ms).padStart(5)}  ${(ms / bare).toFixed(1)} x${limit}`);
  }
}

/** CPU milliseconds of one run, user and system, as bash reports them for its child; other shells are less precise. */
async function measure(of: { readonly each: Case; readonly home: string; readonly answer?: true }): Promise<number> {
  const { each, home, answer } = of;
  let pid = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (answer)
        socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\ncontent-type: application/json\r\n\r\n{}');
      else if (pid > 0) process.kill(pid, 'SIGKILL');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const script = '"$@" </dev/null >/dev/null 2>&1 & echo $!; wait; times';
  const child = spawn('bash', ['-c', script, 'bash', process.execPath, ...each.args], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: 'sk-not-a-key',
    },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    pid ||= Number(output.split('\n')[0]);
  });
  await new Promise((resolve) => child.once('close', resolve));
  server.close();
  const parts = [...(output.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return Math.round(
    parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0) * 1000,
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
