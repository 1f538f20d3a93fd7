import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['longhaul-source'] },
  ssr: { resolve: { conditions: ['longhaul-source'] } },
  test: {
    include: ['packages/*/src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    reporters: ['default', './test/closing-line.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
