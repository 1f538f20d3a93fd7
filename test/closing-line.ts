import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with one plain line of counts, so that any CI can read them without knowing Vitest. */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export.
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (!module.ok() && module.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== 'pending') count[state] += 1;
      }
    }
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
  }
}
