import { defineConfig } from 'vitest/config';
import full from './vitest.config.ts';

/**
 * Suites of whole sessions, real processes, threads and sockets: about three quarters of the time of all unit tests. Run the one
 * you are working on by its path.
 */
const slow = [
  'adapters/ai-sdk-step',
  'agent/sandbox/sandbox',
  'agent/tools/bash',
  'commands/branch',
  'commands/checkpoints',
  'commands/compact',
  'commands/compact-keeps',
  'commands/compact-model',
  'commands/compaction-settings',
  'commands/count',
  'commands/sessions-tree',
  'commands/workspace',
  'engine/background/background-compaction',
  'engine/by-model',
  'engine/clients',
  'engine/complaints',
  'engine/model-complaints',
  'engine/model-defects',
  'engine/pending',
  'engine/presets',
  'engine/recall/tool',
  'engine/summarizer',
  'engine/thinking',
  'engine/triggers',
  'formats/export',
  'formats/import/import',
  'gateway/src/compaction',
  'longhaul/longhaul',
  'models/clients/contract',
  'models/clients/transport',
  'models/wire/bounded-fetch',
  'store/sqlite/sqlite',
  'summarize/in-worker',
  'tokens/background/background',
  'tokens/tokenizer',
  'workspace/src/search/search',
];

/**
 * `npm run test:fast`: the inner loop. Unit tests only, with a twentieth of the cases of their properties; no property suites,
 * no crash and fuzz proofs, nothing of `test/` (command line from outside, browser, built package). `npm test` runs all.
 */
export default defineConfig({
  ...full,
  test: {
    ...full.test,
    include: ['packages/*/src/**/*.test.{ts,tsx}'],
    exclude: [
      '**/node_modules/**',
      '**/*.property.test.*',
      '**/*.soak.test.*',
      '**/proof/**',
      ...slow.map((path) => `packages/**/${path}.test.ts`),
    ],
    env: { SOAK_FACTOR: '0.05' },
  },
});
