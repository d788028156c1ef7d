"""Questions for pictures: `type:image`."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from whimbrel.parse.stops import content
from whimbrel.parse.words import Analysers
from whimbrel.records.picturing import LabelSays
from whimbrel.repository.among import marks
from whimbrel.repository.port.followed import Followed
from whimbrel.search.ask.snippets import Highlighter
from whimbrel.search.contract import Answer, Facet, Hit, HitPart, Query
from whimbrel.search.picture_book import FIELDS, PictureRow, languages, opened_to_read, possible
from whimbrel.search.schema import hosts

IMAGE = "image"
MOST_REACHED = 1_000
MOST_LANGUAGES = 3
FACET_VALUES = 12
SHOWN_TWINS = 5

RAISED, LOWERED = 1.25, 0.8
"""What the score of a picture is multiplied by whose label matches its shape, or contradicts it; set by hand."""
_BY_LABEL = (
    f"CASE p.label WHEN '{LabelSays.MATCHES}' THEN {RAISED} WHEN '{LabelSays.CONTRADICTS}' THEN {LOWERED} ELSE 1 END"
)

NOT_YET = "pictures are not in the index yet; `whimbrel index` takes them in"
IMPOSSIBLE = "pictures cannot be searched: the SQLite of this Python has no full-text tables (FTS5)"
ALONE = "pictures are searched by themselves: the other types were ignored"
FOR_PAGES = "has: and like: were ignored: they choose pages, not pictures"


class FoundPicture(Struct, frozen=True):
    """Pictures with the same bytes are one; `score` is 0 where no word was asked for."""

    row: PictureRow
    score: float
    twins: list[PictureRow]


class PictureSearch:
    """One question to one state of the pictures' index."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._analysers = Analysers()
        self._languages = languages(database)[:MOST_LANGUAGES]
        database.create_function("on_site", 2, lambda site, wanted: not set(wanted.split()).isdisjoint(hosts(site)))

    def done(self) -> int:
        row = self._database.execute("SELECT value FROM meta WHERE name = 'done'").fetchone()
        return int(row[0]) if row else 0

    def forms(self, word: str) -> list[str]:
        return self._analysers.forms(word, self._languages)

    def words(self, query: Query) -> list[str]:
        return list(dict.fromkeys((*content(query.words, self._languages), *(w for p in query.phrases for w in p))))

    def find(self, query: Query) -> list[FoundPicture]:
        """The best first; without words the newest."""
        condition, values = self._condition(query)
        score = f"-bm25(words, {', '.join(map(str, FIELDS.values()))}) * {_BY_LABEL}" if query.asks else "0.0"
        columns = ", ".join(f"p.{name}" for name in PictureRow.__struct_fields__)
        rows = self._database.execute(
            f"SELECT {score} AS score, {columns} FROM words JOIN picture p ON p.key = words.rowid WHERE {condition}"
            " ORDER BY score DESC, p.modified_at DESC, p.key LIMIT ?",
            (*values, MOST_REACHED),
        )
        found: dict[bytes, FoundPicture] = {}
        for amount, *row in rows:
            one = PictureRow(*row)
            if one.twins in found and one.twins:
                found[one.twins].twins.append(one)
            else:
                found[one.twins or str(one.key).encode()] = FoundPicture(one, amount, [])
        return list(found.values())

    def total(self, query: Query) -> int:
        condition, values = self._condition(query)
        counted = f"SELECT count(DISTINCT p.twins) FROM words JOIN picture p ON p.key = words.rowid WHERE {condition}"
        return int(self._database.execute(counted, values).fetchone()[0])

    def facets(self, query: Query) -> tuple[Facet, ...]:
        condition, values = self._condition(query)
        found = []
        for name, column in {"site": "p.site", "type": f"'{IMAGE}'", "lang": "p.language", "shape": "p.shaped"}.items():
            rows = self._database.execute(
                f"SELECT {column}, count(DISTINCT p.twins) FROM words JOIN picture p ON p.key = words.rowid"
                f" WHERE {condition} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {FACET_VALUES}",
                values,
            )
            found.append(Facet(name, tuple((value, count) for value, count in rows)))
        return tuple(found)

    def _condition(self, query: Query) -> tuple[str, list[object]]:
        terms, values = ["true"], list[object]()
        if query.asks:
            terms.append("words MATCH ?")
            values.append(self._match(query))
        out = [*((word,) for word in query.excluded), *query.excluded_phrases]
        if out:
            terms.append("words.rowid NOT IN (SELECT rowid FROM words WHERE words MATCH ?)")
            values.append(" OR ".join(self._either(words) for words in out))
        if query.sites:
            terms.append("on_site(p.site, ?)")
            values.append(" ".join(query.sites))
        if query.languages:
            terms.append(f"p.language IN {marks(query.languages)}")
            values += query.languages
        if query.shapes:
            terms.append(f"p.shaped IN {marks(query.shapes)}")
            values += query.shapes
        for sign, moment in ((">=", query.after), ("<", query.before)):
            if moment is not None:
                terms.append(f"p.modified_at {sign} ?")
                values.append(moment)
        return " AND ".join(terms), values

    def _match(self, query: Query) -> str:
        """Any of the words, all of the phrases: what may be missing adds to the score where it is found."""
        phrases = [self._either(phrase) for phrase in query.phrases]
        words = [self._either((word,)) for word in content(query.words, self._languages)]
        any_one = f"({' OR '.join([*phrases, *words])})"
        return " AND ".join([*phrases, any_one])

    def _either(self, words: Sequence[str]) -> str:
        """These words together, in any of the languages. Tokens are letters and digits alone: nothing in them can end
        a quotation."""
        ways = [self._analysers.of(language).joined(words) for language in ("", *self._languages)]
        quoted = [f'"{way}"' for way in dict.fromkeys(ways)]
        return f"({' OR '.join(quoted)})"


def answer_pictures(
    place: Path, source: Followed, query: Query, page: int, size: int, snippets: bool, facets: bool
) -> Answer:
    """One page of pictures. `place` is the index's folder."""
    notes = [*query.notes]
    notes += [ALONE] if len(query.types) > 1 else []
    notes += [FOR_PAGES] if query.has or query.like is not None else []
    try:
        database = opened_to_read(place)
        if database is None:
            return _nothing(query, page, size, source.urls_after(0), [*notes, NOT_YET if possible() else IMPOSSIBLE])
        with closing(database):
            asked = PictureSearch(database)
            found = asked.find(query)
            hits = _hits(asked, source, query, found[(page - 1) * size : page * size], _best(found), snippets)
            spread = asked.facets(query) if facets and found else ()
            pending = source.urls_after(asked.done())
            total = asked.total(query)
    except sqlite3.DatabaseError as error:
        return _nothing(query, page, size, source.urls_after(0), [*notes, f"pictures cannot be searched: {error}"])
    return Answer(query, page, size, tuple(hits), total, spread, "", pending, tuple(notes), 0.0)


def _nothing(query: Query, page: int, size: int, pending: int, notes: Iterable[str]) -> Answer:
    return Answer(query, page, size, (), 0, (), "", pending, tuple(notes), 0.0)


def _best(found: list[FoundPicture]) -> float:
    return found[0].score if found else 0.0


def _hits(
    asked: PictureSearch, source: Followed, query: Query, found: list[FoundPicture], best: float, snippets: bool
) -> list[Hit]:
    there = source.still_there(one.row.key for one in found)
    highlighter = Highlighter(asked.words(query), asked.forms)
    return [_hit(one, best, highlighter if snippets else None) for one in found if one.row.key in there]


def _hit(one: FoundPicture, best: float, highlighter: Highlighter | None) -> Hit:
    row = one.row
    value = one.score / best if best > 0 else 0.0
    reason = f"its words, those around it, and its file name, by BM25 ÷ the best picture's{_shape_said(row)}"
    return Hit(
        url=row.url, key=row.key, title=row.title,
        snippet=highlighter.snippet(row.says) if highlighter is not None and row.says else (),
        site=row.site, type=IMAGE, language=row.language, fetched_at=row.fetched_at, modified_at=row.modified_at,
        changed_at=row.changed_at, twins=len(one.twins),
        twin_urls=tuple(twin.url for twin in one.twins[:SHOWN_TWINS]), versions=row.versions, score=value,
        parts=(HitPart("text", value, 1.0, value, reason),), linked_from=row.shown_on, shaped=row.shaped,
    )  # fmt: skip


def _shape_said(row: PictureRow) -> str:
    """What its shape adds or takes away, for a person to read."""
    match row.label:
        case LabelSays.MATCHES:
            return f", × {RAISED}: it is called {row.shaped} and shaped like a {row.shaped}"
        case LabelSays.CONTRADICTS:
            return f", × {LOWERED}: it is called otherwise and shaped like a {row.shaped}"
    return f"; it is shaped like a {row.shaped}" if row.shaped else ""
