import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['longhaul-source'] },
  ssr: { resolve: { conditions: ['longhaul-source'] } },
  test: {
    include: ['packages/*/src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    reporters: ['default', './test/closing-line.ts'],
    // By default one core is left idle, and on two that is half of them.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
