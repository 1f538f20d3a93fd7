import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { readStructure } from '@longhaul/workspace/outline';
import { Language, Parser } from 'web-tree-sitter';
import { samples } from '../../packages/workspace/src/outline/fixtures/samples.ts';

const grammars: Readonly<Record<string, string>> = {
  js: 'javascript',
  ts: 'typescript',
  tsx: 'tsx',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  go: 'go',
  java: 'java',
  cpp: 'cpp',
  cs: 'c-sharp',
  php: 'php',
};
const size = 150_000;

/** Structure of a document in each language next to a bare parse of the same text by web-tree-sitter, in CPU time. */
export async function parseSpeed(): Promise<void> {
  const require = createRequire(import.meta.url);
  await Parser.init();
  console.log('\nparsing, MB/s of CPU time   web-tree-sitter   structure   share');
  for (const { path, text } of samples) {
    const extension = path.slice(path.lastIndexOf('.') + 1);
    const body = extension === 'php' ? text.replace('<?php', '') : text;
    const long = `${extension === 'php' ? '<?php\n' : ''}${`${body}\n`.repeat(Math.ceil(size / body.length))}`;
    const wasm = require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammars[extension]}.wasm`);
    const parser = new Parser();
    parser.setLanguage(await Language.load(readFileSync(wasm)));
    const bare = await speed({ bytes: long.length, work: () => void parser.parse(long)?.delete() });
    let run = 0;
    const ours = await speed({
      bytes: long.length,
      // A text of its own each time, since structures are remembered by content.
      work: async () => {
        run += 1;
        await readStructure({ path, text: `${long}${'\n'.repeat(run)}` });
      },
    });
    parser.delete();
    console.log(
      `${extension.padEnd(28)}${bare.toFixed(2).padStart(15)}${ours.toFixed(2).padStart(12)}${(ours / bare).toFixed(2).padStart(8)}`,
    );
  }
}

async function speed({
  bytes,
  work,
}: {
  readonly bytes: number;
  readonly work: () => void | Promise<void>;
}): Promise<number> {
  await work();
  const before = process.cpuUsage();
  const times = 3;
  for (let at = 0; at < times; at += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (bytes * times) / (user + system);
}
