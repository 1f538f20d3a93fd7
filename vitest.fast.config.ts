import { defineConfig } from 'vitest/config';
import full from './vitest.config.ts';

const { projects: _, ...options } = full.test ?? {};

/**
 * Suites of whole sessions, real processes, threads and sockets: about two thirds of the time of all unit tests. Run the one
 * you are working on by its path.
 */
const slow = [
  'agent/tools/bash',
  'commands/compact',
  'commands/compact-model',
  'commands/compaction-settings',
  'engine/background/background-compaction',
  'engine/by-model',
  'engine/complaints',
  'engine/model-complaints',
  'engine/pending',
  'engine/recall/tool',
  'engine/summarizer',
  'engine/triggers',
  'formats/import/import',
  'gateway/src/compaction',
  'models/clients/contract',
  'models/clients/transport',
  'store/sqlite/sqlite',
  'tokens/background/background',
  'workspace/src/search/search',
];

/**
 * `npm run test:fast`: the inner loop. Unit tests only, with a twentieth of the cases of their properties; no property suites,
 * no crash and fuzz proofs, nothing of `test/` (command line from outside, browser, built package). `npm test` runs all.
 */
export default defineConfig({
  ...full,
  test: {
    ...options,
    include: ['packages/*/src/**/*.test.{ts,tsx}'],
    exclude: [
      '**/node_modules/**',
      '**/*.property.test.*',
      '**/*.soak.test.*',
      '**/proof/**',
      ...slow.map((path) => `packages/**/${path}.test.ts`),
    ],
    // Workers are reused: starting one per file is most of the time.
    isolate: false,
    setupFiles: ['./test/fixed-seed.ts'],
    env: { SOAK_FACTOR: '0.05', CASE_SEED: process.env.CASE_SEED ?? '1' },
  },
});
