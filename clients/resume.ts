/**
 * `npm run clients:resume -- [AGENT…] [--install] [--scratch FOLDER]`: resumes exported sessions in real agents, and judges
 * whether the request that they send contains the history.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { catalog } from './catalog.ts';
import { clientArguments, installedProgram } from './install.ts';

/** What the exported session says, and where it has to be found again. */
const canaries = {
  /** A line that the session has twice; a summary repeats no line. */
  earlier: 'Line 203 of a long text without facts.',
  summary: 'PORT-8443',
  kept: 'KEPT-REQUEST-55aa',
  call: 'src/canary-91be.ts',
  result: 'RESULT-LINE-3d0e',
  answer: 'ANSWER-c2d4',
};

interface ResumedAgent {
  /** The name for `export --to`. */
  readonly name: string;
  /** Its entry in the catalog. */
  readonly client: string;
  readonly args: (input: { readonly id: string; readonly path: string; readonly prompt: string }) => readonly string[];
}

const bypass = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];

const agents: readonly ResumedAgent[] = [
  { name: 'claude', client: 'claude', args: ({ id, prompt }) => ['-p', prompt, '--resume', id] },
  { name: 'codex', client: 'codex', args: ({ id, prompt }) => ['exec', 'resume', id, ...bypass, prompt] },
  {
    name: 'gemini',
    client: 'gemini',
    args: ({ id, prompt }) => ['-m', 'gemini-2.5-pro', '--approval-mode', 'yolo', '--resume', id, '-p', prompt],
  },
  {
    name: 'opencode',
    client: 'opencode-messages',
    args: ({ id, prompt }) => ['run', '-s', id, '-m', 'local/claude-sonnet-4-5', prompt],
  },
  {
    name: 'pi',
    client: 'pi-messages',
    args: ({ path, prompt }) => [
      '--provider',
      'local',
      '--model',
      'claude-sonnet-4-5',
      '--session',
      path,
      '-p',
      prompt,
    ],
  },
  {
    name: 'copilot',
    client: 'copilot-chat',
    args: ({ id, prompt }) => ['-p', prompt, `--resume=${id}`, '--allow-all-tools'],
  },
];

const { values, positionals } = clientArguments({ known: agents });

const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
let failures = 0;
for (const agent of agents.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const problems = await judge(agent);
  console.log(`${agent.name.padEnd(9)} ${problems.length === 0 ? 'the history is in its request' : 'failed'}`);
  for (const problem of problems) console.log(`    ${problem}`);
  failures += problems.length;
}
process.exitCode = failures === 0 ? 0 : 1;

async function judge(agent: ResumedAgent): Promise<string[]> {
  const client = catalog.find(({ name }) => name === agent.client);
  if (!client) return [`${agent.client} is not in the catalog`];
  const program = installedProgram({ client, scratch: values.scratch, mayInstall: values.install });
  const home = join(values.scratch, 'resume', agent.name, 'home');
  const cwd = join(values.scratch, 'resume', agent.name, 'work');
  rmSync(join(values.scratch, 'resume', agent.name), { recursive: true, force: true });
  for (const folder of [home, cwd]) mkdirSync(folder, { recursive: true });
  execFileSync('git', ['init', '-q', '.'], { cwd });

  const provider = await recordingProvider();
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    CI: '1',
    NO_COLOR: '1',
    ...client.configure({ home, url: provider.url }),
  };
  /** An agent whose request was rejected fails; only what it sent counts. */
  const run = (file: string, args: readonly string[]) =>
    new Promise<string>((resolve) => {
      const child = execFile(file, [...args], { cwd, env, timeout: 60_000 }, (_, stdout) => resolve(stdout));
      child.stdin?.end();
    });
  const longhaul = (...args: string[]) =>
    run(process.execPath, ['--conditions=longhaul-source', main, '--json', ...args]);

  writeFileSync(join(cwd, 'chat.json'), JSON.stringify(conversation()));
  await longhaul('import', 'chat.json');
  await longhaul('compact', 'last', '--to', '@4', '--window', '8k');
  const written = JSON.parse(await longhaul('export', 'last', '--to', agent.name));
  if (agent.name === 'opencode') await run(program, ['import', written.path]);
  await run(program, agent.args({ id: written.id, path: written.path, prompt: 'Where do we stand? NEW-PROMPT' }));
  const sent = provider.bodies().find((body) => body.includes('NEW-PROMPT')) ?? '';
  await provider.close();
  if (sent === '') return ['it sent no request with the new prompt'];
  const { earlier, ...needed } = canaries;
  return [
    ...Object.entries(needed).flatMap(([what, text]) => (sent.includes(text) ? [] : [`${what} is missing: ${text}`])),
    ...(sent.split(earlier).length > 2 ? [`what the summary replaced was sent: ${earlier}`] : []),
  ];
}

/** Long first turns that a compaction removes, then a call with its result and an answer. */
function conversation(): object[] {
  const filler = Array.from({ length: 400 }, (_, line) => `Line ${line} of a long text without facts.`).join('\n');
  return [
    { role: 'user', content: `Always use ${canaries.summary}.` },
    { role: 'assistant', content: `${filler}\n${filler}` },
    { role: 'user', content: 'Thanks.' },
    { role: 'assistant', content: [{ type: 'text', text: 'You are welcome.' }] },
    { role: 'user', content: canaries.kept },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_01', name: 'read', input: { path: canaries.call } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_01', content: canaries.result }] },
    { role: 'assistant', content: [{ type: 'text', text: canaries.answer }] },
  ];
}

/** Records requests and rejects them: what an agent sends is judged, not what it does with an answer. */
async function recordingProvider(): Promise<{
  readonly url: string;
  readonly bodies: () => readonly string[];
  readonly close: () => Promise<void>;
}> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"type":"error","error":{"type":"invalid_request_error","message":"Recorded."}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies: () => bodies,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
