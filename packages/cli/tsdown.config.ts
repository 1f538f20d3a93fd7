import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { bin: 'src/bin.ts' },
  format: 'esm',
  fixedExtension: false,
  platform: 'node',
  target: 'node24',
  clean: true,
  // The program itself stands in a file of its own, so that an old Node can run the few lines before it.
  outputOptions: { chunkFileNames: '[name].js' },
});
