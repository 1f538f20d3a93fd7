import { describe, expect, test } from 'vitest';
import type { FileSystem } from '../io/files.ts';
import type { MemoryWorld } from '../io/memory-io.ts';
import { base, header, jsonl, pi, said, world } from './sessions.fixture.ts';

/** A session of its own: the format is detected from the content, not from the path. */
const session = (id: string, title = 'List the files.') => pi.replace('abc-1', id).replace('List the files.', title);

/** The sessions that are found among some files of a made-up machine. */
const scan = async (given: MemoryWorld, ...argv: readonly string[]) => {
  const { json } = world(given);
  const { value } = await json('import', '--scan', ...argv);
  return value.sessions.map(({ agent, path }: { agent: string; path: string }) => `${agent} ${path}`).sort();
};
const at = (...paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, session(path)]));

describe('where sessions are found', () => {
  test('in the documented places of each agent', async () => {
    const places = [
      'aider /project/.aider.chat.history.md',
      'claude-code /home/me/.claude/projects/-project/1.jsonl',
      'claude-code /home/me/.config/claude/projects/-project/2.jsonl',
      'codex /home/me/.codex/archived_sessions/rollout-1.jsonl',
      'codex /home/me/.codex/sessions/2026/01/02/rollout-2.jsonl',
      'copilot /home/me/.copilot/session-state/1.jsonl',
      'copilot /home/me/.copilot/session-state/abc/events.jsonl',
      'gemini-cli /home/me/.gemini/tmp/hash/chats/session-1.json',
      'gemini-cli /home/me/.gemini/tmp/hash/chats/session-1.jsonl',
      'oh-my-pi /home/me/.omp/agent/sessions/--project--/1.jsonl',
      'opencode /home/me/.local/share/opencode/opencode-dev.db',
      'opencode /home/me/.local/share/opencode/opencode.db',
      'pi /home/me/.pi/agent/sessions/--project--/1.jsonl',
      'vscode /home/me/.config/Code - Insiders/User/workspaceStorage/h/GitHub.copilot-chat/transcripts/1.jsonl',
      'vscode /home/me/.config/Code/User/workspaceStorage/h/GitHub.copilot-chat/transcripts/1.jsonl',
      'vscode /home/me/.config/VSCodium/User/workspaceStorage/h/GitHub.copilot-chat/transcripts/1.jsonl',
      'vscode /home/me/.vscode-server/data/User/workspaceStorage/h/GitHub.copilot-chat/transcripts/1.jsonl',
    ];
    const files = at(...places.map((place) => place.replace(/^\S+ /, '')));
    expect(await scan({ files })).toEqual(places);
  });

  test('nothing else next to them', async () => {
    const files = at(
      '/home/me/.claude/history.jsonl',
      '/home/me/.claude/projects/-project/memory/MEMORY.md',
      '/home/me/.codex/history.jsonl',
      '/home/me/.codex/sessions/2026/01/02/notes.jsonl',
      '/home/me/.copilot/session-state/abc/workspace.yaml',
      '/home/me/.gemini/tmp/hash/logs.json',
      '/home/me/.local/share/opencode/other.db',
      '/home/me/elsewhere.jsonl',
    );
    expect(await scan({ files })).toEqual([]);
  });

  test('an OpenHands conversation is a folder of events', async () => {
    const events = session('oh-1').trimEnd().split('\n');
    const files = Object.fromEntries(
      events.map((event, index) => [`/home/me/.openhands/conversations/oh/events/event-0000${index}-x.json`, event]),
    );
    expect(await scan({ files })).toEqual(['openhands /home/me/.openhands/conversations/oh']);
  });

  test.each<[string, string, string]>([
    ['CLAUDE_CONFIG_DIR', '/c', 'claude-code /c/projects/p/1.jsonl'],
    ['CODEX_HOME', '/c', 'codex /c/sessions/2026/01/02/rollout-1.jsonl'],
    ['COPILOT_HOME', '/c', 'copilot /c/session-state/abc/events.jsonl'],
    ['XDG_STATE_HOME', '/c', 'copilot /c/.copilot/session-state/abc/events.jsonl'],
    ['XDG_CONFIG_HOME', '/c', 'vscode /c/Code/User/workspaceStorage/h/GitHub.copilot-chat/transcripts/1.jsonl'],
    ['VSCODE_PORTABLE', '/c', 'vscode /c/user-data/User/workspaceStorage/h/GitHub.copilot-chat/transcripts/1.jsonl'],
    ['GEMINI_CLI_HOME', '/c', 'gemini-cli /c/.gemini/tmp/hash/chats/session-1.jsonl'],
    ['XDG_DATA_HOME', '/c', 'opencode /c/opencode/opencode.db'],
    ['OPENCODE_DB', '/c/mine.db', 'opencode /c/mine.db'],
    ['PI_CODING_AGENT_DIR', '/c', 'pi /c/sessions/p/1.jsonl'],
    ['PI_CODING_AGENT_SESSION_DIR', 'c', 'pi /project/c/1.jsonl'],
    ['AIDER_CHAT_HISTORY_FILE', '/c/chat.md', 'aider /c/chat.md'],
  ])('%s moves them', async (variable, value, found) => {
    const files = at(found.replace(/^\S+ /, ''), '/home/me/.claude/projects/p/home.jsonl');
    const alone = variable === 'CLAUDE_CONFIG_DIR' ? [] : ['claude-code /home/me/.claude/projects/p/home.jsonl'];
    expect(await scan({ files, env: { [variable]: value } })).toEqual([found, ...alone].sort());
  });

  test('on macOS and Windows the editors have places of their own', async () => {
    const mac =
      '/home/me/Library/Application Support/Code/User/workspaceStorage/h/GitHub.copilot-chat/transcripts/1.jsonl';
    expect(await scan({ files: at(mac), platform: 'darwin' })).toEqual([`vscode ${mac}`]);
    expect(await scan({ files: at(mac) })).toEqual([]);
  });

  test('aider’s history also above the working directory', async () => {
    const files = at('/project/.aider.chat.history.md');
    expect(await scan({ files, cwd: '/project/src/deep' })).toEqual(['aider /project/.aider.chat.history.md']);
  });

  test('of one agent only, by its name', async () => {
    const files = at('/home/me/.pi/agent/sessions/p/1.jsonl', '/home/me/.claude/projects/p/1.jsonl');
    expect(await scan({ files }, '--agent', 'pi')).toEqual(['pi /home/me/.pi/agent/sessions/p/1.jsonl']);
    const { json } = world();
    expect(await json('import', '--scan', '--agent', 'claude')).toMatchObject({
      code: 2,
      value: { error: { code: 'unknown-agent', message: 'Unknown agent "claude". Did you mean "claude-code"?' } },
    });
  });
});

const folder = '/home/me/.pi/agent/sessions/--project--';
const old = `${folder}/old.jsonl`;
const young = `${folder}/young.jsonl`;
const machine = {
  files: { [old]: session('old', 'Mend the fence.'), [young]: session('young', 'Paint the\\u001b[2J fence.') },
  modified: { [old]: Date.UTC(2025, 11, 1), [young]: Date.UTC(2026, 0, 2, 1) },
};

describe('the report on each', () => {
  test('for a program, the newest first', async () => {
    const { io, json } = world(machine);
    const { value } = await json('import', '--scan');
    expect(value).toEqual({
      sessions: [
        {
          agent: 'pi',
          format: 'pi',
          path: young,
          parts: [],
          bytes: machine.files[young]?.length,
          tokens: Math.round((machine.files[young]?.length ?? 0) / 7),
          status: 'new',
          modifiedAt: '2026-01-02T01:00:00.000Z',
          title: expect.stringMatching(/^Paint the/),
          cwd: '/project',
          sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
        expect.objectContaining({ path: old, title: 'Mend the fence.' }),
      ],
      passedOver: [],
    });
    expect(io.stores.size).toBe(0);
  });

  test('as text, safe for a terminal, and without questions in a pipe', async () => {
    const { call } = world({ ...machine });
    const { code, stdout, stderr } = await call('import', '--scan');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [first, second] = stdout.split('\n');
    expect(first).toMatch(/^1 {2}pi {2}[\d.]+ \w+ {2}2 h +~\d+ tokens {2}new {2}Paint the/);
    expect(second).toMatch(/^2 {2}pi {2}[\d.]+ \w+ +32 days {2}~\d+ tokens {2}new {2}Mend the fence\.$/);
    expect(stdout).not.toContain('\u001b');
  });

  test('only the beginning of a file is read, and more of it only for the title', async () => {
    const long = (length: number) =>
      jsonl([
        header,
        base('01', null, said('assistant', 'x'.repeat(length))),
        base('02', '01', said('user', 'Mend it.')),
        base('03', '02', said('user', 'x'.repeat(300_000))),
      ]);
    const { io, json } = world({ files: { [old]: long(100), [young]: long(100_000).replace('abc-1', 'young') } });
    const looks: string[] = [];
    const { head } = io.files;
    const files: FileSystem = {
      ...io.files,
      head: (input) => {
        looks.push(`${input.path} ${input.bytes}`);
        return head(input);
      },
      read: (path) => {
        throw new Error(`${path} is read whole`);
      },
    };
    Object.assign(io, { files });
    expect((await json('import', '--scan')).value.sessions).toMatchObject([
      { title: 'Mend it.' },
      { title: 'Mend it.' },
    ]);
    expect(looks.sort()).toEqual([`${old} 65536`, `${young} 262144`, `${young} 65536`]);
  });

  test('what is no session is passed over, and counted', async () => {
    const { json, call } = world({ files: { [old]: 'Dear diary', [young]: session('young') } });
    const { value } = await json('import', '--scan');
    expect(value.sessions).toHaveLength(1);
    expect(value.passedOver).toMatchObject([{ path: old, code: 'not-a-session' }]);
    expect((await call('import', '--scan')).stdout).toContain('1 file could not be read as a session');
    expect((await call('import', '--scan', '--all')).code).toBe(0);
  });

  test('no sessions at all are reported', async () => {
    const { call } = world();
    const none = 'No sessions of other agents were found on this machine.\n';
    expect((await call('import', '--scan')).stdout).toBe(none);
    expect((await call('import', '--scan', '--all')).stdout).toBe(none);
  });
});

describe('what is imported', () => {
  test('what a person chooses', async () => {
    const { call, json } = world({ ...machine, answer: ' 2 ' });
    expect((await call('import', '--scan')).stdout).toContain(`${old}: imported, pi session `);
    expect((await json('sessions')).value.sessions).toMatchObject([{ title: 'Mend the fence.' }]);
  });

  test.each(['', '7'])('nothing for the answer %j', async (answer) => {
    const { io, call } = world({ ...machine, answer });
    expect((await call('import', '--scan')).code).toBe(answer === '' ? 0 : 2);
    expect(io.stores.size).toBe(0);
  });

  test('with --all what is new or has grown, and only that', async () => {
    const { io, json, call } = world(machine);
    expect((await json('import', '--scan', '--all')).value).toMatchObject([{ added: 6 }, { added: 6 }]);
    expect((await json('import', '--scan', '--all')).value).toEqual([]);
    expect((await call('import', '--scan', '--all')).stdout).toBe(
      'Nothing to import: 2 sessions, all up to date in the store.\n',
    );
    const more = jsonl([base('06', '05', said('user', 'And now?'))]);
    io.content.set(old, new TextEncoder().encode(machine.files[old] + more));
    expect((await json('import', '--scan')).value.sessions).toMatchObject([
      { path: young, status: 'imported' },
      { path: old, status: 'grown' },
    ]);
    expect((await json('import', '--scan', '--all')).value).toMatchObject([{ added: 1, entries: 7 }]);
  });

  test('a deleted session is new again', async () => {
    const { json, call } = world({ files: { [old]: session('old') } });
    const { value } = await json('import', '--scan', '--all');
    await call('delete', value[0].sessionId, '--yes');
    expect((await json('import', '--scan')).value.sessions).toMatchObject([{ status: 'new' }]);
  });

  test('without notes of imports the times tell what has grown', async () => {
    const { io, json } = world({
      files: { [old]: session('old'), [young]: session('young') },
      modified: { [old]: Date.parse(header.timestamp), [young]: Date.parse(header.timestamp) + 3_600_000 },
    });
    await json('import', '--scan', '--all');
    io.content.delete('/home/me/.local/share/longhaul/imports.json');
    expect((await json('import', '--scan')).value.sessions).toMatchObject([
      { path: young, status: 'grown' },
      { path: old, status: 'imported' },
    ]);
  });

  test('sub-agents with the session that called them', async () => {
    const main = '/home/me/.claude/projects/p/main.jsonl';
    const part = '/home/me/.claude/projects/p/main/subagents/agent-1.jsonl';
    const { io, json } = world({ files: { [main]: session('main'), [part]: session('part') } });
    expect((await json('import', '--scan')).value.sessions).toMatchObject([
      { path: main, parts: [part], bytes: session('main').length + session('part').length },
    ]);
    expect((await json('import', '--scan', '--all')).value).toHaveLength(2);
    expect((await json('import', '--scan')).value.sessions).toMatchObject([{ status: 'imported' }]);
    io.content.set(part, new TextEncoder().encode(`${session('part')}\n`));
    expect((await json('import', '--scan')).value.sessions).toMatchObject([{ status: 'grown' }]);
  });
});
