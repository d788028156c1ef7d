"""The tables of the index's book, and the statements that read and write whole rows of them."""

FORMAT = 6

TABLES = f"""
BEGIN;
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE page (
  key INTEGER PRIMARY KEY, role TEXT NOT NULL, stale INTEGER NOT NULL, url TEXT NOT NULL, site TEXT NOT NULL,
  type TEXT NOT NULL, language TEXT NOT NULL, title TEXT NOT NULL, version INTEGER NOT NULL, versions INTEGER NOT NULL,
  fetched_at REAL NOT NULL, modified_at REAL NOT NULL, changed_at REAL, twins BLOB NOT NULL,
  mime TEXT NOT NULL, links BLOB NOT NULL
) STRICT;
CREATE INDEX page_stale ON page (version) WHERE stale = 1;
CREATE INDEX page_twins ON page (twins);
CREATE TABLE anchor (
  target INTEGER NOT NULL, id INTEGER NOT NULL, hash INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (target, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE moved (key INTEGER PRIMARY KEY, target INTEGER NOT NULL) STRICT;
CREATE INDEX moved_target ON moved (target);
CREATE TABLE word (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
PRAGMA user_version = {FORMAT};
COMMIT;
"""
COLUMNS = (
    "key, role, stale, url, site, type, language, title, version, versions, fetched_at, modified_at, changed_at, twins,"
    " mime, links"
)
UPSERT = f"""
INSERT INTO page ({COLUMNS}) VALUES ({", ".join("?" * 16)})
ON CONFLICT (key) DO UPDATE SET role = excluded.role, stale = excluded.stale, url = excluded.url, site = excluded.site,
  type = excluded.type, language = excluded.language, title = excluded.title, versions = excluded.versions,
  fetched_at = excluded.fetched_at, modified_at = excluded.modified_at, changed_at = excluded.changed_at,
  twins = excluded.twins, mime = excluded.mime, links = excluded.links, version = excluded.version
"""
