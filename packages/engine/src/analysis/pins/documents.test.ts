import { describe, expect, it, test } from 'vitest';
import { client, done, human, itemsOf, model, type Said } from '../../engine/fixtures/items.ts';
import { laterSystemItems } from '../source-item.ts';
import { choosePins, pinLines } from './choose.ts';
import { instructionKind } from './instruction-path.ts';
import { gatherPins, statementsOf } from './pins.ts';

const root = '/srv/app';
const file = '# Style\n\n- Use tabs for indentation\n- Never edit `dist/`\n\nThe server listens on 8080.\n';

function found(...said: readonly (Said | readonly Said[])[]): string[] {
  return gatherPins({ items: itemsOf(...said), root }).map(({ text, by, document }) => `${by} ${document}: ${text}`);
}

describe('an instruction file that a tool read', () => {
  const statements = [
    'instructions AGENTS.md: Use tabs for indentation',
    'instructions AGENTS.md: Never edit `dist/`',
    'instructions AGENTS.md: The server listens on 8080.',
  ];

  it.each([
    ['a reading tool', 'read', { path: 'AGENTS.md' }],
    ['its absolute path', 'Read', { file_path: '/srv/app/AGENTS.md' }],
    ['the folder above', 'Read', { file_path: '/srv/AGENTS.md' }],
    ['a shell', 'bash', { command: 'cat AGENTS.md' }],
    ['a shell that shows some lines', 'shell', { command: ['bash', '-lc', "sed -n '1,200p' AGENTS.md"] }],
  ])('is one of rules: by %s', (_, name, args) => {
    expect(found(done(name, args, file))).toEqual(statements);
  });

  it('is stripped of line numbers of tools and reminders of clients', () => {
    const numbered = file
      .split('\n')
      .map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
      .join('\n');
    const reminded = `${numbered}\n\n<system-reminder>\nYou must not look at malware.\n</system-reminder>`;
    expect(found(done('Read', { file_path: 'AGENTS.md' }, reminded))).toEqual(statements);
  });

  it('counts once, as it was read last', () => {
    const newer = '- Use spaces for indentation\n';
    const read = (text: string) => done('read', { path: 'AGENTS.md' }, text);
    expect(found(read(file), read(file), read(newer))).toEqual(['instructions AGENTS.md: Use spaces for indentation']);
  });

  it.each([
    ['another file', 'read', { path: 'docs/notes.md' }],
    ['a file of a dependency', 'read', { path: 'node_modules/evil/AGENTS.md' }],
    ['a file of another project', 'Read', { file_path: '/tmp/clone/AGENTS.md' }],
    ['a file that climbs out', 'read', { path: '../other/CLAUDE.md' }],
    ['a page', 'fetch', { url: 'https://example.com/AGENTS.md' }],
    ['a command with more output', 'bash', { command: 'curl https://example.com; cat AGENTS.md' }],
    ['a command that prints the name', 'bash', { command: 'echo "Never push" # AGENTS.md' }],
    ['a search through everything', 'grep', { pattern: 'AGENTS.md', path: '.' }],
  ])('is none where it is %s', (_, name, args) => {
    expect(found(done(name, args, file))).toEqual([]);
  });

  it('does not count if a model wrote it', () => {
    expect(found(done('write', { path: 'AGENTS.md', content: file }, 'written'), model(file))).toEqual([]);
  });
});

describe('a document that is no instruction file by its path', () => {
  const plan =
    '# Plan\n\n1. Read all files of a package first\n2. When it works, delete the old code\n\nThe port is 8080.\n';
  const rules = [
    'instructions plan.md: Read all files of a package first',
    'instructions plan.md: When it works, delete the old code',
  ];
  const reading = done('read', { path: 'docs/plan.md' }, plan);

  it.each([
    ['a person said to read it', human('Read @docs/plan.md, then start.')],
    ['a person named its end', human('follow plan.md')],
    ['an instruction file said to follow it', done('read', { path: 'AGENTS.md' }, 'See docs/plan.md.')],
  ])('gives what it demands where %s', (_, before) => {
    expect(found(before, reading).filter((rule) => !rule.includes('AGENTS.md'))).toEqual(rules);
  });

  it.each([
    ['it was only mentioned', [human('Fix the typo on docs/plan.md')], reading],
    ['another file was named', [human('Read docs/other-plan.md')], reading],
    ['a model named it', [model('I will read docs/plan.md now.')], reading],
    ['a page named it', [done('fetch', { url: 'https://example.com' }, 'Read docs/plan.md')], reading],
    [
      'only a document that was named itself named it',
      [human('Read notes.md'), done('read', { path: 'notes.md' }, 'Follow docs/plan.md!')],
      reading,
    ],
    ['it belongs to a dependency', [human('Read plan.md')], done('read', { path: 'node_modules/x/plan.md' }, plan)],
    ['it lies elsewhere', [human('Read plan.md')], done('read', { path: '/tmp/clone/plan.md' }, plan)],
  ])('gives nothing where %s', (_, before, read) => {
    expect(found(...before, read).filter((rule) => rule.includes('plan.md:'))).toEqual([]);
  });

  it.each([
    ['bd prime', true],
    ['cd web && npx tracker onboard --json', true],
    ['cat instructions', false],
    ['git log --agents', false],
    ['bd prime; curl https://example.com', false],
    ['curl https://example.com/instructions', false],
  ])('is what a program prints to instruct agents: %s', (command, isOne) => {
    const said = 'The tracker is ready.\n\n- Do NOT use markdown files for tasks\n';
    const name = command.split(' && ').at(-1);
    expect(found(done('bash', { command }, said))).toEqual(
      isOne ? [`instructions ${name}: Do NOT use markdown files for tasks`] : [],
    );
  });

  test('comes after instruction files and takes a bounded share of their room', () => {
    const long = Array.from({ length: 60 }, (_, at) => `- Never touch part ${at}`).join('\n');
    const pins = gatherPins({
      items: itemsOf(
        human('Read docs/plan.md'),
        done('read', { path: 'docs/plan.md' }, long),
        done('read', { path: 'AGENTS.md' }, long.replaceAll('part', 'module')),
      ),
      root,
    });
    const { kept } = choosePins({ pins, budget: 1000, count: (text) => text.length });
    const byName = kept.filter(({ document }) => document === 'plan.md');
    expect(byName.length).toBeGreaterThan(3);
    expect(byName.reduce((sum, { text }) => sum + text.length + 2, 0)).toBeLessThanOrEqual(300);
  });
});

describe('skills and what clients put in', () => {
  const protocol = '# Review\n\n- Report findings with file and line\n- Never push\n';

  it.each([
    ['Copilot CLI', client(`<skill-context name="review">\nBase directory: /x\n\n${protocol}</skill-context>`)],
    ['Claude Code', client(`Base directory for this skill: /home/me/.claude/skills/review\n\n${protocol}`)],
    ['a tool', done('skill', { name: 'review' }, `${protocol}\n${'It is used before a merge. '.repeat(10)}`)],
    ['its file', done('view', { path: '/home/me/.claude/skills/review/SKILL.md' }, protocol)],
  ])('a skill loaded by %s is one of rules', (_, said) => {
    expect(found(said)).toEqual(
      expect.arrayContaining(['skill review: Report findings with file and line', 'skill review: Never push']),
    );
  });

  it('a file that Claude Code attaches comes after its path', () => {
    const parts = ['/srv/app/web/CLAUDE.md:', '- Keep components small\n'].map((text) => {
      return { type: 'text', origin: 'engine', text } as const;
    });
    expect(found({ role: 'user', parts })).toEqual(['instructions CLAUDE.md: Keep components small']);
  });

  it('a file that a client shows for another reason does not count', () => {
    expect(found(client('Contents of /srv/app/notes.txt:\n\nNever push.\n'))).toEqual([]);
    const changed = 'Note: a.md was modified. Here are the relevant changes:\nNever push.';
    expect(found(client(`<system-reminder>\n${changed}\n</system-reminder>`))).toEqual([]);
  });

  it('of a reminder only explicit rules count', () => {
    const text = '<system-reminder>\nThe list is empty.\nYou must never mention this list.\n</system-reminder>';
    expect(found(client(text))).toEqual(['instructions a reminder: You must never mention this list.']);
  });
});

test('a system message in the middle is carried, the head and its changes are not', () => {
  const message = (role: 'system' | 'user', text: string) => {
    return { role, parts: [{ type: 'text', origin: role === 'user' ? 'human' : 'engine', text }] } as const;
  };
  const entry = (handle: number, rest: object) => ({ id: `${handle}`, handle, at: 0, parentId: null, ...rest });
  const path = [
    entry(1, { type: 'message', message: message('system', 'You are an agent.') }),
    entry(2, { type: 'message', message: message('user', 'Plan it.') }),
    entry(3, { type: 'message', message: message('system', '<mode>You are now in Default mode.</mode>') }),
    entry(4, { type: 'message', message: message('user', 'Do it.') }),
    entry(5, { type: 'message', message: message('system', 'You are another agent.') }),
    entry(6, { type: 'epoch', reason: 'head', items: { list: [] } }),
  ] as unknown as Parameters<typeof laterSystemItems>[0];
  const items = laterSystemItems(path);
  expect(items.map(({ handle }) => handle)).toEqual([3]);
  expect(gatherPins({ items }).map(({ text, document }) => `${document}: ${text}`)).toEqual([
    'mode: You are now in Default mode.',
  ]);
});

test('statements keep their lines together, without code, tables and headings', () => {
  const text = '# Rules\n- Keep commits\n  focused on one change\n```\nrm -rf /\n```\n| a | b |\n\nUse `make`.';
  expect(statementsOf(text)).toEqual([
    { text: 'Keep commits\n  focused on one change', lines: { from: 2, to: 3 }, strength: 'weak' },
    { text: 'Use `make`.', lines: { from: 9, to: 9 }, strength: 'weak' },
  ]);
});

test('human rules come first, then the strongest of documents, rendered under their names', () => {
  const items = itemsOf(human('Never push to main.'), done('read', { path: 'AGENTS.md' }, file));
  const pins = gatherPins({ items, root });
  expect(pinLines(pins)).toEqual([
    '- Never push to main. (@1.1:1-1)',
    'From AGENTS.md (@3.1):',
    '- Use tabs for indentation',
    '- Never edit `dist/`',
    '- The server listens on 8080.',
  ]);
  const { kept } = choosePins({ pins, budget: 80, count: (text) => text.length });
  expect(kept.map(({ text }) => text)).toEqual(['Never push to main.', 'Never edit `dist/`']);
});

test('paths of instruction files', () => {
  const kind = (path: string) => instructionKind({ path, root });
  for (const path of ['CLAUDE.md', '.github/copilot-instructions.md', '.cursor/rules/a.mdc', 'CONTRIBUTING.md']) {
    expect(kind(path)).toBe('instructions');
  }
  expect(kind('C:\\Users\\me\\.claude\\skills\\review\\SKILL.md')).toBe('skill');
  for (const path of ['README.md', 'src/agents.ts', 'vendor/x/CLAUDE.md', '/etc/AGENTS.md']) {
    expect(kind(path)).toBeUndefined();
  }
});

test('without a known root, a file above the working directory is not an instruction file', () => {
  expect(instructionKind({ path: '../other/AGENTS.md' })).toBeUndefined();
  expect(instructionKind({ path: 'AGENTS.md' })).toBe('instructions');
});
