import type { CallOutcome } from '../../calls/outcome.ts';
import { withoutColors } from '../../calls/result-text.ts';
import { runName } from '../../calls/run-name.ts';
import type { TestRun } from '../frontier.ts';

/** Characters at the end of the output that are searched for a summary. */
const maxChars = 64_000;

/** The result of tests, a type checker or a linter; `undefined` if the run did not finish. */
export function readTestRun({
  text,
  outcome,
  isPiped,
  command,
  handle,
}: {
  readonly text: string;
  readonly outcome: CallOutcome;
  readonly isPiped: boolean;
  readonly command: string;
  readonly handle: number;
}): TestRun | undefined {
  if (outcome.state !== 'ok' && outcome.state !== 'failed') return undefined;
  const run = { command: runName(command), handle };
  const output = withoutColors(text.slice(-maxChars));
  for (const { runner, read } of runnerRows) {
    const counts = read(output);
    if (counts) return { ...run, runner, result: resultOf({ counts, outcome, isPiped }), ...counts };
  }
  if (outcome.state === 'failed' && !isPiped) return { ...run, runner: 'exit code', result: 'failed' };
  const isKnown = !outcome.isUnproven && !isPiped;
  return { ...run, runner: 'exit code', result: isKnown ? 'passed' : 'unknown' };
}

/** Failure counts take precedence over the exit code, which a pipe into `tail` or `grep` hides. */
function resultOf({
  counts,
  outcome,
  isPiped,
}: {
  readonly counts: RunCounts;
  readonly outcome: CallOutcome;
  readonly isPiped: boolean;
}): TestRun['result'] {
  if ((counts.failed ?? 0) > 0) return 'failed';
  // Without counts, the exit code decides.
  if (counts.passed === undefined && counts.failed === undefined && outcome.isUnproven) return 'unknown';
  return outcome.state === 'failed' && !isPiped ? 'failed' : 'passed';
}

/** Counts of passed, failed and skipped tests. */
interface RunCounts {
  readonly passed?: number;
  readonly failed?: number;
  readonly skipped?: number;
}

/** A parser for the summary of one test runner. */
interface RunnerRow {
  readonly runner: string;
  /** The counts, or `undefined` if the output is not from this runner. */
  readonly read: (text: string) => RunCounts | undefined;
}

/**
 * The summaries of test runners, type checkers and linters. A row reads the last summary in the output, because runs are
 * often chained. Rows with the most specific patterns come first.
 */
const runnerRows: readonly RunnerRow[] = [
  // " Tests  1 failed | 96 passed | 2 skipped (99)"
  { runner: 'vitest', read: (text) => counted({ line: last(text, /^ *Tests {2,}(\S.*)$/gm) }) },
  // "Tests:       1 failed, 2 skipped, 97 passed, 100 total"
  { runner: 'jest', read: (text) => counted({ line: last(text, /^Tests: +(\S.*total.*)$/gm) }) },
  // "=== 3 failed, 97 passed, 1 error in 1.23s ===", also without the signs under -q
  {
    runner: 'pytest',
    read: (text) => counted({ line: last(text, /^=* *((?:\d+ [a-z]+,? ?)+) in [\d.]+s.*$/gm) }),
  },
  // "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out", once a crate
  { runner: 'cargo', read: (text) => summed({ lines: all(text, /^test result: \w+\. (.+)$/gm) }) },
  // "  52 passing (8s)", "  3 failing", "  1 pending"
  {
    runner: 'mocha',
    read: (text) => counted({ line: all(text, /^ +(\d+ (?:passing|failing|pending))\b.*$/gm).join(' ') }),
  },
  // "# pass 12" and "ℹ fail 1" of Node's own runner
  { runner: 'node', read: (text) => tap({ text }) },
  // " 12 pass" and " 0 fail" of bun
  { runner: 'bun', read: (text) => counted({ line: all(text, /^ *(\d+ (?:pass|fail|skip))$/gm).join(' ') }) },
  // "ok | 12 passed | 0 failed (1s)"
  { runner: 'deno', read: (text) => counted({ line: last(text, /^(?:ok|FAILED) \| (\d+ passed.*)$/gm) }) },
  // "12 examples, 1 failure, 2 pending"
  { runner: 'rspec', read: (text) => examples(last(text, /^(\d+ examples?, \d+ failures?.*)$/gm)) },
  // "Ran 12 tests in 0.1s" and "FAILED (failures=1, errors=2)" of unittest
  { runner: 'unittest', read: (text) => unittest({ text }) },
  // "Tests run: 12, Failures: 1, Errors: 0, Skipped: 2" of Maven; PHPUnit and dotnet name theirs alike
  { runner: 'junit', read: (text) => labeled(last(text, /^.*?(Tests run: \d+, Failures: \d.*)$/gm)) },
  { runner: 'dotnet', read: (text) => labeled(last(text, /^(?:Passed|Failed)! +- +(Failed: +\d+, Passed:.*)$/gm)) },
  { runner: 'phpunit', read: (text) => phpunit({ text }) },
  { runner: 'pester', read: (text) => labeled(last(text, /^(Tests Passed: \d+, Failed: \d.*)$/gm)) },
  // "100% tests passed, 0 tests failed out of 12"
  { runner: 'ctest', read: (text) => ctest(last(text, /tests passed, (\d+ tests failed out of \d+)/g)) },
  // "Executed 12 tests, with 1 failure"
  { runner: 'swift', read: (text) => executed(last(text, /Executed (\d+ tests?, with \d+ failures?)/g)) },
  // "  12 passed (3.4s)", "  1 failed", each on a line of its own
  {
    runner: 'playwright',
    read: (text) =>
      counted({ line: all(text, /^ +(\d+ (?:passed|failed|flaky|skipped))(?: \([\d.]+m?s\))?$/gm).join(' ') }),
  },
  { runner: 'go', read: (text) => goTest({ text }) },
  // "✖ 12 problems (10 errors, 2 warnings)"
  { runner: 'eslint', read: (text) => errors(last(text, /^✖ \d+ problems? \((\d+ errors?),/gm)) },
  { runner: 'golangci-lint', read: (text) => errors(last(text, /^(\d+ issues)[:.]/gm)) },
  // "Found 3 errors in 2 files" of mypy, "Found 3 errors." of ruff, biome and tsc
  { runner: 'checker', read: (text) => errors(last(text, /^ *Found (\d+ errors?)\b/gm)) },
  { runner: 'tsc', read: (text) => typescript({ text }) },
  {
    runner: 'checker',
    read: (text) =>
      /^(?:All checks passed!|Success: no issues found|0 issues\.|Checked \d+ files? in .*No fixes applied)/m.test(text)
        ? { failed: 0 }
        : undefined,
  },
];

function last(text: string, wording: RegExp): string | undefined {
  return all(text, wording).at(-1);
}

function all(text: string, wording: RegExp): string[] {
  return [...text.matchAll(wording)].map((match) => match[1] ?? '');
}

const words: Readonly<Record<string, keyof RunCounts>> = {
  passed: 'passed',
  passing: 'passed',
  pass: 'passed',
  failed: 'failed',
  failing: 'failed',
  failures: 'failed',
  failure: 'failed',
  fail: 'failed',
  error: 'failed',
  errors: 'failed',
  skipped: 'skipped',
  skip: 'skipped',
  pending: 'skipped',
  ignored: 'skipped',
  todo: 'skipped',
};

/** Adds up "3 failed", "97 passed" and the like. */
function counted({ line }: { readonly line: string | undefined }): RunCounts | undefined {
  const counts: { passed?: number; failed?: number; skipped?: number } = {};
  for (const [, number, word] of (line ?? '').matchAll(/(\d{1,9}) ([a-z]+)/g)) {
    const kind = words[word ?? ''];
    if (kind) counts[kind] = (counts[kind] ?? 0) + Number(number);
  }
  return counts.passed === undefined && counts.failed === undefined ? undefined : counts;
}

function summed({ lines }: { readonly lines: readonly string[] }): RunCounts | undefined {
  return lines.length === 0 ? undefined : counted({ line: lines.join(' ') });
}

/** Adds up "Failures: 1", "Passed: 12" and the like. */
function labeled(line: string | undefined): RunCounts | undefined {
  if (line === undefined) return undefined;
  const value = (name: RegExp) => Number(name.exec(line)?.[1] ?? 0);
  const failed = value(/Fail(?:ures|ed): +(\d+)/) + value(/Errors: +(\d+)/);
  const skipped = value(/Skipped: +(\d+)/);
  const ran = /Tests run: (\d+)/.exec(line)?.[1];
  const passed = ran === undefined ? value(/Passed: +(\d+)/) : Number(ran) - failed - skipped;
  return { passed, failed, skipped };
}

function tap({ text }: { readonly text: string }): RunCounts | undefined {
  const passed = last(text, /^(?:#|ℹ) pass (\d+)$/gm);
  const failed = last(text, /^(?:#|ℹ) fail (\d+)$/gm);
  if (passed === undefined || failed === undefined) return undefined;
  return {
    passed: Number(passed),
    failed: Number(failed),
    skipped: Number(last(text, /^(?:#|ℹ) skipped (\d+)$/gm) ?? 0),
  };
}

function examples(line: string | undefined): RunCounts | undefined {
  const [, total, failed] = /^(\d+) examples?, (\d+) failures?/.exec(line ?? '') ?? [];
  if (total === undefined || failed === undefined) return undefined;
  const skipped = Number(/(?<!\d)(\d+) pending/.exec(line ?? '')?.[1] ?? 0);
  return { passed: Number(total) - Number(failed) - skipped, failed: Number(failed), skipped };
}

function unittest({ text }: { readonly text: string }): RunCounts | undefined {
  const ran = last(text, /^Ran (\d+) tests? in [\d.]+s$/gm);
  if (ran === undefined) return undefined;
  const status = last(text, /^(OK|FAILED(?: \(.*\))?)/gm) ?? 'OK';
  const value = (name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(status)?.[1] ?? 0);
  const failed = value('failures') + value('errors');
  return { passed: Math.max(0, Number(ran) - failed), failed };
}

function phpunit({ text }: { readonly text: string }): RunCounts | undefined {
  const passed = last(text, /^OK \((\d+) tests?, \d+ assertions?\)/gm);
  if (passed !== undefined) return { passed: Number(passed), failed: 0 };
  const line = last(text, /^(Tests: \d+, Assertions: \d.*)$/gm);
  if (line === undefined) return undefined;
  const { failed = 0, skipped = 0 } = labeled(line) ?? {};
  return { passed: Number(/Tests: (\d+)/.exec(line)?.[1] ?? 0) - failed - skipped, failed, skipped };
}

function ctest(line: string | undefined): RunCounts | undefined {
  const [, failed, total] = /(?<!\d)(\d+) tests failed out of (\d+)/.exec(line ?? '') ?? [];
  return failed === undefined ? undefined : { passed: Number(total) - Number(failed), failed: Number(failed) };
}

function executed(line: string | undefined): RunCounts | undefined {
  const [, total, failed] = /(?<!\d)(\d+) tests?, with (\d+)/.exec(line ?? '') ?? [];
  return total === undefined ? undefined : { passed: Number(total) - Number(failed), failed: Number(failed) };
}

/** Go prints no counts: counts tests if they are listed, otherwise packages. */
function goTest({ text }: { readonly text: string }): RunCounts | undefined {
  const packages = all(text, /^(ok|FAIL)[ \t]+\S+[ \t]+(?:[\d.]+s|\[build failed\]|\(cached\))/gm);
  if (packages.length === 0) return undefined;
  const tests = all(text, /^ *--- (PASS|FAIL|SKIP): /gm);
  const seen = tests.length > 0 ? tests : packages.map((word) => (word === 'ok' ? 'PASS' : 'FAIL'));
  const number = (word: string) => seen.filter((one) => one === word).length;
  const broken = packages.includes('FAIL') ? 1 : 0;
  return { passed: number('PASS'), failed: Math.max(number('FAIL'), broken), skipped: number('SKIP') };
}

function errors(line: string | undefined): RunCounts | undefined {
  return line === undefined ? undefined : { failed: Number(/\d+/.exec(line)?.[0] ?? 0) };
}

function typescript({ text }: { readonly text: string }): RunCounts | undefined {
  const found = all(text, /^(.{0,400}?)(?:\(\d+,\d+\)|:\d+:\d+)(?: -|:) error TS\d+:/gm).length;
  return found === 0 ? undefined : { failed: found };
}
