import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SessionId } from 'longhaul/session';
import { longestWal } from '../conversation/chain-index.ts';
import type { RequestRecord } from './record.ts';

/** Sums over requests. */
export interface RequestTotals {
  readonly requests: number;
  readonly tokensReceived: number;
  readonly tokensForwarded: number;
  readonly tokensCached: number;
  readonly tokensOut: number;
  readonly compactions: number;
  /** Dollars, net of cache writes and of the gateway's own calls; `null` where no price is known. */
  readonly saved: number | null;
}

/** The same for one conversation. */
export interface ConversationTotals extends RequestTotals {
  readonly session: SessionId;
  readonly client: string;
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
}

/** What passed through the gateways of a store. */
export interface GatewayReport {
  readonly totals: RequestTotals;
  /** Milliseconds that the gateway added before requests were sent. */
  readonly overhead: { readonly p50: number; readonly p99: number };
  /** Newest first. */
  readonly conversations: readonly ConversationTotals[];
}

const sums = `
  COUNT(*) AS requests,
  COALESCE(SUM(tokens_received), 0) AS tokensReceived,
  COALESCE(SUM(tokens_forwarded), 0) AS tokensForwarded,
  COALESCE(SUM(tokens_cached), 0) AS tokensCached,
  COALESCE(SUM(tokens_out), 0) AS tokensOut,
  COALESCE(SUM(action IN ('compacted', 'shrunk')), 0) AS compactions,
  SUM(saved) AS saved`;

const fileOf = (dir: string) => join(dir, 'gateway', 'requests.sqlite');

/** The requests of a store's gateways: figures only, no content. */
export class RequestLog {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #previous: StatementSync;

  constructor({ dir }: { readonly dir: string | undefined }) {
    if (dir !== undefined) mkdirSync(join(dir, 'gateway'), { recursive: true });
    const database = new DatabaseSync(dir === undefined ? ':memory:' : fileOf(dir));
    database.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA wal_autocheckpoint = ${longestWal};
      CREATE TABLE IF NOT EXISTS requests (
        at INTEGER NOT NULL, client TEXT NOT NULL, upstream TEXT NOT NULL, model TEXT NOT NULL, session TEXT,
        status INTEGER NOT NULL, action TEXT NOT NULL, tokens_received INTEGER NOT NULL,
        tokens_forwarded INTEGER NOT NULL, tokens_cached INTEGER NOT NULL, tokens_out INTEGER NOT NULL,
        saved REAL, overhead REAL NOT NULL, duration REAL NOT NULL
      );
      CREATE INDEX IF NOT EXISTS requests_of_session ON requests (session, at);
    `);
    this.#database = database;
    this.#insert = database.prepare('INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#previous = database.prepare(
      'SELECT tokens_received AS tokens FROM requests WHERE session = ? AND tokens_received > 0 ORDER BY at DESC LIMIT 1',
    );
  }

  add(record: RequestRecord): void {
    const { at, client, upstream, model, session, status, action, saved, overhead, duration } = record;
    const { tokensReceived, tokensForwarded, tokensCached, tokensOut } = record;
    this.#insert.run(
      ...([at, client, upstream, model, session, status, action] as const),
      ...([tokensReceived, tokensForwarded, tokensCached, tokensOut, saved, overhead, duration] as const),
    );
  }

  /** Tokens of the newest request of a conversation, as the client made it. */
  previousTokens(session: SessionId): number {
    const row = this.#previous.get(session) as { readonly tokens: number } | undefined;
    return row?.tokens ?? 0;
  }

  report({ limit = 100 }: { readonly limit?: number } = {}): GatewayReport {
    return reportOf({ database: this.#database, limit });
  }

  /** Moves what was written into the file, which waits for the disk: to be called when nothing else is to be done. */
  checkpoint(): void {
    this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  }

  close(): void {
    this.#database.close();
  }
}

/**
 * What passed through the gateways of a store, also while one runs; `undefined` where none ever did.
 *
 * @example
 * const report = readGatewayReport({ dir: '.longhaul' });
 * console.log(report?.totals.requests);
 */
export function readGatewayReport({
  dir,
  limit = 100,
}: {
  readonly dir: string;
  /** The most conversations to list. */
  readonly limit?: number;
}): GatewayReport | undefined {
  if (!existsSync(fileOf(dir))) return undefined;
  const database = new DatabaseSync(fileOf(dir), { readOnly: true });
  try {
    return reportOf({ database, limit });
  } finally {
    database.close();
  }
}

function reportOf({ database, limit }: { readonly database: DatabaseSync; readonly limit: number }): GatewayReport {
  const totals = database.prepare(`SELECT ${sums} FROM requests`).get() as unknown as RequestTotals;
  const conversations = database
    .prepare(
      `SELECT session, client, model, MIN(at) AS first, MAX(at) AS last, ${sums} FROM requests
       WHERE session IS NOT NULL GROUP BY session ORDER BY last DESC LIMIT ?`,
    )
    .all(limit) as unknown as readonly ConversationTotals[];
  const quantile = (share: number) => {
    const row = database
      .prepare(
        `SELECT overhead FROM requests WHERE session IS NOT NULL ORDER BY overhead
         LIMIT 1 OFFSET (SELECT CAST((COUNT(*) - 1) * ? AS INTEGER) FROM requests WHERE session IS NOT NULL)`,
      )
      .get(share) as { readonly overhead: number } | undefined;
    return row?.overhead ?? 0;
  };
  return {
    totals: { ...totals },
    overhead: { p50: quantile(0.5), p99: quantile(0.99) },
    conversations: conversations.map((row) => ({ ...row })),
  };
}
