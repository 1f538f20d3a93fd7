/**
 * Finds the code that a question is about and shows the best file as an outline around the place that was found.
 *
 *     node --conditions=longhaul-source examples/workspace/find-and-outline.ts "where is the retry delay computed"
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outlineWithin } from '@longhaul/workspace/outline';
import { openCodeIndex } from '@longhaul/workspace/search';
import { createTokenizer } from 'longhaul/tokens';

const query = process.argv.slice(2).join(' ') || 'where is the retry delay computed';
const root = process.cwd();
const scratch = mkdtempSync(join(tmpdir(), 'longhaul-example-'));

const index = openCodeIndex({ root, file: join(scratch, 'index.sqlite') });
try {
  const { files } = await index.refresh();
  const { results, strategy } = await index.search({ query, limit: 5 });
  console.log(`${files} files, ${strategy}:`);
  for (const { path, startLine, endLine, reasons } of results) {
    console.log(`  ${path}:${startLine}-${endLine}  ${reasons.join('; ')}`);
  }
  const [best] = results;
  if (best) {
    const text = readFileSync(join(root, best.path), 'utf8');
    const start = text.split('\n', best.startLine - 1).join('\n').length + 1;
    const tokenizer = await createTokenizer('o200k_base');
    const { documents, tokens } = await outlineWithin({
      documents: [{ path: best.path, text, selection: { start, end: start } }],
      tokens: 600,
      count: (part) => tokenizer.count(part),
      lineNumbers: 'omitted',
    });
    console.log(`\n${best.path} in ${tokens} tokens:\n\n${documents[0]?.text}`);
  }
} finally {
  await index.close();
  rmSync(scratch, { recursive: true, force: true });
}
