import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { human } from '../engine/fixtures/items.ts';
import { addToBoard } from './board.ts';
import { consolidate } from './consolidate.ts';
import { edited, ran, read, sessionOf } from './fixtures/sessions.ts';
import { chooseInbox, isInboxText } from './inbox.ts';
import { readBoard, writeBoard } from './markdown.ts';
import { branchOfSession, mergedBranches, repositoryOf, staleCheck } from './repository.ts';
import { openMemory } from './store.ts';

const scratch = mkdtempSync(join(tmpdir(), 'longhaul-inbox-'));
afterAll(() => rmSync(scratch, { recursive: true }));

async function board() {
  const memory = openMemory({ repository: 'r' });
  const sessions = await Promise.all([
    sessionOf(
      [human('Always use tabs.'), edited('src/login.ts'), edited('src/login.ts'), ran('npm test'), ran('npm test')],
      { at: 1_000, id: 'a' },
    ),
    sessionOf([human('Go.'), edited('src/login.ts'), read('src/login.ts'), read('docs/once.md'), ran('npm test')], {
      at: 2_000,
      id: 'b',
    }),
    sessionOf([human('Go.'), edited('src/billing/invoice.ts'), ran('npm test')], { at: 3_000, id: 'c' }),
  ]);
  await consolidate({ memory, sessions });
  return memory;
}

describe('the inbox', () => {
  it('has what most sessions used and what the request is about, as data', async () => {
    const memory = await board();
    const { text, entries, tokens } = chooseInbox({ entries: memory.list(), request: 'Fix the rounding of invoices.' });
    expect(isInboxText(text)).toBe(true);
    expect(text).toContain('- Always use tabs. (said by the user)');
    expect(text).toContain('npm test');
    expect(text).toContain('src/login.ts');
    expect(text).toContain('src/billing/invoice.ts');
    expect(text).not.toContain('docs/once.md');
    expect(tokens).toBeLessThanOrEqual(1_000);
    expect(entries.length).toBe(4);
  });

  it('stays within its budget, whatever is on the board', async () => {
    const memory = await board();
    for (const budget of [20, 60, 80, 100, 120]) {
      const { tokens } = chooseInbox({ entries: memory.list(), request: 'invoice login', tokens: budget });
      expect(tokens).toBeLessThanOrEqual(budget);
    }
  });

  it('leaves out what instruction files say, or say otherwise', async () => {
    const memory = await board();
    const instructions = 'Run `npm test` often.\nNever use tabs.\n';
    const { text } = chooseInbox({ entries: memory.list(), request: 'x', instructions });
    expect(text).not.toMatch(/npm test|tabs/);
  });

  it('leaves out what was voted down or no longer exists', async () => {
    const memory = await board();
    const entries = memory
      .list()
      .map((entry) =>
        entry.subject?.file === 'src/login.ts' ? { ...entry, stale: 'gone' } : { ...entry, votes: { person: -2 } },
      );
    expect(chooseInbox({ entries, request: 'login invoice' }).entries).toEqual([]);
  });

  it('adds later only what a request asks for and the session has not got', async () => {
    const memory = await board();
    const first = chooseInbox({ entries: memory.list(), request: 'Look around.' });
    const delivered = first.entries.map(({ id }) => id);
    const later = chooseInbox({ entries: memory.list(), request: 'Now the invoices of billing.', delivered });
    expect(later.entries.map(({ text }) => text)).toEqual(['`src/billing/invoice.ts`']);
  });
});

describe('the repository', () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: join(scratch, 'main'),
      stdio: 'pipe',
    });

  it('is the same for a folder and a worktree; merged branches are known', async () => {
    mkdirSync(join(scratch, 'main', 'sub'), { recursive: true });
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'one');
    git('branch', 'old');
    git('commit', '-q', '--allow-empty', '-m', 'two');
    git('worktree', 'add', '-q', '-b', 'topic', join(scratch, 'tree'));
    const main = repositoryOf({ folder: join(scratch, 'main', 'sub') });
    const tree = repositoryOf({ folder: join(scratch, 'tree') });
    expect(main).toEqual({ id: join(scratch, 'main'), root: join(scratch, 'main'), base: 'main' });
    expect(tree).toEqual({ id: join(scratch, 'main'), root: join(scratch, 'tree'), branch: 'topic', base: 'main' });
    expect([...(await mergedBranches({ root: main.root, base: 'main' }))].toSorted()).toEqual(['old', 'topic']);
    expect(repositoryOf({ folder: join(scratch, 'none') }).id).toBe(join(scratch, 'none'));
  });

  it('marks what no longer exists, and unmarks what does again', () => {
    const root = join(scratch, 'stale');
    mkdirSync(root);
    writeFileSync(join(root, 'package.json'), '{"scripts":{"test":"x"}}');
    writeFileSync(join(root, 'a.ts'), '');
    const of = (subject: { readonly file?: string; readonly command?: string }) =>
      ({
        kind: subject.file ? 'location' : 'command',
        text: JSON.stringify(subject),
        author: 'consolidation',
        authority: 'event',
        at: 1,
        subject,
      }) as const;
    const subjects = [{ file: 'a.ts' }, { file: 'b.ts' }, { command: 'npm run test' }, { command: 'npm run gone' }];
    const state = addToBoard({ state: { entries: [], removed: [] }, candidates: subjects.map(of) });
    const stale = (one: typeof state) => one.entries.flatMap((entry) => entry.stale ?? []).toSorted();
    const checked = staleCheck({ root })(state);
    expect(stale({ ...state, ...checked })).toEqual([
      'b.ts no longer exists',
      'no package.json here has a script gone',
    ]);
    writeFileSync(join(root, 'b.ts'), '');
    expect(stale({ ...state, ...staleCheck({ root })(checked) })).toEqual(['no package.json here has a script gone']);
  });

  it('marks rules about a symbol that was there and is gone, and make targets that are gone', () => {
    const root = join(scratch, 'symbols');
    mkdirSync(root);
    execFileSync('git', ['init', '-q', root]);
    const write = (text: string) => writeFileSync(join(root, 'a.ts'), text);
    writeFileSync(join(root, 'Makefile'), 'all: build\nbuild:\n\ttrue\nX := 1\n');
    write('export function createMask() {}\nconst max_size = 1;\n');
    const rule = (text: string) =>
      ({ kind: 'convention', text, author: 'person', authority: 'person', at: 1 }) as const;
    const make = (command: string) =>
      ({ kind: 'command', text: command, author: 'agent', authority: 'event', at: 1, subject: { command } }) as const;
    const rules = ['Use `createMask()` for keys.', 'Never call `evalText`.', 'Keep `max_size` small.'].map(rule);
    const made = addToBoard({
      state: { entries: [], removed: [] },
      candidates: [...rules, make('make build'), make('make gone')],
    });
    const stale = (one: { readonly entries: typeof made.entries }) =>
      Object.fromEntries(
        one.entries.flatMap((entry) => (entry.stale === undefined ? [] : [[entry.text, entry.stale]])),
      );
    const check = staleCheck({ root, symbols: true });
    const first = check(made);
    const gone = { 'make gone': 'the Makefile has no target gone' };
    expect(stale(first)).toEqual(gone);
    // A symbol that never was there marks nothing.
    expect(first.entries.flatMap(({ subject }) => subject?.symbol ?? []).toSorted()).toEqual([
      'createMask',
      'max_size',
    ]);
    write('export function createMasks() {}\nconst max_size = 1;\n');
    const second = check(first);
    const marked = { 'Use `createMask()` for keys.': 'no file names createMask any more', ...gone };
    expect(stale(second)).toEqual(marked);
    // The quick check keeps the mark, a written board has it, and it goes when the symbol is back.
    expect(stale(staleCheck({ root })(second))).toEqual(marked);
    expect(readBoard(writeBoard({ state: second })).entries).toEqual(second.entries);
    expect(chooseInbox({ entries: second.entries, request: 'masks' }).text).not.toContain('createMask');
    write('export function createMask() {}\nconst max_size = 1;\n');
    expect(stale(check(second))).toEqual(gone);
  });

  it.each([
    [{ 'claude-code': { gitBranch: 'a' } }, 'a'],
    [{ codex: { git: { branch: 'b' } } }, 'b'],
    [{ copilot: { context: { branch: 'c' } } }, 'c'],
    [{ 'claude-code': { gitBranch: 'HEAD' } }, undefined],
    [{}, undefined],
  ])('the branch of an imported session: %j', (details, expected) => {
    expect(branchOfSession({ details })).toBe(expected);
  });
});
