import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Real code of installed packages: readable, of usual size. */
export function realCode(): { readonly extension: string; readonly text: string }[] {
  const found: { readonly extension: string; readonly text: string }[] = [];
  for (const path of globSync('node_modules/**/*.{js,ts,mjs,cjs,tsx,py,rs,go,md}')) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size < 500 || stats.size > 64_000) continue;
    const text = readFileSync(path, 'utf8');
    const lines = text.split('\n');
    const isReadable = text.length / lines.length < 120 && lines.every(({ length }) => length < 2_000);
    if (isReadable && !text.includes('\0')) found.push({ extension: path.slice(path.lastIndexOf('.')), text });
  }
  return found;
}

/** Writes a workspace of so many files, in folders of about 25; the number of its bytes. */
export function writeTree(of: {
  readonly root: string;
  readonly files: number;
  readonly code: readonly { readonly extension: string; readonly text: string }[];
}): number {
  const { root, files, code } = of;
  let bytes = 0;
  for (let at = 0; at < files; at += 1) {
    const source = code[at % code.length];
    if (!source) continue;
    const folder = join(root, `area${at % 20}`, `part${Math.floor(at / 500)}`);
    if (at < 500 || at % 500 < 20) mkdirSync(folder, { recursive: true });
    const text = `${source.text}\n// file ${at}\n`;
    writeFileSync(join(folder, `file${at}${source.extension}`), text);
    bytes += text.length;
  }
  return bytes;
}
