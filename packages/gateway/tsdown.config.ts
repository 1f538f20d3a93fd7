import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', otel: 'src/otel.ts' },
  format: 'esm',
  fixedExtension: false,
  platform: 'node',
  target: 'node24',
  dts: true,
  clean: true,
});
