/**
 * `npm run eval -- search FOLDER`: how well code search answers questions. FOLDER holds `NAME.tar.gz` with a tree and
 * `NAME-queries.json` with `{ queries: [{ query, relevant: [path] }] }`; or it is a folder of sessions of agents: then it
 * prints how many of the files that an agent opened are found for the user's request, and what outlines save in `read`.
 * `--embed` fills in all vectors first and compares by meaning (minutes).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '@longhaul/embeddings';
import { openCodeIndex } from '@longhaul/workspace/search';
import { createBaseline } from './baseline.ts';
import { line, type Question, scoreOf } from './score.ts';
import { measureSessions } from './sessions.ts';

const bars = { lexical: { hit10: 82, mrr: 0.52 }, embeddings: { hit10: 88, mrr: 0.6 } };

export async function run(folder: string): Promise<void> {
  const names = readdirSync(folder).flatMap((file) => /^(.+)-queries\.json$/.exec(file)?.[1] ?? []);
  if (names.length === 0) return await measureSessions(folder);
  for (const name of names) {
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-search-')));
    try {
      const root = join(scratch, name);
      mkdirSync(root);
      execFileSync('tar', ['xzf', join(folder, `${name}.tar.gz`), '-C', root]);
      const questions = questionsIn(join(folder, `${name}-queries.json`));
      await measure({ name, root, file: join(scratch, 'index.sqlite'), questions });
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
}

function questionsIn(file: string): Question[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { queries: Question[] }).queries;
}

async function measure(of: {
  readonly name: string;
  readonly root: string;
  readonly file: string;
  readonly questions: readonly Question[];
}): Promise<void> {
  const { name, root, file, questions } = of;
  const baseline = createBaseline(root);
  const isEmbedding = process.argv.includes('--embed');
  const embedder = isEmbedding ? await createEmbedder() : undefined;
  const sets: readonly (readonly [string, readonly Question[]])[] = [
    [`${name}`, questions],
    ...(name === 'hono'
      ? [['questions for tests', questionsIn(join(import.meta.dirname, 'test-questions.json'))] as const]
      : []),
  ];
  const lexical = openCodeIndex({ root, file });
  const { files } = await lexical.refresh();
  const byMeaning = embedder && openCodeIndex({ root, file, embedder });
  console.log(`${name}: ${files} files`);
  console.log(`${''.padEnd(34)} hit@1 hit@5 hit@10  MRR`);
  for (const [set, asked] of sets) {
    const before = await scoreOf({ questions: asked, search: baseline.search });
    console.log(line({ name: `${set}: baseline`, score: before }));
    const words = await scoreOf({ questions: asked, search: filesBy(lexical) });
    console.log(line({ name: `${set}: lexical`, score: words }));
    if (set === name && (words.hit10 < bars.lexical.hit10 || words.mrr < bars.lexical.mrr)) process.exitCode = 1;
    if (words.hit10 < before.hit10) process.exitCode = 1;
    if (!byMeaning) continue;
    if (set === name) {
      const reranked = await scoreOf({ questions: asked, search: filesBy(byMeaning) });
      console.log(line({ name: `${set}: reranked`, score: reranked }));
      const start = performance.now();
      await byMeaning.embed();
      console.log(`vectors filled in ${((performance.now() - start) / 1_000).toFixed(0)} s`);
    }
    const meaning = await scoreOf({ questions: asked, search: filesBy(byMeaning) });
    console.log(line({ name: `${set}: embeddings`, score: meaning }));
    if (set === name && (meaning.hit10 < bars.embeddings.hit10 || meaning.mrr < bars.embeddings.mrr))
      process.exitCode = 1;
    if (meaning.hit10 < before.hit10) process.exitCode = 1;
  }
  await lexical.close();
  await byMeaning?.close();
  await embedder?.close();
}

function filesBy(index: ReturnType<typeof openCodeIndex>): (query: string) => Promise<string[]> {
  return async (query) => {
    const { results } = await index.search({ query, limit: 100 });
    return [...new Set(results.map(({ path }) => path))];
  };
}
