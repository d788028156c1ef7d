"""The tables of the readers' log."""

FORMAT = 1

TABLES = """
CREATE TABLE reader (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, since REAL NOT NULL, origin TEXT NOT NULL,
  recorded INTEGER NOT NULL
) STRICT;
CREATE TABLE page (number INTEGER PRIMARY KEY, key INTEGER UNIQUE NOT NULL, url TEXT NOT NULL) STRICT;
CREATE TABLE query (number INTEGER PRIMARY KEY, text TEXT UNIQUE NOT NULL) STRICT;
CREATE TABLE batch (reader INTEGER, name TEXT, at REAL NOT NULL, PRIMARY KEY (reader, name)) STRICT, WITHOUT ROWID;
CREATE TABLE deed (
  number INTEGER PRIMARY KEY, reader INTEGER NOT NULL, at REAL NOT NULL, page INTEGER NOT NULL,
  version INTEGER NOT NULL, action INTEGER NOT NULL, amount REAL NOT NULL, query INTEGER NOT NULL, rank INTEGER NOT NULL
) STRICT;
CREATE INDEX deed_led ON deed (reader, query, page) WHERE action IN (20, 21);
CREATE TABLE summed (
  reader INTEGER, page INTEGER, query INTEGER, action INTEGER, count INTEGER NOT NULL, amount REAL NOT NULL,
  PRIMARY KEY (reader, page, query, action)
) STRICT, WITHOUT ROWID;
CREATE TABLE tally (key INTEGER PRIMARY KEY, shown INTEGER NOT NULL, opened INTEGER NOT NULL) STRICT;
CREATE TABLE place (
  reader INTEGER, page INTEGER, version INTEGER NOT NULL, at REAL NOT NULL, place REAL NOT NULL, query INTEGER NOT NULL,
  PRIMARY KEY (reader, page)
) STRICT, WITHOUT ROWID;
CREATE TABLE favourite (
  reader INTEGER, url TEXT, title TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (reader, url)
) STRICT, WITHOUT ROWID;
CREATE TABLE star (
  reader INTEGER, url TEXT, title TEXT NOT NULL, stars INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (reader, url)
) STRICT, WITHOUT ROWID;
CREATE TABLE saved (
  number INTEGER PRIMARY KEY AUTOINCREMENT, reader INTEGER NOT NULL, query TEXT NOT NULL, at REAL NOT NULL,
  token TEXT UNIQUE NOT NULL, UNIQUE (reader, query)
) STRICT;
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
"""
"""Numbers of pages and queries are small where their texts are long. 0 is nobody's, and no query's."""

OWNED = ("batch", "deed", "summed", "place", "favourite", "star", "saved")
"""Tables with rows of single readers."""
