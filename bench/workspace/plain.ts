import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * The least that a full-text index costs: every file read and put into a contentless FTS5 table with its path, in rows of
 * so many lines.
 */
export function buildPlain({
  root,
  file,
  lines,
}: {
  readonly root: string;
  readonly file: string;
  /** Without a number a file is one row. */
  readonly lines?: number;
}): void {
  const db = new DatabaseSync(file);
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE VIRTUAL TABLE words USING fts5(path, body, content='', tokenize='porter unicode61');",
  );
  const insert = db.prepare('INSERT INTO words (rowid, path, body) VALUES (?, ?, ?)');
  const paths = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  let row = 0;
  for (let start = 0; start < paths.length; start += 200) {
    db.exec('BEGIN');
    for (const entry of paths.slice(start, start + 200)) {
      const path = join(entry.parentPath, entry.name);
      const text = readFileSync(path, 'utf8');
      const all = lines === undefined ? [] : text.split('\n');
      const parts =
        lines === undefined
          ? [text]
          : Array.from({ length: Math.ceil(all.length / lines) }, (_, at) =>
              all.slice(at * lines, (at + 1) * lines).join('\n'),
            );
      for (const part of parts) {
        row += 1;
        insert.run(row, path, part);
      }
    }
    db.exec('COMMIT');
  }
  db.close();
}
