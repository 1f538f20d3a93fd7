/**
 * An editor in a few lines: a document is typed, and at each step the context for a completion is there within 20 ms.
 *
 *     node --conditions=longhaul-source examples/workspace/complete-while-typing.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCompletionEditor } from '@longhaul/workspace/completion';

const root = mkdtempSync(join(tmpdir(), 'longhaul-example-'));
writeFileSync(
  join(root, 'delay.ts'),
  'export function delayOf(attempt: number): number {\n  return 2 ** attempt;\n}\n',
);

const editor = createCompletionEditor({ root });
const typed =
  "import { delayOf } from './delay.ts';\n\nexport async function retry(attempt: number) {\n  const ms = delayOf(";
try {
  for (let length = 20; length <= typed.length; length += 12) {
    const text = typed.slice(0, length);
    editor.change({ path: 'retry.ts', text });
    editor.focus('retry.ts');
    const context = await editor.complete({ path: 'retry.ts', offset: text.length });
    const pieces = context?.context.map(({ reason }) => reason).join('; ');
    console.log(`${String(length).padStart(4)} characters: ${pieces || 'no context yet'}`);
    // People type slower than this.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
} finally {
  await editor.dispose();
  rmSync(root, { recursive: true, force: true });
}
