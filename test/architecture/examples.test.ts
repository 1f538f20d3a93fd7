import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commentExamples, type Example, moduleText, pageExamples, publicEntries } from './examples.ts';
import { root } from './imports.ts';

const entries = publicEntries();

/** Type-checks all examples as one program; the problems, each with the place of its example. */
function problemsOf(examples: readonly Example[]): string[] {
  const folder = mkdtempSync(join(root, 'test/architecture/.example-'));
  try {
    examples.forEach((example, index) => {
      writeFileSync(join(folder, `${index}.tsx`), moduleText({ example, entries }));
    });
    const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false, verbatimModuleSyntax: false };
    const config = { extends: '../../../tsconfig.json', compilerOptions, include: ['*.tsx'], exclude: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, '--noEmit', '--pretty', 'false', '-p', folder], { encoding: 'utf8' });
    return [];
  } catch (error) {
    const { stdout = '' } = error as { readonly stdout?: string };
    const lines = stdout.split('\n').filter((line) => line.includes('error TS'));
    if (lines.length === 0) throw error;
    return lines.map((line) => line.replace(/^.*?(\d+)\.tsx\(\d+,\d+\)/, (_, index) => examples[index]?.at ?? ''));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('all examples of public doc comments and of the documentation compile', () => {
  const comments = commentExamples(entries);
  const pages = pageExamples();
  expect(comments.length).toBeGreaterThan(150);
  expect(pages.length).toBeGreaterThan(30);
  const wrong: Example = { at: 'wrong', code: "const size: number = 'large';" };
  const outdated: Example = { at: 'outdated', entry: 'longhaul', code: 'createLonghaul({ folder: 1 });' };
  const problems = problemsOf([...comments, ...pages, wrong, outdated]);
  const hint = 'Repair the example. A variable that it may use undeclared is added to example-context.ts.';
  expect(
    problems.filter((problem) => !/^(wrong|outdated):/.test(problem)),
    hint,
  ).toEqual([]);
  // Proof that problems are found.
  expect(problems).toHaveLength(2);
});
