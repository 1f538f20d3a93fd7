import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, longhaul } from './longhaul.ts';

const examples = join(import.meta.dirname, '../../examples/workspace');
const program = (name: string) => [process.execPath, '--conditions=longhaul-source', join(examples, name)] as const;

test('find-and-outline.ts finds a place and shows its file as an outline', async () => {
  const cwd = folder();
  mkdirSync(join(cwd, 'src'));
  writeFileSync(
    join(cwd, 'src/retry.ts'),
    'export function retryDelay(attempt: number): number {\n  return 2 ** attempt;\n}\n',
  );
  const { code, stdout } = await longhaul({ program: program('find-and-outline.ts'), args: ['retry', 'delay'], cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^1 files, lexical:\n {2}src\/retry\.ts:1-3 /);
  expect(stdout).toContain('export function retryDelay');
});

test('complete-while-typing.ts gets the definition that the typed code refers to', async () => {
  const { code, stdout } = await longhaul({ program: program('complete-while-typing.ts'), args: [], cwd: folder() });
  expect(code).toBe(0);
  expect(stdout.trim().split('\n').length).toBeGreaterThan(5);
  expect(stdout).toContain('characters:');
});
