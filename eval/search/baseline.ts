import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listFiles } from '@longhaul/workspace/search';

const chunkLines = 40;

/** The search to be better than: bm25 with stemming over chunks of 40 lines and the words of the path. */
export function createBaseline(root: string): { readonly search: (query: string) => string[] } {
  const db = new DatabaseSync(':memory:');
  db.exec(
    "CREATE TABLE chunks (id INTEGER PRIMARY KEY, path TEXT); CREATE VIRTUAL TABLE words USING fts5(path, body, tokenize='porter unicode61')",
  );
  const [chunk, words] = [
    db.prepare('INSERT INTO chunks (path) VALUES (?)'),
    db.prepare('INSERT INTO words (rowid, path, body) VALUES (?, ?, ?)'),
  ];
  for (const { path } of listFiles({ root }).files) {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    for (let start = 0; start < lines.length; start += chunkLines) {
      const { lastInsertRowid } = chunk.run(path);
      words.run(
        lastInsertRowid,
        path.replace(/[^A-Za-z0-9]+/g, ' '),
        lines.slice(start, start + chunkLines).join('\n'),
      );
    }
  }
  const find = db.prepare(
    'SELECT chunks.path AS path FROM words JOIN chunks ON chunks.id = words.rowid WHERE words MATCH ? ORDER BY bm25(words) LIMIT 400',
  );
  return {
    search(query) {
      const terms = query.match(/[A-Za-z0-9]{3,}/g) ?? [];
      const rows = find.all(terms.map((term) => `"${term}"`).join(' OR ')) as { path: string }[];
      return [...new Set(rows.map(({ path }) => path))];
    },
  };
}
