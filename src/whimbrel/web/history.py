"""What changed between two kept versions, paragraph by paragraph, and which pages changed lately."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from msgspec import Struct

from whimbrel.change.decide import decide
from whimbrel.change.noise import learn
from whimbrel.change.version import Version as Compared
from whimbrel.change.version import read_version
from whimbrel.exchange.kept import decoded
from whimbrel.records.change import Change, Spot
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.repository.embedded.changes import Changes
from whimbrel.repository.embedded.opening import open_database
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.views import Version

MOST_HISTORY = 3
MOST_CHANGES = 200
LONGEST_COMPARED_WORDS = 3_000
DAY_SECONDS = 86_400.0

Pieces = tuple[tuple[str, str], ...]
"""Words with what became of them: "same", "gone" or "new"."""


class Altered(Struct, frozen=True):
    """A place that differs, with its words told apart."""

    spot: Spot
    pieces: Pieces


class Comparison(Struct, frozen=True):
    before: Version
    after: Version
    change: Change
    altered: tuple[Altered, ...]


class Happening(Struct, frozen=True):
    """What happened to a page: `what` is new, changed, moved, gone or restored; `more` is where it went, or why."""

    what: str
    url: Url
    title: str
    at: float
    version: int | None
    more: str


class Changed(Struct, frozen=True):
    """A page of which an older version is kept too."""

    url: Url
    title: str
    at: float
    version: int
    previous: int


def compare(reader: Reader, url: Url, before: Version, after: Version) -> Comparison | Failure:
    """Older versions show what comes and goes by itself."""
    older = [version for version in reader.versions(url) if version.number < before.number][-MOST_HISTORY:]
    read: list[Compared] = []
    for version in (*older, before, after):
        seen = _read(reader, url, version)
        if isinstance(seen, Failure):
            return seen
        read.append(seen)
    change = decide(read[-2], read[-1], learn(read[:-1], []))
    return Comparison(before, after, change, tuple(Altered(spot, words_apart(spot)) for spot in change.where))


def _read(reader: Reader, url: Url, version: Version) -> Compared | Failure:
    copy = decoded(reader.body(url, version))
    return copy if isinstance(copy, Failure) else read_version(copy.body, copy.content_type or version.mime)


def words_apart(spot: Spot) -> Pieces:
    old, new = spot.before.split(), spot.after.split()
    if max(len(old), len(new)) > LONGEST_COMPARED_WORDS or not (old and new):
        return tuple(piece for piece in ((spot.before, "gone"), (spot.after, "new")) if piece[0])
    return tuple(_pieces(old, new))


def _pieces(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield " ".join(old[i:j]), "same"
            continue
        if i < j:
            yield " ".join(old[i:j]), "gone"
        if k < m:
            yield " ".join(new[k:m]), "new"


def lately_changed(folder: Path, since: float, most: int = MOST_CHANGES) -> list[Changed]:
    """Newest first. Versions are numbered as they come, so the newest numbers are the newest versions."""
    database = open_database(folder)
    try:
        rows = database.execute(
            "SELECT u.url, v.title, v.at, v.id, (SELECT max(o.id) FROM version o WHERE o.url = v.url AND o.id < v.id)"
            " FROM version v JOIN url u ON u.id = v.url WHERE v.at >= ? AND u.asset = 0"
            " AND EXISTS (SELECT 1 FROM version o WHERE o.url = v.url AND o.id < v.id)"
            " ORDER BY v.id DESC LIMIT ?",
            (since, most),
        ).fetchall()
    finally:
        database.close()
    return [Changed(*row) for row in rows]


def lately(folder: Path, since: float, most: int) -> list[Happening]:
    """What happened since, the latest first, each page once."""
    with Changes(folder) as reader:
        told = reader.lately(since, most)
    found = [Happening(one.what, one.url, one.title, one.at, one.after, one.target or one.reason) for one in told]
    found += [
        Happening("changed", each.url, each.title, each.at, each.version, "") for each in lately_changed(folder, since)
    ]
    latest: dict[str, Happening] = {}
    for one in sorted(found, key=lambda happening: -happening.at):
        latest.setdefault(one.url, one)
    return list(latest.values())[:most]
