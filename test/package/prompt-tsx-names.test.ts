import { createRequire } from 'node:module';
import * as ours from 'longhaul/prompt/compat';
import { expect, it } from 'vitest';

// Required, not imported: its declarations define globals that collide with ours.
const theirs = createRequire(import.meta.url)('@vscode/prompt-tsx') as object;

it('every value that prompt-tsx exports is exported by longhaul/prompt/compat under its name', () => {
  expect(Object.keys(theirs).length).toBeGreaterThan(20);
  expect(Object.keys(theirs).filter((name) => !(name in ours))).toEqual([]);
});

it('longhaul/prompt/compat exports little beyond that', () => {
  const more = Object.keys(ours).filter((name) => !(name in theirs));
  expect(more.sort()).toEqual(['BudgetExceededError', 'CountMemory', 'vscpp', 'vscppf']);
});
