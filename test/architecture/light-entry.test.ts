import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { importsOf, root } from './imports.ts';

const entry = 'packages/engine/src/message/index.ts';

/** Everything the entry pulls in when it runs. */
function reached(): { files: Set<string>; outside: Set<string> } {
  const files = new Set([entry]);
  const outside = new Set<string>();
  for (const file of files) {
    for (const { to, isType } of importsOf(file)) {
      if (isType) continue;
      if (to.startsWith('packages/') && to.endsWith('.ts')) files.add(to);
      else outside.add(to);
    }
  }
  return { files, outside };
}

describe('longhaul/message, the light entry of the engine', () => {
  it('runs anywhere: nothing of Node, no zod, no tables, nothing from outside at all', () => {
    const { files, outside } = reached();
    expect(files.size).toBeGreaterThan(30);
    expect([...outside]).toEqual([]);
  });

  it('is at most 30 kB, bundled, minified and gzipped with all it needs', async () => {
    const bundle = await rolldown({ input: `${root}/${entry}`, platform: 'neutral', external: [] });
    const { output } = await bundle.generate({ minify: true });
    const size = output.reduce((sum, chunk) => sum + (chunk.type === 'chunk' ? gzipSync(chunk.code).length : 0), 0);
    console.log(`longhaul/message: ${size} bytes gzip`);
    expect(size).toBeGreaterThan(1000);
    expect(size).toBeLessThanOrEqual(30 * 1024);
  });
});
