import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoopbackRequest } from 'longhaul/testing';
import { expect, test } from 'vitest';
import { longhaul } from './longhaul.ts';
import { agentWorld, resultsIn } from './provider.ts';

const everything = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));
const echo = { name: 'mcp__every__echo', arguments: { message: 'over the wire' } };

test('a server of the project is off until it is trusted; then its tools run if a rule allows them', async () => {
  const script = ({ body }: LoopbackRequest) => (resultsIn(body) === 0 ? { toolCalls: [echo] } : { text: 'Done.' });
  const { call, cwd, server, key, env } = await agentWorld({ script });
  const alone = (args: readonly string[]) => longhaul({ args, cwd, env });
  const added = await alone(['mcp', 'add', 'every', '--project', '--', process.execPath, everything, 'stdio', '-y']);
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const written = JSON.parse(readFileSync(join(cwd, '.mcp.json'), 'utf8'));
  expect(written.mcpServers.every).toEqual({ command: process.execPath, args: [everything, 'stdio', '-y'] });
  writeFileSync(
    join(cwd, '.mcp.json'),
    JSON.stringify({ mcpServers: { every: { command: process.execPath, args: [everything] } } }),
  );
  const untrusted = await call(['-p', 'Echo.']);
  expect(untrusted.stderr).toContain('Off, because they come from the project: MCP server every');
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain('mcp__every__echo"');
  expect((await alone(['trust', '--yes'])).stdout).toContain('trusted');
  const first = server.requests.length;
  const denied = await call(['-p', 'Echo.']);
  expect(denied).toMatchObject({ code: 3, stderr: expect.stringContaining("--allow 'mcp__every__echo'") });
  const allowed = await call(['-p', '/mcp__every__simple-prompt', '--allow', 'mcp__every']);
  expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') });
  const bodies = server.requests.slice(first).map(({ body }) => JSON.stringify(body));
  expect(bodies.at(-1)).toContain('Echo: over the wire');
  expect(bodies.at(-1)).toContain('This is a simple prompt without arguments');
  expect(bodies.join('')).not.toContain(key);
});
