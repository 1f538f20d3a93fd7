import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startLoopback } from 'longhaul/testing';
import { afterAll, expect, test } from 'vitest';
import { command, environment, longhaul } from './longhaul.ts';

type JsonRecord = Record<string, unknown>;

/** Spans and metrics as a collector receives them, by the protocol's JSON encoding. */
const exported: { readonly path: string; readonly body: JsonRecord }[] = [];
const collector = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  exported.push({ path: request.url ?? '', body: JSON.parse(text) as JsonRecord });
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));

const provider = await startLoopback({ script: () => ({ text: 'A short answer.' }) });
const cwd = mkdtempSync(join(tmpdir(), 'longhaul-gateway-'));
const upstreams = ['openai', 'anthropic', 'gemini'].flatMap((name) => ['--upstream', `${name}=${provider.url}`]);
const [file, ...first] = command;
// One gateway for all tests of this file.
const gateway = spawn(file, [...first, 'gateway', '--port', '0', '--json', '--store', 'store', ...upstreams], {
  cwd,
  env: {
    ...environment({ home: cwd }),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'otlp',
  },
  stdio: ['ignore', 'pipe', 'ignore'],
});
const [started] = (await once(gateway.stdout, 'data')) as [Buffer];
const { url } = JSON.parse(String(started)) as { readonly url: string };

afterAll(async () => {
  gateway.kill('SIGKILL');
  collector.close();
  await provider.close();
  rmSync(cwd, { recursive: true, force: true });
});

const run = async (...args: readonly string[]) => {
  const ended = await longhaul({ args: [...args, '--store', 'store'], cwd });
  expect({ args, code: ended.code, stderr: ended.stderr }).toMatchObject({ code: 0 });
  return ended.stdout;
};

const page = readFileSync(new URL('../../docs/gateway.md', import.meta.url), 'utf8');
const hasCurl = spawnSync('curl', ['--version']).status === 0;

test.skipIf(!hasCurl)('the lines with curl in the documentation run as printed', async () => {
  const lines = page.split('\n').filter((line) => line.startsWith('curl http://127.0.0.1:4141'));
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    const { stdout } = await promisify(execFile)('bash', ['-c', line.replace('http://127.0.0.1:4141', url)]);
    expect(stdout).toMatch(/A short answer\.|"status":\s*"ok"/);
  }
});

test('a conversation is read, compacted and restored by other commands while it runs', async () => {
  const messages: { readonly role: string; readonly content: string }[] = [];
  const ask = async (content: string) => {
    messages.push({ role: 'user', content });
    const body = JSON.stringify({ model: 'gpt-5', messages });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    messages.push({ role: 'assistant', content: 'A short answer.' });
    return provider.requests.at(-1)?.text ?? '';
  };
  const filler = (seed: number) =>
    Array.from({ length: 60 }, (_, at) => `Line ${at} of part ${seed} is about nothing in particular.`).join('\n');
  await ask(`The word of the day is ZANZIBAR-42.\n${filler(0)}`);
  for (const part of [1, 2, 3, 4, 5, 6]) await ask(`Part ${part}.\n${filler(part)}`);
  const sent = await ask('What comes next?');
  expect(sent.includes('Line 59 of part 2')).toBe(true);

  expect(await run('tree', 'last')).toContain('What comes next?');
  const handle = /@(\d+)/.exec(await run('search', 'ZANZIBAR-42'))?.[0] ?? '';
  expect(await run('recall', 'last', handle)).toContain('The word of the day is ZANZIBAR-42.');

  await run('compact', 'last');
  const compacted = await ask('And after that?');
  expect(compacted.includes('Line 59 of part 2')).toBe(false);
  expect(compacted.length).toBeLessThan(sent.length / 2);
  expect(await run('recall', 'last', handle)).toContain('ZANZIBAR-42');

  await run('undo', 'last');
  const restored = await ask('Are you sure?');
  expect(JSON.parse(restored)).toMatchObject({ messages: messages.slice(0, -1) });

  await run('export', 'last', '-o', 'session.md');
  expect(readFileSync(join(cwd, 'session.md'), 'utf8')).toMatch(/ZANZIBAR-42.*Are you sure\?/s);
});

test('what is exported by the standard variables has the names of the documentation', async () => {
  gateway.kill('SIGTERM');
  expect(await once(gateway, 'close')).toEqual([0, null]);
  const all = (path: string, ...keys: readonly string[]) =>
    exported.filter((each) => each.path === path).flatMap(({ body }) => keys.reduce(nested, [body]));
  const spans = all('/v1/traces', 'resourceSpans', 'scopeSpans', 'spans');
  const metrics = all('/v1/metrics', 'resourceMetrics', 'scopeMetrics', 'metrics').map(({ name }) => String(name));
  const chat = spans.find(({ name }) => name === 'chat gpt-5');
  const attributes = Object.fromEntries(nested([chat ?? {}], 'attributes').map(({ key, value }) => [key, value]));
  expect(attributes).toMatchObject({
    'gen_ai.operation.name': { stringValue: 'chat' },
    'gen_ai.provider.name': { stringValue: 'openai' },
    'gen_ai.request.model': { stringValue: 'gpt-5' },
    'gen_ai.conversation.id': { stringValue: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    'http.response.status_code': { intValue: 200 },
  });
  const docs = ['adapters/otel', 'events']
    .map((name) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8'))
    .join('\n');
  expect([...Object.keys(attributes), ...metrics].filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
  expect(new Set(spans.map(({ name }) => name))).toContain('generate_content gemini-2.5-pro');
  expect(metrics).toContain('longhaul.gateway.requests');
  expect(JSON.stringify(exported)).not.toMatch(/ZANZIBAR|short answer/);
});

function nested(values: readonly JsonRecord[], key: string): readonly JsonRecord[] {
  return values.flatMap((value) => (value[key] ?? []) as JsonRecord[]);
}
