/**
 * The log of one session. Nothing is looked up by scanning, and an append touches three pages: the newest entries, the
 * newest ids, the head.
 */
export const logSchema = {
  version: 1,
  sql: `
    CREATE TABLE meta (header TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;

    -- nth counts without gaps, so that a lost row is noticed where handles may have gaps; sum is a CRC-32 of the row.
    CREATE TABLE entries (
      handle INTEGER PRIMARY KEY,
      nth INTEGER NOT NULL,
      id TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL,
      key TEXT,
      body TEXT NOT NULL,
      blobs TEXT,
      sum INTEGER NOT NULL
    ) STRICT;
    -- Nearly all entries are messages; asking for those is reading the log.
    CREATE INDEX notable ON entries (type) WHERE type <> 'message';
    CREATE INDEX keyed ON entries (key) WHERE key IS NOT NULL;

    CREATE TABLE head (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      last INTEGER NOT NULL,
      count INTEGER NOT NULL,
      leaf TEXT,
      epoch TEXT,
      tip TEXT,
      span TEXT,
      messages INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      title TEXT,
      name TEXT,
      sum INTEGER NOT NULL
    ) STRICT;

    -- Entries of one epoch follow each other: a row where the epoch changes is enough to find them all.
    CREATE TABLE spans (start INTEGER PRIMARY KEY, epoch TEXT) STRICT;
    CREATE INDEX spans_epoch ON spans (epoch);

    -- Nodes mostly follow their parent: a row where one does not, so that a path is a handful of ranges of handles.
    CREATE TABLE runs (start INTEGER PRIMARY KEY, base INTEGER NOT NULL) STRICT;
  `,
} as const;
