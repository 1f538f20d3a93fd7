import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { addToBoard, removeEntry } from './board.ts';
import { openMemory } from './store.ts';

const scratch = mkdtempSync(join(tmpdir(), 'longhaul-memory-'));
afterAll(() => rmSync(scratch, { recursive: true }));
const fact = (text: string) => ({ kind: 'convention', text, author: 'person', authority: 'person', at: 1 }) as const;
const files = { store: undefined, file: 'memory.md' } as const;

describe.each(['store', 'file'] as const)('memory in the %s', (kind) => {
  const place = (name: string) => {
    const dir = join(scratch, `${kind}-${name}`);
    const file = files[kind] === undefined ? {} : { file: join(dir, 'repo', files[kind]) };
    return { dir, repository: '/r', ...file };
  };

  it('is there after a restart, for its repository only', () => {
    const input = place('restart');
    const first = openMemory(input);
    first.change({
      work: (state) => addToBoard({ state, candidates: [fact('Use tabs.')] }),
      sessions: { s: { last: 7 } },
    });
    first.close();
    const second = openMemory(input);
    expect(second.list()).toMatchObject([{ text: 'Use tabs.' }]);
    expect(second.session('s')).toEqual({ last: 7, delivered: [] });
    second.close();
    const { file: _, ...inStore } = { file: '', ...input };
    const other = openMemory({ ...inStore, repository: '/other' });
    expect(other.list()).toEqual([]);
    other.close();
  });

  it('leaves no byte of what was removed', () => {
    const input = place('removed');
    const memory = openMemory(input);
    memory.change({ work: (state) => addToBoard({ state, candidates: [fact('The vault code is zebra.')] }) });
    const [entry] = memory.list();
    memory.change({ work: (state) => removeEntry({ state, id: entry?.id ?? '' }) });
    const bytes = readdirSync(input.dir, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'));
    expect(bytes.length).toBeGreaterThan(0);
    expect(bytes.some((text) => text.includes('zebra'))).toBe(false);
    memory.close();
  });

  it('changes of two processes at once are all kept', async () => {
    const input = place('two');
    const code = `
      import { addToBoard, openMemory } from 'longhaul/memory';
      const [input, name] = JSON.parse(process.argv[1]);
      for (let at = 1; at <= 10; at += 1) {
        const memory = openMemory(input);
        const text = name + ' rule ' + at;
        memory.change({ work: (state) => addToBoard({ state, candidates: [{ kind: 'pitfall', text, author: 'person', authority: 'person', at }] }) });
        memory.close();
      }`;
    const run = (name: string) =>
      new Promise((resolve) => {
        const args = ['--conditions=longhaul-source', '--input-type=module', '-e', code, JSON.stringify([input, name])];
        spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'inherit'] }).once(
          'close',
          resolve,
        );
      });
    expect(await Promise.all([run('first'), run('second')])).toEqual([0, 0]);
    const memory = openMemory(input);
    expect(memory.list()).toHaveLength(20);
    memory.close();
  });
});

it('a file that is a link is not followed', () => {
  const dir = join(scratch, 'link');
  const memory = openMemory({ dir, repository: '/r', file: join(dir, 'memory.md') });
  writeFileSync(join(dir, 'other.txt'), 'private');
  symlinkSync(join(dir, 'other.txt'), join(dir, 'memory.md'));
  const change = () => memory.change({ work: (state) => addToBoard({ state, candidates: [fact('x y z')] }) });
  expect(change).toThrow('not a regular file');
  expect(readFileSync(join(dir, 'other.txt'), 'utf8')).toBe('private');
  expect(existsSync(join(dir, 'memory.sqlite'))).toBe(true);
  memory.close();
});
