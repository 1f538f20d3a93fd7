import { expect, test } from 'vitest';
import { memoryIo } from '../io/memory-io.ts';
import { run } from '../run.ts';
import { askForTrust, projectRoot, readTrust } from './trust.ts';

const item = { kind: 'MCP server', name: 'files', summary: 'npx files', content: 'v1' };

test('consent is bound to the content and to the folder, and can be withdrawn', async () => {
  const io = memoryIo({ cwd: '/project/src', files: { '/project/.git/HEAD': '' } });
  const trust = await readTrust({ io });
  expect(trust.folder).toBe('/project');
  expect(trust.has(item)).toBe(false);
  await trust.add([item]);
  const later = await readTrust({ io });
  expect(later.has(item)).toBe(true);
  expect(later.has({ ...item, content: 'v2' })).toBe(false);
  expect(later.has({ ...item, kind: 'extension' })).toBe(false);
  expect((await readTrust({ io: { ...io, cwd: '/other' } })).has(item)).toBe(false);
  await later.clear();
  expect((await readTrust({ io })).has(item)).toBe(false);
});

test('a question lists what would run, with control characters visible; only yes is consent', async () => {
  const asked: string[] = [];
  const io = memoryIo();
  const ask = (answer: string) => async (question: string) => {
    asked.push(question);
    return answer;
  };
  const trust = await readTrust({ io });
  const hostile = { ...item, name: 'evil\u001b[2J' };
  await askForTrust({ io: { ...io, ask: ask('what?') }, trust, items: [hostile], isAsking: true });
  expect(asked[0]).toContain('MCP server evil\\u001b[2J: npx files');
  expect(trust.has(hostile)).toBe(false);
  expect(io.printed.stderr).toContain('To trust them: longhaul trust');
  await askForTrust({ io: { ...io, ask: ask('y') }, trust, items: [hostile], isAsking: true });
  expect(trust.has(hostile)).toBe(true);
  await askForTrust({ io: { ...io, ask: ask('n') }, trust, items: [hostile], isAsking: true });
  expect(asked).toHaveLength(2);
});

test('without a repository the working folder is the project', async () => {
  expect(await projectRoot({ io: memoryIo({ cwd: '/a/b' }) })).toBe('/a/b');
});

test('an invalid file is named and trusts nothing', async () => {
  const io = memoryIo({ files: { '/home/me/.config/longhaul/trust.json': '[' } });
  expect((await readTrust({ io })).has(item)).toBe(false);
  expect(io.printed.stderr).toContain('/home/me/.config/longhaul/trust.json are invalid');
});

test('longhaul trust lists the servers of .mcp.json, trusts them with --yes and forgets them with --revoke', async () => {
  const file = JSON.stringify({
    mcpServers: { files: { command: 'npx', args: ['files'], env: { TOKEN: 'secret' } }, 'bad name': { command: 'x' } },
  });
  const io = memoryIo({ files: { '/project/.mcp.json': file } });
  const state = async (...flags: readonly string[]) => {
    io.printed.stdout = '';
    expect(await run({ argv: ['--json', 'trust', ...flags], io })).toBe(0);
    return JSON.parse(io.printed.stdout).items;
  };
  const listed = { kind: 'MCP server', name: 'files', summary: 'npx files (with TOKEN)' };
  expect(await state()).toEqual([{ ...listed, trusted: false }]);
  expect(await state('--yes')).toEqual([{ ...listed, trusted: true }]);
  io.content.set('/project/.mcp.json', new TextEncoder().encode(file.replace('"files"]', '"other"]')));
  expect(await state()).toMatchObject([{ summary: 'npx other (with TOKEN)', trusted: false }]);
  io.content.set('/project/.mcp.json', new TextEncoder().encode(file));
  expect(await state()).toEqual([{ ...listed, trusted: true }]);
  expect(await state('--revoke')).toEqual([{ ...listed, trusted: false }]);
});
