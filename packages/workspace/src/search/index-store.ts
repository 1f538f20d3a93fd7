import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { numbersPerChunk, type PreparedChunks, type PreparedFile } from './prepare-files.ts';

/** Another number means another layout: the index is then made anew, since it holds nothing that is not in the files. */
const version = 2;

const schema = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime REAL NOT NULL, hash TEXT NOT NULL
  );
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, symbols TEXT NOT NULL
  );
  CREATE INDEX chunks_of_file ON chunks (file);
  CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, model TEXT NOT NULL, scale REAL NOT NULL, vector BLOB NOT NULL);
  CREATE VIRTUAL TABLE words USING fts5(
    path, symbols, body, parts, content='', contentless_delete=1, tokenize='porter unicode61'
  );
  CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
`;

/**
 * FTS5 writes a segment with each commit and merges segments later. Words are gathered in more memory than usual, so that a
 * commit is one segment; a build merges 16 at a time. A crisis merge would merge all segments in one commit, which takes
 * too long for the update of a single file: `mergeSome` makes it unnecessary.
 */
const mergeOptions = [
  ['hashsize', 32_000_000],
  ['pgsz', 8_100],
  ['automerge', 16],
  ['crisismerge', 1_000],
] as const;

/** Pages that are merged after an update of single files: a few milliseconds. */
const pagesPerMerge = 64;

/** A file as the index knows it. */
export interface IndexedFile {
  readonly id: number;
  readonly path: string;
  readonly size: number;
  readonly mtime: number;
  readonly hash: string;
}

/** A chunk that was found. `bm25` is negative; lower is better. */
export interface ChunkRow {
  readonly id: number;
  readonly path: string;
  readonly mtime: number;
  readonly start: number;
  readonly end: number;
  readonly symbols: string;
  readonly bm25: number;
}

/** How much a match in each column of the index counts. */
export interface ColumnWeights {
  readonly path: number;
  readonly symbols: number;
  readonly body: number;
  readonly parts: number;
}

/** The index of a workspace in one SQLite file. It can be deleted at any time. */
export class IndexStore {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #isInBatch = false;

  constructor(file: string) {
    this.#db = new DatabaseSync(file);
    // Losing the last transactions to a power cut costs a second look at some files, nothing else. A large cache and few
    // checkpoints keep a build from writing the same pages again and again.
    this.#db.exec(
      'PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000; PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 8000;',
    );
    const { user_version: found } = this.#db.prepare('PRAGMA user_version').get() as { user_version: number };
    if (found === version) return;
    if (found !== 0) {
      this.#db.exec(
        'DROP TABLE IF EXISTS vectors; DROP TABLE IF EXISTS vocabulary; DROP TABLE IF EXISTS words; DROP TABLE IF EXISTS chunks; DROP TABLE IF EXISTS files; DROP TABLE IF EXISTS meta;',
      );
    }
    this.#db.exec(`BEGIN; ${schema} PRAGMA user_version = ${version}; COMMIT;`);
    this.#db.exec(
      `INSERT INTO words (words, rank) VALUES ${mergeOptions.map(([name, value]) => `('${name}', ${value})`).join(', ')};`,
    );
  }

  files(): IndexedFile[] {
    return this.#db.prepare('SELECT id, path, size, mtime, hash FROM files').all() as unknown as IndexedFile[];
  }

  file(path: string): IndexedFile | undefined {
    const row = this.#db.prepare('SELECT id, path, size, mtime, hash FROM files WHERE path = ?').get(path);
    return row as IndexedFile | undefined;
  }

  /** The file of that path, or the files below it. */
  filesBelow(path: string): IndexedFile[] {
    const below = this.#db.prepare(
      'SELECT id, path, size, mtime, hash FROM files WHERE path = ? OR (path >= ? AND path < ?)',
    );
    return below.all(path, `${path}/`, `${path}0`) as unknown as IndexedFile[];
  }

  counts(): { readonly files: number; readonly chunks: number; readonly characters: number } {
    const row = this.#db.prepare(
      'SELECT count(*) AS files, coalesce(sum(size), 0) AS characters, (SELECT count(*) FROM chunks) AS chunks FROM files',
    );
    return row.get() as { files: number; chunks: number; characters: number };
  }

  /**
   * A statement that writes. Numbers are read as bigints: FTS5 leaves ids of its own as the last inserted row, and `run`
   * throws where one of them is no safe integer.
   */
  #write(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    statement.setReadBigInts(true);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** All or nothing. Inside of a batch, a failure takes back the batch. */
  transaction(work: () => void): void {
    const isAlone = !this.#isInBatch;
    if (isAlone) this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      if (isAlone) this.#db.exec('COMMIT');
    } catch (error) {
      this.#isInBatch = false;
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** From here on, transactions become durable together: each commit makes a part of the index that is merged later. */
  beginBatch(): void {
    if (this.#isInBatch) return;
    this.#db.exec('BEGIN IMMEDIATE');
    this.#isInBatch = true;
  }

  commitBatch(): void {
    if (!this.#isInBatch) return;
    this.#isInBatch = false;
    this.#db.exec('COMMIT');
  }

  /** Merges a few pages of the index. */
  mergeSome(): void {
    this.#write("INSERT INTO words (words, rank) VALUES ('merge', ?)").run(pagesPerMerge);
  }

  remove(path: string): void {
    const file = this.#db.prepare('SELECT id FROM files WHERE path = ?').get(path) as { id: number } | undefined;
    if (!file) return;
    this.#write('DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE file = ?)').run(file.id);
    this.#write('DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE file = ?)').run(file.id);
    this.#write('DELETE FROM chunks WHERE file = ?').run(file.id);
    this.#write('DELETE FROM files WHERE id = ?').run(file.id);
  }

  /** The content is the same: only when it was last looked at changes. */
  touch({ path, size, mtime }: Pick<IndexedFile, 'path' | 'size' | 'mtime'>): void {
    this.#write('UPDATE files SET size = ?, mtime = ? WHERE path = ?').run(size, mtime, path);
  }

  add(of: PreparedFile & { readonly chunks: PreparedChunks }): void {
    const { path, size, mtime, hash, pathWords, chunks } = of;
    const insert = this.#write('INSERT INTO files (path, size, mtime, hash) VALUES (?, ?, ?, ?)');
    const { lastInsertRowid: file } = insert.run(path, size, mtime, hash);
    const chunkRow = this.#write('INSERT INTO chunks (file, start, end, symbols) VALUES (?, ?, ?, ?)');
    const wordsRow = this.#write('INSERT INTO words (rowid, path, symbols, body, parts) VALUES (?, ?, ?, ?, ?)');
    const { places, words } = chunks;
    let from = 0;
    for (const [index, symbols] of chunks.symbols.entries()) {
      const at = index * numbersPerChunk;
      const [start = 0, end = 0, symbolsEnd = 0, bodyEnd = 0, partsEnd = 0] = places.subarray(at, at + numbersPerChunk);
      const { lastInsertRowid: id } = chunkRow.run(file, start, end, symbols);
      // FTS5 reads bytes as text. The path counts once for a file, not once for each chunk of it.
      wordsRow.run(
        id,
        index === 0 ? pathWords : '',
        words.subarray(from, symbolsEnd),
        words.subarray(symbolsEnd, bodyEnd),
        words.subarray(bodyEnd, partsEnd),
      );
      from = partsEnd;
    }
  }

  /** In how many chunks a term occurs, by its stem. */
  frequency(stem: string): number {
    const row = this.#db.prepare('SELECT doc FROM vocabulary WHERE term = ?').get(stem) as { doc: number } | undefined;
    return row?.doc ?? 0;
  }

  /** The best chunks for an expression of FTS5. */
  match(of: { readonly expression: string; readonly weights: ColumnWeights; readonly limit: number }): ChunkRow[] {
    const { path, symbols, body, parts } = of.weights;
    return this.#db
      .prepare(
        `SELECT best.id AS id, files.path AS path, files.mtime AS mtime, chunks.start AS start, chunks.end AS end,
                chunks.symbols AS symbols, best.bm25 AS bm25
           FROM (SELECT rowid AS id, bm25(words, ?, ?, ?, ?) AS bm25 FROM words WHERE words MATCH ? ORDER BY bm25 LIMIT ?) AS best
           JOIN chunks ON chunks.id = best.id JOIN files ON files.id = chunks.file ORDER BY best.bm25`,
      )
      .all(path, symbols, body, parts, of.expression, of.limit) as unknown as ChunkRow[];
  }

  /** Places of chunks, in the order asked for. */
  chunks(ids: readonly number[]): Pick<ChunkRow, 'id' | 'path' | 'start' | 'end' | 'symbols' | 'mtime'>[] {
    const row = this.#db.prepare(
      `SELECT chunks.id AS id, files.path AS path, files.mtime AS mtime, start, end, symbols
         FROM chunks JOIN files ON files.id = chunks.file WHERE chunks.id = ?`,
    );
    return ids.flatMap((id) => (row.get(id) as unknown as ChunkRow | undefined) ?? []);
  }

  /** Chunks that have no vector of a model yet. */
  withoutVectors({ model, limit }: { readonly model: string; readonly limit: number }): number[] {
    const rows = this.#db.prepare(
      `SELECT chunks.id AS id FROM chunks LEFT JOIN vectors ON vectors.chunk = chunks.id AND vectors.model = ?
        WHERE vectors.chunk IS NULL ORDER BY chunks.id LIMIT ?`,
    );
    return (rows.all(model, limit) as { id: number }[]).map(({ id }) => id);
  }

  withVectors({ model, ids }: { readonly model: string; readonly ids: readonly number[] }): number[] {
    const row = this.#db.prepare('SELECT 1 FROM vectors WHERE chunk = ? AND model = ?');
    return ids.filter((id) => row.get(id, model) !== undefined);
  }

  wholeFiles(): { readonly path: string; readonly startLine: number; readonly endLine: number }[] {
    const rows = this.#db.prepare(
      'SELECT path, 1 AS startLine, max(end) AS endLine FROM files JOIN chunks ON chunks.file = files.id GROUP BY files.id',
    );
    return rows.all() as unknown as { path: string; startLine: number; endLine: number }[];
  }

  addVector(of: {
    readonly id: number;
    readonly model: string;
    readonly scale: number;
    readonly vector: Int8Array;
  }): void {
    const { id, model, scale, vector } = of;
    // A chunk that went meanwhile gets none.
    const insert = this.#write(
      'INSERT OR REPLACE INTO vectors (chunk, model, scale, vector) SELECT id, ?, ?, ? FROM chunks WHERE id = ?',
    );
    insert.run(model, scale, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), id);
  }

  *vectors(model: string): Generator<{ readonly chunk: number; readonly scale: number; readonly vector: Uint8Array }> {
    const rows = this.#db.prepare('SELECT chunk, scale, vector FROM vectors WHERE model = ?');
    for (const row of rows.iterate(model)) yield row as unknown as { chunk: number; scale: number; vector: Uint8Array };
  }

  close(): void {
    this.#db.close();
  }
}
