import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { bin: 'src/bin.ts' },
  format: 'esm',
  fixedExtension: false,
  platform: 'node',
  target: 'node24',
  clean: true,
  // The program is a separate chunk, so that an old Node can run the version check before it.
  outputOptions: { chunkFileNames: '[name].js' },
});
