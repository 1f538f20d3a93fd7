import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { command, environment, folder, longhaul } from './longhaul.ts';

/** A transcript as Claude Code writes it, in its own folder. */
function transcript({ home, cwd }: { readonly home: string; readonly cwd: string }) {
  const path = join(home, '.claude/projects/work/5e0e6fd9-4b5c-4a32-8f5e-2f3f0b1d2c3a.jsonl');
  mkdirSync(join(path, '..'), { recursive: true });
  let parent: string | null = null;
  let text = '';
  const say = (role: 'user' | 'assistant', content: string) => {
    const uuid = `00000000-0000-4000-8000-${String(text.length).padStart(12, '0')}`;
    const record = {
      type: role,
      uuid,
      parentUuid: parent,
      isSidechain: false,
      userType: 'external',
      sessionId: '5e0e6fd9-4b5c-4a32-8f5e-2f3f0b1d2c3a',
      timestamp: new Date().toISOString(),
      cwd,
      version: '2.0.0',
      message: { role, content: role === 'user' ? content : [{ type: 'text', text: content }] },
    };
    parent = uuid;
    text += `${JSON.stringify(record)}\n`;
    writeFileSync(path, text);
  };
  return { path, say };
}

/** Files with the hooks of a client that are written and removed as a whole. */
const ownFiles: Readonly<Record<string, string>> = {
  codex: '.codex/hooks.json',
  opencode: '.opencode/plugin/longhaul.js',
  copilot: '.copilot/hooks/longhaul.json',
};

describe('install', () => {
  test('adds the server and the hooks, keeps comments and other settings, and uninstall gives the files back', async () => {
    const cwd = folder();
    const call = async (...args: readonly string[]) => await longhaul({ args, cwd });
    mkdirSync(join(cwd, '.claude'));
    const own = `{
  // mine
  "hooks": {
    "PreCompact": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "true"
          }
        ]
      }
    ]
  }
}
`;
    writeFileSync(join(cwd, '.claude/settings.local.json'), own);
    const dry = await call('install', 'claude', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('Would write') });
    expect(dry.stdout).toContain('\n  "mcpServers": {\n');
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
    expect((await call('install', 'claude')).code).toBe(0);
    const server = JSON.parse(readFileSync(join(cwd, '.mcp.json'), 'utf8'));
    expect(server.mcpServers.longhaul.args.slice(-3)).toEqual(['mcp', '--follow', 'claude-code']);
    const settings = readFileSync(join(cwd, '.claude/settings.local.json'), 'utf8');
    expect(settings).toContain('// mine');
    expect(settings).toContain('"command": "true"');
    expect(settings.match(/receive-hook"/g)).toHaveLength(3);
    expect((await call('install', 'claude')).stdout).toContain('Already installed');
    expect((await call('uninstall', 'claude')).code).toBe(0);
    expect(readFileSync(join(cwd, '.claude/settings.local.json'), 'utf8')).toBe(own);
    expect(existsSync(join(cwd, '.mcp.json'))).toBe(false);
  });

  test.each([
    {
      client: 'codex',
      files: { '.codex/config.toml': '# mine\nmodel = "gpt-5.2"\n\n[mcp_servers.other]\ncommand = "x"\n' },
    },
    {
      client: 'gemini',
      files: { '.gemini/settings.json': '{\n  // mine\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n' },
    },
    {
      client: 'opencode',
      files: { 'opencode.json': '{\n  "$schema": "https://opencode.ai/config.json" // mine\n}\n' },
    },
    {
      client: 'copilot',
      files: { '.copilot/mcp-config.json': '{ "mcpServers": {\n  "other": { "command": "x" }\n} }\n' },
    },
  ])(
    '$client: foreign settings survive byte for byte, and installing twice changes nothing',
    async ({ client, files }) => {
      const cwd = folder();
      const home = join(cwd, 'no-home');
      for (const base of [cwd, home])
        for (const [name, text] of Object.entries(files)) {
          mkdirSync(join(base, name, '..'), { recursive: true });
          writeFileSync(join(base, name), text);
        }
      const where = client === 'copilot' ? ['--user'] : [];
      const base = client === 'copilot' ? home : cwd;
      const call = async (...args: readonly string[]) => await longhaul({ args: [...args, client, ...where], cwd });
      const texts = () => Object.keys(files).map((name) => readFileSync(join(base, name), 'utf8'));
      expect(await call('install', '--dry-run')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Would write'),
      });
      expect(texts()).toEqual(Object.values(files));
      expect((await call('install')).code).toBe(0);
      const [after = ''] = texts();
      expect(after).toContain('longhaul');
      expect(after).toContain(client === 'opencode' ? '// mine' : 'other');
      const own = join(base, ownFiles[client] ?? '.codex/hooks.json');
      expect(existsSync(own)).toBe(client in ownFiles);
      if (client in ownFiles) expect(readFileSync(own, 'utf8')).toContain('receive-hook');
      else expect(after).toContain('receive-hook');
      expect((await call('install')).stdout).toContain('Already installed');
      expect(texts()).toEqual([after]);
      expect((await call('uninstall')).code).toBe(0);
      expect(texts()).toEqual(Object.values(files));
      expect(existsSync(own)).toBe(false);
      expect((await call('uninstall')).stdout).toContain('Nothing of longhaul');
    },
  );

  test('a settings file that is no JSON object is refused and stays as it is; an unknown client names the known ones', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'opencode.json'), '{ broken');
    const broken = await longhaul({ args: ['install', 'opencode'], cwd });
    expect(broken.code).not.toBe(0);
    expect(broken.stderr).toContain('nothing was changed');
    expect(readFileSync(join(cwd, 'opencode.json'), 'utf8')).toBe('{ broken');
    rmSync(join(cwd, 'opencode.json'));
    mkdirSync(join(cwd, '.opencode/plugin'), { recursive: true });
    writeFileSync(join(cwd, '.opencode/plugin/longhaul.js'), '// mine');
    const foreign = await longhaul({ args: ['install', 'opencode'], cwd });
    expect(foreign.stderr).toContain('was not written by longhaul; nothing was changed');
    expect(existsSync(join(cwd, 'opencode.json'))).toBe(false);
    const unknown = await longhaul({ args: ['install', 'claud'], cwd });
    expect(unknown.stderr).toContain('Did you mean "claude"?');
  });
});

describe('receive-hook', () => {
  test('PreCompact saves the transcript; SessionStart after the compaction gives rules and state back', async () => {
    const cwd = folder();
    const { path, say } = transcript({ home: cwd, cwd });
    say('user', 'Always run the tests with npm run check. The port of the server is 4711.');
    say('assistant', 'Understood, I will use npm run check.');
    const hook = async (fields: object) =>
      await longhaul({
        args: ['receive-hook', '--store', 'store'],
        cwd,
        input: JSON.stringify({ session_id: 's', transcript_path: path, cwd, ...fields }),
      });
    expect(await hook({ hook_event_name: 'PreCompact', trigger: 'auto' })).toEqual({ code: 0, stdout: '', stderr: '' });
    const found = await longhaul({ args: ['search', '4711', '--store', 'store'], cwd });
    expect(found.stdout).toContain('4711');
    const started = await hook({ hook_event_name: 'SessionStart', source: 'compact' });
    const { additionalContext } = JSON.parse(started.stdout).hookSpecificOutput;
    expect(additionalContext).toContain('npm run check');
    expect(additionalContext).toContain('4711');
    expect((await hook({ hook_event_name: 'SessionStart', source: 'startup' })).stdout).toBe('');
  });

  test('an agent without a hook after its compaction gets the state once, with the next tool result', async () => {
    const cwd = folder();
    const path = join(cwd, 'session-1.jsonl');
    const at = (second: number) => new Date(Date.UTC(2026, 3, 14, 15, 31, second)).toISOString();
    const record = (id: number, type: string, text: string) => ({
      id: `m${id}`,
      timestamp: at(id),
      type,
      content: [{ text }],
    });
    const said = [record(1, 'user', 'Always run the tests with npm run check.'), record(2, 'gemini', 'Understood.')];
    const header = { sessionId: 'cdb14b05-0000-4000-8000-000000000001', projectHash: '40fc80fd', startTime: at(0) };
    const write = (...records: readonly object[]) =>
      writeFileSync(
        path,
        [{ ...header, lastUpdated: at(0), kind: 'main' }, ...records]
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(''),
      );
    const input = JSON.stringify({ hook_event_name: 'AfterTool', session_id: 's', transcript_path: path, cwd });
    const hook = async () => await longhaul({ args: ['receive-hook', '--store', 'store'], cwd, input });
    write(...said);
    expect(await hook()).toEqual({ code: 0, stdout: '', stderr: '' });
    // Nothing was compacted, so not even the store was made.
    expect(existsSync(join(cwd, 'store'))).toBe(false);
    const summary = record(3, 'user', '<state_snapshot>\n<overall_goal>Test.</overall_goal>\n</state_snapshot>');
    const thanks = record(4, 'gemini', 'Got it. Thanks for the additional context!');
    write(...said, { $set: { messages: [summary, thanks] } }, record(5, 'user', 'Go on.'));
    const { hookSpecificOutput } = JSON.parse((await hook()).stdout);
    expect(hookSpecificOutput).toMatchObject({
      hookEventName: 'AfterTool',
      additionalContext: expect.stringContaining('npm run check'),
    });
    expect(await hook()).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('the other agent does not fail because of its hook', async () => {
    const cwd = folder();
    const args = ['receive-hook', '--store', 'store'];
    for (const input of [
      'not json',
      '{}',
      '{"hook_event_name":"PreCompact","transcript_path":"/no/such/file.jsonl"}',
    ]) {
      const { code, stdout } = await longhaul({ args, cwd, input });
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    }
  });
});

test('mcp --follow answers from the running session of another agent, and --write does not split it', async () => {
  const cwd = folder();
  const home = join(cwd, 'no-home');
  const { path, say } = transcript({ home, cwd });
  say('user', 'The secret word is rhubarb.');
  const { search, call } = await clientOf({
    cwd,
    args: ['mcp', '--follow', 'claude-code', '--write', '--store', 'store'],
  });
  expect(await search('rhubarb')).toContain('rhubarb');
  expect(await call('pin', { handle: '@1' })).toContain('follows the transcript of another agent');
  expect(await call('label', { handle: '@1', label: 'the word' })).toContain('is now named');
  say('assistant', 'I will remember rhubarb.');
  say('user', 'Now the word is celery.');
  await setTimeout(250);
  expect(await search('celery')).toContain('celery');
  // A hook of the same agent imports in another process, in the middle of an answer.
  say('assistant', 'I have not finished.');
  const input = JSON.stringify({ hook_event_name: 'PreCompact', transcript_path: path, cwd });
  expect(await longhaul({ args: ['receive-hook', '--store', 'store'], cwd, input })).toMatchObject({ code: 0 });
  say('user', 'At last the word is fennel.');
  expect(await search('fennel')).toContain('fennel');
  expect((await call('sessions', {})).match(/ entries/g)).toHaveLength(1);
});

test('mcp without a store writes nothing, and finds the store that another command makes meanwhile', async () => {
  const cwd = folder();
  const { search } = await clientOf({ cwd, args: ['mcp', '--store', 'store'] });
  expect(await search('rhubarb')).toContain('No results');
  expect(existsSync(join(cwd, 'store'))).toBe(false);
  const { path, say } = transcript({ home: cwd, cwd });
  say('user', 'The secret word is rhubarb.');
  expect(await longhaul({ args: ['import', path, '--store', 'store'], cwd })).toMatchObject({ code: 0 });
  expect(await search('rhubarb')).toContain('The secret word is rhubarb');
});

async function clientOf({ cwd, args }: { readonly cwd: string; readonly args: readonly string[] }) {
  const [file, ...first] = command;
  const env = Object.fromEntries(
    Object.entries(environment({ home: cwd })).map(([name, value]) => [name, value ?? '']),
  );
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(async () => await client.close());
  await client.connect(new StdioClientTransport({ command: file, args: [...first, ...args], cwd, env }));
  const call = async (name: string, input: Record<string, unknown>) =>
    JSON.stringify(await client.callTool({ name, arguments: input }));
  return { call, search: async (query: string) => await call('search', { query }) };
}
