"""The tables of a folder, and how an older folder becomes a newer one.

A URL's id is its 64-bit xxh3 key, so looking one up needs no second index; among ten million URLs two share a
key with a chance of three in a million. The queue is a table of its own, kept in the order in which it is read.
"""

FORMAT = 4

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE seed (url TEXT PRIMARY KEY, named INTEGER NOT NULL, at REAL NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE lane (id INTEGER PRIMARY KEY, host TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE url (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL, lane INTEGER NOT NULL, depth INTEGER NOT NULL,
  hops INTEGER NOT NULL, run INTEGER NOT NULL, asset INTEGER NOT NULL, via INTEGER, found_at REAL NOT NULL,
  outcome TEXT NOT NULL, rule TEXT NOT NULL, reason TEXT NOT NULL,
  status INTEGER NOT NULL DEFAULT 0, target INTEGER, visited_at REAL, tries INTEGER NOT NULL DEFAULT 0,
  occurrences INTEGER NOT NULL DEFAULT 0, version INTEGER
) STRICT;

CREATE TABLE due (
  lane INTEGER NOT NULL, band INTEGER NOT NULL, seq INTEGER NOT NULL, url INTEGER NOT NULL,
  at REAL NOT NULL, attempt INTEGER NOT NULL, PRIMARY KEY (lane, band, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE version (
  id INTEGER PRIMARY KEY, url INTEGER NOT NULL, at REAL NOT NULL, status INTEGER NOT NULL,
  mime TEXT NOT NULL, charset TEXT NOT NULL, language TEXT NOT NULL, title TEXT NOT NULL, canonical TEXT NOT NULL,
  digest BLOB NOT NULL, twins BLOB NOT NULL, size INTEGER NOT NULL, received INTEGER NOT NULL,
  etag TEXT NOT NULL, last_modified TEXT NOT NULL, cut TEXT NOT NULL,
  file INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL
) STRICT;
CREATE INDEX version_url ON version (url, id);

CREATE TABLE reading (version INTEGER PRIMARY KEY, packed BLOB NOT NULL) STRICT;

CREATE TABLE body (
  digest BLOB PRIMARY KEY, payload_digest BLOB NOT NULL, url TEXT NOT NULL, at REAL NOT NULL,
  file INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE twins (id BLOB PRIMARY KEY, survivor INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE pattern (id TEXT PRIMARY KEY, state BLOB NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE robots (
  origin TEXT PRIMARY KEY, at REAL NOT NULL, status INTEGER NOT NULL, body BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE archive (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, end INTEGER NOT NULL) STRICT;

CREATE TABLE event (seq INTEGER PRIMARY KEY, url INTEGER NOT NULL, kind TEXT NOT NULL, version INTEGER) STRICT;

CREATE TABLE follower (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE traffic (kind TEXT PRIMARY KEY, bytes INTEGER NOT NULL, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE forgotten (pattern TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
"""

_CREW = """
CREATE TABLE migrant (
  name TEXT PRIMARY KEY, state TEXT NOT NULL, place TEXT NOT NULL, birthplace TEXT NOT NULL, parent TEXT NOT NULL,
  born_at REAL NOT NULL, changed_at REAL NOT NULL, visits INTEGER NOT NULL, received INTEGER NOT NULL,
  luggage BLOB NOT NULL
) STRICT;

CREATE TABLE choice (lane INTEGER PRIMARY KEY, at REAL NOT NULL, record BLOB NOT NULL) STRICT;
"""

_RETURNS = """
CREATE TABLE revisit (
  url INTEGER PRIMARY KEY, digest BLOB NOT NULL, etag TEXT NOT NULL, last_modified TEXT NOT NULL,
  absence BLOB NOT NULL, unconditional INTEGER NOT NULL, history BLOB NOT NULL
) STRICT;

CREATE TABLE change (
  seq INTEGER PRIMARY KEY, url INTEGER NOT NULL, at REAL NOT NULL, what TEXT NOT NULL, kinds TEXT NOT NULL,
  amount REAL NOT NULL, before INTEGER, after INTEGER, target INTEGER, details BLOB NOT NULL
) STRICT;
CREATE INDEX change_at ON change (at);
CREATE INDEX change_url ON change (url, seq);

CREATE TABLE listed (
  url INTEGER PRIMARY KEY, lastmod REAL, changefreq TEXT NOT NULL, priority REAL, at REAL NOT NULL,
  moved_at REAL NOT NULL
) STRICT;

CREATE TABLE witness (
  lane INTEGER NOT NULL, name TEXT NOT NULL, record BLOB NOT NULL, PRIMARY KEY (lane, name)
) STRICT, WITHOUT ROWID;
"""

_REQUESTS = """
CREATE TABLE request (
  id INTEGER PRIMARY KEY, asked_at REAL NOT NULL, examples TEXT NOT NULL, structure BLOB NOT NULL, most INTEGER,
  state TEXT NOT NULL, finished_at REAL
) STRICT;

CREATE TABLE answer (url INTEGER PRIMARY KEY, request INTEGER NOT NULL) STRICT;
CREATE INDEX answer_request ON answer (request);

ALTER TABLE migrant ADD COLUMN errand TEXT NOT NULL DEFAULT '';
"""

TABLES += _CREW + _RETURNS + _REQUESTS

MIGRATIONS: dict[int, str] = {
    1: _CREW,
    2: _RETURNS,
    # The one request there could be was a value in `meta`; the settings name its examples, which are looked at again.
    3: f"{_REQUESTS} DELETE FROM meta WHERE name = 'request 1';",
}
"""From a format number to the statements that lead to the next one."""
