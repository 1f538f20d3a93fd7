import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['longhaul-source'] },
  ssr: { resolve: { conditions: ['longhaul-source'] } },
  test: {
    reporters: ['default', './test/closing-line.ts'],
    // By default one core is left idle, and on two that is half of them.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The whole run must stay under twelve minutes on two cores; `npm run soak` has the full numbers of cases and more.
    env: process.env.SOAK_FACTOR === undefined ? { SOAK_FACTOR: '0.25', CASE_SEED: process.env.CASE_SEED ?? '1' } : {},
    projects: [
      // Workers are reused: starting one and loading the sources for each file would take as long as the tests themselves.
      {
        extends: true,
        test: {
          name: 'packages',
          include: ['packages/*/src/**/*.test.{ts,tsx}'],
          isolate: false,
          setupFiles: ['./test/fixed-seed.ts'],
        },
      },
      { extends: true, test: { name: 'outside', include: ['test/**/*.test.ts'] } },
    ],
  },
});
