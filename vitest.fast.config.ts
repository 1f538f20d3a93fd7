import { defineConfig } from 'vitest/config';
import full from './vitest.config.ts';

/**
 * `npm run test:fast`: the inner loop. Unit tests only, with a twentieth of the cases of their properties; no property suites,
 * no crash and fuzz proofs, nothing of `test/` (command line from outside, browser, built package). `npm test` runs all.
 */
export default defineConfig({
  ...full,
  test: {
    ...full.test,
    include: ['packages/*/src/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/*.property.test.*', '**/*.soak.test.*', '**/proof/**'],
    env: { SOAK_FACTOR: '0.05' },
  },
});
