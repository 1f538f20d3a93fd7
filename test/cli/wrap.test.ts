import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startLoopback } from 'longhaul/testing';
import { expect, onTestFinished, test } from 'vitest';
import { command, environment, folder, longhaul } from './longhaul.ts';

/** A client that sends one message to the address in its variable, prints the answer and ends with a code of its own. */
const client = `
const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
  body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 10, messages: [{ role: 'user', content: process.argv[2] }] }),
});
console.log((await answer.json()).content[0].text, process.argv.slice(3).join(' '));
process.exitCode = 7;
`;

async function wrapWorld({ script }: { readonly script: string }) {
  const server = await startLoopback({ script: () => ({ text: 'Hello.' }) });
  onTestFinished(() => server.close());
  const cwd = folder();
  writeFileSync(join(cwd, 'client.mjs'), script);
  const args = (...rest: readonly string[]) => ['wrap', '--store', 'store', process.execPath, 'client.mjs', ...rest];
  return { server, cwd, args, env: { ANTHROPIC_BASE_URL: server.url } };
}

test('a command runs behind the gateway: its address is the upstream, its output and exit code are its own', async () => {
  const { server, cwd, args, env } = await wrapWorld({ script: client });
  const ended = await longhaul({ args: args('hi', '--json', '-p'), cwd, env });
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 7, stdout: 'Hello. --json -p\n' });
  expect(ended.stderr.trimEnd().split('\n')).toHaveLength(2);
  expect(server.requests.map(({ path }) => path)).toEqual(['/v1/messages']);
});

test('two at once on one store', async () => {
  const { server, cwd, args, env } = await wrapWorld({ script: client });
  const runs = ['one', 'two'].map((word) => longhaul({ args: args(word), cwd, env }));
  for (const { code, stdout } of await Promise.all(runs))
    expect({ code, stdout }).toEqual({ code: 7, stdout: 'Hello. \n' });
  expect(server.requests).toHaveLength(2);
});

test('a signal reaches the client, which decides how it ends', async () => {
  const { cwd, args, env } = await wrapWorld({
    script: `process.on('SIGTERM', () => { console.log('asked to end'); process.exit(5); }); console.log('ready'); setInterval(() => {}, 1000);`,
  });
  const [file, ...first] = command;
  const child = spawn(file, [...first, ...args()], { cwd, env: { ...environment({ home: cwd }), ...env } });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (text.includes('ready')) child.kill('SIGTERM');
  });
  expect(await once(child, 'close')).toEqual([5, null]);
  expect(stdout).toBe('ready\nasked to end\n');
});

test('a client that was ended by a signal ends longhaul the same way', async () => {
  const { cwd, args, env } = await wrapWorld({ script: `process.kill(process.pid, 'SIGKILL');` });
  expect((await longhaul({ args: args(), cwd, env })).code).toBe('SIGKILL');
});

test('a command that does not exist is an error and nothing else, and nothing is left running', async () => {
  const ended = await longhaul({ args: ['wrap', 'no-such-agent'], cwd: folder() });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toBe('longhaul: The command "no-such-agent" was not found.\n  Install it, or check PATH.\n');
});

test('the standard variables of OpenTelemetry export spans and metrics, without content and keys', async () => {
  const received = new Map<string, string>();
  const collector = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    received.set(request.url ?? '', (received.get(request.url ?? '') ?? '') + text);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void collector.close());
  const { cwd, args, env } = await wrapWorld({ script: client });
  const { port } = collector.address() as AddressInfo;
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_SERVICE_NAME: 'wrapped-agent',
    OTEL_RESOURCE_ATTRIBUTES: 'team=a%20b,broken',
  };
  expect((await longhaul({ args: args('a secret question'), cwd, env: { ...env, ...variables } })).code).toBe(7);
  const [spans, metrics] = [received.get('/v1/traces') ?? '', received.get('/v1/metrics') ?? ''];
  for (const text of [
    '"wrapped-agent"',
    '"a b"',
    '"chat claude-sonnet-4-5"',
    'gen_ai.usage.input_tokens',
    'gen_ai.conversation.id',
  ])
    expect(spans).toContain(text);
  for (const name of ['gen_ai.client.token.usage', 'gen_ai.client.operation.duration', 'longhaul.gateway.requests'])
    expect(metrics).toContain(name);
  expect(spans + metrics).not.toMatch(/secret question|Hello\.|x-api-key/);
});

test('a conversation is taken to memory when its client ends; another one gets notes only with --memory', async () => {
  const script = client.replace(
    'max_tokens: 10,',
    `max_tokens: 10, system: 'Be short.', tools: [{ name: 'a', input_schema: { type: 'object' } }],`,
  );
  const { server, cwd, env } = await wrapWorld({ script });
  const run = (words: string, ...flags: readonly string[]) =>
    longhaul({ args: ['wrap', '--store', 'store', ...flags, process.execPath, 'client.mjs', words], cwd, env });
  await run('Always use tabs in this repository.');
  const list = async () => (await longhaul({ args: ['memory', 'list', '--store', 'store'], cwd })).stdout;
  await expect.poll(list, { timeout: 30_000, interval: 300 }).toContain('Always use tabs');
  await run('Fix the login.');
  await run('Fix the logout.', '--memory');
  const heads = server.requests.map(({ body }) => JSON.stringify((body as { readonly system: unknown }).system));
  expect(heads.slice(0, 2)).toEqual(['"Be short."', '"Be short."']);
  expect(heads[2]).toContain('- Always use tabs in this repository. (said by the user)');
});
