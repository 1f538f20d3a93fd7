import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'message/index': 'src/message/index.ts',
    'models/index': 'src/models/index.ts',
    'tokens/index': 'src/tokens/index.ts',
    'tokens/worker': 'src/tokens/worker.ts',
    'prompt/index': 'src/prompt/index.ts',
    'prompt/jsx-runtime': 'src/prompt/jsx-runtime.ts',
    'prompt/jsx-dev-runtime': 'src/prompt/jsx-dev-runtime.ts',
    'prompt/compat': 'src/prompt/compat.ts',
    'prompt/compat/jsx-runtime': 'src/prompt/compat/jsx-runtime.ts',
    'prompt/compat/jsx-dev-runtime': 'src/prompt/compat/jsx-dev-runtime.ts',
    'session/index': 'src/session/index.ts',
    'session/store/sqlite/worker': 'src/session/store/sqlite/worker.ts',
    'compaction/index': 'src/compaction/index.ts',
    'compaction/summarise/worker': 'src/compaction/summarise/worker.ts',
    'adapters/otel': 'src/adapters/otel.ts',
    'testing/index': 'src/testing/index.ts',
  },
  format: 'esm',
  fixedExtension: false,
  platform: 'node',
  target: 'node24',
  dts: true,
  clean: true,
});
