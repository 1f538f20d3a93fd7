/**
 * `npm run eval -- search FOLDER`: how well code search answers questions. FOLDER holds `NAME.tar.gz` with a tree and
 * `NAME-queries.json` with `{ queries: [{ query, relevant: [path] }] }`; a question counts as answered at k if one of its
 * files is among the first k files.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCodeIndex } from '@longhaul/workspace/search';

interface Question {
  readonly query: string;
  readonly relevant: readonly string[];
}

export async function run(folder: string): Promise<void> {
  const names = readdirSync(folder).flatMap((file) => /^(.+)-queries\.json$/.exec(file)?.[1] ?? []);
  for (const name of names) {
    const { queries } = JSON.parse(readFileSync(join(folder, `${name}-queries.json`), 'utf8')) as {
      queries: Question[];
    };
    const scratch = mkdtempSync(join(tmpdir(), 'longhaul-search-'));
    try {
      const root = join(scratch, name);
      execFileSync('mkdir', ['-p', root]);
      execFileSync('tar', ['xzf', join(folder, `${name}.tar.gz`), '-C', root]);
      await measure({ name, root, file: join(scratch, 'index.sqlite'), queries });
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
}

async function measure(of: {
  readonly name: string;
  readonly root: string;
  readonly file: string;
  readonly queries: readonly Question[];
}): Promise<void> {
  const { name, root, file, queries } = of;
  const index = openCodeIndex({ root, file });
  try {
    const { files } = await index.refresh();
    const ranks: number[] = [];
    for (const { query, relevant } of queries) {
      const { results } = await index.search({ query, limit: 100 });
      const paths = [...new Set(results.map(({ path }) => path))];
      ranks.push(paths.findIndex((path) => relevant.includes(path)) + 1);
    }
    const share = (most: number) => (100 * ranks.filter((rank) => rank > 0 && rank <= most).length) / ranks.length;
    const reciprocal = ranks.reduce((sum, rank) => sum + (rank > 0 && rank <= 10 ? 1 / rank : 0), 0) / ranks.length;
    console.log(`${name}: ${files} files, ${queries.length} questions, lexical`);
    console.log(
      `hit@1 ${share(1).toFixed(1)} %, hit@5 ${share(5).toFixed(1)} %, hit@10 ${share(10).toFixed(1)} %, MRR ${reciprocal.toFixed(3)}`,
    );
  } finally {
    await index.close();
  }
}
