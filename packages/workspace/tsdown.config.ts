import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, zstdCompressSync } from 'node:zlib';
import { defineConfig } from 'tsdown';
import { languages } from './src/structure/languages.ts';

/** The parser and its grammars, compressed: 21 MB become 1 MB, and reading one takes a few milliseconds. */
function compressWasm(): void {
  const folder = join(import.meta.dirname, 'dist/wasm');
  mkdirSync(folder, { recursive: true });
  const grammars = new Set(languages.map(({ grammar }) => `@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`));
  for (const file of ['web-tree-sitter/web-tree-sitter.wasm', ...grammars]) {
    const path = fileURLToPath(import.meta.resolve(file));
    const params = { [constants.ZSTD_c_compressionLevel]: 19 };
    writeFileSync(join(folder, `${basename(file)}.zst`), zstdCompressSync(readFileSync(path), { params }));
  }
}

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
  hooks: { 'build:done': compressWasm },
});
