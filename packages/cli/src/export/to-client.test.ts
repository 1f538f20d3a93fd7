import { describe, expect, test } from 'vitest';
import { withSession } from '../commands/sessions.fixture.ts';
import { resumingClients } from './clients.ts';

const text = (io: { readonly content: Map<string, Uint8Array> }, path: string) =>
  new TextDecoder().decode(io.content.get(path));

describe('export --to', () => {
  test.each(resumingClients.filter(({ isFolder }) => !isFolder).map(({ name }) => name))(
    'writes a session where %s finds it, which import reads again',
    async (name) => {
      const { json, io, id } = await withSession();
      const { value } = await json('export', id, '--to', name);
      expect(value).toMatchObject({ sessionId: id, client: name, dryRun: false });
      expect(value.resume.join('\n')).toMatch(name === 'pi' ? value.path : value.id);
      expect(text(io, value.path)).toContain('List the files.');
      expect((await json('import', value.path)).value.messages).toBeGreaterThanOrEqual(2);
    },
  );

  test('gives OpenHands a file per event, numbered without gaps', async () => {
    const { json, io, id } = await withSession();
    const { value } = await json('export', id, '--to', 'openhands');
    const names = [...io.content.keys()].filter((path) => path.startsWith(value.path)).sort();
    expect(names.map((path) => path.slice(value.path.length, value.path.length + 20))).toEqual(
      names.map((_, index) => `/events/event-${String(index).padStart(5, '0')}-`),
    );
    expect(text(io, names[0] ?? '')).toContain('SystemPromptEvent');
  });

  test('never replaces a session of the agent, and says how to make a copy', async () => {
    const { call, io, json, id } = await withSession();
    const { value } = await json('export', id, '--to', 'claude');
    const before = text(io, value.path);
    const again = await call('export', id, '--to', 'claude');
    expect(again.code).not.toBe(0);
    expect(again.stderr).toMatch(/Claude Code already has this session.*longhaul fork/s);
    expect(text(io, value.path)).toBe(before);
  });

  test('a dry run writes nothing', async () => {
    const { json, io, id } = await withSession();
    const before = [...io.content.keys()];
    const { value } = await json('export', id, '--to', 'codex', '--dry-run');
    expect(value).toMatchObject({
      dryRun: true,
      path: expect.stringContaining('/.codex/sessions/2026/01/02/rollout-'),
    });
    expect([...io.content.keys()]).toEqual(before);
  });

  test.each([
    [['--to', 'cluade'], /Unknown agent "cluade"\. Did you mean "claude"\?/],
    [['--to', 'claude', '--format', 'pi'], /cannot be combined with --format/],
    [['--dry-run'], /--to was not given/],
  ])('%j is refused in one sentence', async (flags, message) => {
    const { call, id } = await withSession();
    const { code, stderr } = await call('export', id, ...flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe('handoff', () => {
  test('prints a prompt with the newest messages, and how to read the rest', async () => {
    const { call, id } = await withSession();
    const { code, stdout } = await call('handoff', 'claude', id);
    expect(code).toBe(0);
    expect(stdout).toContain('User: List the files.');
    expect(stdout).toContain(`longhaul recall ${id} @12`);
  });

  test('an unknown agent is refused before anything is read', async () => {
    const { call, id } = await withSession();
    expect(await call('handoff', 'nope', id)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Unknown agent "nope"'),
    });
  });
});
