"""The tables of the readers' log."""

FORMAT = 2

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

SINCE_2 = """
CREATE TABLE wish (
  number INTEGER PRIMARY KEY AUTOINCREMENT, reader INTEGER NOT NULL, at REAL NOT NULL, query TEXT NOT NULL,
  best TEXT NOT NULL, kinds TEXT NOT NULL, sites TEXT NOT NULL, visits INTEGER NOT NULL, pages INTEGER NOT NULL,
  state TEXT NOT NULL, began_at REAL, ended_at REAL, words TEXT NOT NULL, visited INTEGER NOT NULL
) STRICT;
CREATE TABLE wished (
  wish INTEGER, key INTEGER, reader INTEGER NOT NULL, url TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (wish, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE interest (
  reader INTEGER, sort TEXT, value TEXT, title TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (reader, sort, value)
) STRICT, WITHOUT ROWID;
"""
"""What readers asked for and was fetched for them; what they say interests them."""

OWNED = ("batch", "deed", "summed", "place", "favourite", "star", "saved", "wish", "wished", "interest")
"""Tables with rows of single readers."""
