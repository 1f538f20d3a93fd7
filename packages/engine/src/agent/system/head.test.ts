import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { all, begin } from '../fixtures/agent.ts';
import { toolOf } from '../fixtures/tools.ts';
import { findInstructions } from '../instructions/instructions.ts';
import { findSkills } from '../skills/skill.ts';
import { defaultHead } from './head.ts';

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-head-')));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A folder with these files; a repository if one of them is in `.git`. */
function folder(name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(scratch, name, path)), { recursive: true });
    writeFileSync(join(scratch, name, path), text);
  }
  return join(scratch, name);
}
const paths = ({ files }: Awaited<ReturnType<typeof findInstructions>>) =>
  files.map(({ path }) => path.slice(scratch.length));

describe('instruction files', () => {
  test('apply from the repository down to the folder, the most specific last', async () => {
    const root = folder('a', {
      '.git/HEAD': '',
      'AGENTS.md': 'root',
      'CLAUDE.md': 'claude',
      'app/AGENTS.md': 'app',
      'lib/AGENTS.md': 'lib',
    });
    writeFileSync(join(scratch, 'AGENTS.md'), 'not of this repository');
    expect(paths(await findInstructions({ cwd: join(root, 'app') }))).toEqual([
      '/a/AGENTS.md',
      '/a/CLAUDE.md',
      '/a/app/AGENTS.md',
    ]);
  });

  test('without a repository only those of the folder itself are read', async () => {
    const root = folder('b', { 'AGENTS.md': 'above', 'app/AGENTS.md': 'here' });
    expect(paths(await findInstructions({ cwd: join(root, 'app') }))).toEqual(['/b/app/AGENTS.md']);
  });

  test('the same text under two names is read once', async () => {
    const root = folder('c', { '.git/HEAD': '', 'AGENTS.md': 'same' });
    symlinkSync(join(root, 'AGENTS.md'), join(root, 'CLAUDE.md'));
    expect(paths(await findInstructions({ cwd: root }))).toEqual(['/c/AGENTS.md']);
  });

  test('a link out of the repository is not read, and a notice is emitted', async () => {
    const outside = folder('outside', { 'key.md': 'a private key' });
    const root = folder('d', { '.git/HEAD': '' });
    symlinkSync(join(outside, 'key.md'), join(root, 'AGENTS.md'));
    const found = await findInstructions({ cwd: root });
    expect(found.files).toEqual([]);
    expect(found.skipped).toEqual([expect.stringContaining('links outside of')]);
    const { agent, model } = await begin({ cwd: root, head: undefined as never });
    expect(await all(agent.run({ prompt: 'Go.' }))).toContainEqual({
      type: 'notice',
      text: expect.stringContaining('links outside of'),
    });
    expect(JSON.stringify(model.requests[0]?.head)).not.toContain('private key');
  });

  test('too long files are cut at the end of a line, the least specific first', async () => {
    const root = folder('e', {
      '.git/HEAD': '',
      'AGENTS.md': 'line of the root\n'.repeat(10),
      'app/AGENTS.md': 'near\n',
    });
    const { files } = await findInstructions({ cwd: join(root, 'app'), size: 60 });
    expect(files.map(({ text, omitted }) => [text, omitted])).toEqual([
      ['line of the root\n'.repeat(3), 119],
      ['near\n', 0],
    ]);
  });

  test('stay in the head byte for byte through every compaction, and a change opens an epoch', async () => {
    const rules = '# Rules\n\n- Never push to main.\n\t“Quotes” and\u00a0spaces stay.\n';
    const root = folder('f', { '.git/HEAD': '', 'AGENTS.md': rules });
    const { agent, model, session } = await begin({
      cwd: root,
      head: undefined as never,
      window: 12_000,
      tools: [
        toolOf({
          name: 'look',
          run: async () => ({ content: [{ type: 'text', origin: 'tool', text: 'words '.repeat(200) }] }),
        }),
      ],
      script: (_, index) =>
        index % 30 === 29 ? { text: 'Done.' } : { text: 'Looking again.', toolCalls: [{ name: 'look' }] },
    });
    await all(agent.run({ prompt: 'Look thirty times.' }));
    expect((await session.session.read({ types: ['compaction'] })).length).toBeGreaterThanOrEqual(3);
    const heads = model.requests.map(({ head }) =>
      head.map(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')).join('')),
    );
    for (const head of heads)
      expect(head.at(-1)).toBe(`Contents of ${root}/AGENTS.md (project instructions):\n${rules}`);
    const before = (await session.session.read({ types: ['epoch'] })).filter(
      (entry) => entry.type === 'epoch' && entry.reason === 'head',
    );
    writeFileSync(join(root, 'AGENTS.md'), 'Push to main.\n');
    await all(agent.run({ prompt: 'Once more.' }));
    const after = (await session.session.read({ types: ['epoch'] })).filter(
      (entry) => entry.type === 'epoch' && entry.reason === 'head',
    );
    expect(after.length).toBe(before.length + 1);
    expect(JSON.stringify(model.requests.at(-1)?.head)).toContain('Push to main.');
  });
});

describe('skills', () => {
  const skill = (name: string, description: string, body = 'Do it so.') =>
    `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;

  test('are listed with name and description, from the project and from folders of the user', async () => {
    const own = folder('own', {
      'deploy/SKILL.md': skill('deploy', '"How to \\"deploy\\""'),
      'pdf/SKILL.md': skill('pdf', 'Mine.'),
    });
    const root = folder('g', {
      '.agents/skills/pdf/SKILL.md': skill('pdf', '>\n  Reads PDF\n  files.'),
      '.claude/skills/broken/SKILL.md': 'no frontmatter',
      '.claude/skills/odd/SKILL.md': skill('../../odd', 'Its name is a path.'),
    });
    const skills = await findSkills({ cwd: root, folders: [own] });
    expect(skills.map(({ name, description }) => [name, description])).toEqual([
      ['pdf', 'Reads PDF files.'],
      ['deploy', 'How to "deploy"'],
    ]);
    const { head } = await defaultHead({ cwd: root, skills });
    expect(JSON.stringify(head.at(-1))).toContain('- pdf: Reads PDF files.');
  });

  test('of the project that link outside are skipped', async () => {
    const outside = folder('elsewhere', { 'x/SKILL.md': skill('x', 'Not yours.') });
    const root = folder('h', { '.agents/skills/readme.txt': '' });
    symlinkSync(join(outside, 'x'), join(root, '.agents/skills/x'));
    expect(await findSkills({ cwd: root })).toEqual([]);
  });

  test('are loaded on demand, and carried through a compaction', async () => {
    const root = folder('i', {
      '.git/HEAD': '',
      '.agents/skills/pdf/SKILL.md': skill('pdf', 'Reads PDF.', 'Always use the blue reader.'),
    });
    const { agent, model, session } = await begin({
      cwd: root,
      head: undefined as never,
      script: [
        {
          toolCalls: [
            { name: 'skill', arguments: { name: 'pdf' } },
            { name: 'skill', arguments: { name: 'fly' } },
          ],
        },
        ...Array.from({ length: 6 }, () => ({
          text: 'words '.repeat(300),
          toolCalls: [{ name: 'skill', arguments: { name: 'fly' } }],
        })),
        { text: 'Done.' },
      ],
    });
    await all(agent.run({ prompt: 'Read the PDF.' }));
    expect(JSON.stringify(model.requests[0]?.head)).not.toContain('blue reader');
    expect(JSON.stringify(model.requests[1]?.items)).toContain('Always use the blue reader.');
    expect(JSON.stringify(model.requests[1]?.items)).toContain('Unknown skill');
    const { summary } = await session.compact({ model });
    expect(summary).toContain('Always use the blue reader.');
  });

  test('loaded by another process are still carried when this one loads more', async () => {
    const root = folder('j', {
      '.agents/skills/pdf/SKILL.md': skill('pdf', 'Reads PDF.', 'Always use the blue reader.'),
      '.agents/skills/tar/SKILL.md': skill('tar', 'Packs.', 'Always name the folder.'),
    });
    const load = (name: string) => [{ toolCalls: [{ name: 'skill', arguments: { name } }] }, { text: 'Loaded.' }];
    const place = { cwd: root, head: undefined as never };
    const first = await begin({ ...place, script: load('pdf') });
    await all(first.agent.run({ prompt: 'Go.' }));
    const second = await begin({ ...place, store: first.store, id: first.session.id, script: load('tar') });
    await all(second.agent.run({ prompt: 'Go on.' }));
    const states = await second.session.session.read({ types: ['working_state'] });
    const newest = states.findLast((note) => note.type === 'working_state');
    const skills = { pdf: 'Always use the blue reader.', tar: 'Always name the folder.' };
    expect(newest).toMatchObject({ state: { skills } });
  });
});
