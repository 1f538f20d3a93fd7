import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: {
    'outline/index': 'src/outline/index.ts',
    'changes/index': 'src/changes/index.ts',
    'search/index': 'src/search/index.ts',
    'search/tree': 'src/search/tree.ts',
    'completion/index': 'src/completion/index.ts',
    'completion/completion-worker': 'src/completion/completion-worker.ts',
    'ignore/index': 'src/ignore/index.ts',
    'prompt/index': 'src/prompt/index.ts',
    'structure/structure-worker': 'src/structure/structure-worker.ts',
    'search/index-worker': 'src/search/index-worker.ts',
    'search/prepare-worker': 'src/search/prepare-worker.ts',
  },
  format: 'esm',
  fixedExtension: false,
  platform: 'node',
  target: 'node24',
  dts: true,
  clean: true,
});
