import { expect, it, test } from 'vitest';
import { readTestRun } from './test-run.ts';

const read = (
  text: string,
  options: { readonly exit?: number; readonly isPiped?: boolean; readonly command?: string } = {},
) => {
  const { exit, isPiped = false, command = 'npm test' } = options;
  const state = exit === undefined || exit === 0 ? ('ok' as const) : ('failed' as const);
  const outcome = { state, ...(exit === undefined ? { isUnproven: true as const } : { exit }) };
  return readTestRun({ text, outcome, isPiped, command, handle: 1 });
};

test.each([
  [
    'vitest',
    '\u001b[2m      Tests \u001b[22m \u001b[31m1 failed\u001b[39m | \u001b[32m96 passed\u001b[39m | 2 skipped (99)',
    'failed',
    96,
    1,
  ],
  ['vitest', ' Test Files  3 passed (3)\n      Tests  40 passed (40)\n   Duration  1s', 'passed', 40, undefined],
  ['jest', 'Test Suites: 1 failed, 3 passed, 4 total\nTests:       1 failed, 97 passed, 98 total\n', 'failed', 97, 1],
  ['pytest', '=================== 3 failed, 97 passed, 1 error in 1.23s ===================', 'failed', 97, 4],
  ['pytest', '97 passed, 2 warnings in 0.12s', 'passed', 97, undefined],
  [
    'cargo',
    'test result: ok. 12 passed; 0 failed; 1 ignored\n\ntest result: FAILED. 3 passed; 1 failed; 0 ignored',
    'failed',
    15,
    1,
  ],
  ['mocha', '\n  52 passing (8s)\n  1 pending\n  3 failing\n', 'failed', 52, 3],
  ['node', '# tests 13\n# pass 12\n# fail 1\n# skipped 0', 'failed', 12, 1],
  ['bun', ' 12 pass\n 0 fail\n 30 expect() calls', 'passed', 12, 0],
  ['deno', 'ok | 12 passed | 0 failed (1s)', 'passed', 12, 0],
  ['rspec', '12 examples, 1 failure, 2 pending', 'failed', 9, 1],
  ['unittest', 'Ran 12 tests in 0.100s\n\nFAILED (failures=1, errors=2)', 'failed', 9, 3],
  ['junit', '[ERROR] Tests run: 12, Failures: 1, Errors: 1, Skipped: 2', 'failed', 8, 2],
  ['dotnet', 'Passed!  - Failed:     0, Passed:    12, Skipped:     1, Total:    13', 'passed', 12, 0],
  ['phpunit', 'OK (12 tests, 30 assertions)', 'passed', 12, 0],
  ['phpunit', 'Tests: 12, Assertions: 30, Failures: 1.', 'failed', 11, 1],
  ['pester', 'Tests Passed: 12, Failed: 1, Skipped: 0 NotRun: 0', 'failed', 12, 1],
  ['ctest', '92% tests passed, 1 tests failed out of 12', 'failed', 11, 1],
  ['swift', 'Executed 12 tests, with 1 failure (0 unexpected) in 0.1 seconds', 'failed', 11, 1],
  ['playwright', '  1 failed\n    a.spec.ts:1:1 > x\n  12 passed (3.4s)', 'failed', 12, 1],
  ['go', '--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.01s)\nFAIL\nFAIL\tx/y\t0.1s\nFAIL', 'failed', 1, 1],
  ['go', 'ok  \tx/y\t0.1s\nok  \tx/z\t(cached)', 'passed', 2, 0],
  ['go', 'FAIL\tx/y [build failed]\nFAIL', 'failed', 0, 1],
  ['eslint', '\n✖ 12 problems (10 errors, 2 warnings)\n', 'failed', undefined, 10],
  ['golangci-lint', '1 issues:\n* errcheck: 1', 'failed', undefined, 1],
  ['checker', 'Found 3 errors in 2 files (checked 10 source files)', 'failed', undefined, 3],
  ['checker', 'Checked 232 files in 119ms. No fixes applied.', 'passed', undefined, 0],
  ['tsc', 'src/a.ts(28,2): error TS2739: no\nsrc/b.ts:4:1 - error TS1: no\n', 'failed', undefined, 2],
])('%s: %j', (runner, text, result, passed, failed) => {
  expect(read(text)).toEqual(expect.objectContaining({ runner, result }));
  expect([read(text)?.passed, read(text)?.failed]).toEqual([passed, failed]);
});

it('believes an exit code where no words are recognized, unless a pipe hides it', () => {
  expect(read('all good', { exit: 0 })?.result).toBe('passed');
  expect(read('all good', { exit: 0, isPiped: true })?.result).toBe('unknown');
  expect(read('oh no', { exit: 2 })?.result).toBe('failed');
  expect(read('all good')?.result).toBe('unknown');
});

it('a bad exit code outweighs counts without failures', () => {
  expect(read('      Tests  40 passed (40)\nUnhandled rejection', { exit: 1 })?.result).toBe('failed');
});

test.each([
  ['cd /p && npm run check 2>&1 | tail -20', 'npm run check'],
  ["npm test | grep -E '(a|b)' | head -5", 'npm test'],
  ['pnpm test -- --grep "A|B"', 'pnpm test -- --grep "A|B"'],
])('runs that differ in how they are shown are one: %s', (command, name) => {
  expect(read('x', { command })?.command).toBe(name);
});
