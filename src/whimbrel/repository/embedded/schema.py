"""The tables of a folder, and how an older folder becomes a newer one.

A URL's id is its 64-bit xxh3 key, so looking one up needs no second index; among ten million URLs two share a
key with a chance of three in a million. The queue is a table of its own, kept in the order in which it is read.
"""

FORMAT = 7

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

_RIGHTS = """
ALTER TABLE version ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
"""

# Whether a URL was found as news, and since when a host is known well enough to tell: see decision 0082.
_NEWS = """
ALTER TABLE url ADD COLUMN news INTEGER NOT NULL DEFAULT 0;
CREATE INDEX url_news ON url (id) WHERE news = 1;

ALTER TABLE lane ADD COLUMN surveyed_at REAL;
"""

# What a page said last where that was noise, its habits, and how far each change is told: see decisions 0104 to 0106.
_PASSING = """
CREATE TABLE passing (version INTEGER PRIMARY KEY, records BLOB NOT NULL) STRICT;
ALTER TABLE version ADD COLUMN quiet INTEGER NOT NULL DEFAULT 0;
ALTER TABLE revisit ADD COLUMN habits BLOB NOT NULL DEFAULT x'';
ALTER TABLE change ADD COLUMN degree TEXT NOT NULL DEFAULT '';
ALTER TABLE change ADD COLUMN told INTEGER NOT NULL DEFAULT 1;
"""

TABLES += _CREW + _RETURNS + _REQUESTS + _RIGHTS + _NEWS + _PASSING

MIGRATIONS: dict[int, str] = {
    1: _CREW,
    2: _RETURNS,
    # The one request there could be was a value in `meta`; the settings name its examples, which are looked at again.
    3: f"{_REQUESTS} DELETE FROM meta WHERE name = 'request 1';",
    # What was told as new stays so: found after the first change that was seen on its host.
    4: f"""{_RIGHTS} {_NEWS}
        CREATE TEMP TABLE differed AS
          SELECT u.lane, min(c.at) AS at FROM change c JOIN url u ON u.id = c.url GROUP BY u.lane;
        UPDATE lane SET surveyed_at = d.at FROM differed d WHERE d.lane = lane.id;
        UPDATE url SET news = 1 FROM differed d WHERE d.lane = url.lane AND url.found_at >= d.at AND url.asset = 0;
        DROP TABLE differed;""",
    # Where the places of a change are not known, nobody can say how much of the page it was.
    5: f"""{_PASSING}
        UPDATE change SET degree = CASE
          WHEN kinds = '' THEN 'none' WHEN kinds IN ('presentation', 'behavioural', 'presentation,behavioural')
          THEN 'trivial' WHEN amount >= 1 THEN 'complete' WHEN amount < 1.0 / 3 THEN 'small'
          WHEN amount < 2.0 / 3 THEN 'medium' ELSE 'large' END
        WHERE what = 'restored' OR what = 'changed' AND hex(substr(details, 1, 2)) NOT IN ('', '9290');""",
    # Followers remember by themselves how far they came: nobody ever wrote here.
    6: "DROP TABLE follower;",
}
"""From a format number to the statements that lead to the next one."""
